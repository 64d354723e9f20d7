"""Reads a rendered file in a process of its own, since what stands in it is a user's program.

    python -m autoperf.executor.reading FILE RESULT BYTES

writes the loaded suite, or what is wrong with the file, to RESULT as JSON.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from autoperf.capi.linux import die_with_parent, limit_memory
from autoperf.core.children import child_environment
from autoperf.core.errors import AutoperfError, CaseFileError
from autoperf.executor.process import describe_end
from autoperf.executor.suite import LoadedSuite, load

MAX_RESULT = 256 * 2**20


class _Reading(msgspec.Struct, frozen=True):
    """What the child found: a suite, or an error's text."""

    suite: LoadedSuite | None = None
    error: str = ""


def read_suite(path: Path, scratch: Path, limit: float, memory: int) -> LoadedSuite:
    """The cases of a file, within `limit` seconds and `memory` bytes beyond those of Python itself.

    Raises CaseFileError for a file that is wrong, that ends the process that reads it, that takes too much memory, or
    that doesn't come to an end.
    """
    result = scratch / "reading.json"
    code = _run([str(path), str(result), str(memory)], limit)
    if code is None:
        raise CaseFileError(f"{path}: was not read within the limit of {limit:g} s; is there an endless loop?")
    try:
        reading = msgspec.json.decode(_text(result), type=_Reading, dec_hook=_path)
    except (OSError, msgspec.DecodeError):
        end = describe_end(code)
        raise CaseFileError(f"{path}: the process that read it ended without an answer ({end})") from None
    if reading.suite is None:
        raise CaseFileError(reading.error)
    return reading.suite


def _run(arguments: list[str], limit: float) -> int | None:
    """The exit code of the process that reads, or None if it lived on; it ends with whatever it has started."""
    process = subprocess.Popen(
        [sys.executable, "-m", "autoperf.executor.reading", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=child_environment({}),
    )
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _text(result: Path) -> bytes:
    """What the process has written. Raises OSError if there is nothing, or more than a suite can be."""
    with result.open("rb") as file:
        text = file.read(MAX_RESULT + 1)
    if len(text) > MAX_RESULT:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return text


def _path(kind: type, value: object) -> object:
    return Path(str(value)) if kind is Path else value


def main(file: str, result: str, memory: str) -> None:
    """Load the file within so many bytes, and write what became of it."""
    die_with_parent()
    limit_memory(int(memory))
    try:
        reading = _Reading(load(Path(file)))
    except AutoperfError as error:
        reading = _Reading(error=_told(error, int(memory)))
    Path(result).write_bytes(msgspec.json.encode(reading, enc_hook=str))


def _told(error: AutoperfError, memory: int) -> str:
    """What is wrong with the file; what its own code raises was raised while handling the cause."""
    if isinstance(error.__context__, MemoryError):
        return f"{str(error).removesuffix(': ')}: it needs more than the limit of {memory / 2**20:.0f} MiB"
    return str(error)


if __name__ == "__main__":
    main(*sys.argv[1:])
