"""When a machine counts as busy."""

from __future__ import annotations

MAX_LOAD = 0.25
"""Processes that may wait for each processor; with more, figures are worse than the machine can do."""


def is_busy(load: float, processors: int) -> bool:
    """Whether others take so much of so many processors that figures suffer."""
    return load > MAX_LOAD * processors
