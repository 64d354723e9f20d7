"""Text from files, as it may be shown: what would steer a terminal is spelled, not sent on."""

from __future__ import annotations

import re

# Control characters but tab and line feed, the separators and directions that change what is seen, and half characters.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_controls(text: str) -> str:
    """The same text with such characters as `\\u001b`, which is also how JSON spells them."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
