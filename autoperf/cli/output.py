"""Prints reports in the format that was asked for, and notices beside them."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from autoperf.cli import streams
from autoperf.core.atomic import atomic_text, write_atomic
from autoperf.core.control_characters import escape_controls
from autoperf.core.errors import OutputError, UsageError
from autoperf.reports.columns import Column, View
from autoperf.reports.formats import Kind, load

FILE_WIDTH = 120
PIPED_WIDTH = 100
MIN_WIDTH = 50
"""Tables are laid out for so many columns at least; a narrower terminal wraps their lines."""


class _Forgiving(io.TextIOBase):
    """A stream for what is said beside the results: nobody reading it is no reason to stop measuring."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__()
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, or let it be."""
        if self._stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()
        return len(text)

    def isatty(self) -> bool:
        """Whether the stream beneath is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """The stream's descriptor, by which a terminal tells its size."""
        if self._stream is None:
            raise OSError("the stream is closed")
        return self._stream.fileno()


class _Visible:
    """What rich prints of something, with the control characters spelled that come from its text."""

    def __init__(self, renderable: RenderableType) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._renderable, options):
            yield segment if segment.control else Segment(escape_controls(segment.text), segment.style)


def put(text: str) -> None:
    """Print text that is in its format already, without what would steer a terminal."""
    with _writable():
        # Not by click, which writes UTF-8 where it takes ASCII for a mistake.
        if sys.stdout is not None:
            sys.stdout.write(escape_controls(text))
            sys.stdout.flush()


@contextlib.contextmanager
def read_or_not() -> Iterator[None]:
    """What is printed here may lose its reader (`| true`); the exit code is for what was found, so that is no error."""
    try:
        yield
    except (BrokenPipeError, SystemExit) as error:
        if not streams.is_unread(error):
            raise
        streams.silence_stdout()


@contextlib.contextmanager
def report_in(path: Path | None) -> Iterator[None]:
    """What is printed here goes to this file instead, if one is given: whole or not at all. Raises OutputError."""
    if path is None:
        yield
        return
    try:
        with atomic_text(path) as file, contextlib.redirect_stdout(file):
            yield
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error
    tell([f"report: {path}"])


def notices() -> TextIO:
    """Standard error for progress and notices; writing there never fails."""
    return cast("TextIO", _Forgiving(sys.stderr))


def show_report(kind: Kind, form: str, report: object) -> None:
    """Print a report in a format, piece by piece, so that nothing of it is kept. Raises UnknownNameError."""
    console = _console()
    for piece in load(kind, form).pieces(report, console.width):
        if isinstance(piece, str):
            put(piece)
        else:
            with _writable():
                console.print(_Visible(piece))


@contextlib.contextmanager
def _writable() -> Iterator[None]:
    """Says of stdout that it can't be written, if that is so; of a report's file whoever has opened it does."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if sys.stdout is not sys.__stdout__:
            raise
        streams.silence_stdout()
        raise OutputError(f"can't write the output: {error.strerror}") from error


def _console() -> Console:
    """Standard output, as wide as the terminal or COLUMNS says, within reason."""
    console = Console()
    known = console.is_terminal or "COLUMNS" in os.environ
    console.width = max(MIN_WIDTH, console.width) if known else PIPED_WIDTH
    return console


def write_report(path: Path, kind: Kind, form: str, report: object) -> None:
    """Write a report in a format to a file. Raises UnknownNameError, and OutputError if that can't be done."""
    console = Console(width=FILE_WIDTH, file=io.StringIO(), color_system=None, force_terminal=False)
    lines: list[str] = []
    for piece in load(kind, form).pieces(report, FILE_WIDTH):
        if isinstance(piece, str):
            lines.append(piece)
            continue
        with console.capture() as captured:
            console.print(piece)
        lines += (f"{line.rstrip()}\n" for line in captured.get().splitlines())
    try:
        write_atomic(path, escape_controls("".join(lines)))
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error


def check_view(kind: Kind, form: str, view: View, known: Sequence[Column[Any]]) -> None:
    """Raises UsageError for --columns or --sort where the format has none, UnknownNameError for an unknown column."""
    found = load(kind, form)
    for option, given, taken in (("--columns", view.columns, found.columns), ("--sort", view.sort, found.sort)):
        if given and not taken:
            of = " of several releases" if kind == "runs" else ""
            raise UsageError(f"{option} doesn't apply to --format {form}{of}: leave it out, or take --format csv")
    view.check(known)


def tell(lines: Iterable[str]) -> None:
    """Notices, a line each."""
    for line in lines:
        notices().write(f"{escape_controls(line)}\n")
