"""The reasons why a process can't be started (the limit that was reached, the remedy), or gave no answer."""

from __future__ import annotations

import errno
import resource

from autoperf.core.errors import ProcessError
from autoperf.processes.channel import ChannelClosed, ChannelError, ChannelMismatched, ChannelSilent
from autoperf.processes.exit_status import ExitStatus, with_tail

INVALID_ANSWER = "the process wrote garbage in place of an answer"
MISMATCH = "the process answered another request"
# Python, NumPy and SciPy map this much before anything runs.
MIN_ADDRESS_SPACE = 384 << 20
# A process that loads MXNet maps this much, with small inputs.
MXNET_ADDRESS_SPACE = 2048 << 20
_UNLIMITED = 1 << 63
_REASONS = {
    errno.EMFILE: "too many files are open in this process; raise the limit (`ulimit -n`)",
    errno.ENFILE: "too many files are open on this machine; close other programs",
    errno.EAGAIN: "no more processes are allowed; end others, or raise the limit (`ulimit -u`, or the container's)",
    errno.ENOMEM: "there is not enough memory; free some, or raise the limit (`ulimit -v`)",
    errno.ENOSPC: "the disk of temporary files is full; free some, or name another place by TMPDIR",
}


def check_address_space() -> None:
    """Raises ProcessError if the limit of address space is too low for autoperf's own modules."""
    limit = _address_space()
    if limit < MIN_ADDRESS_SPACE:
        raise ProcessError(
            f"invalid limit of address space: expected at least {MIN_ADDRESS_SPACE >> 20} MiB for autoperf itself, "
            f"and {MXNET_ADDRESS_SPACE >> 20} MiB with MXNet, got {limit >> 20} MiB; raise it (`ulimit -v`)"
        )


def address_space_note() -> str:
    """A suffix for the error of a process that didn't start: the limit of address space, if one is set."""
    limit = _address_space()
    if limit == _UNLIMITED:
        return ""
    advice = f", but MXNet needs {MXNET_ADDRESS_SPACE >> 20} MiB" if limit < MXNET_ADDRESS_SPACE else ""
    return f"; the limit of address space is {limit >> 20} MiB{advice}; raise it (`ulimit -v`)"


def lack_of_address_space() -> str:
    """A suffix for the end of a process that had started: the limit, where it is too low for MXNet."""
    return address_space_note() if _address_space() < MXNET_ADDRESS_SPACE else ""


def _address_space() -> int:
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return _UNLIMITED if soft == resource.RLIM_INFINITY else soft


def start_error(what: str, error: OSError) -> ProcessError:
    """The error for a process that can't be started, or lacks a resource to start."""
    reason = _REASONS.get(error.errno or 0)
    place = f" ({error.filename})" if error.filename else ""
    return ProcessError(f"can't start {what}: {reason or f'{error.strerror or error}{place}'}")


def no_answer(error: ChannelError, limit: float, end: ExitStatus) -> str:
    """Why a process gave no answer within `limit` seconds: its end, a timeout, or an invalid message."""
    if isinstance(error, ChannelClosed):
        return end.describe("the process ended without an answer ({})") + lack_of_address_space()
    if isinstance(error, ChannelSilent):
        return with_tail(f"no answer within the limit of {limit:g} s", end.tail)
    return with_tail(MISMATCH if isinstance(error, ChannelMismatched) else INVALID_ANSWER, end.tail)
