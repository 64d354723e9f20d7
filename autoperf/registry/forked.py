"""Runs a function over many values in forked children, so that a value on which it crashes costs only itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from autoperf.capi.linux import die_with_parent
from autoperf.registry.protocol import LateError, Reader, send_bodies

Item = TypeVar("Item")


class ForkError(Exception):
    """The child died, or took too long; the text says which."""


def forked(function: Callable[[Item], bytes], items: Sequence[Item], limit: float) -> Iterator[bytes | ForkError]:
    """What `function` gives for each item, in their order, or how the child ended that tried it.

    One child takes items until it crashes or takes more than `limit` seconds for one; then the next child goes on.
    An exception of the function ends the child too: it is for the function to turn its errors into bytes.
    """
    done = 0
    while done < len(items):
        for result in _one_child(function, items[done:], limit):
            yield result
            done += 1


def _one_child(function: Callable[[Item], bytes], items: Sequence[Item], limit: float) -> Iterator[bytes | ForkError]:
    """Results until all items are done, or a last one that says how the child died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _work(function, items, limit, writer)
    os.close(writer)
    results, late = Reader(reader), False
    try:
        for _ in items:
            try:
                result = results.body(limit)
            except LateError:
                late, result = True, None
            if result is None:
                break
            yield result
        else:
            return
    finally:
        os.close(reader)
        status = _reap(child)
    yield ForkError(f"took more than {limit:g} s" if late else _ending(status))


def _work(function: Callable[[Item], bytes], items: Sequence[Item], limit: float, writer: int) -> None:
    """The child's life; it never returns into the parent's program."""
    die_with_parent()
    try:
        for item in items:
            # Where Linux doesn't end it with its parent, nobody else would end a child that hangs.
            signal.alarm(int(limit) + 1)
            body = function(item)
            send_bodies(writer, [body])
    finally:
        os._exit(1)


def _reap(child: int) -> int:
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"crashed (signal {os.WTERMSIG(status)})"
    return f"crashed (exit status {os.WEXITSTATUS(status)})"
