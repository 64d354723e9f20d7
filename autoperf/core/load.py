"""The load above which a machine counts as busy."""

from __future__ import annotations

MAX_LOAD = 0.25
"""Other runnable processes per processor; above this, measurements are too slow."""


def is_busy(load: float, processors: int) -> bool:
    """Whether the load is too high for this number of processors."""
    return load > MAX_LOAD * processors
