"""Why a process can't be started, by the limit that was met, and what to do about it."""

from __future__ import annotations

import errno
import resource

from autoperf.core.errors import ProcessError

# Python, NumPy and SciPy map so much of it before anything is run.
MIN_ADDRESS_SPACE = 256 << 20
_UNLIMITED = 1 << 63
_REASONS = {
    errno.EMFILE: "too many files are open in this process; raise the limit (`ulimit -n`)",
    errno.ENFILE: "too many files are open on this machine; close other programs",
    errno.EAGAIN: "no more processes are allowed; end others, or raise the limit (`ulimit -u`, or the container's)",
    errno.ENOMEM: "there is not enough memory; free some, or raise the limit (`ulimit -v`)",
    errno.ENOSPC: "the disk of temporary files is full; free some, or name another place by TMPDIR",
}


def check_address_space() -> None:
    """Raises ProcessError where this program may not take the address space that its own modules need."""
    limit = _address_space()
    if limit < MIN_ADDRESS_SPACE:
        raise ProcessError(
            f"invalid limit of address space: expected at least {MIN_ADDRESS_SPACE >> 20} MiB for autoperf itself, "
            f"and 2048 MiB with MXNet, got {limit >> 20} MiB; raise it (`ulimit -v`)"
        )


def address_space_note() -> str:
    """What to add to an error of a process that didn't start: the limit of address space, if there is one."""
    limit = _address_space()
    return "" if limit == _UNLIMITED else f"; the limit of address space is {limit >> 20} MiB (`ulimit -v`)"


def _address_space() -> int:
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return _UNLIMITED if soft == resource.RLIM_INFINITY else soft


def start_error(what: str, error: OSError) -> ProcessError:
    """The error to raise where a process, or what it needs, can't be had."""
    known = _REASONS.get(error.errno or 0)
    place = f" ({error.filename})" if error.filename else ""
    return ProcessError(f"can't start {what}: {known or f'{error.strerror or error}{place}'}")
