"""Operators that are made for NaN, so that a hunt may fill their inputs with it."""

from __future__ import annotations

TAKES_NAN = frozenset(
    f"_npi_{name}" for name in ("nan_to_num", "isnan", "isinf", "isposinf", "isneginf", "isfinite")
) | {"nansum", "nanprod"}
"""By the names of the registry; other operators may read NaN as an index, or never end a search for it."""
