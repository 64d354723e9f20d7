"""Results of formulas that may not apply to a case."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from autoperf.core.errors import AutoperfError

T = TypeVar("T")


def if_known(formula: Callable[[], T]) -> T | None:
    """The formula's result; None where it doesn't apply, as for an input beyond its domain."""
    try:
        return formula()
    except (AutoperfError, ArithmeticError, LookupError, TypeError, ValueError):
        return None
