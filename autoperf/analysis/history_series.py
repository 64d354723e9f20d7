"""The series of a history, their steps, and the last run of a history that is too short for steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from autoperf.analysis.compare import estimate
from autoperf.analysis.comparison import CHANGED, THRESHOLD, Verdict, VerdictCounts
from autoperf.analysis.figures import LOWER_DECILE, Figure, FigureSamples, Scale, sampled_series
from autoperf.analysis.pairs import Pair
from autoperf.analysis.ratios import adjusted, verdicts
from autoperf.analysis.steps import MIN_RUNS, Floats, LevelStep, common_of_nights, find_case_steps
from autoperf.core.clocks import METRICS
from autoperf.core.outcome import PASSES, Outcome
from autoperf.results.environment import Machine
from autoperf.results.history import History, HistoryCase, HistoryRun, comparable

TOGETHER = "all figures"
"""The name of the joint series of a case's figures."""
_FIGURES = {f"{pass_} {clock.name}": (pass_, clock) for pass_ in PASSES for clock in METRICS}


class HistoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a figure, or of all figures of a case together, and the first run at the new level.

    `ratio` is after / before. The times are in microseconds, None for all figures together. `decided` is the date of
    the run that made the step certain. `evidence` is a step or, with too few runs for steps, a difference between the
    last run and the earlier ones.
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
    """The series of comparable runs: the runs by date, the case and figure of each series, and the medians.

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
    """The changes found, the number of series, and the number `judged`, with enough runs for steps.

    `last` counts the figures of last runs that were compared with earlier ones, by verdict.
    """

    found: Sequence[HistoryChange]
    series: int
    judged: int
    last: VerdictCounts = VerdictCounts()


def changes(history: History, since: str = "") -> HistoryChanges:
    """The changes decided at `since` (ISO 8601) or later, the newest first, then by size.

    They are steps; if there are too few runs for steps, the last run is compared with the earlier ones.
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
    return _change(
        case, figure=name, ratio=figure.ratio, before_us=figure.before_us, after_us=figure.after_us, first=last,
        decided=last.provenance.date, evidence="last run",
    )  # fmt: skip


def _changes_of(series: SeriesSet) -> Iterator[HistoryChange]:
    for step in series.steps():
        case, figure = series.key(step)
        of_figure = step.series < len(series.keys)
        before, after = (float(np.exp(level)) for level in (step.before, step.after))
        yield _change(
            case, figure=figure, ratio=float(np.exp(step.after - step.before)), before_us=before if of_figure else None,
            after_us=after if of_figure else None, first=series.runs[step.first],
            decided=series.runs[step.decided].provenance.date, evidence="step",
        )  # fmt: skip


def _change(case: HistoryCase, **values: Any) -> HistoryChange:
    return HistoryChange(
        operator=case.operator, case=case.id, category=case.category, profile=case.profile, inputs=case.inputs, **values
    )


class LastFigure(NamedTuple):
    """A figure of the last run: its series (row), ratio to the earlier runs, both times, and verdict."""

    series: int
    ratio: float
    before_us: float
    after_us: float
    verdict: Verdict


def process_times(machine: Machine, outcome: Outcome) -> Mapping[tuple[str, str], Sequence[float]]:
    """The median of each process of an outcome's figures, at the reference speed of its machine."""
    own = machine.reference or None
    return {
        (pass_, clock.name): FigureSamples(series, Scale(own, own), exact=not clock.is_time).figure().times
        for pass_, clock, series in sampled_series(outcome)
    }


def last_figures(
    medians: Floats, keys: Sequence[tuple[HistoryCase, str]], times: Mapping[tuple[int, str], Sequence[float]]
) -> list[LastFigure]:
    """The figures of the last run that have times of processes and an earlier median.

    `medians` are series x runs in microseconds, NaN where a run has none. They are compared as in a comparison of two
    runs, with each earlier run in place of a process of BASE. A factor that most series of a run share is attributed to
    the machine and removed, as for steps.
    """
    factors = np.exp(common_of_nights(np.log(medians)))
    steady = medians / factors
    rows, pairs = [], []
    for row, (case, name) in enumerate(keys):
        earlier = steady[row, :-1][np.isfinite(steady[row, :-1])]
        last = times.get((case.number, name), ())
        if earlier.size and len(last) and name in _FIGURES:
            rows.append(row)
            pairs.append(_pair(case, name, earlier, np.asarray(last) / factors[-1]))
    if not pairs:
        return []
    found, _ = estimate(pairs)
    judged = verdicts(found, adjusted(found.p), THRESHOLD)
    columns = (rows, found.ratio.tolist(), found.base_us.tolist(), found.new_us.tolist(), judged)
    return [LastFigure(*values) for values in zip(*columns, strict=True)]


def _pair(case: HistoryCase, name: str, earlier: Floats, last: Floats) -> Pair:
    pass_, clock = _FIGURES[name]
    return Pair(
        case=case.id, operator=case.operator, base_operator=case.operator, category=case.category,
        profile=case.profile, inputs=case.inputs, pass_=pass_, clock=clock,
        base=Figure(tuple(earlier.tolist()), 0.0), new=Figure(tuple(last.tolist()), 0.0),
        quantile=LOWER_DECILE,  # The differences have the tails of runs at different times.
    )  # fmt: skip
