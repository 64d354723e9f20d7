"""Prints reports in the format that was asked for, and notices beside them."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

import click
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from autoperf.core.errors import OutputError, UsageError
from autoperf.core.visible import visible
from autoperf.reports.columns import Column, View
from autoperf.reports.formats import Kind, load

FILE_WIDTH = 120
PIPED_WIDTH = 100


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
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def put(text: str) -> None:
    """Print text that is in its format already, without what would steer a terminal."""
    click.echo(visible(text), nl=False)


def notices() -> TextIO:
    """Standard error for progress and notices; writing there never fails."""
    return cast("TextIO", _Forgiving(sys.stderr))


def show_report(kind: Kind, form: str, report: object) -> None:
    """Print a report in a format, piece by piece, so that nothing of it is kept. Raises UnknownNameError."""
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED_WIDTH
    for piece in load(kind, form).pieces(report, console.width):
        if isinstance(piece, str):
            put(piece)
        else:
            console.print(_Visible(piece))


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
        path.write_text(visible("".join(lines)), encoding="utf-8")
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
        notices().write(f"{visible(line)}\n")
