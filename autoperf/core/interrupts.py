"""Ctrl-C and its like: sent again where Python drops them, and deferred where a step must be whole."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Collection, Iterator
from types import FrameType
from typing import Any

RESEND_SECONDS = 0.01
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""The signals that may end a run as Ctrl-C does; SIGALRM sends a dropped one again."""
UNHANDLED = (signal.SIG_DFL, signal.default_int_handler)
IMPORT_SYSTEM = "<frozen importlib"


class Interrupt:
    """A signal's handler that ends a run as Ctrl-C does: results are kept, and nothing is left behind.

    While a module is imported it comes later, since extension modules print or replace exceptions that interrupt their
    imports; a second signal is raised there too. `number` is the first signal that came, None before it.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        # The program may itself run in an import, whose end nothing waits for.
        self._imports = _imports(sys._getframe())  # noqa: SLF001 - the stack that handlers are handed later

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raises KeyboardInterrupt, at once or after the imports of the interrupted frame."""
        is_second = number != signal.SIGALRM and self.number is not None
        if number != signal.SIGALRM:
            self.number = self.number or number
        can_wait = isinstance(signal.getsignal(signal.SIGALRM), Interrupt)
        is_later = can_wait and not is_second and _imports(frame) > self._imports
        if can_wait:
            signal.setitimer(signal.ITIMER_REAL, RESEND_SECONDS if is_later else 0)
        if not is_later:
            raise KeyboardInterrupt


def _imports(frame: FrameType | None) -> int:
    count = 0
    while frame is not None:
        count += frame.f_code.co_filename.startswith(IMPORT_SYSTEM)
        frame = frame.f_back
    return count


@contextlib.contextmanager
def interrupts_resent(numbers: Collection[int] = (signal.SIGINT,)) -> Iterator[Interrupt]:
    """Handles these signals so that each ends the block by a KeyboardInterrupt, wherever it comes.

    One that is raised where Python drops exceptions is sent again until it arrives. Python drops them in a `__del__`,
    and in callbacks of weak references and of the garbage collector, which run often while Hypothesis draws inputs.
    Signals that the program ignores or handles itself stay as they are; one with a timer of its own (SIGALRM) keeps it,
    and nothing is sent again. Another thread than the main one gets no interrupts.
    """
    interrupt = Interrupt()
    if not _in_main_thread():
        yield interrupt
        return
    with _handled((signal.SIGALRM, *numbers), interrupt):
        previous = sys.unraisablehook
        can_resend = signal.getsignal(signal.SIGALRM) is interrupt

        def resend(unraisable: sys.UnraisableHookArgs) -> None:
            if can_resend and isinstance(unraisable.exc_value, KeyboardInterrupt):
                # Later, since an exception that is raised here is dropped too.
                signal.setitimer(signal.ITIMER_REAL, RESEND_SECONDS)
            else:
                previous(unraisable)

        sys.unraisablehook = resend
        try:
            yield interrupt
        finally:
            is_pending = can_resend and signal.setitimer(signal.ITIMER_REAL, 0)[0] > 0
            sys.unraisablehook = previous
    if is_pending:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _handled(numbers: Collection[int], interrupt: Interrupt) -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in numbers}
    handlers = {number: handler for number, handler in handlers.items() if handler in UNHANDLED}
    try:
        for number in handlers:
            signal.signal(number, interrupt)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Raises the KeyboardInterrupt of a signal at the end of the block; a second signal raises it at once.

    For steps that belong together, such as writing a line and counting it. Blocks may be nested: the interrupt comes at
    the end of the outer one. Handlers of the caller's own stay as they are.
    """
    if not _in_main_thread():
        yield
        return
    previous: dict[int, Any] = {}
    pending: list[int] = []
    is_open = True

    def hold_back(number: int, frame: FrameType | None) -> None:
        if is_open and not pending:
            pending.append(number)
        else:
            previous[number](number, frame)

    try:
        for number in SIGNALS:
            handler = signal.getsignal(number)
            # Within another block, the handlers are that block's, and are left alone.
            if isinstance(handler, Interrupt) or handler is signal.default_int_handler:
                previous[number] = handler
                signal.signal(number, hold_back)
        yield
    finally:
        # First, so that an interrupt from now on is not held back.
        is_open = False
        for held, handler in previous.items():
            signal.signal(held, handler)
        if pending:
            previous[pending[0]](pending[0], None)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
