"""A machine: its processors, its speed by the probe, its roofline, and the rates of a pass beside it."""

from __future__ import annotations

import datetime as dt
import re

import msgspec

from autoperf.core.case import Input
from autoperf.core.errors import UsageError
from autoperf.core.tensors import ITEM_SIZE, ArrayType
from autoperf.core.work import Work


def parse_processors(text: str) -> tuple[int, ...]:
    """The numbers in order; none for `any`. Raises UsageError for anything else."""
    if text == "any":
        return ()
    chosen: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,4})(?:-(\d{1,4}))?\s*", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise UsageError(f"invalid processors {text!r}: expected 1, 2-3, 0,2 or any")
        chosen.update(range(first, last + 1))
    return tuple(sorted(chosen))


MAX_LOAD = 0.25
"""Other runnable processes per processor; above this, measurements are too slow."""


def is_busy(load: float, processors: int) -> bool:
    """Whether the load is too high for this number of processors."""
    return load > MAX_LOAD * processors


# The probe takes some microseconds.
MIN_REFERENCE_US, MAX_REFERENCE_US = 1e-3, 1e6


class Reference(msgspec.Struct, frozen=True):
    """A machine's reference speed: microseconds of this `probe` when nothing slows it down; `measured` in UTC."""

    probe: str
    us: float
    measured: str

    def __post_init__(self) -> None:
        if not MIN_REFERENCE_US <= self.us <= MAX_REFERENCE_US:
            raise ValueError(
                f"invalid time of the probe {self.us} us: expected {MIN_REFERENCE_US:g} to {MAX_REFERENCE_US:g} us"
            )


class Probes(msgspec.Struct, frozen=True):
    """The time of the probe in microseconds, before and after each sample of a series."""

    before: tuple[float, ...]
    after: tuple[float, ...]


# The share of the last-level cache that a case may fill; other data uses the rest.
CACHE_SHARE = 0.5
SINGLE, DOUBLE = "float32", "float64"


class Roofline(msgspec.Struct, frozen=True, kw_only=True):
    """A machine's roofline, measured with MXNet and its threads.

    `bandwidth` is the memory bandwidth in bytes per second, `cached_bandwidth` that of the caches, whose last level has
    `cache_bytes`. `flops` has operations per second by dtype (float32 and float64); a multiply-add counts as two.
    `overhead_us` is the time of a call with minimal work, in microseconds. `load` is the number of processors that
    other programs used meanwhile, `measured` the time; `cached` is True if it was read from the cache.
    """

    bandwidth: float
    cached_bandwidth: float
    cache_bytes: int
    flops: dict[str, float]
    overhead_us: float
    load: float
    processors: int
    measured: dt.datetime
    cached: bool = False

    @property
    def busy(self) -> bool:
        """Whether the machine was busy, so that the measured limits are too low."""
        return is_busy(self.load, self.processors)

    def min_seconds(self, work: Work, dtype: str = SINGLE) -> float:
        """The lower bound of the work's seconds without call overhead: the maximum of memory and compute time.

        Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for multicore
        architectures", 2009. Operators with several passes over their data, or fewer threads, are expected to
        take longer.
        """
        return max(work.bytes / self.bandwidth_for(work), work.flops / self.peak(dtype))

    def min_us(self, work: Work, dtype: str) -> float:
        """The lower bound of a call's microseconds, with its overhead."""
        return self.min_seconds(work, dtype) * 1e6 + self.overhead_us

    def bandwidth_for(self, work: Work) -> float:
        """Bytes per second for this work: the caches' bandwidth if it fits into half of the last level."""
        fits = work.bytes <= self.cache_bytes * CACHE_SHARE
        return max(self.cached_bandwidth, self.bandwidth) if fits else self.bandwidth

    def peak(self, dtype: str) -> float:
        """Operations per second: 8 bytes count as float64; others scale float32 by the elements in a register."""
        size = ITEM_SIZE[dtype]
        return self.flops[DOUBLE] if size == ITEM_SIZE[DOUBLE] else self.flops[SINGLE] * ITEM_SIZE[SINGLE] / size


class Throughput(msgspec.Struct, frozen=True):
    """The counted work of a pass over its median time, in 10^9 bytes and in 10^9 operations a second.

    `gflop_per_s` is None for a pass that only moves data; `roofline` is the share of the machine's, None if unknown.
    """

    gb_per_s: float
    gflop_per_s: float | None
    roofline: float | None = None


def throughput_of(work: Work, median_us: float, roofline: Roofline | None, dtype: str = SINGLE) -> Throughput | None:
    """The throughput of this work in a time of `median_us` microseconds; None for a time of 0."""
    if median_us <= 0:
        return None
    seconds = median_us / 1e6
    share = roofline.min_seconds(work, dtype) / seconds if roofline else None
    return Throughput(work.bytes / seconds / 1e9, work.flops / seconds / 1e9 if work.flops else None, share)


def dtype_of(inputs: tuple[Input, ...], outputs: tuple[ArrayType, ...]) -> str:
    """The dtype of the largest input or output, in which a case is assumed to compute; float32 without any."""
    arrays = [*(item.tensor.type for item in inputs), *outputs]
    largest = max(arrays, key=lambda array: array.elements, default=None)
    return largest.dtype if largest else SINGLE
