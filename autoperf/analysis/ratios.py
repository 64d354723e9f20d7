"""Estimates the ratio of two times that were measured in one or more processes each, with interval and p."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np
from scipy.special import ndtr, stdtr  # type: ignore[import-untyped]

from autoperf.analysis.noise import Array, FigureGroup, Mixture, Noise, posterior

COMPONENTS = 64
HALVINGS = 30
MAX_DEVIATIONS = 9
CHUNK = 512
LEVEL = 0.95
DEGREES_APART = 8.0
"""Degrees of freedom of Student's t, whose tails the differences of runs at different times have.

Processes of one run that start within seconds have more in common than the model assumes. The number is from runs of
one build on a shared machine (docs/comparing.md, "Verification").
"""


class Ratios(msgspec.Struct, frozen=True):
    """For each figure: the ratio NEW / BASE, its interval at 95%, the two-sided p of no difference, and the level.

    The level is the geometric mean of both sides' times in microseconds, from which the time of each side is derived,
    so that their quotient is the ratio.
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
    base: FigureGroup, new: FigureGroup, noise: tuple[Noise, Noise], slack: Array, degrees: float | None = None
) -> Ratios:
    """The ratios of figures whose rows correspond.

    Both sides share a figure's spread, which is integrated out, so the difference of the logarithms is a mixture of
    normals; the ratio is its median, the interval its 2.5% and 97.5% quantiles, and p twice the smaller tail beyond
    zero. The level is the median of the mixture of both logarithms' mean. `slack` is the systematic error of each
    logarithm (a margin, a coarse clock): the interval is wider by it at either end, and p is that of a difference
    within the slack. With `degrees` of freedom the normals are Student's t.
    """
    parts = [
        _chunk(base.take(rows), new.take(rows), noise, slack[rows], degrees)
        for rows in np.array_split(np.arange(len(base.counts)), max(1, len(base.counts) // CHUNK))
    ]
    return Ratios(*(np.concatenate([part[index] for part in parts]) for index in range(5)))


def _chunk(
    base: FigureGroup, new: FigureGroup, noise: tuple[Noise, Noise], slack: Array, degrees: float | None
) -> tuple[Array, ...]:
    weights, means, centres, deviations = _joint(posterior(base, noise[0]), posterior(new, noise[1]), noise)
    difference = _Components(weights, means, deviations, degrees)
    tail = (1 - LEVEL) / 2
    low, middle, high = map(difference.quantile, (tail, 0.5, 1 - tail))
    not_above, not_below = difference.below(slack), difference.negated.below(slack)
    p = np.clip(2 * np.minimum(not_above, not_below), np.finfo(float).tiny, 1.0)
    level = _Components(weights, centres, deviations / 2, degrees).quantile(0.5)
    return np.exp(middle), np.exp(low - slack), np.exp(high + slack), p, np.exp(level)


def _joint(base: Mixture, new: Mixture, noise: tuple[Noise, Noise]) -> tuple[Array, Array, Array, Array]:
    """The heaviest joint components: weights (their sum is 1), means of new - base and of (new + base) / 2.

    The last array has the deviations of new - base; those of the mean are half as large.
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
    return (
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
    degrees: float | None

    @property
    def negated(self) -> _Components:
        """The mixture of the negated variable."""
        return self._replace(means=-self.means)

    def below(self, points: Array) -> Array:
        """The share of each mixture below its point."""
        scores = (points[:, None] - self.means) / self.deviations
        shares = ndtr(scores) if self.degrees is None else stdtr(self.degrees, scores)
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
