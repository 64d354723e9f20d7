"""The ratio of two times that were measured in turn: the median over turns, and how far it can be trusted."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from scipy.stats import t as student  # type: ignore[import-untyped]

from autoperf.analysis.figures import SHORTEST
from autoperf.analysis.noise import Array
from autoperf.analysis.ratios import LEVEL, Ratios

MIN_TURNS = 20
"""Fewer turns than these don't tell by themselves."""
# How much alike turns of one pair of processes were in ten figures of A/A runs; stands in where there are few figures.
USUAL = (0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.2, 2.8, 3.6, 5.1)
MAX_FREEDOM = 100.0

Differences: TypeAlias = Sequence[Array]
"""Of one figure: for each pair of processes the logarithms of NEW / BASE of its turns."""


class VarianceInflation(msgspec.Struct, frozen=True):
    """How much alike a pair's turns are: by which factor the variance of a sum of signs is larger than of independent.

    The factors of figures vary as a scaled inverse chi-squared with so many degrees of `freedom` does.
    """

    factor: float
    freedom: float


def differences(base: Sequence[Sequence[float]], new: Sequence[Sequence[float]]) -> list[Array]:
    """The logarithms of NEW / BASE of turns that stand in the same place; those where a side has nothing are left out.

    The arguments are medians in microseconds, for each process and turn.
    """
    found: list[Array] = []
    for was, now in zip(base, new, strict=True):
        ratios = np.log(np.maximum(now, SHORTEST)) - np.log(np.maximum(was, SHORTEST))
        found.append(ratios[np.isfinite(ratios)])
    return [one for one in found if one.size]


def level(base: Sequence[Sequence[float]], new: Sequence[Sequence[float]]) -> float:
    """The geometric mean of both sides' times in microseconds: the median over the turns of `differences`."""
    means = [
        (np.log(np.maximum(now, SHORTEST)) + np.log(np.maximum(was, SHORTEST))) / 2
        for was, now in zip(base, new, strict=True)
    ]
    return float(np.exp(np.nanmedian(np.concatenate(means))))


def enough(figure: Differences) -> bool:
    """Whether these turns tell by themselves: twenty or more, from two pairs of processes or more."""
    return len(figure) > 1 and sum(one.size for one in figure) >= MIN_TURNS


def turn_ratios(figures: Sequence[Differences], slack: Array, levels: Array) -> Ratios:
    """The ratios of figures with these levels in microseconds, with intervals at 95% and p values.

    All figures teach how alike a pair's turns are. The ratio is the median over all turns. The test is the sign
    test: as many turns should be slower as faster. Turns of one pair are alike, so the variance of the sum of signs
    is that of sums over pairs (Rosner, Glynn and Lee, "The Wilcoxon signed rank test for paired comparisons of
    clustered data", 2006, with signs for ranks). Five pairs tell little of that variance, so each figure's factor
    is drawn towards that of the others, which adds degrees of freedom to Student's t (Smyth 2004). `slack` is by
    how much each logarithm may be wrong on all turns alike: the interval is that much wider at either end, and p is
    that of a difference beyond it.
    """
    likeness = learn(figures)
    rows = [_ratio(figure, likeness, float(reach)) for figure, reach in zip(figures, slack, strict=True)]
    ratio, low, high, p = (np.array(column) for column in zip(*rows, strict=True))
    return Ratios(ratio, low, high, p, levels)


def factor(figure: Differences) -> float:
    """How much larger the variance of a figure's sum of signs is than of independent turns; NaN where nothing tells."""
    signs = [np.sign(one - np.median(np.concatenate(figure))) for one in figure]
    alone = sum(float((one**2).sum()) for one in signs)
    if len(figure) < 2 or not alone:
        return float("nan")
    return sum(float(one.sum()) ** 2 for one in signs) / alone * len(figure) / (len(figure) - 1)


def learn(figures: Sequence[Differences]) -> VarianceInflation:
    """The likeness of which these figures are instances, by their factors' mean and variance.

    A factor estimated with d degrees of freedom is F-distributed with d and the sought degrees, times the sought
    factor; the variance of F over its squared mean gives the second, the mean the first.
    """
    seen = np.array([factor(figure) for figure in figures])
    known = np.isfinite(seen)
    values = np.concatenate([seen[known], USUAL])
    d = float(np.mean([len(figure) for figure, there in zip(figures, known, strict=True) if there] or [5])) - 1
    spread = float(values.var()) / float(values.mean()) ** 2
    freedom = MAX_FREEDOM
    if d * spread > 2:
        freedom = min(MAX_FREEDOM, (2 * d - 4 + 4 * d * spread) / (d * spread - 2))
    return VarianceInflation(float(values.mean()) * (freedom - 2) / freedom, freedom)


def _ratio(figure: Differences, likeness: VarianceInflation, slack: float) -> tuple[float, float, float, float]:
    own = factor(figure)
    freedom = likeness.freedom
    alike = likeness.factor
    if np.isfinite(own):
        alike = (likeness.freedom * alike + (len(figure) - 1) * own) / (freedom + len(figure) - 1)
        freedom += len(figure) - 1
    alike = max(alike, 1.0)
    ordered = np.sort(np.concatenate(figure))
    middle = float(np.median(ordered))
    reach = float(student.ppf((1 + LEVEL) / 2, freedom)) * math.sqrt(ordered.size * alike) / 2
    low, high = middle - _beyond(-ordered[::-1], reach), middle + _beyond(ordered, reach)
    tail = max(_sum_beyond(ordered, slack), _sum_beyond(-ordered, slack)) / math.sqrt(alike)
    p = min(1.0, 2 * float(student.sf(tail, freedom)))
    return math.exp(middle), math.exp(low - slack), math.exp(high + slack), max(p, sys.float_info.min)


def _beyond(ordered: Array, reach: float) -> float:
    """How far above the median the order statistic is that lies `reach` ranks above; beyond the last, in proportion."""
    half = (ordered.size - 1) / 2
    middle = float(np.median(ordered))
    if reach > half:
        return (float(ordered[-1]) - middle) * reach / half
    return float(ordered[int(np.ceil(half + reach))]) - middle


def _sum_beyond(values: Array, slack: float) -> float:
    """The sum of signs about the slack over its deviation if they were independent, corrected for continuity."""
    signs = np.sign(values - slack)
    told = float((signs**2).sum())
    return float((signs.sum() - 1) / np.sqrt(told)) if told else 0.0
