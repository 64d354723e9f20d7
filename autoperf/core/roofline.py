"""A machine's roofline: memory bandwidth, peak operations per second, and call overhead."""

from __future__ import annotations

import datetime as dt

import msgspec

from autoperf.core.load import is_busy
from autoperf.core.tensors import ITEM_SIZE
from autoperf.core.work import Work

# The share of the last-level cache that a case may fill; other data uses the rest.
CACHE_SHARE = 0.5
SINGLE, DOUBLE = "float32", "float64"


class Roofline(msgspec.Struct, frozen=True, kw_only=True):
    """A machine's roofline, measured with MXNet and its threads.

    `bandwidth` is the memory bandwidth in bytes per second, `cached_bandwidth` that of the caches, whose last level has
    `cache_bytes`. `flops` has operations per second by dtype (float32 and float64); a multiply-add counts as two.
    `overhead_us` is the time of a call with minimal work, in microseconds. `load` is the machine's load when it was
    `measured`; `cached` is True if it was read from the cache.
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

    def bandwidth_for(self, work: Work) -> float:
        """Bytes per second for this work: the caches' bandwidth if it fits into half of the last level."""
        fits = work.bytes <= self.cache_bytes * CACHE_SHARE
        return max(self.cached_bandwidth, self.bandwidth) if fits else self.bandwidth

    def peak(self, dtype: str) -> float:
        """Operations per second with this dtype.

        A dtype of eight bytes counts as float64. Others scale float32 by the number of elements in a vector register.
        """
        size = ITEM_SIZE[dtype]
        if size == ITEM_SIZE[DOUBLE]:
            return self.flops[DOUBLE]
        return self.flops[SINGLE] * ITEM_SIZE[SINGLE] / size
