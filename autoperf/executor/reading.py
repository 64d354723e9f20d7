"""Reads a rendered file in a process of its own, since what stands in it is a user's program.

    python -m autoperf.executor.reading FILE RESULT

writes the loaded suite, or what is wrong with the file, to RESULT as JSON.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from autoperf.capi.linux import die_with_parent
from autoperf.core.children import child_environment
from autoperf.core.errors import AutoperfError, CaseFileError
from autoperf.core.visible import visible
from autoperf.executor.process import describe_end
from autoperf.executor.suite import LoadedSuite, load


class _Reading(msgspec.Struct, frozen=True):
    """What the child found: a suite, or an error's text."""

    suite: LoadedSuite | None = None
    error: str = ""


def read_suite(path: Path, scratch: Path, limit: float) -> LoadedSuite:
    """The cases of a file, within `limit` seconds.

    Raises CaseFileError for a file that is wrong, that ends the process that reads it, or that doesn't come to an end.
    """
    result = scratch / "reading.json"
    command = [sys.executable, "-m", "autoperf.executor.reading", str(path), str(result)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            check=False,
            env=child_environment({}),
        )
    except subprocess.TimeoutExpired:
        raise CaseFileError(
            f"{path}: was not read within the limit of {limit:g} s; is there an endless loop?"
        ) from None
    try:
        reading = msgspec.json.decode(result.read_bytes(), type=_Reading, dec_hook=_path)
    except (OSError, msgspec.DecodeError):
        end = describe_end(done.returncode)
        raise CaseFileError(f"{path}: the process that read it ended without an answer ({end})") from None
    if reading.suite is None:
        raise CaseFileError(reading.error)
    return reading.suite


def _path(kind: type, value: object) -> object:
    return Path(str(value)) if kind is Path else value


def main(file: str, result: str) -> None:
    """Load the file, and write what became of it."""
    die_with_parent()
    try:
        reading = _Reading(load(Path(file)))
    except AutoperfError as error:
        reading = _Reading(error=visible(str(error)))
    Path(result).write_bytes(_encoded(file, reading))


def _encoded(file: str, reading: _Reading) -> bytes:
    try:
        # The path may be no UTF-8; whoever asked for it knows it.
        return msgspec.json.encode(reading, enc_hook=lambda path: visible(str(path)))
    except UnicodeEncodeError as error:
        text = f"{file}: half a character, such as \\ud800, stands in a name or a text of it: {error.object!r}"
        return msgspec.json.encode(_Reading(error=visible(text)))


if __name__ == "__main__":
    main(*sys.argv[1:])
