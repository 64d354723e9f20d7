"""Reads a suite file in a child process, since it is a user's program.

    python -m autoperf.cases.suite_reader READING WRITING BYTES

sends the loaded suite, or an error, to the descriptor WRITING.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec

from autoperf.cases.suite import LoadedSuite, load
from autoperf.core.errors import AutoperfError, CaseFileError
from autoperf.core.texts import escape_controls
from autoperf.processes.channel import Channel, ChannelError
from autoperf.processes.child_process import ChildProcess
from autoperf.processes.forks import limit_memory, parent_channel


class _Reading(msgspec.Struct, frozen=True):
    suite: LoadedSuite | None = None
    error: str = ""


_requests: msgspec.msgpack.Decoder[tuple[int, str]] = msgspec.msgpack.Decoder(tuple[int, str])
_readings: msgspec.msgpack.Decoder[tuple[int, _Reading]] = msgspec.msgpack.Decoder(tuple[int, _Reading])


def read_suite(path: Path, scratch: Path, limit: float, memory: int) -> LoadedSuite:
    """The cases of a file, read within `limit` seconds and `memory` bytes beyond those of Python itself.

    Raises CaseFileError for an invalid file, and for one that crashes the process or exceeds a limit; ProcessError if
    the process can't be started.
    """
    child: ChildProcess[str, _Reading] = ChildProcess(
        "autoperf.cases.suite_reader", [str(memory)], _readings, {}, scratch, starts_numpy=False
    )
    try:
        reading = child.channel.ask(str(path), time.monotonic() + limit)
    except ChannelError as error:
        raise CaseFileError(f"{path}: can't read the file: {child.no_answer(error, limit)}") from None
    finally:
        child.kill()
    if reading.suite is None:
        raise CaseFileError(reading.error)
    return reading.suite


def main(*arguments: str) -> None:
    """Loads the requested file and sends the result."""
    *descriptors, memory = arguments
    channel: Channel[_Reading, str] = parent_channel(descriptors, _requests)
    limit_memory(int(memory))
    number, file = channel.receive()
    try:
        channel.send(_Reading(load(Path(file))), number)
    except AutoperfError as error:
        text = str(error)
        # A MemoryError is the context of the error that wraps it.
        if isinstance(error.__context__, MemoryError):
            text = f"{text.removesuffix(': ')}: it needs more than the limit of {int(memory) / 2**20:.0f} MiB"
        channel.send(_Reading(error=escape_controls(text)), number)
    except UnicodeEncodeError as error:
        text = f"{file}: half a character, such as \\ud800, stands in a name or a text of it: {error.object!r}"
        channel.send(_Reading(error=escape_controls(text)), number)


if __name__ == "__main__":
    main(*sys.argv[1:])
