"""What a child process asks of Linux that Python has no function for."""

from __future__ import annotations

import contextlib
import ctypes
import resource
import signal
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PAGE = resource.getpagesize()


def die_with_parent() -> None:
    """Has Linux kill this process when its parent ends, however that ends; elsewhere it does nothing."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))


def limit_memory(limit: int) -> None:
    """Lets this process take `limit` bytes of address space more than it has, so that the machine survives it."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = used + limit
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
