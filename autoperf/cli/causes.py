"""What the system refused, and what to do about it."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

REMEDIES = {
    errno.EMFILE: "raise the limit of open files (`ulimit -n`)",
    errno.ENFILE: "the system has too many open files: close other programs",
    errno.EAGAIN: "no process can be started: end other programs, or raise the limit of processes (`ulimit -u`)",
    errno.ENOMEM: "free some memory, or raise the limit (`ulimit -v`)",
    errno.ENOSPC: "the disk is full: free some space, or name another place by TMPDIR and AUTOPERF_CACHE",
    errno.EDQUOT: "your quota is used up: free some space, or name another place by TMPDIR and AUTOPERF_CACHE",
    errno.EROFS: "name another place by TMPDIR and AUTOPERF_CACHE",
    errno.EIO: "check the disk, or the terminal that has gone",
}
SCRATCH = "the scratch folder was removed while it was in use: start again, or name another place by TMPDIR"


def explained(error: OSError) -> str:
    """The file, the system's own words, and what to do: `a.txt: Too many open files; raise the limit ...`."""
    place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    words = error.strerror or str(error) or type(error).__name__
    remedy = SCRATCH if error.errno == errno.ENOENT and _in_scratch(place) else REMEDIES.get(error.errno or 0, "")
    return f"{place}: {words}"[0 if place else 2 :] + (f"; {remedy}" if remedy else "")


def _in_scratch(place: str) -> bool:
    """Whether the path lies in a scratch folder of ours."""
    parts = Path(place).parts
    temporary = Path(tempfile.gettempdir()).parts
    return parts[: len(temporary)] == temporary and any(part.startswith("autoperf-") for part in parts)
