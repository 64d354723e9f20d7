"""Escapes control characters in text that comes from files."""

from __future__ import annotations

import re

# Control characters except tab and line feed, line separators, bidirectional controls, and lone surrogates.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_controls(text: str) -> str:
    """The text with each control character as `\\u001b`, as in JSON."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
