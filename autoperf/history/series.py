"""The series of a history, their steps, and the last run of a history that is too short for steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from autoperf.comparison.compare import estimate
from autoperf.comparison.comparison import CHANGED, THRESHOLD, Verdict, VerdictCounts
from autoperf.comparison.comparison_notices import shift_notices
from autoperf.comparison.figures import LOWER_DECILE, Figure, FigureSamples, Scale, sampled_series
from autoperf.comparison.pairs import Pair
from autoperf.comparison.ratios import adjusted, verdicts, with_crowding
from autoperf.core.clocks import METRICS
from autoperf.core.outcome import PASSES, Outcome
from autoperf.history.steps import (
    MIN_RUNS,
    Floats,
    LevelStep,
    find_case_steps,
    find_steps,
    told_once,
)
from autoperf.history.store import History, HistoryCase, HistoryRun, comparable
from autoperf.runs.environment import Machine

TOGETHER = "all figures"
"""The name of the joint series of a case's figures."""
Evidence: TypeAlias = Literal["step", "drift", "count", "last run"]
_FIGURES = {f"{pass_} {clock.name}": (pass_, clock) for pass_ in PASSES for clock in METRICS}


class HistoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a figure, or of all figures of a case together, and the first run at the new level.

    `ratio` is after / before, `low` and `high` its 95% interval. The times are in microseconds, None for all figures
    together. `at` is the position of the first run in `runs`, `last` the last run of the level before. `decided` is the
    date of the run that made the change certain. `evidence` is a step, a drift (`weekly` is its ratio a week), another
    exact count or, with too few runs for these, a difference between the last run and the earlier ones. `machine` is
    the part of the ratio that a control shows too; None without one. `courses` has the times of each figure concerned,
    by run, in microseconds (NaN: none).
    """

    operator: str
    case: str
    category: str
    profile: str
    inputs: str
    figure: str
    ratio: float
    low: float
    high: float
    before_us: float | None
    after_us: float | None
    first: HistoryRun
    last: HistoryRun
    decided: str
    evidence: Evidence
    at: int
    runs: Sequence[HistoryRun]
    courses: dict[str, tuple[float, ...]] = {}
    weekly: float | None = None
    machine: float | None = None

    @property
    def is_finding(self) -> bool:
        """Whether it is certain: a single run may be disturbed."""
        return self.evidence != "last run"


@dataclass(frozen=True)
class SeriesSet:
    """The series of comparable runs: the runs by date, the case and figure of each series, and the medians.

    `medians` has a row for each series and a column for each run, in microseconds; NaN where a run has no figure.
    Runs are comparable if release, machine, processor and threads are the same. `slower` has the logarithm of how much
    longer than usual the machine's probe took in each run; None if no run says.
    """

    runs: Sequence[HistoryRun]
    keys: Sequence[tuple[HistoryCase, str]]
    medians: Floats
    slower: Floats | None = None

    def steps(self) -> list[LevelStep]:
        """The steps, of figures and of cases, by run."""
        numbers = np.unique([case.number for case, _ in self.keys], return_inverse=True)[1]
        logs, timed = np.log(self.medians), _are_times(self.keys)
        times, counts = np.flatnonzero(timed), np.flatnonzero(~timed)
        # Beside the rows, a joint series of the times of each case.
        rows = np.concatenate([times, len(timed) + np.arange(int(numbers.max(initial=-1)) + 1)])
        of_times = told_once(find_case_steps(logs[times], numbers[times], self.slower), numbers[times])
        steps = [
            *(replace(step, series=int(rows[step.series])) for step in of_times),
            *(replace(step, series=int(counts[step.series])) for step in find_steps(logs[counts])),
        ]
        return sorted(steps, key=lambda step: (step.decided, step.series))

    def key(self, row: int) -> tuple[HistoryCase, str]:
        """The case and the figure of a step's row."""
        if row < len(self.keys):
            return self.keys[row]
        cases = sorted({case.number: case for case, _ in self.keys}.items())
        return cases[row - len(self.keys)][1], TOGETHER


def _are_times(keys: Sequence[tuple[HistoryCase, str]]) -> npt.NDArray[np.bool_]:
    """Whether the figure of each key is a time, which depends on the machine's speed, and not a count."""
    return np.array([unit_of(figure) == "us" for _, figure in keys], dtype=bool)


def unit_of(figure: str) -> str:
    """The unit of a figure: `us` of `forward kernel` and of `all figures`, none of `forward instructions`, a count."""
    return _FIGURES[figure][1].unit if figure in _FIGURES else "us"


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
        yield SeriesSet(runs, keys, medians, _slower(runs))


def _slower(runs: Sequence[HistoryRun]) -> Floats | None:
    """How much longer than usual the probe took in each run (logarithm), 0 where no run has the last one's probe."""
    last = runs[-1].reference
    if last is None:
        return None
    references = [run.reference for run in runs]
    logs = np.array([np.log(each.us) if each and each.probe == last.probe else np.nan for each in references])
    return np.asarray(np.nan_to_num(logs - np.nanmedian(logs)))


class HistoryChanges(NamedTuple):
    """The changes found, the number of series, and the number `judged`, with enough runs for steps.

    `last` counts the figures of last runs that were compared with earlier ones, by verdict. `runs` is the number of
    runs of the longest history that is too short for steps, 0 if there is none; `notices` question last runs.
    """

    found: Sequence[HistoryChange]
    series: int
    judged: int
    last: VerdictCounts = VerdictCounts()
    runs: int = 0
    notices: tuple[str, ...] = ()

    def without(self, others: Sequence[HistoryChange]) -> HistoryChanges:
        """The changes but these."""
        left = {id(change) for change in others}
        return self._replace(found=[change for change in self.found if id(change) not in left])


def changes(history: History, since: str = "", sets: Iterable[SeriesSet] | None = None) -> HistoryChanges:
    """The changes decided at `since` (ISO 8601) or later, the newest first, then by size; `sets` are read by default.

    They are steps; if there are too few runs for steps, the last run is compared with the earlier ones.
    """
    found: list[HistoryChange] = []
    verdicts: Counter[str] = Counter()
    notices: list[str] = []
    count = judged = few = 0
    for series in series_sets(history) if sets is None else sets:
        found += (change for change in changes_of(series) if change.decided >= since)
        count += len(series.keys)
        judged += int(np.sum(np.isfinite(series.medians).sum(axis=1) >= MIN_RUNS))
        last = series.runs[-1]
        if len(series.runs) < MIN_RUNS and last.provenance.date >= since:
            few = max(few, len(series.runs))
            figures = last_figures(series, history.process_times(last.run), history.crowded(last.run))
            verdicts.update(figure.verdict.value for figure in figures)
            timed = [figure.ratio for figure in figures if unit_of(series.keys[figure.series][1]) == "us"]
            notices += shift_notices(np.array(timed))
            found += (_change_of_last(series, figure) for figure in figures if figure.verdict in CHANGED)
    found.sort(key=lambda change: (change.decided, abs(np.log(change.ratio))), reverse=True)
    return HistoryChanges(found, count, judged, VerdictCounts(**verdicts), few, tuple(notices))


def _change_of_last(series: SeriesSet, figure: LastFigure) -> HistoryChange:
    decided = series.runs[-1].provenance.date
    return _change(
        series, figure.series, len(series.runs) - 1, ratio=figure.ratio, low=figure.low, high=figure.high,
        before_us=figure.before_us, after_us=figure.after_us, decided=decided, evidence="last run",
    )  # fmt: skip


def changes_of(series: SeriesSet) -> Iterator[HistoryChange]:
    """The steps of a set of series, by run."""
    for step in series.steps():
        of_figure = step.series < len(series.keys)
        before, after = (float(np.exp(level)) for level in (step.before, step.after))
        size = step.after - step.before
        ratio, low, high = (float(np.exp(size + reach)) for reach in (0.0, -step.reach, step.reach))
        yield _change(
            series, step.series, step.first, ratio=ratio, low=low, high=high, before_us=before if of_figure else None,
            after_us=after if of_figure else None, decided=series.runs[step.decided].provenance.date, evidence="step",
        )  # fmt: skip


def _change(series: SeriesSet, row: int, at: int, **values: Any) -> HistoryChange:
    """The change of a series, by its row, at the run of this position."""
    case, figure = series.key(row)
    rows = [number for number, key in enumerate(series.keys) if key[0] is case and figure in (key[1], TOGETHER)]
    before = np.flatnonzero(np.isfinite(series.medians[rows, :at]).any(axis=0))
    return HistoryChange(
        operator=case.operator, case=case.id, category=case.category, profile=case.profile, inputs=case.inputs,
        figure=figure, first=series.runs[at], last=series.runs[int(before[-1])], at=at, runs=series.runs,
        courses={series.keys[number][1]: tuple(map(float, series.medians[number])) for number in rows}, **values,
    )  # fmt: skip


class LastFigure(NamedTuple):
    """A figure of the last run: its series (row), ratio to the earlier runs with its interval, both times, verdict."""

    series: int
    ratio: float
    low: float
    high: float
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
    series: SeriesSet, times: Mapping[tuple[int, str], Sequence[float]], crowded: Collection[tuple[int, str]] = ()
) -> list[LastFigure]:
    """The figures of the last run that have times of processes and an earlier median.

    They are compared as in a comparison of two runs, with each earlier run in place of a process of BASE. Both times
    are medians as measured. The intervals include what other programs explain of a `crowded` figure, and of times as
    much as the probe says that the machine was slower or faster than before.
    """
    rows, pairs = [], []
    for row, (case, name) in enumerate(series.keys):
        earlier = series.medians[row, :-1][np.isfinite(series.medians[row, :-1])]
        last = times.get((case.number, name), ())
        if earlier.size and len(last) and name in _FIGURES:
            rows.append(row)
            pairs.append(_pair(case, name, earlier, np.asarray(last)))
    if not pairs:
        return []
    found, _ = estimate(pairs)
    keys = [(series.keys[row][0].number, series.keys[row][1]) for row in rows]
    widened = with_crowding(found, [(False, key in crowded) for key in keys])
    if series.slower is not None:
        longer = np.where(_are_times(series.keys)[rows], series.slower[-1] - np.median(series.slower[:-1]), 0.0)
        low, high = (end * np.exp(part) for end, part in (
            (widened.low, np.minimum(-longer, 0.0)), (widened.high, np.maximum(-longer, 0.0)),
        ))  # fmt: skip
        widened = msgspec.structs.replace(widened, low=low, high=high)
    judged = verdicts(found, adjusted(found.p), THRESHOLD, widened)
    before = np.array([pair.base.median for pair in pairs])
    measured = (found.ratio, widened.low, widened.high, before, series.medians[rows, -1])
    columns = (rows, *(column.tolist() for column in measured), judged)
    return [LastFigure(*values) for values in zip(*columns, strict=True)]


def _pair(case: HistoryCase, name: str, earlier: Floats, last: Floats) -> Pair:
    pass_, clock = _FIGURES[name]
    return Pair(
        case=case.id, operator=case.operator, base_operator=case.operator, category=case.category,
        profile=case.profile, inputs=case.inputs, pass_=pass_, clock=clock,
        base=Figure(tuple(earlier.tolist()), 0.0), new=Figure(tuple(last.tolist()), 0.0),
        quantile=LOWER_DECILE,  # The differences have the tails of runs at different times.
    )  # fmt: skip
