"""Linux calls for child processes that Python's library doesn't have."""

from __future__ import annotations

import contextlib
import ctypes
import resource
import signal
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PAGE = resource.getpagesize()


def die_with_parent() -> None:
    """Has Linux kill this process when its parent exits; does nothing on other systems."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))


def limit_memory(limit: int) -> None:
    """Limits the address space to `limit` bytes more than now, to protect the machine."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    target = used + limit
    resource.setrlimit(resource.RLIMIT_AS, (target if hard == resource.RLIM_INFINITY else min(target, hard), hard))


def page_faults() -> int:
    """The number of times that a thread of this process touched a page of memory that it didn't have yet."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def release_free_memory() -> None:
    """Has the allocator return all memory to Linux that is free; does nothing with an allocator other than glibc's."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
