"""Estimates the ratio of two times that were measured in one or more processes each, and derives verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.special import ndtr, stdtr

from autoperf.comparison.comparison import FALSE_DISCOVERIES, Verdict
from autoperf.comparison.noise import Array, FigureGroup, Mixture, Noise, posterior

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

    The level is the geometric mean of both sides' times in microseconds. The time of each side is derived from it, so
    that their quotient is the ratio.
    """

    ratio: Array
    low: Array
    high: Array
    p: Array
    level: Array

    @property
    def base_us(self) -> Array:
        """The time of BASE in microseconds."""
        return np.asarray(self.level / np.sqrt(self.ratio))

    @property
    def new_us(self) -> Array:
        """The time of NEW in microseconds."""
        return np.asarray(self.level * np.sqrt(self.ratio))


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
    if errors is None:
        errors = np.zeros(len(base.counts))
    parts = [
        _chunk(
            _joint(posterior(base.take(rows), noise[0]), posterior(new.take(rows), noise[1]), noise),
            slack[rows],
            errors[rows],
            None if degrees is None else degrees[rows],
        )
        for rows in np.array_split(np.arange(len(base.counts)), max(1, len(base.counts) // CHUNK))
    ]
    return Ratios(*(np.concatenate([part[index] for part in parts]) for index in range(5)))


def _chunk(joint: _JointComponents, slack: Array, errors: Array, degrees: Array | None) -> tuple[Array, ...]:
    deviations = np.hypot(joint.deviations, errors[:, None])
    difference = _Components(joint.weights, joint.differences, deviations, degrees)
    tail = (1 - LEVEL) / 2
    low, middle, high = map(difference.quantile, (tail, 0.5, 1 - tail))
    not_above, not_below = difference.below(slack), difference.negated.below(slack)
    p = np.clip(2 * np.minimum(not_above, not_below), np.finfo(float).tiny, 1.0)
    level = _Components(joint.weights, joint.centres, deviations / 2, degrees).quantile(0.5)
    return np.exp(middle), np.exp(low - slack), np.exp(high + slack), p, np.exp(level)


class _JointComponents(NamedTuple):
    """The heaviest components of both sides together, figures x components; the weights of a figure sum to 1.

    `differences` are means of new - base, `centres` means of (new + base) / 2, and `deviations` standard deviations of
    new - base; the deviations of the centre are half as large.
    """

    weights: Array
    differences: Array
    centres: Array
    deviations: Array


def _joint(base: Mixture, new: Mixture, noise: tuple[Noise, Noise]) -> _JointComponents:
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
    return _JointComponents(
        weights,
        np.take_along_axis(means.reshape(rows, -1), best, 1),
        np.take_along_axis(centres.reshape(rows, -1), best, 1),
        np.take_along_axis(deviations.reshape(rows, -1), best, 1),
    )


class _Components(NamedTuple):
    """A mixture for each figure: weights, means and deviations of its components, normal or Student's t.

    Shapes: figures x components.
    """

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

    Benjamini and Hochberg, "Controlling the false discovery rate" (1995): p times n over its rank, made monotone from
    the largest down.
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
    (equivalence by two one-sided tests, Schuirmann 1987). Crowding beside NEW can't hide a slowdown, so it doesn't
    question that.
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
