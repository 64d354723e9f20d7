"""Pins the threads of a process to one processor for a moment, so that both sides of a pair start on the same one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def pinned_to_one(place: float) -> Iterator[None]:
    """Pins the threads of this process to one of its processors inside the context; `place` (0 to 1) selects it.

    Linux keeps a thread on the processor where it ran last, and the processors of a virtual machine may differ in
    speed by half for seconds. Threads with an affinity of their own (OMP_PROC_BIND) are not moved. With a single
    processor, or if threads can't be moved, nothing happens.
    """
    usable = _processors(0)
    moved: list[int] = []
    try:
        if len(usable) > 1:
            chosen = {sorted(usable)[min(int(place * len(usable)), len(usable) - 1)]}
            for task in Path("/proc/self/task").iterdir():
                thread = int(task.name)
                if _processors(thread) == usable and _bound(thread, chosen):
                    moved.append(thread)
        yield
    finally:
        for thread in moved:
            _bound(thread, usable)


def _processors(thread: int) -> set[int]:
    """The processors that a thread may run on; empty if they are unknown or the thread has ended."""
    with contextlib.suppress(OSError, AttributeError):
        return os.sched_getaffinity(thread)
    return set()


def _bound(thread: int, processors: set[int]) -> bool:
    """Binds a thread to processors; False if that fails, since the thread may have ended."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(thread, processors)
        return True
    return False
