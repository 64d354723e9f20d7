"""The series of a history, their steps, and the last run of a history that is too short for steps."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from autoperf.comparison.compare import estimate, shift_notices
from autoperf.comparison.comparison import CHANGED, THRESHOLD, Verdict, VerdictCounts
from autoperf.comparison.figures import LOWER_DECILE, Figure
from autoperf.comparison.pairs import Pair
from autoperf.comparison.ratios import adjusted, verdicts, with_crowding
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.history import steps
from autoperf.history.store import FIGURES, History, HistoryCase, HistoryFigures, HistoryRun, comparable
from autoperf.reports.columns import RowFilter
from autoperf.reports.layout import grouped


class LastFigure(NamedTuple):
    """A figure of the last run: its series (row), ratio to the earlier runs with its interval, both times, verdict."""

    series: int
    ratio: float
    low: float
    high: float
    before_us: float
    after_us: float
    verdict: Verdict


def last_figures(
    keys: Sequence[tuple[HistoryCase, str]],
    medians: steps.Floats,
    times: Mapping[tuple[int, str], Sequence[float]],
    crowded: Collection[tuple[int, str]] = (),
    slower: steps.Floats | None = None,
) -> list[LastFigure]:
    """The figures of the last run that have times of processes and an earlier median; `medians` are series x runs.

    They are compared as in a comparison of two runs, with each earlier run in place of a process of BASE. Both times
    are medians as measured. The intervals include what other programs explain of a `crowded` figure, and of times as
    much as the probe says that the machine was slower or faster than before.
    """
    rows, pairs = [], []
    for row, (case, name) in enumerate(keys):
        earlier = medians[row, :-1][np.isfinite(medians[row, :-1])]
        last = times.get((case.number, name), ())
        if earlier.size and len(last) and name in FIGURES:
            rows.append(row)
            pairs.append(_pair(case, name, earlier, np.asarray(last)))
    if not pairs:
        return []
    found, _ = estimate(pairs)
    chosen = [(keys[row][0].number, keys[row][1]) for row in rows]
    widened = with_crowding(found, [(False, key in crowded) for key in chosen])
    if slower is not None:
        timed = [pair.clock.is_time for pair in pairs]
        longer = np.where(timed, slower[-1] - np.median(slower[:-1]), 0.0)
        low, high = widened.low * np.exp(np.minimum(-longer, 0.0)), widened.high * np.exp(np.maximum(-longer, 0.0))
        widened = msgspec.structs.replace(widened, low=low, high=high)
    judged = verdicts(found, adjusted(found.p), THRESHOLD, widened)
    before = np.array([pair.base.median for pair in pairs])
    measured = (found.ratio, widened.low, widened.high, before, medians[rows, -1])
    columns = (rows, *(column.tolist() for column in measured), judged)
    return [LastFigure(*values) for values in zip(*columns, strict=True)]


def _pair(case: HistoryCase, name: str, earlier: steps.Floats, last: steps.Floats) -> Pair:
    pass_, clock = FIGURES[name]
    return Pair(
        case=case.id, operator=case.operator, base_operator=case.operator, category=case.category,
        profile=case.profile, inputs=case.inputs, pass_=pass_, clock=clock,
        base=Figure(tuple(earlier.tolist()), 0.0), new=Figure(tuple(last.tolist()), 0.0),
        quantile=LOWER_DECILE,  # The differences have the tails of runs at different times.
    )  # fmt: skip


TOGETHER = "all figures"
"""The name of the joint series of a case's figures."""
_DAYS = 7
MIN_PART = 0.005
"""The least part of a step, a logarithm, that is told as the machine's: below it rounds to a factor of 1.00."""


class HistoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a figure, or of all figures of a case together, and the first run at the new level.

    `ratio` is after / before without the `machine`'s part of it, which is None where nothing was subtracted; `low` and
    `high` are its 95% interval. The times are in microseconds as measured, None for all figures together. `at` is the
    position of the first run in `runs`, `last` the last run of the level before, or the first of a drift since the
    first run. `decided` is the date of the run that made the change certain. `evidence` is a step, a drift (`weekly` is
    its ratio a week), another exact count or, with too few runs for these, a difference between the last run and the
    earlier ones. `least` is `low` without what the machine's speed may explain, None where that is nothing. `courses`
    has the times of each figure concerned, by run, in microseconds (NaN: none).
    """

    case: HistoryCase
    figure: str
    ratio: float
    low: float
    high: float
    before_us: float | None
    after_us: float | None
    first: HistoryRun
    last: HistoryRun
    decided: str
    evidence: steps.Evidence
    at: int
    runs: Sequence[HistoryRun]
    courses: dict[str, tuple[float, ...]] = {}
    weekly: float | None = None
    machine: float | None = None
    least: float | None = None

    @property
    def is_finding(self) -> bool:
        """Whether it is certain: a single run may be disturbed."""
        return self.evidence != "last run"


@dataclass(frozen=True)
class SeriesSet:
    """The series of comparable runs: the runs by date, the case and figure of each series, and the medians.

    `medians` has a row for each series and a column for each run, in microseconds; NaN where a run has no figure.
    Runs are comparable if release, machine, processor and threads are the same. `slower` has the logarithm of how
    long the machine's probe took in each run; None if the last doesn't say. `control` has how much longer than usual a
    build that never changes took beside: NaN for runs without one, None if no run has one.
    """

    runs: Sequence[HistoryRun]
    keys: Sequence[tuple[HistoryCase, str]]
    medians: steps.Floats
    slower: steps.Floats | None = None
    control: steps.Floats | None = None

    @cached_property
    def found(self) -> steps.Found:
        """The changes of figures and of cases, and what can't be judged yet."""
        logs, exact = np.log(self.medians), self.counted
        if exact.any():
            logs[exact] = np.where([run.counts_exactly for run in self.runs], logs[exact], np.nan)
        numbers = np.unique([case.number for case, _ in self.keys], return_inverse=True)[1]
        control = None if self.control is None else np.nan_to_num(self.control)
        return steps.found_in(logs, numbers, (self.timed, exact), (self.slower, control))

    @property
    def timed(self) -> npt.NDArray[np.bool_]:
        """Whether each series is of times, which depend on the machine's speed, and not of counts."""
        return np.array([unit_of(figure) == "us" for _, figure in self.keys], dtype=bool)

    @property
    def counted(self) -> npt.NDArray[np.bool_]:
        """Whether each series is of exact counts."""
        exactly = any(run.counts_exactly for run in self.runs)
        return np.array([exactly and figure.endswith(f" {INSTRUCTIONS.name}") for _, figure in self.keys], dtype=bool)

    def key(self, row: int) -> tuple[HistoryCase, str]:
        """The case and the figure of a row of what is found."""
        return self.keys[row] if row < len(self.keys) else (self._cases[row - len(self.keys)], TOGETHER)

    def rows_of(self, case: HistoryCase, figure: str) -> list[int]:
        """The rows of a figure of a case, or of all."""
        return [row for row in self._rows[case.number] if figure in (self.keys[row][1], TOGETHER)]

    def machine_part(self, step: steps.LevelStep) -> float | None:
        """The ratio of the control's times after and before a step; None without a control on both sides."""
        if self.control is None:
            return None
        sides = (
            self.control[max(0, step.first - steps.WINDOW) : step.first],
            self.control[step.first : step.decided + 1],
        )
        before, after = (steps.masked_median(side[None])[0][0] for side in sides)
        return None if np.isnan(before) or np.isnan(after) else float(np.exp(after - before))

    @cached_property
    def _cases(self) -> list[HistoryCase]:
        return [case for _, case in sorted({case.number: case for case, _ in self.keys}.items())]

    @cached_property
    def _rows(self) -> dict[int, list[int]]:
        return grouped(range(len(self.keys)), lambda row: self.keys[row][0].number)


def unit_of(figure: str) -> str:
    """The unit of a figure: `us` of `forward kernel` and of `all figures`, none of `forward instructions`, a count."""
    return FIGURES[figure][1].unit if figure in FIGURES else "us"


def series_sets(history: History, cases: Sequence[HistoryCase] | None = None) -> Iterator[SeriesSet]:
    """The series of these cases, or of all, for each set of comparable runs; those of controls are left out."""
    known = {case.number: case for case in (history.cases() if cases is None else cases)}
    figures = history.figures(None if cases is None else list(known))
    every = {run.run: run for run in history.runs()}
    for runs in grouped(history.nightly_runs(), lambda run: comparable(run.provenance)).values():
        series, medians = _table(figures, [run.run for run in runs])
        if series:
            keys = [(known[number], figures.names[figure]) for number, figure in series]
            beside = [every.get(run.control) if run.control else None for run in runs]
            yield SeriesSet(runs, keys, medians, _slower(runs), _control(history, beside))


def _table(figures: HistoryFigures, runs: Sequence[int]) -> tuple[list[tuple[int, int]], steps.Floats]:
    """The series that these runs have, by case and figure, and their medians by run."""
    member = np.isin(figures.run, runs)
    size = max(len(figures.names), 1)
    codes, rows = np.unique((figures.number * size + figures.figure)[member], return_inverse=True)
    order = np.argsort(runs)
    medians = np.full((len(codes), len(runs)), np.nan)
    medians[rows, order[np.searchsorted(np.array(runs)[order], figures.run[member])]] = figures.median[member]
    return [divmod(int(code), size) for code in codes], medians


def _slower(runs: Sequence[HistoryRun]) -> steps.Floats | None:
    """How long the probe took in each run (logarithm): as in the run before where a run hasn't the last one's probe."""
    last = runs[-1].reference
    if last is None:
        return None
    references = [run.reference for run in runs]
    logs = np.array([np.log(each.us) if each and each.probe == last.probe else np.nan for each in references])
    known = np.flatnonzero(np.isfinite(logs))
    return np.asarray(logs[known[np.maximum(np.searchsorted(known, np.arange(len(logs)), side="right") - 1, 0)]])


def _control(history: History, beside: Sequence[HistoryRun | None]) -> steps.Floats | None:
    """How much longer than usual the control of each run took (logarithm): the median of its times.

    NaN for runs without a control, or with another build than that of the last.
    """
    build = next((run.provenance.build for run in reversed(beside) if run), None)
    usable = {at: run.run for at, run in enumerate(beside) if run and run.provenance.build == build}
    if not usable:
        return None
    runs, places = np.unique(list(usable.values()), return_inverse=True)
    figures = history.figures(runs=runs.tolist())
    series, medians = _table(figures, runs.tolist())
    logs = np.log(medians[[unit_of(figures.names[figure]) == "us" for _, figure in series]])
    control = np.full(len(beside), np.nan)
    control[list(usable)] = steps.masked_median((logs - steps.masked_median(logs)[0][:, None]).T)[0][places]
    return control


class CommonChange(NamedTuple):
    """A step that the median of all times shows, beside a control: the build's `ratio` with its interval, and the
    `machine`'s, by the control. `first` is the first run at the new level, `decided` the date of the run that decided.
    """

    ratio: float
    low: float
    high: float
    machine: float
    first: HistoryRun
    decided: str


def _common(series: SeriesSet) -> Iterator[CommonChange]:
    """The steps of the median of all times about their own medians, as far as a control was measured beside."""
    if series.control is None:
        return
    often = np.isfinite(series.medians).sum(axis=1) >= len(series.runs) / 2
    logs = np.log(series.medians[series.timed & often])
    middle, counts = steps.masked_median((logs - steps.masked_median(logs)[0][:, None]).T)
    own = np.where(counts >= steps.MIN_COMMON, middle - series.control, np.nan)
    for step in steps.follow(own[None]).steps:
        first, decided = series.runs[step.first], series.runs[step.decided].provenance.date
        yield CommonChange(*step.ratios, series.machine_part(step) or 1.0, first, decided)


class Unjudged(NamedTuple):
    """A series in whose last night no step can be found, and why."""

    case: HistoryCase
    figure: str
    release: str
    reason: str


class HistoryChanges(NamedTuple):
    """The changes found, and the number of series.

    `last` counts the figures of last runs that were compared with earlier ones, by verdict. `runs` is the number of
    runs of the longest history that is too short for steps, 0 if there is none; `notices` question last runs.
    `suspects` are series that differ in the last night without a step yet. `machine` is how many times longer than
    usual the control took in the last night; None without one. `common` are steps of everything beside a control.
    Changes that were decided before the day `since` are left out.
    """

    found: Sequence[HistoryChange]
    series: int
    last: VerdictCounts = VerdictCounts()
    runs: int = 0
    notices: tuple[str, ...] = ()
    suspects: Sequence[HistoryChange] = ()
    unjudged: Sequence[Unjudged] = ()
    machine: float | None = None
    common: Sequence[CommonChange] = ()
    since: str = ""

    def without(self, others: Sequence[HistoryChange]) -> HistoryChanges:
        """The changes but these."""
        left = {id(change) for change in others}
        return self._replace(found=[change for change in self.found if id(change) not in left])


def changes(history: History, since: str = "", sets: Iterable[SeriesSet] | None = None) -> HistoryChanges:
    """The changes decided at `since` (ISO 8601) or later, the newest first, then by size; `sets` are read by default.

    They are steps, drifts and other counts; of too few runs, the last is compared with the earlier ones.
    """
    found: list[HistoryChange] = []
    suspects: list[HistoryChange] = []
    verdicts: Counter[str] = Counter()
    notices: list[str] = []
    unjudged: list[Unjudged] = []
    machine: dict[str, float] = {}
    releases: set[str] = set()
    common: list[CommonChange] = []
    count = few = 0
    for series in series_sets(history) if sets is None else sets:
        found += (change for change in changes_of(series) if change.decided >= since)
        common += (each for each in _common(series) if each.decided >= since)
        count += len(series.keys)
        release = series.runs[0].provenance.release
        unjudged += _unjudged(series, release in releases)
        releases.add(release)
        last = series.runs[-1]
        if last.provenance.date < since:
            continue
        if series.control is not None and np.isfinite(series.control[-1]):
            machine[last.provenance.date] = float(np.exp(series.control[-1]))
        if len(series.runs) >= steps.MIN_RUNS:
            suspects += (_change_of(series, step, "last run") for step in series.found.suspects)
            continue
        few = max(few, len(series.runs))
        times, crowded = history.process_times(last.run), history.crowded(last.run)
        slower = series.slower if series.control is None else np.nan_to_num(series.control)
        figures = last_figures(series.keys, series.medians, times, crowded, slower)
        verdicts.update(figure.verdict.value for figure in figures)
        timed = [figure.ratio for figure in figures if unit_of(series.keys[figure.series][1]) == "us"]
        notices += shift_notices(np.array(timed))
        found += (_change_of_last(series, figure) for figure in figures if figure.verdict in CHANGED)
    found.sort(key=lambda change: (change.decided, abs(np.log(change.ratio))), reverse=True)
    return HistoryChanges(
        found, count, VerdictCounts(**verdicts), few, tuple(notices), suspects, unjudged,
        machine[max(machine)] if machine else None, common, since,
    )  # fmt: skip


def _unjudged(series: SeriesSet, moved: bool) -> Iterator[Unjudged]:
    """The series of a set that can't be judged in its last night, by few nights, gaps, or a new level.

    `moved`: whether another machine, or another number of threads, has runs of this release too.
    """
    on = "since the machine or its threads changed" if moved else f"on {series.runs[-1].provenance.machine}"
    nights = np.isfinite(series.medians).sum(axis=1)
    levels = {change.series: series.runs[change.first].provenance.date[:10] for change in series.found.changes}
    for row in np.flatnonzero(~series.found.judged | (nights < steps.MIN_RUNS) & ~series.counted):
        case, figure = series.keys[row]
        if len(series.runs) < steps.MIN_RUNS:
            reason = f"{len(series.runs)} of {steps.MIN_RUNS} runs {on}"
        elif nights[row] < steps.MIN_RUNS:
            reason = f"measured in {nights[row]} of {len(series.runs)} runs"
        else:
            reason = f"a new level since {levels[row]}" if row in levels else "too few of the last runs have it"
        yield Unjudged(case, figure, series.runs[-1].provenance.release, reason)


def _change_of_last(series: SeriesSet, figure: LastFigure) -> HistoryChange:
    decided = series.runs[-1].provenance.date
    return _change(
        series, figure.series, len(series.runs) - 1, ratio=figure.ratio, low=figure.low, high=figure.high,
        before_us=figure.before_us, after_us=figure.after_us, decided=decided, evidence="last run",
    )  # fmt: skip


def changes_of(series: SeriesSet) -> Iterator[HistoryChange]:
    """The steps, drifts and changed counts of a set of series, by run."""
    return (_change_of(series, step, step.evidence) for step in series.found.changes)


def _change_of(series: SeriesSet, step: steps.LevelStep, evidence: steps.Evidence) -> HistoryChange:
    of_figure = step.series < len(series.keys)
    part = step.after - step.before - step.size
    before, after, machine = (float(np.exp(level)) for level in (step.before, step.after, part))
    ratio, low, high = step.ratios
    weekly = None
    if step.nightly is not None:
        first, end = (dt.datetime.fromisoformat(series.runs[at].provenance.date) for at in (step.first, -1))
        nights = (len(series.runs) - 1 - step.first) / max((end - first) / dt.timedelta(days=1), 1.0)
        weekly = float(np.exp(step.nightly * nights * _DAYS))
    return _change(
        series, step.series, step.first, ratio=ratio, low=low, high=high, before_us=before if of_figure else None,
        after_us=after if of_figure else None, decided=series.runs[step.decided].provenance.date, evidence=evidence,
        weekly=weekly, least=float(np.exp(step.size - step.reach)) if step.explained else None,
        machine=machine if abs(part) >= MIN_PART and evidence == "step" else None,
    )  # fmt: skip


def _change(series: SeriesSet, row: int, at: int, **values: Any) -> HistoryChange:
    """The change of a series, by its row, at the run of this position."""
    case, figure = series.key(row)
    rows = series.rows_of(case, figure)
    before = np.flatnonzero(np.isfinite(series.medians[rows, :at]).any(axis=0))
    return HistoryChange(
        case=case, figure=figure, first=series.runs[at], last=series.runs[max(before, default=at)], at=at,
        runs=series.runs,
        courses={series.keys[number][1]: tuple(map(float, series.medians[number])) for number in rows}, **values,
    )  # fmt: skip


def operator_series(history: History, operators: Sequence[str]) -> list[SeriesSet]:
    """The series of operators, named as in the runs or by globs. Raises UnknownNameError for a name that none has."""
    cases = history.cases()
    chosen = RowFilter(tuple(operators)).positions(cases, "history")
    return list(series_sets(history, [cases[position] for position in chosen]))
