"""Standard streams: closed descriptors, limited encodings, closed pipes; the words of the command line; `--quiet`."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import select
import sys
import textwrap
from typing import TextIO

import click

REPLACEMENTS = {
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
    # Box-drawing characters.
    **dict.fromkeys(map(chr, range(0x2500, 0x25A0)), "-"),
}
"""ASCII for characters that an encoding may lack; others are escaped."""
_ERRORS = "autoperf"
CONFIGURED = "autoperf.configured"
"""The words that the repository's file adds to the command line, in `meta` of a command's context."""
_KEY = "autoperf.quiet"


def open_standard_streams() -> None:
    """Opens descriptors 0 to 2 if the caller closed them; else a pipe to a child could get such a number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _replace_error(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    replaced = (
        REPLACEMENTS.get(each) or each.encode("ascii", "backslashreplace").decode()
        for each in error.object[error.start : error.end]
    )
    return "".join(replaced), error.end


def replace_unencodable() -> None:
    """Makes stdout and stderr replace characters that their encoding lacks, so that no write fails."""
    codecs.register_error(_ERRORS, _replace_error)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def as_written(text: str) -> str:
    """The text that standard output gets, with ASCII in place of the characters that its encoding lacks."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    codecs.register_error(_ERRORS, _replace_error)
    return text.encode(encoding, _ERRORS).decode(encoding)


def wrapped(text: str, stream: TextIO) -> str:
    """The text; for a terminal with line breaks between words, which the terminal itself would break."""
    width = 0
    with contextlib.suppress(OSError, ValueError):
        if stream.isatty():
            columns = os.environ.get("COLUMNS", "")
            width = int(columns) if columns.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) if width else []
    return "\n".join(lines) or text


def is_closed_pipe(error: BaseException) -> bool:
    """Whether this error came from a write to a closed pipe on stdout (`| true`).

    Click and rich then exit by themselves, each in its own way; rich redirects stdout before it exits.
    """
    if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
        return True
    poll = select.poll()
    with contextlib.suppress(OSError, ValueError, AttributeError):
        poll.register(sys.stdout.fileno(), 0)
    return isinstance(error, SystemExit | BrokenPipeError) and any(event & select.POLLERR for _, event in poll.poll(0))


def silence_stdout() -> None:
    """Redirects stdout to the null device, so that Python's final flush does not fail."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def command_line() -> tuple[str, ...]:
    """The words of this command, with those that the repository's file stands for, in an encodable form."""
    context = click.get_current_context(silent=True)
    words = (*sys.argv, *(context.meta.get(CONFIGURED, ()) if context else ()))
    return tuple(os.fsencode(word).decode(errors="backslashreplace") for word in words)


def is_quiet() -> bool:
    """Whether the running command has --quiet."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_KEY))


def remember(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """The callback of --quiet, which click calls for every command."""
    context.meta[_KEY] = value
