"""How a history stands: other results, accepted steps, and what its last night shows or can't show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from autoperf.comparison.comparison import COUNT_THRESHOLD, THRESHOLD
from autoperf.comparison.expectations import Acceptance, Expectations, FigureKey
from autoperf.core.outcome import ResultDifference
from autoperf.core.texts import count
from autoperf.equality.fingerprint import prints_difference
from autoperf.history.series import TOGETHER, CommonChange, HistoryChange, HistoryChanges, Unjudged, unit_of
from autoperf.history.steps import MIN_AGREEING, MIN_RUNS
from autoperf.history.store import History, HistoryCase, HistoryRun
from autoperf.reports.columns import Column, fact
from autoperf.reports.table import Table
from autoperf.reports.units import factor, one_line


class ResultChange(NamedTuple):
    """A case that computes something else since the run `first`; `last` is the run before that has its fingerprint."""

    case: HistoryCase
    difference: ResultDifference
    first: HistoryRun
    last: HistoryRun

    @property
    def words(self) -> str:
        """The difference, whose sides are `before` and `since`."""
        return self.difference.words_of("before", "since")


def result_changes(history: History, since: str = "") -> list[ResultChange]:
    """The changes of results in runs of one release, on whichever machines, dated `since` or later; the newest first.

    Each run but those of controls is compared with the one before that has the case's fingerprint, within rounding.
    """
    cases = {case.number: case for case in history.cases()}

    @lru_cache(maxsize=1024)
    def difference(base: str, new: str) -> ResultDifference | None:
        return prints_difference(history.fingerprints.of(base), history.fingerprints.of(new))

    runs = {run.run: run for run in history.nightly_runs()}
    rows = [(number, runs[run], digest) for number, run, digest in history.fingerprints.computed() if run in runs]
    rows.sort(key=lambda row: (row[0], row[1].provenance.release, row[1].provenance.date, row[1].run))
    found = [
        ResultChange(cases[number], different, first, last)
        for (number, _), members in groupby(rows, lambda row: (row[0], row[1].provenance.release))
        for (_, last, was), (_, first, now) in pairwise(members)
        if was != now and first.provenance.date >= since and (different := difference(was, now))
    ]
    return sorted(found, key=lambda change: change.first.provenance.date, reverse=True)


def without_fingerprints(history: History) -> str:
    """A note on the runs whose results aren't compared; empty if there are none."""
    runs = history.nightly_runs()
    lacking = len({run.run for run in runs} - {run for _, run, _ in history.fingerprints.computed()})
    if not lacking:
        return ""
    which = "the run has" if len(runs) == 1 else f"{lacking} of {len(runs)} runs have"
    return f"{which} no fingerprints of results: what they compute isn't compared"


class AcceptedStep(NamedTuple):
    """A step, and the line that accepts it."""

    change: HistoryChange
    line: Acceptance


def accepted_steps(found: Sequence[HistoryChange], expectations: Expectations) -> list[AcceptedStep]:
    """The slower changes that a line accepts, in their order.

    An accepted change starts a new level: the next one of the same runs is accepted only if both together keep to it.
    """
    spent: dict[tuple[int, str, str], float] = {}
    accepted: dict[int, Acceptance] = {}
    for change in sorted((each for each in found if each.ratio > 1), key=lambda each: each.decided):
        key = change.runs[0].run, change.case.id, change.figure
        before = spent.get(key, 1.0)
        if line := _line(change, expectations, before):
            accepted[id(change)] = line
            spent[key] = before * change.ratio
    return [AcceptedStep(change, accepted[id(change)]) for change in found if id(change) in accepted]


def _line(change: HistoryChange, expectations: Expectations, before: float) -> Acceptance | None:
    """The line that accepts all figures of a change, after accepted ones of this ratio together."""
    lines: list[Acceptance | None] = []
    case = change.case
    for figure in change.courses if change.figure == TOGETHER else [change.figure]:
        pass_, _, clock = figure.partition(" ")
        key = FigureKey(case.id, case.operator, case.category, case.profile, pass_, clock)
        threshold = expectations.threshold(key, THRESHOLD if unit_of(figure) else COUNT_THRESHOLD)
        lines.append(expectations.acceptance(key, before * (change.least or change.low), threshold))
    return lines[0] if lines and all(lines) else None


MAX_NAMED = 4
"""The measurements of a night that a sentence names."""
_AS_USUAL = 0.01
_UNJUDGED_COLUMNS: tuple[Column[Unjudged], ...] = (
    fact("case", lambda each: each.case.id),
    *(fact(name, attrgetter(f"case.{name}")) for name in ("operator", "profile", "inputs")),
    *(fact(name, attrgetter(name)) for name in ("figure", "release", "reason")),
)
_COMMON_COLUMNS: tuple[Column[CommonChange], ...] = (
    *(fact(name, attrgetter(name)) for name in ("ratio", "low", "high", "decided")),
    fact("machine_ratio", attrgetter("machine")),
    fact("run", attrgetter("first.run")),
    fact("date", attrgetter("first.provenance.date")),
)


def changes_summary(changes: HistoryChanges) -> str:
    """`3 steps, 1 drift = 2 slower + 2 faster`, with the verdicts of the last of few runs."""
    found = [change for change in changes.found if change.is_finding]
    kinds = Counter[str](change.evidence for change in found)
    slower = sum(change.ratio > 1 for change in found)
    named = (("drift", "drift"), ("count", "changed count"))
    more = "".join(f", {count(kinds[kind], noun)}" for kind, noun in named if kinds[kind])
    summary = f"{count(kinds['step'], 'step')}{more} = {slower} slower + {len(found) - slower} faster"
    last = msgspec.structs.asdict(changes.last)
    if any(last.values()):
        parts = " + ".join(f"{number} {verdict}" for verdict, number in last.items())
        summary += f"; last run: {count(sum(last.values()), 'figure')} = {parts}"
    return summary


def standing_answer(changes: HistoryChanges) -> Iterator[str]:
    """Sentences on nights in which most measurements changed, on the machine by its control, and on few nights."""
    for each in changes.common:
        ends = (each.low, each.high) if each.ratio > 1 else (1 / each.high, 1 / each.low)
        size = f"{factor(max(each.ratio, 1 / each.ratio))} times [{', '.join(map(factor, ends))}]"
        date = each.first.provenance.date.partition("T")[0]
        since = f"{_direction(each.ratio)} since the night of {date} by the median of all measurements"
        machine = f"the machine's part is {factor(each.machine)} by the control, and not in this"
        yield f"Everything is {size} {since}; {machine}."
    if changes.machine is not None:
        shift = changes.machine
        words, subtracted = "as fast as", ""
        if abs(shift - 1) >= _AS_USUAL:
            words = f"{factor(max(shift, 1 / shift))} times {_direction(shift)} than"
            subtracted = ", which is subtracted before anything is called a change"
        yield f"By the control, the machine of the last night was {words} usual{subtracted}."
    yield from _suspicions(changes.suspects)
    if changes.runs == 1:
        yield f"One night: there is no other to compare it with. Steps are found from {MIN_RUNS} runs on."
    elif changes.runs:
        last = changes.last
        total = count(last.faster + last.slower + last.same + last.undecided, "measurement")
        verb = "is" if last.undecided == 1 else "are"
        undecided = f"; {last.undecided} of its {total} {verb} undecided" if last.undecided else ""
        yield (
            f"Few nights: of {count(changes.runs, 'comparable run')} only the last is compared with those before it, "
            f"and a disturbed night looks like a change{undecided}. Steps are found from {MIN_RUNS} runs on."
        )


def _direction(ratio: float) -> str:
    return "slower" if ratio > 1 else "faster"


def _suspicions(suspects: Sequence[HistoryChange]) -> Iterator[str]:
    """A sentence on what is slower in the last night without a step yet."""
    slower = sorted((each for each in suspects if each.ratio > 1), key=lambda each: -each.ratio)
    if not slower:
        return
    names = list(dict.fromkeys(f"{each.case.operator} {factor(each.ratio)} times" for each in slower))[:MAX_NAMED]
    verb = "is" if len(slower) == 1 else "are"
    yield one_line(
        f"{count(len(slower), 'measurement')} {verb} slower in the last night, which is no step yet ({', '.join(names)}"
        f"{', ...' if len(slower) > len(names) else ''}): a disturbed night looks like this. {MIN_AGREEING} agreeing "
        "runs make a step; measure these operators again and add the runs."
    )


def standing_tables(changes: HistoryChanges) -> tuple[Table[Any], ...]:
    """The nights since which everything is slower or faster, and the series that can't be judged yet."""
    return Table("common", _COMMON_COLUMNS, changes.common), Table("unjudged", _UNJUDGED_COLUMNS, changes.unjudged)
