"""The speed of the machine: fixed work that is timed beside every sample, and its time at reference speed."""

from __future__ import annotations

import msgspec

# The probe takes some microseconds.
MIN_REFERENCE_US, MAX_REFERENCE_US = 1e-3, 1e6


class Reference(msgspec.Struct, frozen=True):
    """The reference speed of a machine: the time of the probe in microseconds when nothing slows it down.

    `probe` identifies the work: times of different probes can't be compared. `measured` is UTC, ISO 8601.
    """

    probe: str
    us: float
    measured: str

    def __post_init__(self) -> None:
        """Raises ValueError for a time that no probe takes."""
        if not MIN_REFERENCE_US <= self.us <= MAX_REFERENCE_US:
            raise ValueError(
                f"invalid time of the probe {self.us} us: expected {MIN_REFERENCE_US:g} to {MAX_REFERENCE_US:g} us"
            )


class Probes(msgspec.Struct, frozen=True):
    """The time of the probe in microseconds, before and after each sample of a series."""

    before: tuple[float, ...]
    after: tuple[float, ...]
