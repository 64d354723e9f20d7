"""A child process's own side: its channel to the parent, Linux calls, and forks of the process that may crash."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from autoperf.processes.channel import Channel, ChannelError, ChannelSilent, Received, Sent
from autoperf.processes.failures import ExitStatus, no_answer, start_error

_PR_SET_PDEATHSIG = 1
_RUSAGE_LONGS = 18
_PAGE = resource.getpagesize()


def die_with_parent() -> None:
    """Has Linux kill this process when its parent exits; does nothing on other systems."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))


def parent_channel(
    arguments: Sequence[str], decoder: msgspec.msgpack.Decoder[tuple[int, Received]]
) -> Channel[Sent, Received]:
    """The child's end of the channel; `arguments` are those of the process. The process ends with its parent."""
    die_with_parent()
    reading, writing = int(arguments[0]), int(arguments[1])
    for descriptor in (reading, writing):
        # Programs that the child starts must not keep the pipes open.
        os.set_inheritable(descriptor, False)
    return Channel(reading, writing, decoder)


def limit_memory(limit: int) -> None:
    """Limits the address space to `limit` bytes more than now, to protect the machine."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    target = used + limit
    resource.setrlimit(resource.RLIMIT_AS, (target if hard == resource.RLIM_INFINITY else min(target, hard), hard))


class Usage(NamedTuple):
    """The resources of all threads so far; `faults` counts touches of pages of memory that they didn't have yet."""

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


Item = TypeVar("Item")


class ForkError(Exception):
    """A child crashed or took too long, as the text says; `is_external`: the machine may be the cause."""

    def __init__(self, reason: str, *, is_external: bool) -> None:
        super().__init__(reason)
        self.is_external = is_external


def fork() -> int:
    """As `os.fork`; the child ends with its parent, and by signals as without handlers. Raises ProcessError."""
    try:
        child = os.fork()
    except OSError as error:
        raise start_error("another process", error) from error
    if child == 0:
        die_with_parent()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
    return child


def forked(function: Callable[[Item], bytes], items: Sequence[Item], limit: float) -> Iterator[bytes | ForkError]:
    """The result of `function` for each item, in order, or a ForkError for an item whose child was lost.

    A child handles items until it crashes or needs more than `limit` seconds for an item; the next child continues
    after that item. An exception in `function` ends the child too. Raises ProcessError if no child can be forked.
    """
    done = 0
    while done < len(items):
        for result in _results_of_child(function, items, done, limit):
            yield result
            done += 1


def _results_of_child(
    function: Callable[[Item], bytes], items: Sequence[Item], first: int, limit: float
) -> Iterator[bytes | ForkError]:
    """Results of one child from item number `first` on; the last is a ForkError if the child was lost."""
    try:
        reading, writing = os.pipe()
    except OSError as error:
        raise start_error("another process", error) from error
    channel: Channel[bytes, bytes] = Channel(reading, writing, msgspec.msgpack.Decoder(tuple[int, bytes]))
    child = fork()
    if child == 0:
        _run_child(function, items, first, limit, channel)
    os.close(channel.writing)
    problem: ChannelError
    try:
        for place in range(first, len(items)):
            try:
                result = channel.answer(place, time.monotonic() + limit)
            except ChannelError as error:
                problem = error
                break
            yield result
        else:
            return
    finally:
        os.close(channel.reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        status = ExitStatus.of_wait(os.waitpid(child, 0)[1])
    yield ForkError(no_answer(problem, limit, status), is_external=status.killed or isinstance(problem, ChannelSilent))


def _run_child(
    function: Callable[[Item], bytes], items: Sequence[Item], first: int, limit: float, channel: Channel[bytes, bytes]
) -> None:
    """Runs in the child; never returns."""
    try:
        os.close(channel.reading)
        for place in range(first, len(items)):
            # Ends a child that hangs on systems where it doesn't end with its parent.
            signal.alarm(int(limit) + 1)
            channel.send(function(items[place]), place)
    finally:
        os._exit(1)
