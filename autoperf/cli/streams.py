"""Standard input, output and error: open, in an encoding that takes every sign, and without a reader if need be."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import select
import sys

LOWEST_FREE = 3
SPELLED = {
    "\N{PLUS-MINUS SIGN}": "+/-",
    "\N{MICRO SIGN}": "u",
    "\N{GREEK SMALL LETTER MU}": "u",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{MINUS SIGN}": "-",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{BULLET}": "*",
}
"""ASCII for signs that an encoding may lack; of others the code point is spelled, and lines of a drawing are dashes."""
_DRAWING = range(0x2500, 0x25A0)
_ERRORS = "autoperf"


def open_standard_streams() -> None:
    """A caller may have closed stdin, stdout or stderr; a pipe to a child that got such a number would be lost."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < LOWEST_FREE:
        pass
    os.close(descriptor)


def take_every_sign() -> None:
    """What the encoding of stdout or stderr lacks is spelled from now on, so that no text is refused."""
    codecs.register_error(_ERRORS, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_spell, error.object[error.start : error.end])), error.end


def _spell(sign: str) -> str:
    if ord(sign) in _DRAWING:
        return "-"
    return SPELLED.get(sign) or sign.encode("ascii", "backslashreplace").decode()


def is_unread(error: BaseException) -> bool:
    """Whether this came from writing to a stdout whose reader has gone (`| true`).

    Click and rich exit by themselves then, each in its own way; rich has pointed stdout elsewhere before.
    """
    if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
        return True
    return isinstance(error, SystemExit | BrokenPipeError) and _nobody_reads()


def _nobody_reads() -> bool:
    """Whether stdout is a pipe whose reader has gone."""
    poll = select.poll()
    with contextlib.suppress(OSError, ValueError, AttributeError):
        poll.register(sys.stdout.fileno(), 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def silence_stdout() -> None:
    """Point stdout at nothing, so that Python's own flush at the end is silent."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
