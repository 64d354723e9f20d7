"""Spells text that comes from users and files for terminals: control characters are escaped, long words shortened."""

from __future__ import annotations

import re

MAX_WORD = 1000
"""Longer words are shortened in messages and tables; paths and commands, which are copied, are rarely as long."""
_HEAD, _TAIL = 60, 20
_LONG_WORD = re.compile(rf"\S{{{MAX_WORD + 1},}}")
# Control characters except tab and line feed, line separators, bidirectional controls, and lone surrogates.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Python's spelling of a control character, after an even number of backslashes.
_PYTHON_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9a-f]{2})")


def escape_controls(text: str) -> str:
    """The text with each control character as `\\u001b`, as in JSON."""
    return _CONTROLS.sub(lambda match: escape(match[0]), text)


def quoted(value: object) -> str:
    """The value as Python writes it, with control characters as `escape_controls` spells them."""
    return _PYTHON_ESCAPE.sub(r"\1\\u00\2", repr(value))


def message_text(text: str) -> str:
    """The text of a message: control characters are escaped, also those within `repr`, and long words shortened."""
    return _PYTHON_ESCAPE.sub(r"\1\\u00\2", escape_controls(shortened(text)))


def shortened(text: str) -> str:
    """The text with both ends of each word that has more than MAX_WORD characters, and its length."""
    return _LONG_WORD.sub(lambda it: f"{it[0][:_HEAD]}... ({len(it[0]):,} characters) ...{it[0][-_TAIL:]}", text)


def escape(sign: str) -> str:
    """A character as JSON spells it; one of more than 16 bits as Python does."""
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"
