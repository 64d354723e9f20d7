"""Estimates the ratio of two times that were measured in one or more processes each, with interval and p."""

from __future__ import annotations

import msgspec
import numpy as np
from scipy.special import ndtr  # type: ignore[import-untyped]

from autoperf.analysis.noise import Array, FigureGroup, Mixture, Noise, posterior

COMPONENTS = 64
HALVINGS = 30
CHUNK = 512
LEVEL = 0.95


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


def ratios(base: FigureGroup, new: FigureGroup, noise: tuple[Noise, Noise], slack: Array) -> Ratios:
    """The ratios of figures whose rows correspond.

    Both sides share a figure's spread, which is integrated out, so the difference of the logarithms is a mixture of
    normals; the ratio is its median, the interval its 2.5% and 97.5% quantiles, and p twice the smaller tail beyond
    zero. The level is the median of the mixture of both logarithms' mean. `slack` is the systematic error of each
    logarithm (a margin, a coarse clock): the interval is wider by it at either end, and p is that of a difference
    within the slack.
    """
    parts = [
        _chunk(base.take(rows), new.take(rows), noise, slack[rows])
        for rows in np.array_split(np.arange(len(base.counts)), max(1, len(base.counts) // CHUNK))
    ]
    return Ratios(*(np.concatenate([part[index] for part in parts]) for index in range(5)))


def _chunk(base: FigureGroup, new: FigureGroup, noise: tuple[Noise, Noise], slack: Array) -> tuple[Array, ...]:
    weights, means, centres, deviations = _joint(posterior(base, noise[0]), posterior(new, noise[1]), noise)
    tail = (1 - LEVEL) / 2
    low, middle, high = (_quantile(share, weights, means, deviations) for share in (tail, 0.5, 1 - tail))
    not_above = _below(slack, weights, means, deviations)
    not_below = _below(slack, weights, -means, deviations)
    p = np.clip(2 * np.minimum(not_above, not_below), np.finfo(float).tiny, 1.0)
    level = _quantile(0.5, weights, centres, deviations / 2)
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


def _below(points: Array, weights: Array, means: Array, deviations: Array) -> Array:
    share: Array = (weights * ndtr((points[:, None] - means) / deviations)).sum(1)
    return share


def _quantile(share: float, weights: Array, means: Array, deviations: Array) -> Array:
    """The quantile of a mixture, by bisection."""
    reach = 9 * deviations
    low, high = (means - reach).min(1), (means + reach).max(1)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        under = _below(middle, weights, means, deviations) < share
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return np.asarray((low + high) / 2)
