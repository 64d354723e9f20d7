"""Warnings about figures: a letter in the table, and a line that explains the letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from autoperf.core.outcome import FigureWarning, Outcome, Pass, Series
from autoperf.reports.units import count, reach

FAR = 0.25
"""The relative reach of the median's interval from which noise, disagreement or drift gives a warning."""
COARSE = 0.1
"""The share of a kernel's time that a step of the clock must exceed to give a warning."""
WARNINGS = {
    FigureWarning.NOISY: ("n", "noisy", f"the interval of the median reaches beyond {FAR:.0%}"),
    FigureWarning.SHORT: ("s", "short", "too few samples for an interval"),
    FigureWarning.DISAGREE: (
        "p",
        "processes disagree",
        f"their medians differ, and the interval reaches beyond {FAR:.0%}",
    ),
    FigureWarning.DRIFT: ("d", "drift", f"times rose or fell, and the interval reaches beyond {FAR:.0%}"),
    FigureWarning.RESOLUTION: (
        "r",
        "resolution",
        f"a step of the clock is more than {COARSE:.0%} of the kernel's time",
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
    FigureWarning.THROTTLED: ("t", "throttled", "a processor slowed itself down for heat"),
}
"""A letter, a name and an explanation for each reason, in their order; LOAD is reported for the whole run."""
_BY_REACH = frozenset({FigureWarning.NOISY, FigureWarning.DISAGREE, FigureWarning.DRIFT})


def warnings(run: Pass | None) -> tuple[FigureWarning, ...]:
    """The quality flags of a pass, by any clock, that give a warning."""
    series = run.all_series() if run else ()
    reasons = {reason for readings in series for reason in readings.warnings if _matters(reason, readings)}
    if reasons & {FigureWarning.DISAGREE, FigureWarning.DRIFT}:
        # They explain the wide interval.
        reasons.discard(FigureWarning.NOISY)
    return tuple(reason for reason in WARNINGS if reason in reasons)


def _matters(reason: FigureWarning, series: Series) -> bool:
    if reason in _BY_REACH:
        far = reach(series)
        return far is None or far > FAR
    return reason is not FigureWarning.RESOLUTION or 1 / series.loops > COARSE * series.median


def letters(outcome: Outcome) -> str:
    """The letters of an outcome, of both passes: `ns`; empty if there is no warning."""
    return _spelled(_of_case([outcome]))


def pass_letters(run: Pass | None) -> str:
    """The letters of a pass."""
    return _spelled(warnings(run))


def _spelled(reasons: Iterable[FigureWarning]) -> str:
    return "".join(WARNINGS[reason][0] for reason in reasons)


def legend(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """A line for each letter in use: the number of cases, and its meaning."""
    yield from legend_of_sides([outcome] for outcome in outcomes)


def legend_of_sides(cases: Iterable[Sequence[Outcome]]) -> Iterator[str]:
    """The same for cases with an outcome on each side, which count once."""
    counts = Counter(reason for outcomes in cases for reason in _of_case(outcomes))
    for reason, (letter, name, meaning) in WARNINGS.items():
        if counts[reason]:
            yield f"{letter} {name} ({count(counts[reason], 'case')}): {meaning}"


def load(outcomes: Iterable[Outcome]) -> str:
    """The number of cases that other processes disturbed; empty if there are none."""
    loaded = [any(map(_loaded, (outcome.forward, outcome.backward))) for outcome in outcomes if outcome.forward]
    share = f"{sum(loaded)} of {count(len(loaded), 'case')}"
    return f"other processes used the processor during {share}" if any(loaded) else ""


def _loaded(run: Pass | None) -> bool:
    return any(FigureWarning.LOAD in series.warnings for series in (run.all_series() if run else ()))


def _of_case(outcomes: Sequence[Outcome]) -> tuple[FigureWarning, ...]:
    runs = [run for outcome in outcomes for run in (outcome.forward, outcome.backward)]
    reasons = {reason for run in runs for reason in warnings(run)}
    return tuple(reason for reason in WARNINGS if reason in reasons)
