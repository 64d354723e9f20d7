"""Forks the process, and maps a function over values in forked children that may crash."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec

from autoperf.processes.channel import Channel, ChannelError
from autoperf.processes.exit_status import ExitStatus
from autoperf.processes.failures import no_answer, start_error
from autoperf.processes.linux import die_with_parent

Item = TypeVar("Item")
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end a child, whatever the command does in the parent."""


class ForkError(Exception):
    """The child crashed or exceeded its time limit; the text gives the reason."""


def fork() -> int:
    """As `os.fork`; the child ends with its parent, and by signals as if it had no handlers for them.

    Raises ProcessError if no child can be forked.
    """
    try:
        child = os.fork()
    except OSError as error:
        raise start_error("another process", error) from error
    if child == 0:
        die_with_parent()
        for number in ENDING_SIGNALS:
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
    channel = _channel()
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
        status = _reap(child)
    yield ForkError(no_answer(problem, limit, status))


def _channel() -> Channel[bytes, bytes]:
    try:
        reading, writing = os.pipe()
    except OSError as error:
        raise start_error("another process", error) from error
    return Channel(reading, writing, msgspec.msgpack.Decoder(tuple[int, bytes]))


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


def _reap(child: int) -> ExitStatus:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    return ExitStatus.of_wait(os.waitpid(child, 0)[1])
