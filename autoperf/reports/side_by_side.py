"""The same cases under several releases: medians side by side, with ratios to the first release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

import msgspec
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autoperf.core.clocks import WALL, time_clocks
from autoperf.core.outcome import PASSES, Outcome, Pass, Series, Status
from autoperf.reports.layout import grouped, hanging, listed
from autoperf.reports.markdown import bullets, cells, escape, heading
from autoperf.reports.provenance import provenance_lines, provenance_text
from autoperf.reports.runs import RunReport
from autoperf.reports.summary import STATUS_STYLE, reasons, summarise
from autoperf.reports.units import (
    NONE,
    case_words,
    describe_case,
    duration,
    flow,
    heading_text,
    profile_label,
)
from autoperf.reports.warnings import legend_of_sides, pass_letters

Heading: TypeAlias = tuple[str, int]
"""The title of a column of figures, and its width."""

INDENT = "  "
_PASS = 10
_MEDIAN = 12
_RATIO = 8
_RATIO_TITLE = "ratio"
_MIN_INPUTS = 26


@dataclass(frozen=True)
class ReleaseRun:
    """A release's run under its label, which is unique even for equal versions."""

    label: str
    run: RunReport

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """Its outcomes."""
        return self.run.selected


@dataclass(frozen=True)
class ReleaseLine:
    """One case: its outcome under each release, in the order of the columns; None if the run ended before it."""

    first: Outcome
    cells: tuple[Outcome | None, ...]

    @property
    def outcomes(self) -> list[Outcome]:
        """Those that there are."""
        return [outcome for outcome in self.cells if outcome]


def table(columns: Sequence[ReleaseRun]) -> SideBySide:
    """A table of these releases' outcomes, for rich."""
    return SideBySide(columns)


def markdown_lines(columns: Sequence[ReleaseRun]) -> Iterator[str]:
    """A GitHub table for each category, a row for each case and pass, and the summary of each release's run."""
    titles = [("operator", False), ("profile", False), ("inputs", False), ("pass", False)]
    titles += [(title, True) for title, _ in _headings(columns)]
    every = release_lines(columns)
    for category, lines in grouped(every, lambda line: line.first.category).items():
        yield f"### {escape(category)}\n\n" + heading(titles)
        for line in lines:
            case_cells = (line.first.operator, line.first.profile, describe_case(line.first))
            for name, figures in _passes(line):
                yield cells((*case_cells, name, *figures))
        yield "\n"
    for text in legend_of_sides(line.outcomes for line in every):
        yield f"- {escape(text)}\n"
    for column in columns:
        yield f"- {escape(column.label)}: {summarise(column.outcomes).sentence()}\n"
    for column in columns:
        yield from bullets("", provenance_lines(column.run.provenance) if column.run.provenance else ())


class SideBySide:
    """Renders the releases at any width: figures in columns, inputs beside them."""

    def __init__(self, columns: Sequence[ReleaseRun]) -> None:
        self._columns = columns

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the categories, then the legend, the reasons for missing figures, and each release's summary."""
        width, every = options.max_width, release_lines(self._columns)
        headings = list(_headings(self._columns, _room_for_letters(every)))
        for category, lines in grouped(every, lambda line: line.first.category).items():
            yield from self._section(category, lines, headings, width)
            yield Text()
        legend = list(legend_of_sides(line.outcomes for line in every))
        for text in legend:
            yield from hanging("", text.split(), width, "dim")
        if legend:
            yield Text()
        yield from self._missing_figures(width)
        for column in self._columns:
            yield from hanging(f"{column.label}: ", summarise(column.outcomes).sentence().split(), width, "bold")
        for column in self._columns:
            yield from provenance_text(column.run.provenance, width, verbose=True)

    def _section(
        self, category: str, lines: Sequence[ReleaseLine], headings: Sequence[Heading], width: int
    ) -> Iterator[Text]:
        left = width - _PASS - sum(room for _, room in headings)
        fits = left >= _MIN_INPUTS
        titles = "".join(f"{title:>{room}}" for title, room in headings)
        yield Text.assemble(
            (f"{heading_text(category):<{max(0, left)}}", "bold"), (f"{'':<{_PASS}}{titles}" if fits else "", "dim")
        )
        profile = max(len(profile_label(line.first.profile)) for line in lines)
        for operator, members in grouped(lines, lambda line: line.first.operator).items():
            yield Text(heading_text(operator), style="bold cyan")
            for line in members:
                head = f"{INDENT}{profile_label(line.first.profile):<{profile}}  "
                yield from _in_columns(line, head, headings, left) if fits else _in_words(line, head, headings, width)

    def _missing_figures(self, width: int) -> Iterator[Text]:
        groups = [
            (column.label, group)
            for column in self._columns
            for group in reasons(map(_with_shared_reason, column.outcomes))
        ]
        if not groups:
            return
        yield Text("without a figure", style="bold")
        for label, (status, reason, members) in groups:
            words = [*f"{reason}:".split(), *listed(members)]
            yield from hanging(
                f"{label:>9} {members.total():>5} {status.value:<8} ", words, width, STATUS_STYLE[status]
            )
        yield Text()


def _in_columns(line: ReleaseLine, head: str, headings: Sequence[Heading], left: int) -> Iterator[Text]:
    """Forward and backward below each other, with the inputs flowing beside both."""
    room = max(1, left - len(head) - 1)
    figures = [
        f"{name:<{_PASS}}" + "".join(f"{figure:>{width}}" for figure, (_, width) in zip(texts, headings, strict=True))
        for name, texts in _passes(line)
    ]
    words = flow(case_words(line.first), room, room)
    for number, (text, shown) in enumerate(zip_longest(words, figures, fillvalue="")):
        start = head if number == 0 else " " * len(head)
        yield Text(f"{start}{text:<{left - len(start)}}{shown}".rstrip())


def _in_words(line: ReleaseLine, head: str, headings: Sequence[Heading], width: int) -> Iterator[Text]:
    """For a narrow terminal: the inputs, then each release's time for each pass."""
    yield from hanging(head, case_words(line.first), width)
    for name, figures in _passes(line):
        words: list[str] = []
        for (title, _), figure in zip(headings, figures, strict=True):
            if title == _RATIO_TITLE:
                words += [f"({figure})"] if figure != NONE else []
            else:
                words += [f"{title}:", *figure.split()]
        yield from hanging(f"{INDENT * 2}{name:<{_PASS}}", words, width)


def _with_shared_reason(outcome: Outcome) -> Outcome:
    """The outcome with its operator's name removed from the reason, so that equal reasons are grouped."""
    words = outcome.reason.removesuffix(f"no operator {outcome.operator}")
    return outcome if words == outcome.reason else msgspec.structs.replace(outcome, reason=f"{words}no such operator")


def release_lines(columns: Sequence[ReleaseRun]) -> list[ReleaseLine]:
    """The cases in order of first occurrence; repeated ids are matched by their number."""
    rows: dict[tuple[str, int], list[Outcome | None]] = {}
    for index, column in enumerate(columns):
        seen: dict[str, int] = {}
        for outcome in column.outcomes:
            seen[outcome.case] = number = seen.get(outcome.case, 0) + 1
            rows.setdefault((outcome.case, number), [None] * len(columns))[index] = outcome
    return [ReleaseLine(next(outcome for outcome in row if outcome), tuple(row)) for row in rows.values()]


def _headings(columns: Sequence[ReleaseRun], letters: int = 0) -> Iterator[Heading]:
    """A median for each release, with room for letters before it, and a ratio for each but the first."""
    for index, column in enumerate(columns):
        yield column.label, max(_MEDIAN + letters, len(column.label) + len(INDENT))
        if index:
            yield _RATIO_TITLE, _RATIO


def _room_for_letters(lines: Iterable[ReleaseLine]) -> int:
    """The width of the most letters of a figure, with the blank after them; 0 if no figure has a warning."""
    runs = (run for line in lines for outcome in line.outcomes for run in (outcome.forward, outcome.backward))
    return max((len(f"{letters} ") for run in runs if (letters := pass_letters(run))), default=0)


def _passes(line: ReleaseLine) -> Iterator[tuple[str, list[str]]]:
    """The figures of the forward pass, and of the backward pass if a release has one, with the letters of warnings."""
    for name in PASSES:
        runs = [getattr(outcome, name) if outcome else None for outcome in line.cells]
        if name == "forward" or any(runs):
            yield name, list(_figures(line.cells, runs))


def _figures(outcomes: Iterable[Outcome | None], runs: Sequence[Pass | None]) -> Iterator[str]:
    clock = next((clock for clock in time_clocks() if all(run is None or run.series(clock) for run in runs)), WALL)
    series: list[Series | None] = [run.series(clock) if run else None for run in runs]
    base = series[0]
    for index, (outcome, run, readings) in enumerate(zip(outcomes, runs, series, strict=True)):
        unmeasured = outcome is not None and outcome.status is not Status.MEASURED
        figure = outcome.status.value if outcome and unmeasured else duration(readings.median if readings else None)
        yield f"{pass_letters(run)} {figure}".lstrip()
        if index:
            yield f"{readings.median / base.median:.2f}" if readings and base and base.median else NONE
