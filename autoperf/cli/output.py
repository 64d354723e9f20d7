"""Writes what a command found to stdout, in the format that was asked for."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO, cast

import click
import msgspec
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from autoperf.core.coverage import Coverage, CoverageReport, ReleaseCoverage
from autoperf.core.finding import Rechecked
from autoperf.core.health import Check
from autoperf.core.outcome import Outcome
from autoperf.core.releases import InstalledRelease
from autoperf.core.roofline import Roofline
from autoperf.core.visible import visible
from autoperf.reports import coverage, coverage_matrix, doctor, recheck, releases, run_exports, runs, side_by_side
from autoperf.reports.side_by_side import ReleaseRun

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


def show(renderable: RenderableType) -> None:
    """Print a table as wide as the terminal; 100 columns where there is none."""
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED_WIDTH
    console.print(_Visible(renderable))


def show_lines(lines: Callable[[int], Iterable[RenderableType]]) -> None:
    """Print lines for this width as they come; nothing of them is kept."""
    console = Console()
    width = console.width if console.is_terminal or "COLUMNS" in os.environ else PIPED_WIDTH
    console.width = width
    for line in lines(width):
        console.print(_Visible(line))


def show_coverage(found: CoverageReport, form: str, status: Coverage | None, detailed: bool) -> None:
    """The coverage, of one status only if that was asked for; the summary always counts all."""
    found = _of_status(found, status)
    if form == "table":
        show(coverage.listing(found) if detailed else coverage.table(found))
        return
    texts = {"json": coverage.to_json, "csv": coverage.to_csv, "md": coverage.to_markdown}
    put(texts[form](found))


def show_coverages(found: Sequence[ReleaseCoverage], form: str, status: Coverage | None, detailed: bool) -> None:
    """The coverage of several releases."""
    kept = [ReleaseCoverage(one.label, _of_status(one.report, status)) for one in found]
    if form == "table":
        show(coverage_matrix.table(kept, detailed))
        return
    texts = {"json": coverage_matrix.to_json, "csv": coverage_matrix.to_csv, "md": coverage_matrix.to_markdown}
    put(texts[form](kept))


def _of_status(found: CoverageReport, status: Coverage | None) -> CoverageReport:
    if status is None:
        return found
    return msgspec.structs.replace(found, operators=tuple(row for row in found.operators if row.status is status))


def show_outcomes(header: object, outcomes: Iterable[Outcome], end: object, form: str) -> None:
    """The results of a run."""
    if form == "table":
        show_lines(runs.table(outcomes).lines)
    elif form == "csv":
        _lines(run_exports.csv_lines(outcomes))
    elif form == "md":
        _lines(run_exports.markdown_lines(outcomes))
    else:
        _lines(run_exports.json_chunks(header, outcomes, end))


def tell(lines: Iterable[str]) -> None:
    """Notices, a line each."""
    for line in lines:
        notices().write(f"{visible(line)}\n")


def show_releases_run(columns: Sequence[ReleaseRun], ends: Sequence[tuple[object, object]], form: str) -> None:
    """The results of a run under several releases; `ends` are the header and the end of each release's run file."""
    if form == "table":
        show(side_by_side.table(columns))
    elif form == "csv":
        _lines(side_by_side.csv_rows(columns))
    elif form == "md":
        _lines(side_by_side.markdown_lines(columns))
    else:
        _lines(side_by_side.json_pieces(columns, ends))


def show_checks(checks: Sequence[Check], roofline: Roofline | None, form: str) -> None:
    """What doctor found; the table has the roofline in one of its checks."""
    if form == "json":
        put(doctor.to_json(checks, roofline))
    else:
        show(doctor.table(checks))


def show_rechecked(found: Rechecked, form: str) -> None:
    """What became of a finding."""
    if form == "json":
        put(recheck.to_json(found))
    else:
        show(recheck.table(found))


def show_releases(rows: Sequence[InstalledRelease], form: str) -> None:
    """Which releases are there."""
    if form == "json":
        put(releases.to_json(rows))
    else:
        show(releases.table(rows))


def _lines(chunks: Iterable[str]) -> None:
    for chunk in chunks:
        put(chunk)
