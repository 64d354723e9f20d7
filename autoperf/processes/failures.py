"""Why a process can't be started, by the limit that was met, and what to do about it."""

from __future__ import annotations

import errno

from autoperf.core.errors import ProcessError

_REASONS = {
    errno.EMFILE: "too many files are open in this process; raise the limit (`ulimit -n`)",
    errno.ENFILE: "too many files are open on this machine; close other programs",
    errno.EAGAIN: "no more processes are allowed; end others, or raise the limit (`ulimit -u`, or the container's)",
    errno.ENOMEM: "there is not enough memory; free some, or raise the limit (`ulimit -v`)",
    errno.ENOSPC: "the disk of temporary files is full; free some, or name another place by TMPDIR",
}


def start_error(what: str, error: OSError) -> ProcessError:
    """The error to raise where a process, or what it needs, can't be had."""
    reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
    place = f" ({error.filename})" if error.filename else ""
    return ProcessError(f"can't start {what}: {reason}{place}")
