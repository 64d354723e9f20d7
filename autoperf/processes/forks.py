"""Forks: one, with an error that says why there is none; and a function over many values, in forks that may crash."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec

from autoperf.capi.linux import die_with_parent
from autoperf.processes.channel import Channel, ChannelClosed, ChannelError, ChannelSilent
from autoperf.processes.exit_status import ExitStatus
from autoperf.processes.failures import start_error

Item = TypeVar("Item")


class ForkError(Exception):
    """The child died, or took too long; the text says which."""


def fork() -> int:
    """As `os.fork`, in a child that ends with its parent. Raises ProcessError if there can't be one."""
    try:
        child = os.fork()
    except OSError as error:
        raise start_error("another process", error) from error
    if child == 0:
        die_with_parent()
    return child


def forked(function: Callable[[Item], bytes], items: Sequence[Item], limit: float) -> Iterator[bytes | ForkError]:
    """What `function` gives for each item, in their order, or how the child ended that tried it.

    One child takes items until it crashes or takes more than `limit` seconds for one; then the next child goes on.
    An exception of the function ends the child too: it is for the function to turn its errors into bytes.
    Raises ProcessError if there can't be a child.
    """
    done = 0
    while done < len(items):
        for result in _one_child(function, items, done, limit):
            yield result
            done += 1


def _one_child(
    function: Callable[[Item], bytes], items: Sequence[Item], first: int, limit: float
) -> Iterator[bytes | ForkError]:
    """Results from the first item on until all are done, or a last one that says how the child died."""
    channel = _channel()
    child = fork()
    if child == 0:
        _work(function, items, first, limit, channel)
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
    yield ForkError(_account(problem, status, limit))


def _channel() -> Channel[bytes, bytes]:
    try:
        reading, writing = os.pipe()
    except OSError as error:
        raise start_error("another process", error) from error
    return Channel(reading, writing, msgspec.msgpack.Decoder(tuple[int, bytes]))


def _work(
    function: Callable[[Item], bytes], items: Sequence[Item], first: int, limit: float, channel: Channel[bytes, bytes]
) -> None:
    """The child's life; it never returns into the parent's program."""
    try:
        os.close(channel.reading)
        for place in range(first, len(items)):
            # Where Linux doesn't end it with its parent, nobody else would end a child that hangs.
            signal.alarm(int(limit) + 1)
            channel.send(function(items[place]), place)
    finally:
        os._exit(1)


def _reap(child: int) -> int:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _account(problem: ChannelError, status: int, limit: float) -> str:
    """How the child was lost: by its own end, by the clock, or by what it wrote."""
    if isinstance(problem, ChannelSilent):
        return f"took more than {limit:g} s"
    if isinstance(problem, ChannelClosed):
        return f"crashed ({ExitStatus.of_wait(status).name})"
    return "wrote garbage in place of an answer"
