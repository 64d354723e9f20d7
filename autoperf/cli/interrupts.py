"""Interrupts that Python drops are sent again."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator

RESEND_SECONDS = 0.01


@contextlib.contextmanager
def interrupts_resent() -> Iterator[None]:
    """Sends a KeyboardInterrupt again that was raised where Python drops exceptions, until one arrives.

    It drops those of a `__del__`, of a weak reference's callback and of a callback of the garbage collector. All of
    these run often while Hypothesis draws inputs. Another thread than the main one gets no interrupts, and a program
    with a timer of its own (SIGALRM) keeps it: for these nothing changes.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGALRM) != signal.SIG_DFL:
        yield
        return
    previous = sys.unraisablehook

    def resend(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            # Later, since an exception that is raised here is dropped too.
            signal.setitimer(signal.ITIMER_REAL, RESEND_SECONDS)
        else:
            previous(unraisable)

    signal.signal(signal.SIGALRM, interrupt)
    sys.unraisablehook = resend
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = previous
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def interrupt(_number: int, _frame: object) -> None:
    """A signal's handler that ends a run as Ctrl-C does: results are kept, and nothing is left behind."""
    raise KeyboardInterrupt
