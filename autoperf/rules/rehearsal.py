"""Has a user's code run in a process of its own first, since it is a program, which may end, hang or crash."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from autoperf.capi.linux import die_with_parent
from autoperf.core.errors import AutoperfError, RuleError

LIMIT = 10.0
_PAUSE = 0.005
_CHUNK = 65536
_END = b"\0"
_ENTERED, _REFUSED, _DONE = b"f", b"e", b"d"

Enter: TypeAlias = Callable[[object], None]
"""Is told each file before it is run."""
Play: TypeAlias = Callable[[Enter], object]


def rehearse(play: Play, limit: float = LIMIT) -> None:
    """Call `play` in a forked child, and return if that came to its end within `limit` seconds.

    Raises RuleError with what it raised there, or else with the file that was run last and how the process ended. What
    it prints is lost; it will be run again here. Ctrl-C ends the child too.
    """
    reader, writer = os.pipe()
    child = _fork()
    if child == 0:
        os.close(reader)
        _perform(play, writer)
    os.close(writer)
    deadline = time.monotonic() + limit
    try:
        said = _heard(reader, deadline)
        status = _status(child, deadline) if _END + _DONE not in said else 0
    finally:
        os.close(reader)
        _kill(child)
    _judge(said, status, limit)


def _fork() -> int:
    """A child in a process group of its own, so that whatever it starts can be ended with it."""
    with warnings.catch_warnings():
        # NumPy's threads, which no file of rules meets: they wait, and the child has none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    return child


def _perform(play: Play, writer: int) -> NoReturn:
    """The child's life; it never returns into the parent's program."""
    try:
        die_with_parent()
        faulthandler.disable()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        # What the parent has read ahead of its input is for nobody else.
        sys.stdin = os.fdopen(0)
        play(lambda file: _say(writer, _ENTERED, str(file)))
        _say(writer, _DONE, "")
    except AutoperfError as error:
        _say(writer, _REFUSED, str(error))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told
        _say(writer, _REFUSED, f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def _say(writer: int, kind: bytes, text: str) -> None:
    os.write(writer, _END + kind + text.encode(errors="backslashreplace").replace(_END, b"")[:_CHUNK])


def _heard(reader: int, deadline: float) -> bytes:
    """What the child says until it has done, or has ended, or until the time is over."""
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    said = b""
    while _END + _DONE not in said and poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        part = os.read(reader, _CHUNK)
        if not part:
            break
        said += part
    return said


def _status(child: int, deadline: float) -> int | None:
    """How the child ended, or None if it lives on."""
    while True:
        with contextlib.suppress(ChildProcessError):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= deadline:
            return None
        time.sleep(_PAUSE)


def _kill(child: int) -> None:
    """End the child with whatever it has started; nothing happens if all that has ended."""
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


def _judge(said: bytes, status: int | None, limit: float) -> None:
    """Raises RuleError unless the child has done."""
    messages = [(part[:1], part[1:].decode()) for part in said.split(_END) if part]
    if any(kind == _DONE for kind, _ in messages):
        return
    refused = next((text for kind, text in messages if kind == _REFUSED), None)
    if refused is not None:
        raise RuleError(refused)
    file = next((text for kind, text in reversed(messages) if kind == _ENTERED), "the rules")
    if status is None:
        end = f"it didn't come to an end within {limit:g} s"
    else:
        end = f"it ended with {f'exit code {status}' if status >= 0 else signal.Signals(-status).name}"
    raise RuleError(f"{file}: {end} when it was tried; a file of rules defines them, and does nothing else")
