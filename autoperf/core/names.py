"""Names that may stand in Python source: of inputs, parameters, graphs and operators."""

from __future__ import annotations

import keyword
import re

# A file's name may have 255 characters; MXNet's longest name has 60.
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")


def is_name(name: object) -> bool:
    """Whether an input, a parameter or a graph may have this name, which goes into Python source."""
    # Python compiles no assignment to __debug__, not even as a keyword of a call.
    return (
        isinstance(name, str)
        and NAME.fullmatch(name) is not None
        and not keyword.iskeyword(name)
        and name != "__debug__"
    )
