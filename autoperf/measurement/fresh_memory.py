"""Fresh memory: which calls touch pages that the process didn't have, and when they no longer do.

A call that writes to a page for the first time waits for Linux to provide it, for a microsecond or two a page: longer
than most kernels take for its content. The allocator keeps freed blocks and hands them out again, so that later calls
don't wait, but only after a number of calls that depends on how blocks happen to lie. glibc's arenas can also return a
block at the end of each call, so that every call waits for good. Both differ between processes of the same program.
"""

from __future__ import annotations

import resource
from collections.abc import Mapping, Sequence

from autoperf.measurement.attribution import Boundaries

LARGEST_BLOCK = 2**25
"""The size in bytes up to which glibc reuses blocks, at most (M_MMAP_THRESHOLD's maximum, see `man mallopt`)."""
LARGEST_HEAP = 2**26
"""The size in bytes of the heaps from which glibc serves threads other than the first (HEAP_MAX_SIZE)."""
KEEP_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(LARGEST_BLOCK),
    "MALLOC_TRIM_THRESHOLD_": str(2**40),
    "MALLOC_TOP_PAD_": str(LARGEST_HEAP),
}
"""glibc reuses each block that it can, and returns no heap to Linux while a case is measured.

It returns an empty heap unless the one before it has less room than the padding. A single heap for all threads would
do too, but makes calls of 20 us 3% slower.
"""
OTHER_ALLOCATOR = ("LD_PRELOAD", "GLIBC_TUNABLES")

FAULT_NS = 1000
NEGLIGIBLE = 0.01
# The interpreter and the trace take a page now and then; it is no memory of the operator's.
STRAY = 1
# Calls in a row without fresh memory; a later one that takes some is measured again.
QUIET = 3
# The number of calls with alike amounts after which further calls are expected to take as much.
MANY = 24
ALIKE = 0.02
# The maximum share of samples of another state, which doesn't move a median.
FRESH = 0.1


def allocator_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables by which glibc keeps freed memory; none where the user sets up the allocator."""
    if any(name in OTHER_ALLOCATOR or name.startswith("MALLOC_") for name in environment):
        return {}
    return dict(KEEP_MEMORY)


def is_negligible(faults: float, nanoseconds: float) -> bool:
    """Whether this number of page faults changes a time by less than 1%."""
    return faults * FAULT_NS <= NEGLIGIBLE * nanoseconds


def has_settled(calls: Sequence[Boundaries]) -> bool:
    """Whether further calls will take no less fresh memory than the last ones did.

    They take none, or their blocks are too large to be reused, or many calls in a row took alike amounts. The first
    call of all may take memory that the next two reuse.
    """
    last = calls[-QUIET:]
    if len(last) < QUIET:
        return False
    reusing = last[1:] if len(calls) == QUIET else last
    if all(is_negligible(sum(call.faults), call.forward + call.backward) for call in reusing):
        return True
    enough = LARGEST_BLOCK // resource.getpagesize()
    return _alike(last) and (min(sum(call.faults) for call in last) >= enough or _alike(calls[-MANY:], MANY))


def are_settled(warm_up: Sequence[Boundaries], samples: Sequence[Boundaries]) -> bool:
    """Whether samples are of the settled state: they take no fresh memory, or as much as when the warm-up ended."""
    if all(is_negligible(sum(call.faults), call.forward + call.backward) for call in samples):
        return True
    return has_settled(warm_up) and sum(call.fresh for call in samples) <= FRESH * len(samples)


def settled_faults(calls: Sequence[Boundaries]) -> tuple[int, int]:
    """The page faults of either pass in the settled state: the median of the last calls."""
    last = calls[-QUIET:]
    forward, backward = (sorted(call.faults[which] for call in last)[len(last) // 2] for which in (0, 1))
    return forward, backward


def takes_more(call: Boundaries, settled: tuple[int, int]) -> bool:
    """Whether a pass took so much more fresh memory than in the settled state that its time is not of that state."""
    passes = zip(call.faults, settled, (call.forward, call.backward), strict=True)
    return any(
        not is_negligible(faults - usual, nanoseconds) and faults - usual > max(STRAY, ALIKE * usual)
        for faults, usual, nanoseconds in passes
    )


def _alike(calls: Sequence[Boundaries], least: int = QUIET) -> bool:
    counts = [sum(call.faults) for call in calls]
    return len(counts) >= least and max(counts) - min(counts) <= ALIKE * max(counts)
