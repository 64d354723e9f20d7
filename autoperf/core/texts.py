"""Texts and names from users: control characters spelled for terminals, and names that may appear in Python source."""

from __future__ import annotations

import enum
import keyword
import re

MAX_WORD = 1000
"""Longer words are shortened in messages and tables; paths and commands, which are copied, are rarely as long."""
_HEAD, _TAIL = 60, 20
_LONG_WORD = re.compile(rf"\S{{{MAX_WORD + 1},}}")
# Control characters except tab and line feed, line separators, bidirectional controls, and lone surrogates.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Python's spelling of a control character, after an even number of backslashes.
_PYTHON_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9a-f]{2})")


class Word(str, enum.Enum):
    """A member of a closed set, which equals its text and is written as it."""

    __str__ = str.__str__


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


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 case`, `1,234 cases`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


# A file's name may have 255 characters; MXNet's longest name has 60.
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
IDENTIFIER = "a name of letters, digits and underscores"


def is_name(name: object) -> bool:
    """Whether the name is valid for an input, a parameter or a graph."""
    # Python rejects an assignment to __debug__, even as a keyword argument.
    return isinstance(name, str) and bool(NAME.fullmatch(name)) and not keyword.iskeyword(name) and name != "__debug__"
