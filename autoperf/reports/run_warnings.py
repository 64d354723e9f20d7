"""The warnings of times: their codes, and which of them are of the whole run, so that no row repeats them."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autoperf.core.outcome import FigureWarning, Outcome, Pass, Series
from autoperf.reports.units import count, plus_minus, reach

FAR = 0.25
"""The relative reach of the median's interval from which noise or drift gives a warning."""
APART = 0.06
"""The reach from which processes that disagree give one: then another run may be a fifth off.

Of 19 times that a plain loop put more than 20% off, 15 were of such processes; most of their intervals reached 6 to 12%
(`benches/accuracy.py`, docs/method/accuracy.md).
"""
COARSE = 0.1
"""The share of a kernel's time that a step of the clock must exceed to give a warning."""
WARNINGS = {
    FigureWarning.NOISY: ("n", "noisy", f"the interval of the median reaches beyond {FAR:.0%}"),
    FigureWarning.SHORT: ("s", "short", "too few samples for an interval"),
    FigureWarning.DISAGREE: (
        "p",
        "processes disagree",
        f"their medians differ, and the interval reaches beyond {APART:.0%}: another run's may be a fifth off; more "
        "--processes narrow it",
    ),
    FigureWarning.DRIFT: ("d", "drift", f"times rose or fell, and the interval reaches beyond {FAR:.0%}"),
    FigureWarning.RESOLUTION: (
        "r",
        "resolution",
        f"a step of the clock is more than {COARSE:.0%} of the kernel's time; more --max-time averages over more calls",
    ),
    FigureWarning.UNSETTLED: (
        "u",
        "unsettled",
        "calls still took memory that the process didn't have, which later calls may not: expect too long a time",
    ),
    FigureWarning.CROWDED: (
        "c",
        "crowded",
        "other programs had the processor in more than a quarter of the samples: expect too long a time",
    ),
    FigureWarning.RECOMPILED: (
        "j",
        "recompiled",
        "the framework compiled the call again while samples were taken: expect too long a time",
    ),
    FigureWarning.THROTTLED: ("t", "throttled", "a processor slowed itself down for heat"),
}
"""The code, name and explanation of each warning, in their order; LOAD is reported for the whole run."""
_LIMITS = {FigureWarning.NOISY: FAR, FigureWarning.DISAGREE: APART, FigureWarning.DRIFT: FAR}


def warnings(run: Pass | None) -> tuple[FigureWarning, ...]:
    """The quality flags of a pass, by any clock, that give a warning."""
    series = run.metrics.values() if run else ()
    reasons = {reason for readings in series for reason in shown(readings)}
    if reasons & {FigureWarning.DISAGREE, FigureWarning.DRIFT}:
        # They explain the wide interval.
        reasons.discard(FigureWarning.NOISY)
    return tuple(reason for reason in WARNINGS if reason in reasons)


def shown(series: Series) -> tuple[FigureWarning, ...]:
    """The quality flags of a series that give a warning."""
    return tuple(reason for reason in series.warnings if _matters(reason, series))


def _matters(reason: FigureWarning, series: Series) -> bool:
    if reason in _LIMITS:
        far = reach(series)
        return far is None or far > _LIMITS[reason]
    return reason is not FigureWarning.RESOLUTION or 1 / series.loops > COARSE * series.median


_DISTURBANCES = frozenset({
    FigureWarning.NOISY, FigureWarning.DISAGREE, FigureWarning.DRIFT, FigureWarning.CROWDED, FigureWarning.THROTTLED,
})  # fmt: skip
"""The warnings that a busy machine causes, one or another by chance."""
COMMON = 0.1
"""The share of the cases beyond which a warning is of the whole run: codes on more rows ask nobody to act."""
FEW = 3
"""So many cases are few in any run."""
WORSE = 2.0
"""The least reach of a row that is worse than its run, relative to the median of the run's cases."""


@dataclass(frozen=True)
class RunWarnings:
    """The warnings of a run: the number of cases with each, and those that more than a tenth of the cases have.

    `cases` were measured, and many of them were `disturbed`, if one is `common`. A pass shows a common warning only if
    its interval reaches beyond `limit`.
    """

    cases: int
    counts: Mapping[FigureWarning, int]
    disturbed: int
    common: frozenset[FigureWarning]
    limit: float

    @property
    def words(self) -> str:
        """The warnings in a few words: `16 cases disturbed, resolution 1`; empty without any."""
        several = self.common & _DISTURBANCES
        if len(several) < 2:
            return ", ".join(_numbered(self.counts))
        return ", ".join((f"{count(self.disturbed, 'case')} disturbed", *_numbered(self.counts, several)))

    def letters(self, *runs: Pass | None) -> str:
        """The warning codes of passes, without those of the whole run: `ns`."""
        reasons = {
            reason
            for run in runs
            for reason in warnings(run)
            if reason not in self.common or (reason in _DISTURBANCES and _reach(run) > self.limit)
        }
        return "".join(code for reason, (code, _, _) in WARNINGS.items() if reason in reasons)

    def letters_of(self, outcome: Outcome) -> str:
        """The warning codes of both passes of an outcome."""
        return self.letters(*outcome.passes.values())

    def legend(self, cases: Iterable[Sequence[Outcome]]) -> Iterator[str]:
        """A sentence on the whole run, then a line for each code in use: the number of cases, and its meaning.

        A case has an outcome on each side, and counts once.
        """
        yield from self._sentences()
        shown = Counter(
            letter
            for outcomes in cases
            for letter in self.letters(*(run for outcome in outcomes for run in outcome.passes.values()))
        )
        for code, name, meaning in WARNINGS.values():
            if shown[code]:
                yield f"{code} {name} ({count(shown[code], 'case')}): {meaning}"

    def _sentences(self) -> Iterator[str]:
        if disturbances := self.common & _DISTURBANCES:
            kinds = ", ".join(_numbered(self.counts, self.counts.keys() - disturbances))
            reached, limit = plus_minus(self.limit / WORSE), plus_minus(self.limit)
            spread = (
                f": half of the cases have intervals that reach {reached} or more, and another run may differ as much; "
                f"codes mark only those beyond {limit}"
            )
            known = spread if math.isfinite(self.limit) else ""
            yield f"{self.disturbed} of {count(self.cases, 'case')} were disturbed ({kinds}){known}"
        for reason in self.counts:
            if reason in self.common - _DISTURBANCES:
                _, name, meaning = WARNINGS[reason]
                yield f"{name} ({self.counts[reason]} of {count(self.cases, 'case')}): {meaning}"


def _numbered(counts: Mapping[FigureWarning, int], without: Iterable[FigureWarning] = ()) -> list[str]:
    return [f"{WARNINGS[reason][1]} {number}" for reason, number in counts.items() if reason not in without]


def pass_letters(*runs: Pass | None) -> str:
    """The warning codes of passes, whatever the run."""
    return RunWarnings(0, {}, 0, frozenset(), math.inf).letters(*runs)


def run_warnings(cases: Iterable[Sequence[Outcome]]) -> RunWarnings:
    """The warnings of cases with an outcome on each side; each case counts once."""
    counts: Counter[FigureWarning] = Counter()
    reaches: list[float] = []
    disturbed = 0
    for outcomes in cases:
        runs = [run for outcome in outcomes for run in outcome.passes.values()]
        reasons = {reason for run in runs for reason in warnings(run)}
        counts.update(reasons)
        disturbed += not reasons.isdisjoint(_DISTURBANCES)
        reaches += [max(map(_reach, runs))] if runs else []
    ordered = {reason: counts[reason] for reason in WARNINGS if counts[reason]}
    many = max(FEW, COMMON * len(reaches))
    common = {
        reason for reason in ordered if (disturbed if reason in _DISTURBANCES else ordered[reason]) > many
    }  # fmt: skip
    return RunWarnings(len(reaches), ordered, disturbed, frozenset(common), _limit(reaches))


def _limit(reaches: Sequence[float]) -> float:
    """The reach beyond which a row is worse than its run: a tenth of the cases at most are, or one."""
    if len(reaches) < 2:
        return math.inf
    worst = sorted(reaches, reverse=True)
    return max(WORSE * statistics.median(reaches), worst[max(1, int(COMMON * len(reaches)))])


def _reach(run: Pass | None) -> float:
    """The farthest reach of a pass by any clock; infinite where one is unknown."""
    reaches = [reach(series) for series in run.metrics.values()] if run else []
    return max((math.inf if far is None else far for far in reaches), default=0.0)
