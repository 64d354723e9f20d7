"""Linux calls for child processes that Python's library doesn't have."""

from __future__ import annotations

import contextlib
import ctypes
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_PR_SET_PDEATHSIG = 1
_RUSAGE_LONGS = 18
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


class Usage(NamedTuple):
    """The resources that all threads of this process have used so far.

    `faults` is the number of times that one touched a page of memory that it didn't have yet.
    """

    faults: int
    cpu_ns: int


def usage_reader() -> Callable[[], Usage]:
    """Reads the usage into a buffer of its own: Python's `resource` takes longer, and more of the caches."""
    buffer = (ctypes.c_long * _RUSAGE_LONGS)()
    getrusage = ctypes.CDLL(None).getrusage
    arguments = (ctypes.c_int(resource.RUSAGE_SELF), ctypes.byref(buffer))

    def read() -> Usage:
        getrusage(*arguments)
        # Two pairs of seconds and microseconds (user, system), four sizes, then the faults without input or output.
        return Usage(buffer[8], (buffer[0] + buffer[2]) * 1_000_000_000 + (buffer[1] + buffer[3]) * 1000)

    return read


def release_free_memory() -> None:
    """Has the allocator return all memory to Linux that is free; does nothing with an allocator other than glibc's."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
