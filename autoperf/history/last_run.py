"""The last run of a history that is too short for steps, compared with the runs before it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from autoperf.comparison.compare import estimate
from autoperf.comparison.comparison import THRESHOLD, Verdict
from autoperf.comparison.figures import LOWER_DECILE, Figure, FigureSamples, Scale, sampled_series
from autoperf.comparison.pairs import Pair
from autoperf.comparison.ratios import adjusted, verdicts, with_crowding
from autoperf.core.outcome import Outcome
from autoperf.history.steps import Floats
from autoperf.history.store import FIGURES, HistoryCase
from autoperf.runs.environment import Machine


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
    keys: Sequence[tuple[HistoryCase, str]],
    medians: Floats,
    times: Mapping[tuple[int, str], Sequence[float]],
    crowded: Collection[tuple[int, str]] = (),
    slower: Floats | None = None,
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
        low, high = (end * np.exp(part) for end, part in (
            (widened.low, np.minimum(-longer, 0.0)), (widened.high, np.maximum(-longer, 0.0)),
        ))  # fmt: skip
        widened = msgspec.structs.replace(widened, low=low, high=high)
    judged = verdicts(found, adjusted(found.p), THRESHOLD, widened)
    before = np.array([pair.base.median for pair in pairs])
    measured = (found.ratio, widened.low, widened.high, before, medians[rows, -1])
    columns = (rows, *(column.tolist() for column in measured), judged)
    return [LastFigure(*values) for values in zip(*columns, strict=True)]


def _pair(case: HistoryCase, name: str, earlier: Floats, last: Floats) -> Pair:
    pass_, clock = FIGURES[name]
    return Pair(
        case=case.id, operator=case.operator, base_operator=case.operator, category=case.category,
        profile=case.profile, inputs=case.inputs, pass_=pass_, clock=clock,
        base=Figure(tuple(earlier.tolist()), 0.0), new=Figure(tuple(last.tolist()), 0.0),
        quantile=LOWER_DECILE,  # The differences have the tails of runs at different times.
    )  # fmt: skip
