"""Estimates the ratio of two times of an interleaved comparison: the median over turns, with interval and p."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np

# scipy.stats has these too, but takes a second to import.
from scipy.special import stdtr, stdtrit  # type: ignore[import-untyped]

from autoperf.analysis.figures import MIN_TIME_US
from autoperf.analysis.noise import Array
from autoperf.analysis.ratios import Ratios
from autoperf.analysis.sequential import look_level, spent

MIN_TURNS, MIN_PAIRS = 20, 5
"""With fewer turns or pairs of processes the ratio is estimated by pairs: signs of few turns prove little."""
# The prior: variance inflation factors of ten figures of A/A runs.
PRIOR_FACTORS = (0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.2, 2.8, 3.6, 5.1)
MAX_FREEDOM = 100.0

Differences: TypeAlias = Sequence[Array]
"""The log ratios NEW / BASE of the turns of one figure, for each pair of processes."""


class VarianceInflation(msgspec.Struct, frozen=True):
    """The variance of a sum of signs relative to that of independent turns (design effect).

    The factors of figures are distributed as a scaled inverse chi-squared with `freedom` degrees of freedom.
    """

    factor: float
    freedom: float


def differences(base: Sequence[Sequence[float]], new: Sequence[Sequence[float]]) -> list[Array]:
    """The log ratios NEW / BASE of corresponding turns; turns without samples on a side are left out.

    The arguments are medians in microseconds, for each process and turn.
    """
    by_process: list[Array] = []
    for base_medians, new_medians in zip(base, new, strict=True):
        ratios = np.log(np.maximum(new_medians, MIN_TIME_US)) - np.log(np.maximum(base_medians, MIN_TIME_US))
        by_process.append(ratios[np.isfinite(ratios)])
    return [logs for logs in by_process if logs.size]


def level(base: Sequence[Sequence[float]], new: Sequence[Sequence[float]]) -> float:
    """The geometric mean of both sides' times in microseconds: the median over the turns of `differences`."""
    means = [
        (np.log(np.maximum(new_medians, MIN_TIME_US)) + np.log(np.maximum(base_medians, MIN_TIME_US))) / 2
        for base_medians, new_medians in zip(base, new, strict=True)
    ]
    return float(np.exp(np.nanmedian(np.concatenate(means))))


def has_enough_turns(figure: Differences) -> bool:
    """Whether there are at least MIN_TURNS turns, and MIN_PAIRS pairs of processes."""
    return len(figure) >= MIN_PAIRS and sum(logs.size for logs in figure) >= MIN_TURNS


def turn_ratios(figures: Sequence[Differences], slack: Array, levels: Array, looks: int = 1) -> Ratios:
    """The ratios of figures with these levels in microseconds, with intervals at 95% and p values over all looks.

    The ratio is the median over all turns, the test is the sign test. Turns of one pair of processes are correlated, so
    the variance of the sum of signs is that of sums over pairs (Rosner, Glynn and Lee, "The Wilcoxon signed rank test
    for paired comparisons of clustered data", 2006, with signs for ranks). Since five pairs estimate that variance
    poorly, each figure's factor is shrunk towards that of all figures, which adds degrees of freedom to Student's t
    (Smyth 2004). `slack` is the systematic error of each logarithm: the interval is wider by it at either end, and p is
    that of a difference beyond it.
    """
    inflation = estimate_inflation(figures)
    level = look_level(looks)
    rows = [_ratio(figure, inflation, float(reach), level) for figure, reach in zip(figures, slack, strict=True)]
    ratio, low, high, p = (np.array(column) for column in zip(*rows, strict=True))
    return Ratios(ratio, low, high, spent(p, looks), levels)


def factor(figure: Differences) -> float:
    """The variance inflation factor of a figure; NaN for a single pair or equal turns."""
    signs = [np.sign(values - np.median(np.concatenate(figure))) for values in figure]
    independent = sum(float((values**2).sum()) for values in signs)
    if len(figure) < 2 or not independent:
        return float("nan")
    return sum(float(values.sum()) ** 2 for values in signs) / independent * len(figure) / (len(figure) - 1)


def estimate_inflation(figures: Sequence[Differences]) -> VarianceInflation:
    """The distribution of the factors of these figures, by the method of moments.

    A factor estimated with d degrees of freedom is F-distributed with d and `freedom` degrees, times `factor`; the
    variance of F over its squared mean gives `freedom`, the mean gives `factor`.
    """
    factors = np.array([factor(figure) for figure in figures])
    known = np.isfinite(factors)
    values = np.concatenate([factors[known], PRIOR_FACTORS])
    d = float(np.mean([len(figure) for figure, is_known in zip(figures, known, strict=True) if is_known] or [5])) - 1
    spread = float(values.var()) / float(values.mean()) ** 2
    freedom = MAX_FREEDOM
    if d * spread > 2:
        freedom = min(MAX_FREEDOM, (2 * d - 4 + 4 * d * spread) / (d * spread - 2))
    return VarianceInflation(float(values.mean()) * (freedom - 2) / freedom, freedom)


def _ratio(
    figure: Differences, inflation: VarianceInflation, slack: float, level: float
) -> tuple[float, float, float, float]:
    own_factor = factor(figure)
    freedom = inflation.freedom
    pooled_factor = inflation.factor
    if np.isfinite(own_factor):
        pooled_factor = (inflation.freedom * pooled_factor + (len(figure) - 1) * own_factor) / (
            freedom + len(figure) - 1
        )
        freedom += len(figure) - 1
    pooled_factor = max(pooled_factor, 1.0)
    ordered = np.sort(np.concatenate(figure))
    middle = float(np.median(ordered))
    reach = float(stdtrit(freedom, (1 + level) / 2)) * math.sqrt(ordered.size * pooled_factor) / 2
    low, high = middle - _beyond(-ordered[::-1], reach), middle + _beyond(ordered, reach)
    tail = max(_sum_beyond(ordered, slack), _sum_beyond(-ordered, slack)) / math.sqrt(pooled_factor)
    p = min(1.0, 2 * float(stdtr(freedom, -tail)))
    return math.exp(middle), math.exp(low - slack), math.exp(high + slack), max(p, sys.float_info.min)


def _beyond(ordered: Array, reach: float) -> float:
    """The distance from the median to the order statistic `reach` ranks above; extrapolated beyond the last."""
    half = (ordered.size - 1) / 2
    middle = float(np.median(ordered))
    if reach > half:
        return (float(ordered[-1]) - middle) * reach / half
    return float(ordered[int(np.ceil(half + reach))]) - middle


def _sum_beyond(values: Array, slack: float) -> float:
    """The sum of signs about the slack over its deviation for independent turns, corrected for continuity."""
    signs = np.sign(values - slack)
    variance = float((signs**2).sum())
    return float((signs.sum() - 1) / np.sqrt(variance)) if variance else 0.0
