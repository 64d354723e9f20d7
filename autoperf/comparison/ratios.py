"""Estimates the ratio of two times, of processes each by itself or interleaved, and derives verdicts."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import msgspec
import numpy as np
from scipy.special import digamma, ndtr, ndtri, polygamma, stdtr, stdtrit

from autoperf.comparison.comparison import FALSE_DISCOVERIES, Verdict
from autoperf.comparison.figures import MIN_TIME_US
from autoperf.comparison.noise import Array, FigureGroup, Mixture, Noise, posterior
from autoperf.core.finding import Estimate

COMPONENTS = 64
HALVINGS = 30
MAX_DEVIATIONS = 9
CHUNK = 512
LEVEL = 0.95
CROWDED_REACH = 5.0
MAX_CROWDING = 6.0
"""The slowdown that other programs can explain, which had the processor in many samples: processes disagree then,
so it is at most this many half widths of the interval, and at most this factor (docs/method/comparing.md)."""


class Ratios(msgspec.Struct, frozen=True):
    """For each figure: the ratio NEW / BASE, its interval at 95%, the two-sided p of no difference, and the level.

    The level is the geometric mean of both sides' times in microseconds.
    """

    ratio: Array
    low: Array
    high: Array
    p: Array
    level: Array


def ratios(
    base: FigureGroup,
    new: FigureGroup,
    noise: tuple[Noise, Noise],
    slack: Array,
    *,
    errors: Array | None = None,
    degrees: Array | None = None,
) -> Ratios:
    """The ratios of figures whose rows correspond.

    Both sides share a figure's spread, which is integrated out, so the difference of the logarithms is a mixture of
    normals; the ratio is its median, the interval its 2.5% and 97.5% quantiles, and p twice the smaller tail beyond
    zero. The level is the median of the mixture of both logarithms' mean. `slack` is the systematic error of each
    logarithm (a margin, a coarse clock): it widens the interval at either end, and p tests for a difference beyond it.
    `errors` are the standard deviations of further errors that all processes of a side share, such as an error of their
    correction. With `degrees` of freedom, one for each figure, the normals are Student's t.
    """
    parts = []
    for rows in np.array_split(np.arange(len(base.counts)), max(1, len(base.counts) // CHUNK)):
        errors_of_rows = np.zeros(len(rows)) if errors is None else errors[rows]
        by_both = _by_both(posterior(base.take(rows), noise[0]), posterior(new.take(rows), noise[1]), noise)
        weights, differences, centres, deviations = by_both
        deviations = np.hypot(deviations, errors_of_rows[:, None])
        difference = _Components(weights, differences, deviations, None if degrees is None else degrees[rows])
        tail = (1 - LEVEL) / 2
        low, middle, high = map(difference.quantile, (tail, 0.5, 1 - tail))
        not_above, not_below = difference.below(slack[rows]), difference.negated.below(slack[rows])
        p = np.clip(2 * np.minimum(not_above, not_below), np.finfo(float).tiny, 1.0)
        level = difference._replace(means=centres, deviations=deviations / 2).quantile(0.5)
        parts.append((np.exp(middle), np.exp(low - slack[rows]), np.exp(high + slack[rows]), p, np.exp(level)))
    return Ratios(*map(np.concatenate, zip(*parts, strict=True)))


def _by_both(base: Mixture, new: Mixture, noise: tuple[Noise, Noise]) -> tuple[Array, Array, Array, Array]:
    """The heaviest components of both sides together, figures x components; the weights of a figure sum to 1.

    These are the weights, the means of new - base and of (new + base) / 2, and the standard deviations of new - base;
    those of the centre are half as large.
    """
    prior = np.log(np.maximum(noise[0].weights, np.finfo(float).tiny))
    rows = len(base.means)
    logs = new.log_weights[:, :, None, :] + base.log_weights[:, None, :, :] + prior
    new_means, base_means = new.means[:, :, None], base.means[:, None, :]
    means = np.broadcast_to((new_means - base_means)[..., None], logs.shape)
    centres = np.broadcast_to(((new_means + base_means) / 2)[..., None], logs.shape)
    deviations = np.hypot(new.deviations[:, :, None, :], base.deviations[:, None, :, :])
    flat = logs.reshape(rows, -1)
    count = min(COMPONENTS, flat.shape[1])
    best = np.argpartition(flat, -count, axis=1)[:, -count:]
    kept = np.take_along_axis(flat, best, 1)
    weights = np.exp(kept - kept.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    of_best = [np.take_along_axis(each.reshape(rows, -1), best, 1) for each in (means, centres, deviations)]
    return weights, of_best[0], of_best[1], of_best[2]


class _Components(NamedTuple):
    """A mixture for each figure (figures x components): its components are normal, or Student's t with degrees."""

    weights: Array
    means: Array
    deviations: Array
    degrees: Array | None

    @property
    def negated(self) -> _Components:
        """The mixture of the negated variable."""
        return self._replace(means=-self.means)

    def below(self, points: Array) -> Array:
        """The share of each mixture below its point."""
        scores = (points[:, None] - self.means) / self.deviations
        shares = ndtr(scores) if self.degrees is None else stdtr(self.degrees[:, None], scores)
        return np.asarray((self.weights * shares).sum(1))

    def quantile(self, share: float) -> Array:
        """This quantile of each mixture, by bisection."""
        reach = MAX_DEVIATIONS * self.deviations
        low, high = (self.means - reach).min(1), (self.means + reach).max(1)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            is_under = self.below(middle) < share
            low, high = np.where(is_under, middle, low), np.where(is_under, high, middle)
        return np.asarray((low + high) / 2)


def adjusted(p: Array) -> Array:
    """The q values of p values: the false-discovery rate at which each would be significant.

    Benjamini and Hochberg, "Controlling the false discovery rate" (1995): p n / rank, monotone from the largest down.
    """
    order = np.argsort(p)
    ranks = np.arange(1, len(p) + 1)
    q = np.empty_like(p)
    q[order] = np.minimum(1.0, np.minimum.accumulate((p[order] * len(p) / ranks)[::-1])[::-1])
    return q


def with_crowding(ratios: Ratios, crowded: Sequence[tuple[bool, bool]]) -> Ratios:
    """The ratios with intervals that include what other programs beside BASE, or beside NEW, can explain.

    They only add time: beside NEW the true ratio may be lower, beside BASE higher.
    """
    beside_base, beside_new = np.array(crowded, dtype=bool).reshape(-1, 2).T
    half = np.log(ratios.high / ratios.low) / 2
    factor = np.minimum(np.exp(CROWDED_REACH * half), MAX_CROWDING)
    return msgspec.structs.replace(
        ratios,
        low=np.where(beside_new, np.minimum(ratios.low, ratios.ratio / factor), ratios.low),
        high=np.where(beside_base, np.maximum(ratios.high, ratios.ratio * factor), ratios.high),
    )


def verdicts(ratios: Ratios, q: Array, thresholds: Array | float, widened: Ratios | None = None) -> list[Verdict]:
    """The verdict of each figure by its threshold.

    A change has q below 5%, and a ratio beyond the threshold in either direction (1.05 and 1 / 1.05), which the
    interval of `widened`, the ratios with crowding, doesn't explain. `same` is an interval within the threshold
    (equivalence by two one-sided tests, Schuirmann 1987); crowding beside NEW can't hide a slowdown, and leaves it.
    """
    wide, top, bottom = widened or ratios, 1 + thresholds, 1 / (1 + thresholds)
    is_significant = q < FALSE_DISCOVERIES
    return [
        Verdict.SLOWER if slower else Verdict.FASTER if faster else Verdict.SAME if same else Verdict.UNDECIDED
        for slower, faster, same in zip(
            is_significant & (ratios.ratio > top) & (wide.low > 1),
            is_significant & (ratios.ratio < bottom) & (wide.high < 1),
            (ratios.low > bottom) & (wide.high < top),
            strict=True,
        )
    ]


MIN_SIGNED_TURNS, MIN_SIGNED_PAIRS = 20, 5
"""Minimum turns and pairs of processes for the sign test; with fewer, the ratio is estimated by pairs."""
# The prior: variance inflation factors of ten figures of A/A runs.
PRIOR_FACTORS = (0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.2, 2.8, 3.6, 5.1)
MAX_FREEDOM = 100.0

Differences: TypeAlias = Sequence[Array]
"""The log ratios NEW / BASE of the turns of one figure, for each pair of processes."""
MAX_LOOKS = 4
"""Looks at the figures of a running comparison, at most: of five pairs of processes after the second to the fifth.

Repeated looks that stop at the first change would find changes where there are none. So the error of 5% is divided
among the looks in advance, the simplest way to spend it (Lan and DeMets, "Discrete sequential boundaries for clinical
trials", Biometrika 1983); by Bonferroni's inequality this holds for dependent looks. Each p value is multiplied by the
number of looks, and each interval has the level of one look, in the report too.
"""
MIN_PAIRS, MIN_TURNS = 2, 3
WITHIN_POWER = 0.6
"""The variance between pairs grows with the variance within pairs to this power."""
MIN_VARIANCE = 1e-6
"""The smallest variance of a figure: a deviation of 0.1%."""
NEWTON_STEPS = 30
MAD_TO_DEVIATION = 1.4826
# The prior: the quantiles of 5% to 95% of a comparison of two releases on a busy machine.
_PRIOR_SCALE, _PRIOR_WITHIN = 0.44, 0.0016
_PRIOR_SHARES = (0.0031, 0.028, 0.078, 0.16, 0.29, 0.50, 0.83, 1.4, 2.7, 9.3)
# Minimum number of pairs for a 95% interval by order statistics of Walsh averages.
MIN_SAMPLE_PAIRS = 6
MAX_EXACT_PAIRS = 60


class VarianceInflation(msgspec.Struct, frozen=True):
    """The variance of a sum of signs, relative to independent turns (design effect).

    The factors of figures are distributed as a scaled inverse chi-squared with `freedom` degrees of freedom.
    """

    factor: float
    freedom: float


def turn_differences(base: Sequence[Sequence[float]], new: Sequence[Sequence[float]]) -> list[Array]:
    """The log ratios NEW / BASE of corresponding turns, except for turns without samples on a side.

    The arguments are medians in microseconds, for each process and turn.
    """
    ratios = (new_logs - base_logs for base_logs, new_logs in _turn_logs(base, new))
    return [known for logs in ratios if (known := logs[np.isfinite(logs)]).size]


def turn_level(base: Sequence[Sequence[float]], new: Sequence[Sequence[float]]) -> float:
    """The geometric mean of both sides' times in microseconds: the median over the turns of `turn_differences`."""
    means = [(new_logs + base_logs) / 2 for base_logs, new_logs in _turn_logs(base, new)]
    return float(np.exp(np.nanmedian(np.concatenate(means))))


def _turn_logs(base: Sequence[Sequence[float]], new: Sequence[Sequence[float]]) -> Iterator[tuple[Array, Array]]:
    for medians in zip(base, new, strict=True):
        base_logs, new_logs = (np.log(np.maximum(each, MIN_TIME_US)) for each in medians)
        yield base_logs, new_logs


def has_enough_turns(figure: Differences) -> bool:
    """Whether there are at least MIN_SIGNED_TURNS turns, and MIN_SIGNED_PAIRS pairs of processes."""
    return len(figure) >= MIN_SIGNED_PAIRS and sum(logs.size for logs in figure) >= MIN_SIGNED_TURNS


def turn_ratios(figures: Sequence[Differences], slack: Array, levels: Array, looks: int = 1) -> Ratios:
    """The ratios of figures with these levels in microseconds, with intervals at 95% and p values over all looks.

    The ratio is the median over all turns, the test is the sign test. Turns of one pair of processes are correlated, so
    the variance of the sum of signs is estimated from the sums over pairs (Rosner, Glynn and Lee, "The Wilcoxon signed
    rank test for paired comparisons of clustered data", 2006, with signs for ranks). Since five pairs estimate that
    variance poorly, each figure's factor is shrunk towards the factor of all figures, which adds degrees of freedom to
    Student's t (Smyth 2004). `slack` is the systematic error of each logarithm: it widens the interval at either end,
    and p tests for a difference beyond it.
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
    by_spread = (2 * d - 4 + 4 * d * spread) / (d * spread - 2) if d * spread > 2 else MAX_FREEDOM
    freedom = min(MAX_FREEDOM, by_spread)
    return VarianceInflation(float(values.mean()) * (freedom - 2) / freedom, freedom)


def _ratio(
    figure: Differences, inflation: VarianceInflation, slack: float, level: float
) -> tuple[float, float, float, float]:
    own_factor, own_freedom = factor(figure), len(figure) - 1
    freedom, pooled_factor = inflation.freedom, inflation.factor
    if np.isfinite(own_factor):
        pooled_factor = (freedom * pooled_factor + own_freedom * own_factor) / (freedom + own_freedom)
        freedom += own_freedom
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


def look_level(looks: int) -> float:
    """The level of the interval of one look."""
    return 1 - (1 - LEVEL) / max(1, looks)


def looks_after(pairs: int) -> frozenset[int]:
    """The numbers of pairs of processes after which a case of so many is looked at, in equal ratios of each other."""
    return frozenset(round(MIN_PAIRS * (pairs / MIN_PAIRS) ** (step / (MAX_LOOKS - 1))) for step in range(MAX_LOOKS))


def spent(p: Array, looks: int) -> Array:
    """The p values of the last look."""
    return np.minimum(1.0, p * max(1, looks))


class PairObservation(NamedTuple):
    """The variance between a figure's pairs, the variance of a pair's median expected from its turns, and pairs - 1."""

    between: float
    within: float
    freedom: int


class PairVariance(msgspec.Struct, frozen=True):
    """The variances of figures between their pairs: scaled inverse chi-squared with `freedom` degrees of freedom.

    Their centre is `scale` times the variance within pairs to the power WITHIN_POWER. Two pairs estimate their variance
    poorly, so it is shrunk towards the variance expected from other figures: Smyth, "Linear models and empirical Bayes
    methods for assessing differential expression in microarray experiments" (2004). The expected variance depends on
    the variance within pairs, since a noisy machine increases both: Sartor et al., "Intensity-based hierarchical Bayes
    method improves testing for differentially expressed genes in microarray experiments" (2006), with the variance
    within pairs in place of the intensity.
    """

    scale: float
    freedom: float

    def standard_error(self, observation: PairObservation) -> float:
        """The standard error of a figure's mean over its pairs, whose variance is shrunk towards the expected one."""
        expected = self.freedom * (self.scale * observation.within**WITHIN_POWER)
        pooled = (expected + observation.freedom * observation.between) / (self.freedom + observation.freedom)
        return math.sqrt(pooled / (observation.freedom + 1))


PRIOR = tuple(
    PairObservation(share * _PRIOR_SCALE * _PRIOR_WITHIN**WITHIN_POWER, _PRIOR_WITHIN, 1) for share in _PRIOR_SHARES
)


def has_enough_pairs(figure: Differences) -> bool:
    """Whether there are at least MIN_PAIRS pairs of processes, each with at least MIN_TURNS turns."""
    return len(figure) >= MIN_PAIRS and min(turns.size for turns in figure) >= MIN_TURNS


def pair_ratios(
    figures: Sequence[Differences], slack: Array, levels: Array, looks: int = 1, variance: PairVariance | None = None
) -> Ratios:
    """The ratios of figures with these levels in microseconds, with intervals at 95% and p values over all looks.

    Each pair of processes gives the median of its turns. The ratio is the mean of the pairs, the test is Student's t
    with the shrunk variance. `slack` is the systematic error of each logarithm: it widens the interval at either end,
    and p tests for a difference beyond it. Without `variance`, it is estimated from these figures.
    """
    observations = [observe(figure) for figure in figures]
    known = variance or estimate_variance(observations)
    means = np.array([np.mean([np.median(turns) for turns in figure]) for figure in figures])
    freedom = np.array([known.freedom + observation.freedom for observation in observations])
    errors = np.array([known.standard_error(observation) for observation in observations])
    reach = stdtrit(freedom, (1 + look_level(looks)) / 2) * errors + slack
    p = 2 * stdtr(freedom, -np.maximum(0.0, np.abs(means) - slack) / errors)
    p = np.clip(p, sys.float_info.min, 1.0)
    return Ratios(np.exp(means), np.exp(means - reach), np.exp(means + reach), spent(p, looks), levels)


def observe(figure: Differences) -> PairObservation:
    """The variances of a figure of at least two pairs."""
    medians = [float(np.median(turns)) for turns in figure]
    absolute = [float(np.median(np.abs(turns - np.median(turns)))) for turns in figure]
    within = [(MAD_TO_DEVIATION * each) ** 2 / len(turns) for each, turns in zip(absolute, figure, strict=True)]
    between = float(np.var(medians, ddof=1))
    return PairObservation(max(MIN_VARIANCE, between), max(MIN_VARIANCE, float(np.mean(within))), len(figure) - 1)


def estimate_variance(observations: Sequence[PairObservation]) -> PairVariance:
    """The distribution of the variances of these figures, with the prior, by the moments of their logarithms.

    The logarithm of a variance with d degrees of freedom, relative to its centre, has the mean and variance of the
    logarithm of F with d and `freedom` degrees.
    """
    between, within, freedom = (np.array(column, float) for column in zip(*observations, *PRIOR, strict=True))
    logs = np.log(between) - WITHIN_POWER * np.log(within) - digamma(freedom / 2) + np.log(freedom / 2)
    excess = float(np.var(logs, ddof=1) - polygamma(1, freedom / 2).mean())
    prior_freedom = min(MAX_FREEDOM, 2 * _inverse_trigamma(excess)) if excess > 0 else MAX_FREEDOM
    shift = float(digamma(prior_freedom / 2)) - math.log(prior_freedom / 2)
    return PairVariance(math.exp(float(logs.mean()) + shift), prior_freedom)


def _inverse_trigamma(value: float) -> float:
    """The y with trigamma(y) = value, by Newton's method on 1 / trigamma (Smyth 2004, appendix)."""
    y = 0.5 + 1 / value
    for _ in range(NEWTON_STEPS):
        trigamma = float(polygamma(1, y))
        y += trigamma * (1 - trigamma / value) / float(polygamma(2, y))
    return y


def ratio_of_pairs(first_us: Sequence[float], second_us: Sequence[float]) -> Estimate:
    """The ratio first / second of paired samples in microseconds.

    Hodges and Lehmann's estimator over the logarithms of the pairs' ratios: the median of the pairwise means
    (Walsh averages). The interval inverts the Wilcoxon signed-rank test (Hollander, Wolfe and Chicken, "Nonparametric
    statistical methods", 2014, section 3.3); of fewer than six pairs it is the range, without a confidence level.
    """
    logs = np.log(np.asarray(first_us, dtype="float64") / np.asarray(second_us, dtype="float64"))
    count = len(logs)
    rows, columns = np.triu_indices(count)
    walsh = np.sort((logs[rows] + logs[columns]) / 2)
    middle = float(np.exp(np.median(walsh)))
    if count < MIN_SAMPLE_PAIRS:
        return Estimate(middle, float(np.exp(logs.min())), float(np.exp(logs.max())))
    rank = _rank_beyond(count, (1 - LEVEL) / 2)
    return Estimate(middle, float(np.exp(walsh[rank])), float(np.exp(walsh[len(walsh) - 1 - rank])))


@functools.cache
def _rank_beyond(count: int, share: float) -> int:
    """The largest rank that the signed-rank statistic of `count` pairs exceeds with a probability of `1 - share`.

    The distribution is exact, of the sums of subsets of the ranks; with more than MAX_EXACT_PAIRS it is normal.
    """
    if count > MAX_EXACT_PAIRS:
        spread = float(ndtri(1 - share)) * math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        return math.floor(count * (count + 1) / 4 - spread)
    shares = np.ones(1)
    for rank in range(1, count + 1):
        shares = (np.pad(shares, (0, rank)) + np.pad(shares, (rank, 0))) / 2
    return int(np.searchsorted(np.cumsum(shares), share, side="right")) - 1
