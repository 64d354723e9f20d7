"""What a machine can do at most: bytes moved and operations computed in a second, and what a call costs anyway."""

from __future__ import annotations

import datetime as dt

import msgspec

from autoperf.core.load import is_busy
from autoperf.core.tensors import ITEM_SIZE
from autoperf.core.work import Work

# Of the last level of cache a case may take so much to count as lying in it; the rest belongs to others.
CACHE_SHARE = 0.5
SINGLE, DOUBLE = "float32", "float64"


class Roofline(msgspec.Struct, frozen=True, kw_only=True):
    """A machine's roofline, as MXNet reaches it with the threads that it has.

    `bandwidth` is in bytes a second between memory and processor, `cached_bandwidth` within the caches, whose last
    level has `cache_bytes`. `flops` has the operations a second by dtype (float32 and float64), a multiplication and an
    addition being two. `overhead_us` is the time of a call that has next to nothing to do. `load` is how many
    processes wanted a processor when it was `measured`; `cached` says that it wasn't measured just now.
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
        """Whether so much else ran while it was measured that the machine can do more than this."""
        return is_busy(self.load, self.processors)

    def least_seconds(self, work: Work, dtype: str = SINGLE) -> float:
        """What the work takes at least, without the call's overhead: the longer one of moving and of computing it.

        Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for multicore
        architectures", 2009. Operators of several passes over their data, or on fewer threads, take longer for
        good reasons.
        """
        return max(work.bytes / self.bandwidth_for(work), work.flops / self.peak(dtype))

    def bandwidth_for(self, work: Work) -> float:
        """Bytes a second for this work: that of the caches if it fits into half of the last level."""
        fits = work.bytes <= self.cache_bytes * CACHE_SHARE
        return max(self.cached_bandwidth, self.bandwidth) if fits else self.bandwidth

    def peak(self, dtype: str) -> float:
        """Operations a second with this dtype.

        Those that aren't measured are taken to be as much faster than float32 as more of them fit into a register; of
        eight bytes, as fast as float64.
        """
        size = ITEM_SIZE[dtype]
        if size == ITEM_SIZE[DOUBLE]:
            return self.flops[DOUBLE]
        return self.flops[SINGLE] * ITEM_SIZE[SINGLE] / size
