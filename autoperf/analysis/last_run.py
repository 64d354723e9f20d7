"""Compares the last run of a short history with the earlier ones, by the method of `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from autoperf.analysis.compare import estimate
from autoperf.analysis.comparison import THRESHOLD, Verdict
from autoperf.analysis.figures import LOWER_DECILE, Figure, FigureSamples, Scale, sampled_series
from autoperf.analysis.pairs import Pair
from autoperf.analysis.steps import Floats, common_of_nights
from autoperf.analysis.verdicts import adjusted, verdicts
from autoperf.core.clocks import METRICS
from autoperf.core.outcome import PASSES, Outcome
from autoperf.results.environment import Machine
from autoperf.results.history import HistoryCase

_FIGURES = {f"{pass_} {clock.name}": (pass_, clock) for pass_ in PASSES for clock in METRICS}


class LastFigure(NamedTuple):
    """A figure of the last run: its series (a row), its ratio to the earlier runs, both times, and the verdict."""

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

    `medians` are series x runs in microseconds, NaN where a run has none. A run is to the earlier side what a process
    is in a comparison of two runs. Factors that most series of a run have in common are the machine's, and are left
    out, as they are where steps are found.
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
        quantile=LOWER_DECILE,  # They have the tails of runs at different times.
    )  # fmt: skip
