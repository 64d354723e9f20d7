"""Descriptions of operating system errors, with a remedy."""

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
    errno.ENOSPC: "the disk is full: free some space, or set TMPDIR and AUTOPERF_CACHE to other folders",
    errno.EDQUOT: "your quota is used up: free some space, or set TMPDIR and AUTOPERF_CACHE to other folders",
    errno.EROFS: "set TMPDIR and AUTOPERF_CACHE to other folders",
    errno.EIO: "check the disk; the terminal may have been closed",
}
SCRATCH = "the scratch folder was removed while it was in use: start again, or set TMPDIR to another folder"


def describe_os_error(error: OSError) -> str:
    """The path, the system's message, and the remedy: `a.txt: Too many open files; raise the limit ...`."""
    path = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    message = error.strerror or str(error) or type(error).__name__
    remedy = SCRATCH if error.errno == errno.ENOENT and _in_scratch(path) else REMEDIES.get(error.errno or 0, "")
    return f"{path}: {message}"[0 if path else 2 :] + (f"; {remedy}" if remedy else "")


def _in_scratch(path: str) -> bool:
    """Whether the path lies in a scratch folder of autoperf."""
    parts = Path(path).parts
    temporary = Path(tempfile.gettempdir()).parts
    return parts[: len(temporary)] == temporary and any(part.startswith("autoperf-") for part in parts)
