"""Valid names of inputs, parameters, graphs and operators: they appear in Python source."""

from __future__ import annotations

import keyword
import re

# A file's name may have 255 characters; MXNet's longest name has 60.
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
IDENTIFIER = "a name of letters, digits and underscores"
"""The expectation in messages about an invalid name."""


def is_name(name: object) -> bool:
    """Whether the name is valid for an input, a parameter or a graph."""
    # Python rejects an assignment to __debug__, even as a keyword argument.
    return (
        isinstance(name, str)
        and NAME.fullmatch(name) is not None
        and not keyword.iskeyword(name)
        and name != "__debug__"
    )
