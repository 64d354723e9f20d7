"""Puts the threads of a process on one processor for a moment, so that chance doesn't leave them on a slow one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def pinned_to_one(place: float) -> Iterator[None]:
    """Inside, the threads of this process share one of its processors; `place`, from 0 to 1, says which.

    Linux leaves a thread where it ran last for as long as it can, and the processors of a virtual machine may differ
    by half for seconds. Threads that somebody has bound otherwise (OMP_PROC_BIND) are left alone; where there is one
    processor, or threads can't be moved, nothing happens.
    """
    iteration_seconds = _processors(0)
    moved: list[int] = []
    try:
        if len(iteration_seconds) > 1:
            chosen = {sorted(iteration_seconds)[min(int(place * len(iteration_seconds)), len(iteration_seconds) - 1)]}
            for task in Path("/proc/self/task").iterdir():
                thread = int(task.name)
                if _processors(thread) == iteration_seconds and _bound(thread, chosen):
                    moved.append(thread)
        yield
    finally:
        for thread in moved:
            _bound(thread, iteration_seconds)


def _processors(thread: int) -> set[int]:
    """Those that a thread may run on; none where that can't be told, or the thread has ended."""
    with contextlib.suppress(OSError, AttributeError):
        return os.sched_getaffinity(thread)
    return set()


def _bound(thread: int, processors: set[int]) -> bool:
    """Whether the thread was bound to these; it may have ended."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(thread, processors)
        return True
    return False
