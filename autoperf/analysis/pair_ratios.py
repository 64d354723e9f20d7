"""Estimates the ratio of two times of an interleaved comparison from a few pairs of processes.

Two pairs hardly tell how much pairs differ. So the variance of a figure between its pairs is shrunk towards what other
figures lead to expect, as the variances of genes are in microarrays with two or three samples: Smyth, "Linear models
and empirical Bayes methods for assessing differential expression in microarray experiments" (2004). What is expected
depends on how much the turns of a pair differ, since a noisy machine does both: Sartor et al., "Intensity-based
hierarchical Bayes method improves testing for differentially expressed genes in microarray experiments" (2006), with
the variance within pairs in place of the intensity.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.special import digamma, polygamma, stdtr, stdtrit  # type: ignore[import-untyped]

from autoperf.analysis.noise import Array
from autoperf.analysis.ratios import Ratios
from autoperf.analysis.sequential import look_level, spent
from autoperf.analysis.turn_ratios import Differences

MIN_PAIRS, MIN_TURNS = 2, 3
WITHIN_POWER = 0.6
"""The variance between pairs grows with the variance within pairs to this power."""
MIN_VARIANCE = 1e-6
"""No figure is known better than to 0.1%."""
MAX_FREEDOM = 100.0
NEWTON_STEPS = 30
MAD_TO_DEVIATION = 1.4826


class PairObservation(NamedTuple):
    """The variance of a figure's pairs, that of a pair's median as its turns let expect, and the pairs less one."""

    between: float
    within: float
    freedom: int


class PairVariance(msgspec.Struct, frozen=True):
    """The variances of figures between their pairs: scaled inverse chi-squared with `freedom` degrees of freedom.

    Their centre is `scale` times the variance within pairs to the power WITHIN_POWER.
    """

    scale: float
    freedom: float

    def expected(self, within: float) -> float:
        """The centre for a figure with this variance within pairs."""
        return float(self.scale * within**WITHIN_POWER)


# The prior: the quantiles of 5% to 95% of a comparison of two releases on a busy machine.
_PRIOR_SCALE, _PRIOR_WITHIN = 0.44, 0.0016
_PRIOR_SHARES = (0.0031, 0.028, 0.078, 0.16, 0.29, 0.50, 0.83, 1.4, 2.7, 9.3)
PRIOR = tuple(
    PairObservation(share * _PRIOR_SCALE * _PRIOR_WITHIN**WITHIN_POWER, _PRIOR_WITHIN, 1) for share in _PRIOR_SHARES
)


def has_enough_pairs(figure: Differences) -> bool:
    """Whether there are turns of at least two pairs of processes, and of each at least MIN_TURNS."""
    return len(figure) >= MIN_PAIRS and min(turns.size for turns in figure) >= MIN_TURNS


def pair_ratios(
    figures: Sequence[Differences], slack: Array, levels: Array, looks: int = 1, variance: PairVariance | None = None
) -> Ratios:
    """The ratios of figures with these levels in microseconds, with intervals at 95% and p values over all looks.

    Each pair of processes gives the median of its turns. The ratio is the mean of the pairs, the test is Student's t
    with the shrunk variance. `slack` is the systematic error of each logarithm: the interval is wider by it at either
    end, and p is that of a difference beyond it. Without `variance`, it is estimated from these figures.
    """
    observations = [observe(figure) for figure in figures]
    known = variance or estimate_variance(observations)
    means = np.array([np.mean([np.median(turns) for turns in figure]) for figure in figures])
    freedom = np.array([known.freedom + observation.freedom for observation in observations])
    errors = np.array([_standard_error(observation, known) for observation in observations])
    reach = stdtrit(freedom, (1 + look_level(looks)) / 2) * errors + slack
    p = 2 * stdtr(freedom, -np.maximum(0.0, np.abs(means) - slack) / errors)
    p = np.clip(p, sys.float_info.min, 1.0)
    return Ratios(np.exp(means), np.exp(means - reach), np.exp(means + reach), spent(p, looks), levels)


def observe(figure: Differences) -> PairObservation:
    """The variances of a figure of at least two pairs."""
    medians = [float(np.median(turns)) for turns in figure]
    within = [(MAD_TO_DEVIATION * _absolute_deviation(turns)) ** 2 / len(turns) for turns in figure]
    return PairObservation(
        max(MIN_VARIANCE, float(np.var(medians, ddof=1))), max(MIN_VARIANCE, float(np.mean(within))), len(figure) - 1
    )


def estimate_variance(observations: Sequence[PairObservation]) -> PairVariance:
    """The distribution of the variances of these figures, with the prior, by the moments of their logarithms.

    The logarithm of a variance with d degrees of freedom, relative to its centre, has the mean and the variance of a
    logarithm of F with d and `freedom` degrees.
    """
    between, within, freedom = (np.array(column, float) for column in zip(*observations, *PRIOR, strict=True))
    logs = np.log(between) - WITHIN_POWER * np.log(within) - digamma(freedom / 2) + np.log(freedom / 2)
    excess = float(np.var(logs, ddof=1) - polygamma(1, freedom / 2).mean())
    prior_freedom = min(MAX_FREEDOM, 2 * _inverse_trigamma(excess)) if excess > 0 else MAX_FREEDOM
    shift = float(digamma(prior_freedom / 2)) - math.log(prior_freedom / 2)
    return PairVariance(math.exp(float(logs.mean()) + shift), prior_freedom)


def _standard_error(observation: PairObservation, variance: PairVariance) -> float:
    """That of the mean of the pairs."""
    expected = variance.freedom * variance.expected(observation.within)
    pooled = (expected + observation.freedom * observation.between) / (variance.freedom + observation.freedom)
    return math.sqrt(pooled / (observation.freedom + 1))


def _absolute_deviation(values: Array) -> float:
    return float(np.median(np.abs(values - np.median(values))))


def _inverse_trigamma(value: float) -> float:
    """The y with trigamma(y) = value, by Newton's method on 1 / trigamma (Smyth 2004, appendix)."""
    y = 0.5 + 1 / value
    for _ in range(NEWTON_STEPS):
        trigamma = float(polygamma(1, y))
        y += trigamma * (1 - trigamma / value) / float(polygamma(2, y))
    return y
