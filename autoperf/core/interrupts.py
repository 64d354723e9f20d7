"""Ctrl-C and its like: sent again where Python drops them, and deferred where a step must be whole."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

RESEND_SECONDS = 0.01
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""The signals that may end a run as Ctrl-C does; SIGALRM sends a dropped one again."""


class Interrupt:
    """A signal's handler that ends a run as Ctrl-C does: results are kept, and nothing is left behind.

    `number` is the first signal that came, None before it.
    """

    def __init__(self) -> None:
        self.number: int | None = None

    def __call__(self, number: int, _frame: object) -> None:
        """Raises KeyboardInterrupt."""
        self.number = self.number or number
        raise KeyboardInterrupt


@contextlib.contextmanager
def interrupts_resent() -> Iterator[None]:
    """Sends a KeyboardInterrupt again that was raised where Python drops exceptions, until one arrives.

    Python drops exceptions in a `__del__`, and in callbacks of weak references and of the garbage collector. These run
    often while Hypothesis draws inputs. Another thread than the main one gets no interrupts, and a program
    with a timer of its own (SIGALRM) keeps it: for these nothing changes.
    """
    if not _in_main_thread() or signal.getsignal(signal.SIGALRM) != signal.SIG_DFL:
        yield
        return
    previous = sys.unraisablehook

    def resend(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            # Later, since an exception that is raised here is dropped too.
            signal.setitimer(signal.ITIMER_REAL, RESEND_SECONDS)
        else:
            previous(unraisable)

    signal.signal(signal.SIGALRM, Interrupt())
    sys.unraisablehook = resend
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = previous
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@contextlib.contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Raises the KeyboardInterrupt of a signal at the end of the block; a second signal raises it at once.

    For steps that belong together, such as writing a line and counting it. Blocks may be nested: the interrupt comes at
    the end of the outer one. Handlers of the caller's own stay as they are.
    """
    if not _in_main_thread():
        yield
        return
    deferral = _Deferral()
    try:
        deferral.begin()
        yield
    finally:
        deferral.end()


class _Deferral:
    """Holds the first interrupt back while it is open."""

    def __init__(self) -> None:
        self._previous: dict[int, Any] = {}
        self._pending: int | None = None
        self._is_open = True

    def begin(self) -> None:
        for number in SIGNALS:
            handler = signal.getsignal(number)
            # Within another block, the handlers are that block's, and are left alone.
            if isinstance(handler, Interrupt) or handler is signal.default_int_handler:
                self._previous[number] = handler
                signal.signal(number, self.note)

    def note(self, number: int, frame: FrameType | None) -> None:
        """The handler of the block's signals."""
        if self._is_open and self._pending is None:
            self._pending = number
        else:
            self._previous[number](number, frame)

    def end(self) -> None:
        # First, so that an interrupt from now on is not held back.
        self._is_open = False
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        if self._pending is not None:
            self._previous[self._pending](self._pending, None)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
