"""The series of a history, and the steps in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from autoperf.analysis.comparison import CHANGED, VerdictCounts
from autoperf.analysis.last_run import LastFigure, last_figures
from autoperf.analysis.steps import MIN_RUNS, Floats, LevelStep, find_case_steps
from autoperf.results.history import History, HistoryCase, HistoryRun, comparable

TOGETHER = "all figures"
"""The name of the figures of a case together."""


class HistoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a figure, or of all figures of a case together, and the first run at the new level.

    `ratio` is after / before. The times are in microseconds, None for all figures together. `decided` is the date of
    the run with which the step was certain. `evidence`: there is a step, or, where there are too few runs for steps,
    the last run differs from the earlier ones.
    """

    operator: str
    case: str
    category: str
    profile: str
    inputs: str
    figure: str
    ratio: float
    before_us: float | None
    after_us: float | None
    first: HistoryRun
    decided: str
    evidence: Literal["step", "last run"]


@dataclass(frozen=True)
class SeriesSet:
    """The figures of comparable runs: the runs by date, each series' case and figure, and the medians.

    `medians` has a row for each series and a column for each run, in microseconds; NaN where a run has no figure.
    Runs are comparable if release, machine, processor and threads are the same.
    """

    runs: Sequence[HistoryRun]
    keys: Sequence[tuple[HistoryCase, str]]
    medians: Floats

    def steps(self) -> list[LevelStep]:
        """The steps, of figures and of cases, by run."""
        numbers = np.unique([case.number for case, _ in self.keys], return_inverse=True)[1]
        return find_case_steps(np.log(self.medians), numbers)

    def key(self, step: LevelStep) -> tuple[HistoryCase, str]:
        """The case and the figure of a step."""
        if step.series < len(self.keys):
            return self.keys[step.series]
        cases = sorted({case.number: case for case, _ in self.keys}.items())
        return cases[step.series - len(self.keys)][1], TOGETHER


def series_sets(history: History, cases: Sequence[HistoryCase] | None = None) -> Iterator[SeriesSet]:
    """The series of these cases, or of all, for each set of comparable runs."""
    known = {case.number: case for case in (history.cases() if cases is None else cases)}
    figures = history.figures(None if cases is None else list(known))
    sets: dict[tuple[object, ...], list[HistoryRun]] = defaultdict(list)
    for run in history.runs():
        sets[comparable(run.provenance)].append(run)
    codes = figures.number * len(figures.names) + figures.figure
    for runs in sets.values():
        member = np.isin(figures.run, [run.run for run in runs])
        if not member.any():
            continue
        series, rows = np.unique(codes[member], return_inverse=True)
        order = np.argsort([run.run for run in runs])
        columns = order[np.searchsorted(np.array([runs[at].run for at in order]), figures.run[member])]
        medians = np.full((len(series), len(runs)), np.nan)
        medians[rows, columns] = figures.median[member]
        places = [divmod(int(code), len(figures.names)) for code in series]
        keys = [(known[number], figures.names[figure]) for number, figure in places]
        yield SeriesSet(runs, keys, medians)


class HistoryChanges(NamedTuple):
    """The changes that were found, of how many series how many have enough runs for steps, and the other verdicts.

    `last` counts the figures of last runs that were compared with earlier ones, by verdict.
    """

    found: Sequence[HistoryChange]
    series: int
    judged: int
    last: VerdictCounts = VerdictCounts()


def changes(history: History, since: str = "") -> HistoryChanges:
    """The changes that were decided at `since` (ISO 8601) or later, the newest first, then by size.

    They are steps. Of runs that are too few for steps, the last one is compared with those before it.
    """
    found: list[HistoryChange] = []
    verdicts: Counter[str] = Counter()
    count = judged = 0
    for series in series_sets(history):
        found += (change for change in _changes_of(series) if change.decided >= since)
        count += len(series.keys)
        judged += int(np.sum(np.isfinite(series.medians).sum(axis=1) >= MIN_RUNS))
        last = series.runs[-1]
        if len(series.runs) < MIN_RUNS and last.provenance.date >= since:
            figures = last_figures(series.medians, series.keys, history.process_times(last.run))
            verdicts.update(figure.verdict.value for figure in figures)
            found += (_change_of_last(series, figure) for figure in figures if figure.verdict in CHANGED)
    found.sort(key=lambda change: (change.decided, abs(np.log(change.ratio))), reverse=True)
    return HistoryChanges(found, count, judged, VerdictCounts(**verdicts))


def _change_of_last(series: SeriesSet, figure: LastFigure) -> HistoryChange:
    case, name = series.keys[figure.series]
    last = series.runs[-1]
    return HistoryChange(
        operator=case.operator, case=case.id, category=case.category, profile=case.profile, inputs=case.inputs,
        figure=name, ratio=figure.ratio, before_us=figure.before_us, after_us=figure.after_us, first=last,
        decided=last.provenance.date, evidence="last run",
    )  # fmt: skip


def _changes_of(series: SeriesSet) -> Iterator[HistoryChange]:
    for step in series.steps():
        case, figure = series.key(step)
        of_figure = step.series < len(series.keys)
        yield HistoryChange(
            operator=case.operator, case=case.id, category=case.category, profile=case.profile, inputs=case.inputs,
            figure=figure, ratio=float(np.exp(step.after - step.before)),
            before_us=float(np.exp(step.before)) if of_figure else None,
            after_us=float(np.exp(step.after)) if of_figure else None,
            first=series.runs[step.first], decided=series.runs[step.decided].provenance.date,
            evidence="step",
        )  # fmt: skip
