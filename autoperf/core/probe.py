"""The speed of the machine: fixed work, timed beside every sample, and what it takes at reference speed."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import msgspec

ProbeKind: TypeAlias = Literal["cache", "memory"]
"""A probe that computes in a core's caches, or one that fills memory which the system has to provide first."""


class Reference(msgspec.Struct, frozen=True):
    """The reference speed of a machine: the times of both probes in microseconds when nothing slows it down.

    `probe` identifies the work: times of different probes can't be compared. `measured` is UTC, ISO 8601.
    """

    probe: str
    us: float
    memory_us: float
    measured: str

    def __post_init__(self) -> None:
        """Raises ValueError for a time that is not positive and finite."""
        for us in (self.us, self.memory_us):
            if not (math.isfinite(us) and us > 0):
                raise ValueError(f"invalid time of the probe {us}: expected a positive number of microseconds")

    def of(self, kind: ProbeKind) -> float:
        """The time of this probe in microseconds."""
        return self.memory_us if kind == "memory" else self.us


class Probes(msgspec.Struct, frozen=True):
    """The time of a probe in microseconds, before and after each sample of a series."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    kind: ProbeKind = "cache"


class Follows(msgspec.Struct, frozen=True):
    """How a case follows the speed of the machine: its probe, and the slope of its log time over that of the probe."""

    kind: ProbeKind
    slope: float
