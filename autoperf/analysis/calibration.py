"""Selects the noise estimate of a comparison, separately for each clock and duration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from autoperf.analysis.noise import SPREADS, FigureGroup, Noise, estimate_noise
from autoperf.analysis.pairs import Pair

Stratum: TypeAlias = tuple[str, int]
"""A clock and a class of duration."""
EDGES_US = (50.0, 1000.0)
MIN_FIGURES = 30
MIN_SEVERAL_PROCESSES = 10
# With a margin from the user only the uncertainty of the median is left: the second spread, 0.75%.
STATED = Noise(np.eye(len(SPREADS))[1], 0.001)

FROM_PROCESSES = "its own processes"
FROM_AA = "an A/A run"
FROM_TURNS = "turns of both sides"
FROM_PAIRS = "pairs of processes"
INTERLEAVED = (FROM_TURNS, FROM_PAIRS)
FROM_MARGIN = "the margin"
FROM_ITSELF = "this comparison itself"


def strata(pairs: Sequence[Pair]) -> list[list[int]]:
    """The indices of the pairs by clock and duration; a stratum of fewer than 30 is merged with the next.

    Times and counts are never merged: what makes a process slow leaves its counts alone.
    """
    return [
        [rows[index] for index in indices]
        for is_time in (True, False)
        if (rows := [row for row, pair in enumerate(pairs) if pair.clock.is_time is is_time])
        for indices in _merged([pairs[row] for row in rows])
    ]


def by_stratum(pairs: Sequence[Pair]) -> dict[Stratum, list[int]]:
    """The indices of the pairs by clock and duration, however few they are."""
    indices: dict[Stratum, list[int]] = {}
    for index, pair in enumerate(pairs):
        indices.setdefault(stratum_of(pair), []).append(index)
    return indices


def _merged(pairs: Sequence[Pair]) -> list[list[int]]:
    indices: list[list[int]] = []
    pending: list[int] = []
    for _, members in sorted(by_stratum(pairs).items()):
        pending += members
        if len(pending) >= MIN_FIGURES:
            indices.append(pending)
            pending = []
    if pending:
        indices[-1:] = [[*(indices[-1] if indices else []), *pending]]
    return indices


def noise(
    pairs: Sequence[Pair], rows: Sequence[int], calibration: Sequence[Pair], margin: float | None
) -> tuple[tuple[Noise, Noise], str]:
    """The noise of either side of these pairs, and its source.

    If both sides have several processes, it is estimated from these. Otherwise the sources are, in this order, an A/A
    run, the margin, the other side, and this comparison under the assumption that nothing changed, so that only
    outliers are detected (Efron's empirical null, 2004).
    """
    base = FigureGroup.of([pairs[row].base.logs for row in rows])
    new = FigureGroup.of([pairs[row].new.logs for row in rows])
    has_processes = [_has_several_processes(base), _has_several_processes(new)]
    if all(has_processes):
        return _two(estimate_noise([base, new])), FROM_PROCESSES
    if calibration:
        keys = {stratum_of(pairs[row]) for row in rows}
        are_times = pairs[rows[0]].clock.is_time
        usable = [pair for pair in calibration if pair.clock.is_time is are_times] or calibration
        similar = [pair for pair in usable if stratum_of(pair) in keys]
        return _shared_noise(_pooled(similar if len(similar) >= MIN_FIGURES else usable)), FROM_AA
    if margin is not None:
        return (STATED, STATED), FROM_MARGIN
    if any(has_processes):
        return _shared_noise(base if has_processes[0] else new), "the processes of the other side"
    return _shared_noise(_pooled([pairs[row] for row in rows])), FROM_ITSELF


def _has_several_processes(group: FigureGroup) -> bool:
    """Whether enough figures were measured in several processes."""
    several = int((group.counts > 1).sum())
    return several >= min(MIN_SEVERAL_PROCESSES, len(group.counts))


def _pooled(pairs: Sequence[Pair]) -> FigureGroup:
    """The processes of both sides as those of one side, as in an A/A run."""
    return FigureGroup.of([[*pair.base.logs, *pair.new.logs] for pair in pairs])


def _shared_noise(group: FigureGroup) -> tuple[Noise, Noise]:
    (shared,) = estimate_noise([group])
    return shared, shared


def _two(noises: tuple[Noise, ...]) -> tuple[Noise, Noise]:
    return noises[0], noises[1]


def stratum_of(pair: Pair) -> Stratum:
    """The clock, and the duration class by the geometric mean of both sides, which is symmetric; counts have one."""
    if not pair.clock.is_time:
        return pair.clock.name, 0
    middle = math.exp((math.log(max(pair.base.median, 1e-3)) + math.log(max(pair.new.median, 1e-3))) / 2)
    return pair.clock.name, sum(middle >= edge for edge in EDGES_US)
