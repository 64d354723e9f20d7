"""Cases under several releases: medians side by side, with ratios to the first release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from operator import attrgetter

import msgspec
from rich.text import Text

from autoperf.comparison.pairs import function_call
from autoperf.core.clocks import KERNEL, PYTHON, WALL
from autoperf.core.outcome import PASSES, VIEW, Outcome, Pass, PassName, Series, Status
from autoperf.core.texts import count
from autoperf.networks.report import side_modes
from autoperf.registry.names import function_of
from autoperf.reports.columns import Column, Place, csv_columns, csv_line, fact, noted
from autoperf.reports.layout import INDENT, grouped, hanging
from autoperf.reports.provenance import RunWarnings, origin_line, provenance_lines, run_warnings
from autoperf.reports.table import Report, Table
from autoperf.reports.totals import reasons, reasons_table, summarise
from autoperf.reports.units import NONE, case_words, describe_case, duration, one_line, padded, profile_label, width_of
from autoperf.summary.documents import json_lines, mode_reports
from autoperf.summary.runs import RunReport

# The first that all runs have; different frameworks have calls from Python in common.
_CLOCKS = (KERNEL, PYTHON, WALL)
_MEDIAN = 12
_RATIO = 8
_MIN_INPUTS = 26
MIN_STEP = 1.1
"""The smallest factor between two releases that is called a change."""


@dataclass(frozen=True)
class ReleaseRun:
    """A release's run under its label, which is unique even for equal versions."""

    label: str
    run: RunReport


@dataclass(frozen=True)
class ReleaseLine:
    """One case: its outcome under each release, in the order of the columns; None if the run ended before it."""

    first: Outcome
    cells: tuple[Outcome | None, ...]

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes that any release measured."""
        return [outcome for outcome in self.cells if outcome]


@dataclass(frozen=True, slots=True)
class ReleaseStep:
    """A change by a factor from one release, `base`, to the next that was measured; above 1 it became slower."""

    label: str
    ratio: float
    base: str


@dataclass(frozen=True)
class ReleaseFigures:
    """A pass of a case under each release, which have these labels."""

    labels: tuple[str, ...]
    line: ReleaseLine
    pass_: PassName

    @property
    def outcome(self) -> Outcome:
        """The first outcome of the case."""
        return self.line.first

    @cached_property
    def runs(self) -> list[Pass | None]:
        """The pass under each release; None where it wasn't measured."""
        return [outcome.passes.get(self.pass_) if outcome else None for outcome in self.line.cells]

    @cached_property
    def series(self) -> list[Series | None]:
        """The series under each release, by the first clock that all of them have."""
        common = (clock for clock in _CLOCKS if all(run is None or run.series(clock) for run in self.runs))
        clock = next(common, WALL)
        return [run.series(clock) if run else None for run in self.runs]

    @property
    def returns_view(self) -> bool:
        """Whether a release returns a view, so that ratios say nothing of its kernel."""
        return any(run.returns_view for run in self.runs if run)

    @property
    def notes(self) -> Iterator[str]:
        """The notes on the pass, each with its release."""
        for label, run in zip(self.labels, self.runs, strict=True):
            yield from (f"{label}: {one_line(note)}" for note in (run.notes if run else ()))

    def median(self, at: int) -> float | None:
        """The median under a release in microseconds."""
        series = self.series[at]
        return series.median if series else None

    @property
    def first(self) -> int:
        """The first release that has a figure; the first of all if none has."""
        return next((at for at, series in enumerate(self.series) if series), 0)

    def ratio(self, at: int, to: int | None = None) -> float | None:
        """The median under a release over that under another one, by default the first that has a figure."""
        new, base = self.median(at), self.median(self.first if to is None else to)
        return new / base if new and base else None

    def steps(self) -> Iterator[ReleaseStep]:
        """The changes between neighbouring releases: the intervals of both medians don't touch, by MIN_STEP or more."""
        measured = [at for at, series in enumerate(self.series) if series and series.median > 0]
        for before, after in pairwise(measured):
            ratio = self.ratio(after, before)
            if ratio and max(ratio, 1 / ratio) >= MIN_STEP and _is_apart(self.series[before], self.series[after]):
                yield ReleaseStep(self.labels[after], ratio, self.labels[before])


def _is_apart(first: Series | None, second: Series | None) -> bool:
    if not (first and second) or None in (first.low, first.high, second.low, second.high):
        return False
    low, high = max(first.low or 0.0, second.low or 0.0), min(first.high or 0.0, second.high or 0.0)
    return low > high


def release_figures(runs: Sequence[ReleaseRun]) -> Iterator[ReleaseFigures]:
    """The figures of each case, forward and backward, where any release has one or failed to."""
    labels = tuple(run.label for run in runs)
    for line in release_lines(runs):
        yield from (row for row in _passes(labels, line) if row.pass_ == PASSES[0] or any(row.series))


def _passes(labels: tuple[str, ...], line: ReleaseLine) -> Iterator[ReleaseFigures]:
    for name in PASSES:
        row = ReleaseFigures(labels, line, name)
        if name == PASSES[0] or any(row.runs):
            yield row


def release_reports(columns: Sequence[ReleaseRun]) -> list[Report]:
    """The modes of composites by side, then a row for each other case and pass.

    Below stand the reasons for missing figures, and each release's provenance and counts.
    """
    modes = side_modes([(column.label, column.run.selected) for column in columns])
    compared = {outcome.case for times in modes for outcome in times.modes.values()}
    return [*mode_reports(modes, columns[0].run.view.limit), _cases(columns, lambda case: case.case not in compared)]


def _cases(columns: Sequence[ReleaseRun], keep: Callable[[Outcome], bool]) -> Report:
    lines = release_lines(columns)
    every = [line for line in lines if keep(line.first)]
    warnings = run_warnings(line.outcomes for line in every)
    labels = tuple(column.label for column in columns)
    rows = [row for line in every for row in _passes(labels, line)]
    # Each view is told at its row.
    notes_of_rows = Counter(note for row in rows for note in row.notes if not note.endswith(VIEW))
    repeated = {note: number for note, number in notes_of_rows.items() if number > 1}

    def below(row: ReleaseFigures, width: int) -> Iterator[Text]:
        for note in row.notes:
            if note not in repeated:
                yield from hanging(f"{INDENT * 2}{row.pass_}: ", note.split(), width, "dim")

    room = max((width_of(profile_label(line.first.profile)) for line in every), default=0)
    cases = Table(
        "", [*_LEADING, *_columns(columns, every, warnings)], rows, part=lambda row: row.line.first.category,
        section=lambda row: row.line.first.operator, item=lambda row: id(row.line), min_words=_MIN_INPUTS,
        words=lambda row: case_words(row.line.first), below=below, compact=True,
        head=lambda row, _width: f"{INDENT}{padded(profile_label(row.line.first.profile), room)}  ",
    )  # fmt: skip
    missing = tuple(
        table
        for column, outcomes in zip(columns, zip(*(line.cells for line in lines), strict=True), strict=False)
        for table in reasons_table(reasons(map(_with_shared_reason, filter(None, outcomes))), f": {column.label}")
    )
    provenances = {column.label: column.run.provenance for column in columns}
    origin = (line for provenance in provenances.values() if provenance for line in provenance_lines(provenance))
    told = (f"note of {count(number, 'figure')}: {note}" for note, number in repeated.items())
    notes = (methods_line(columns), *warnings.legend(line.outcomes for line in every), *told)
    sums = tuple(f"{column.label}: {summarise(column.run.selected).sentence()}" for column in columns)
    return Report(
        tables=(cases, *missing) if every else missing, notes=notes, brief=(origin_line(provenances),),
        asides=tuple(origin), verbose=columns[0].run.view.verbose, sums=sums,
    )  # fmt: skip


def methods_line(runs: Sequence[ReleaseRun]) -> str:
    """A note on runs that were measured by different methods; empty if all were by one."""
    methods = {run.label: run.run.header.method for run in runs if run.run.header}
    named = ", ".join(f"{label} by {method}" for label, method in methods.items())
    is_one = len(set(methods.values())) < 2
    return "" if is_one else f"measured by different methods, which may give other times: {named}"


def csv_lines(runs: Sequence[ReleaseRun]) -> Iterator[str]:
    """The rows of each run below one heading, with the release in a first column `release`."""
    rows = (outcome for run in runs for outcome in run.run.rows)
    chosen = csv_columns(runs[0].run.view, runs[0].run.columns, rows)
    # The label is the release, numbered where there are two of one version.
    kept = [column for column in chosen if column.name != "release"]
    yield csv_line(["release", *(column.csv or column.name for column in kept)])
    for run in runs:
        by_name = {column.name: column for column in run.run.columns}
        columns = [by_name[column.name] for column in kept]
        for outcome in run.run.rows:
            yield csv_line([run.label, *(column.value(outcome) for column in columns)])


def _with_shared_reason(outcome: Outcome) -> Outcome:
    """The outcome with its operator's name removed from the reason, so that equal reasons are grouped."""
    words = outcome.reason.removesuffix(f"no operator {outcome.operator}")
    return outcome if words == outcome.reason else msgspec.structs.replace(outcome, reason=f"{words}no such operator")


def release_lines(columns: Sequence[ReleaseRun]) -> list[ReleaseLine]:
    """The cases in order of first occurrence; repeated ids are matched by their number.

    A function of `np` is registered as `_np_max` in one release and as `_npi_max` in another: these are one line.
    """
    rows: dict[tuple[str, int], list[Outcome | None]] = {}
    for index, column in enumerate(columns):
        seen: dict[str, int] = {}
        for outcome in column.run.selected:
            seen[outcome.case] = number = seen.get(outcome.case, 0) + 1
            rows.setdefault((outcome.case, number), [None] * len(columns))[index] = outcome
    lines = [ReleaseLine(next(outcome for outcome in row if outcome), tuple(row)) for row in rows.values()]
    calls = grouped(lines, lambda line: function_call(line.first))
    return [line for same in calls.values() for line in _joined(same)]


def _joined(lines: Sequence[ReleaseLine]) -> Sequence[ReleaseLine]:
    """One line of several names if no release measured two of them, else the lines."""
    measured = ([outcome is not None and outcome.status is Status.MEASURED for outcome in line.cells] for line in lines)
    if max(map(sum, zip(*measured, strict=True))) > 1 or len({line.first.operator for line in lines}) == 1:
        return lines
    cells = zip(*(line.cells for line in lines), strict=True)
    best = tuple(
        min(filter(None, cell), key=lambda each: each.status is not Status.MEASURED, default=None) for cell in cells
    )
    names = ", ".join(line.first.operator for line in lines)
    first = msgspec.structs.replace(lines[0].first, operator=f"{function_of(lines[0].first.operator)} ({names})")
    return [ReleaseLine(first, best)]


def _columns(
    runs: Sequence[ReleaseRun], lines: Sequence[ReleaseLine], warnings: RunWarnings
) -> Iterator[Column[ReleaseFigures]]:
    """The pass, a median for each release, with room for warning codes, and a ratio for each but the first."""
    passes = (run for line in lines for outcome in line.outcomes for run in outcome.passes.values())
    letters = max((len(f"{letters} ") for run in passes if (letters := warnings.letters(run))), default=0)
    yield Column(
        "pass", f"{'pass':<10}", lambda row: row.pass_, lambda row: f"{row.pass_:<10}", place=Place.FIGURE,
        right=False, room=13,
    )  # fmt: skip
    for at, run in enumerate(runs):
        room = max(_MEDIAN + letters, len(run.label) + len(INDENT))
        yield Column(run.label, run.label, partial(_time, at=at, warnings=warnings), place=Place.FIGURE, room=room)
        if at:
            yield Column("ratio", "ratio", partial(_ratio, at=at), place=Place.FIGURE, room=_RATIO)
    yield noted(lambda row: row.notes)


def _time(row: ReleaseFigures, at: int, warnings: RunWarnings) -> str:
    """The median under a release behind its warning codes, or the status of a case that has none."""
    outcome = row.line.cells[at]
    is_unmeasured = outcome and outcome.status is not Status.MEASURED
    figure = outcome.status.value if outcome and is_unmeasured else duration(row.median(at))
    return f"{warnings.letters(row.runs[at])} {figure}".lstrip()


def _ratio(row: ReleaseFigures, at: int) -> str:
    median, base = row.median(at), row.median(0)
    return NONE if median is None or not base else f"{median / base:.2f}"


_LEADING: tuple[Column[ReleaseFigures], ...] = (
    *(fact(name, attrgetter(f"line.first.{name}"), place=Place.LEAD) for name in ("operator", "profile")),
    fact("inputs", lambda row: describe_case(row.line.first), place=Place.LEAD),
)


def json_of_runs(runs: Sequence[ReleaseRun]) -> Iterator[str]:
    """`{"runs": [...]}`, each as the JSON of one run."""
    yield '{"runs": ['
    for number, run in enumerate(runs):
        yield ",\n" if number else "\n"
        yield from json_lines(run.run)
    yield "]}\n"
