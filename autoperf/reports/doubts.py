"""How a table says that a figure isn't to be trusted: a letter behind it, and a line that says what it means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from autoperf.core.outcome import Doubt, Outcome, Pass, Series

FAR = 0.1
MARKS = {
    Doubt.NOISY: ("n", "noisy", "the interval of the median reaches further than 10%"),
    Doubt.SHORT: ("s", "short", "too few samples for an interval"),
    Doubt.DISAGREE: ("p", "processes disagree", "their medians are more than 5% apart"),
    Doubt.DRIFT: ("d", "drift", "times rose or fell while samples were taken"),
    Doubt.RESOLUTION: ("r", "resolution", "a step of the trace's clock is more than 1% of the kernel's time"),
    Doubt.LOAD: ("l", "load", "other processes used the processor"),
    Doubt.THROTTLED: ("t", "throttled", "a processor slowed itself down for heat"),
}
"""A letter, a name and an explanation for each reason, in the order of the letters behind a figure."""


def doubts(run: Pass | None) -> tuple[Doubt, ...]:
    """What there is to doubt in the figures of a pass, by either clock.

    How far intervals reach has a column of its own, so that only what reaches far is noisy here.
    """
    series = () if run is None else tuple(one for one in (run.kernel_us, run.wall_us) if one is not None)
    found = {doubt for one in series for doubt in one.doubts}
    if not any(map(_reaches_far, series)):
        found.discard(Doubt.NOISY)
    return tuple(doubt for doubt in MARKS if doubt in found)


def _reaches_far(one: Series) -> bool:
    if one.low is None or one.high is None:
        return False
    return max(one.high - one.median, one.median - one.low) > FAR * one.median


def marks(outcome: Outcome) -> str:
    """The letters of an outcome, of both passes: `nl`; empty if there is nothing to doubt."""
    return "".join(MARKS[doubt][0] for doubt in _all(outcome))


def words(outcome: Outcome) -> str:
    """The same in words, for where there is no legend: `noisy, load`."""
    return ", ".join(MARKS[doubt][1] for doubt in _all(outcome))


def legend(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """A line for each letter that occurs: how many cases have it, and what it means."""
    counts = Counter(doubt for outcome in outcomes for doubt in _all(outcome))
    for doubt, (letter, name, meaning) in MARKS.items():
        if counts[doubt]:
            cases = f"{counts[doubt]} {'case' if counts[doubt] == 1 else 'cases'}"
            yield f"{letter} {name} ({cases}): {meaning}"


def _all(outcome: Outcome) -> tuple[Doubt, ...]:
    found = {*doubts(outcome.forward), *doubts(outcome.backward)}
    return tuple(doubt for doubt in MARKS if doubt in found)
