"""Which noise a comparison reckons with, for short and long figures apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from autoperf.analysis.noise import SPREADS, FigureGroup, Noise, learn
from autoperf.analysis.pairs import Pair

EDGES_US = (50.0, 1000.0)
MIN_FIGURES = 30
MIN_TELLING_FIGURES = 10
# With a margin that the user states, nothing but the median's own uncertainty is left: the second spread, 0.75%.
STATED = Noise(np.eye(len(SPREADS))[1], 0.001)

FROM_PROCESSES = "its own processes"
FROM_AA = "an A/A run"
FROM_TURNS = "turns of both sides"
FROM_MARGIN = "the margin"
FROM_ITSELF = "this comparison itself"


def strata(pairs: Sequence[Pair]) -> list[list[int]]:
    """The indices of the pairs by clock and duration; a stratum of fewer than 30 is taken together with the next."""
    by_key: dict[tuple[str, int], list[int]] = {}
    for index, pair in enumerate(pairs):
        by_key.setdefault(_key(pair), []).append(index)
    found: list[list[int]] = []
    waiting: list[int] = []
    for key in sorted(by_key):
        waiting += by_key[key]
        if len(waiting) >= MIN_FIGURES:
            found.append(waiting)
            waiting = []
    if waiting:
        found[-1:] = [[*(found[-1] if found else []), *waiting]]
    return found


def noise(
    pairs: Sequence[Pair], rows: Sequence[int], calibration: Sequence[Pair], margin: float | None
) -> tuple[tuple[Noise, Noise], str]:
    """The noise of either side of these pairs, and where it is from.

    Where both sides have several processes, those tell. A side of one process each can't: then an A/A run does, or the
    margin that was stated, or the other side; or, if there is nothing else, this comparison itself, as if nothing had
    changed, so that only what stands out from the rest is judged (as Efron's empirical null, 2004).
    """
    base = FigureGroup.of([pairs[row].base.logs for row in rows])
    new = FigureGroup.of([pairs[row].new.logs for row in rows])
    told = [_tells(base), _tells(new)]
    if all(told):
        return _pair(learn([base, new])), FROM_PROCESSES
    if calibration:
        keys = {_key(pairs[row]) for row in rows}
        near = [pair for pair in calibration if _key(pair) in keys]
        return _both(_together(near if len(near) >= MIN_FIGURES else calibration)), FROM_AA
    if margin is not None:
        return (STATED, STATED), FROM_MARGIN
    if any(told):
        return _both(base if told[0] else new), "the processes of the other side"
    return _both(_together([pairs[row] for row in rows])), FROM_ITSELF


def _tells(group: FigureGroup) -> bool:
    """Whether enough of the figures were measured in several processes."""
    several = int((group.counts > 1).sum())
    return several >= min(MIN_TELLING_FIGURES, len(group.counts))


def _together(pairs: Sequence[Pair]) -> FigureGroup:
    """Both sides' processes as those of one, which they are in an A/A run."""
    return FigureGroup.of([[*pair.base.logs, *pair.new.logs] for pair in pairs])


def _both(group: FigureGroup) -> tuple[Noise, Noise]:
    (found,) = learn([group])
    return found, found


def _pair(found: tuple[Noise, ...]) -> tuple[Noise, Noise]:
    return found[0], found[1]


def _key(pair: Pair) -> tuple[str, int]:
    """The clock, and how many edges the duration lies beyond: of both sides, so that they are treated alike."""
    middle = math.exp((math.log(max(pair.base.median, 1e-3)) + math.log(max(pair.new.median, 1e-3))) / 2)
    return pair.clock.name, sum(middle >= edge for edge in EDGES_US)
