"""Output: reports on standard output or in a file, progress and notices on standard error."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from autoperf.core.errors import OutputError, UsageError
from autoperf.core.events import Event, Notice, NullSink, Sink, Sinks
from autoperf.core.files import atomic_text, is_special
from autoperf.core.texts import escape_controls, message_text
from autoperf.front import streams
from autoperf.reports.columns import Column, View
from autoperf.reports.formats import Kind, load, names
from autoperf.reports.units import laid_out_for

if TYPE_CHECKING:
    from rich.console import Console

FILE_WIDTH = 120
PIPED_WIDTH = 100
MIN_WIDTH = 50
"""Minimum width of a table in columns; a narrower terminal wraps its lines."""


class _BestEffortStream(io.TextIOBase):
    """A stream for notices: a failed write must not stop a measurement."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__()
        self._stream = stream

    def write(self, text: str) -> int:
        if self._stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()
        return len(text)

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """The file descriptor, from which the size of a terminal is read. Raises OSError if the stream is closed."""
        if self._stream is None:
            raise OSError("the stream is closed")
        return self._stream.fileno()


def put(text: str) -> None:
    """Prints formatted text with its control characters escaped. Raises OutputError."""
    with _writable():
        # Not with click, which writes UTF-8 if it considers ASCII a misconfiguration.
        if sys.stdout is not None:
            sys.stdout.write(escape_controls(text))
            sys.stdout.flush()


@contextlib.contextmanager
def tolerating_closed_pipe() -> Iterator[None]:
    """Ignores a closed pipe on stdout (`| true`), so that the exit code reports the findings."""
    try:
        yield
    except (BrokenPipeError, SystemExit) as error:
        if not streams.is_closed_pipe(error):
            raise
        streams.silence_stdout()


def check_report(path: Path) -> None:
    """Raises OutputError for a path to which no report can go; devices and pipes take one."""
    from autoperf.runs.run_writer import check_output

    if not is_special(path):
        check_output(path)


@contextlib.contextmanager
def report_in(path: Path | None, answer: Iterable[str] = ()) -> Iterator[None]:
    """Redirects stdout to this file, if given, written atomically; then prints path and answer. Raises OutputError."""
    if path is None:
        yield
        return
    try:
        with atomic_text(path) as file, contextlib.redirect_stdout(file):
            yield
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error
    put("".join(f"{line}\n" for line in (f"report: {path}", *answer)))


def notices() -> TextIO:
    """Standard error for progress and notices; writes to it never fail."""
    return cast("TextIO", _BestEffortStream(sys.stderr))


def _console(**attributes: Any) -> Console:
    """A console of rich, which is imported when something is written: `--help` is fast."""
    from rich.console import Console

    return Console(**attributes)


def show_report(kind: Kind, form: str, report: object) -> None:
    """Prints a report piece by piece, to keep memory flat. Raises UnknownNameError and OutputError."""
    from rich.segment import Segment, Segments

    console = _console()
    console.width = screen_width(PIPED_WIDTH)
    # Standard output itself may be a closed pipe; of a report's file that is an error.
    with (
        tolerating_closed_pipe() if sys.stdout is sys.__stdout__ else contextlib.nullcontext(),
        laid_out_for(streams.as_written),
    ):
        for piece in load(kind, form).pieces(report, console.width):
            if isinstance(piece, str):
                put(piece)
            else:
                with _writable():
                    segments = (
                        each if each.control else Segment(escape_controls(each.text), each.style)
                        for each in console.render(piece)
                    )
                    console.print(Segments(segments))


@contextlib.contextmanager
def _writable() -> Iterator[None]:
    """Raises OutputError if stdout can't be written; errors of a report's file are left to its opener."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if sys.stdout is not sys.__stdout__:
            raise
        streams.silence_stdout()
        raise OutputError(f"can't write the output: {error.strerror}") from error


def screen_width(otherwise: int) -> int:
    """The width of the terminal or of COLUMNS, at least MIN_WIDTH; `otherwise` where there is neither."""
    # In a notebook, rich has a width of its own.
    console = _console(force_jupyter=False)
    known = console.is_terminal or "COLUMNS" in os.environ
    return max(MIN_WIDTH, console.width) if known else otherwise


def write_report(path: Path, kind: Kind, form: str, report: object) -> None:
    """Writes a report in a format to a file. Raises UnknownNameError and OutputError."""
    console = _console(width=FILE_WIDTH, file=io.StringIO(), color_system=None, force_terminal=False)
    lines: list[str] = []
    for piece in load(kind, form).pieces(report, FILE_WIDTH):
        if isinstance(piece, str):
            lines.append(piece)
            continue
        with console.capture() as captured:
            console.print(piece)
        lines += (f"{line.rstrip()}\n" for line in captured.get().splitlines())
    try:
        with atomic_text(path) as file:
            file.write(escape_controls("".join(lines)))
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error


def view_places(kind: Kind, form: str) -> dict[str, bool]:
    """Whether a format has a place for each option of a view, by the view's names."""
    format_ = load(kind, form)
    return {
        "columns": format_.columns,
        "sort": format_.sort,
        "limit": format_.sort,
        "group_by": form in names("groups"),
        "verbose": form == "table",
    }


def check_view(kind: Kind, form: str, view: View, known: Sequence[Column[Any]]) -> None:
    """Raises UsageError for an option that the format has no place for, UnknownNameError for an unknown column."""
    places = view_places(kind, form)
    for name in ("columns", "sort", "limit"):
        if getattr(view, name) and not places[name]:
            of = " of several releases" if kind == "runs" else ""
            raise UsageError(f"--{name} doesn't apply to --format {form}{of}: leave it out, or use --format csv")
    if view.verbose and not places["verbose"]:
        raise UsageError(f"--verbose doesn't apply to --format {form}, which has the details: leave it out")
    view.check(known)


def check_groups_view(form: str, view: View, known: Sequence[Column[Any]]) -> None:
    """Raises UsageError for a format that has no groups, UnknownNameError for a column that groups don't have."""
    if form not in names("groups"):
        raise UsageError(f"--group-by doesn't apply to --format {form}: expected {', '.join(names('groups'))}")
    check_view("groups", form, view, known)


def tell(lines: Iterable[str]) -> None:
    """Writes each line to standard error, unless the command is quiet."""
    stream = notices()
    for line in () if streams.is_quiet() else lines:
        stream.write(f"{streams.wrapped(message_text(line), stream)}\n")


class NoticeSink:
    """Writes the notices of a session to standard error."""

    def handle(self, event: Event) -> None:
        """Writes a line if the event is a notice."""
        if isinstance(event, Notice):
            tell([event.text])


@contextlib.contextmanager
def session_sink(display: contextlib.AbstractContextManager[Sink] | None) -> Iterator[Sink]:
    """A sink that shows progress in the display, and notices on standard error; without a display it shows nothing."""
    if display is None:
        yield NullSink()
        return
    with display as progress:
        yield Sinks(progress, NoticeSink())
