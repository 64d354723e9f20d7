"""How figures vary from process to process when nothing has changed, learnt from many cases at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

# Standard deviations of the logarithm of a process's median: from 0.3% to 30%, each two and a half times the last.
SPREADS = np.array([0.003, 0.0075, 0.019, 0.047, 0.12, 0.3])
# Where there are few cases, this stands in, as if it had been seen in so many figures.
USUAL = np.array([0.15, 0.3, 0.3, 0.15, 0.07, 0.03])
USUAL_DISTURBED = 0.1
USUAL_FIGURES = 10.0
USUAL_SLOWDOWN = 0.35
USUAL_PROCESSES = 2 * USUAL_FIGURES
ROUNDS = 60
SETTLED = 1e-3
ENOUGH_FIGURES = 600
# An exponential with mean 1, cut into slices: how much each holds, its mean, and its standard deviation.
SLICES = np.array([0.5, 0.3, 0.15, 0.04, 0.009, 0.001])
SLICE_MEANS = np.array([0.307, 1.082, 2.147, 3.593, 5.349, 7.908])
SLICE_DEVIATIONS = np.array([0.198, 0.259, 0.382, 0.437, 0.588, 1.000])


class FigureGroup(msgspec.Struct, frozen=True):
    """Figures that were each measured in several processes: a row of ascending logarithms for each, padded with inf."""

    logs: Array
    counts: np.ndarray[Any, np.dtype[np.int64]]

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]]) -> FigureGroup:
        """From rows of any length, at least one value in each."""
        counts = np.array([len(row) for row in rows], dtype=np.int64)
        logs = np.full((len(rows), int(counts.max(initial=1))), np.inf)
        for index, row in enumerate(rows):
            logs[index, : len(row)] = np.sort(np.asarray(row))
        return cls(logs, counts)

    def take(self, rows: np.ndarray[Any, Any]) -> FigureGroup:
        """Some of the figures."""
        return FigureGroup(self.logs[rows], self.counts[rows])


class Noise(msgspec.Struct, frozen=True):
    """What processes do to a time.

    An undisturbed process's logarithm is normal about the true one's, with a standard deviation out of `SPREADS`, of
    which `weights` says how often each occurs. With probability `disturbed` something else held the process up: then
    an exponential with mean `slowdown` is added. Disturbance only ever adds time (Chen and Revels, "Robust
    benchmarking in noisy environments", 2016); the rest is Tukey's contaminated normal (1960), with variances pooled
    over figures as Smyth does for genes (2004).
    """

    weights: Array
    disturbed: float
    slowdown: float = USUAL_SLOWDOWN


class Mixture(msgspec.Struct, frozen=True):
    """For each figure and spread, normal components of the true time's logarithm: log weights, means and deviations.

    Shapes: figures x components x spreads, means without the last.
    """

    log_weights: Array
    means: Array
    deviations: Array


TYPICAL_NOISE = Noise(USUAL, USUAL_DISTURBED)


def posterior(group: FigureGroup, noise: Noise) -> Mixture:
    """What a group's processes say of the true times, for each spread, not yet weighed by how usual the spread is.

    Since disturbance adds time, the undisturbed processes are the lowest j of K, for j from K to 0. Those give a
    normal about their mean; the likelihood is that of j normals with the mean integrated out, times the exponential
    densities of the others. j = 0 leaves a tail below the lowest.
    """
    slices = len(SLICES)
    rows, most = group.logs.shape
    spreads = SPREADS[None, :]
    log_weights = np.full((rows, most + slices, len(SPREADS)), -np.inf)
    means = np.zeros((rows, most + slices))
    deviations = np.ones((rows, most + slices, len(SPREADS)))
    finite = np.isfinite(group.logs)
    logs = np.where(finite, group.logs, 0.0)
    total = logs.sum(1)
    for kept in range(1, most + 1):
        there = group.counts >= kept
        low = logs[:, :kept]
        mean = low.mean(1)
        squares = ((low - mean[:, None]) ** 2).sum(1)[:, None]
        others = group.counts - kept
        excess = total - low.sum(1) - others * mean
        log_weight = (
            kept * np.log1p(-noise.disturbed)
            - (kept - 1) * np.log(spreads * np.sqrt(2 * np.pi))
            - 0.5 * np.log(kept)
            - squares / (2 * spreads**2)
            + (others * np.log(noise.disturbed / noise.slowdown) - excess / noise.slowdown)[:, None]
        )
        log_weights[:, kept - 1] = np.where(there[:, None], log_weight, -np.inf)
        means[:, kept - 1] = mean
        deviations[:, kept - 1] = spreads / np.sqrt(kept)
    share = noise.slowdown / group.counts
    lowest = logs[:, 0]
    all_disturbed = (
        group.counts * np.log(noise.disturbed / noise.slowdown)
        + np.log(share)
        - (total - group.counts * lowest) / noise.slowdown
    )
    log_weights[:, most:] = (all_disturbed[:, None] + np.log(SLICES))[:, :, None]
    means[:, most:] = lowest[:, None] - share[:, None] * SLICE_MEANS
    deviations[:, most:] = np.hypot(spreads[None], (share[:, None] * SLICE_DEVIATIONS)[:, :, None])
    return Mixture(log_weights, means, deviations)


def learn(groups: Sequence[FigureGroup]) -> tuple[Noise, ...]:
    """The noise of each group: how often and how much each disturbs its processes, and spreads that all share.

    Expectation and maximisation, from what is usual; single processes say nothing, so groups of those alone keep that.
    """
    told = [_sample(group) for group in groups]
    found = [TYPICAL_NOISE] * len(groups)
    if not any(len(group.counts) for group in told):
        return tuple(found)
    for _ in range(ROUNDS):
        seen = USUAL * USUAL_FIGURES
        for index, group in enumerate(told):
            if len(group.counts):
                shares = _shares(group, found[index])
                seen = seen + shares.sum((0, 1))
                found[index] = _disturbance(group, shares, found[index])
        weights = seen / seen.sum()
        settled = float(np.abs(weights - found[0].weights).max()) < SETTLED
        found = [Noise(weights, noise.disturbed, noise.slowdown) for noise in found]
        if settled:
            break
    return tuple(found)


def _sample(group: FigureGroup) -> FigureGroup:
    """The figures that tell, or of very many some hundreds from all over."""
    rows = np.flatnonzero(group.counts > 1)
    return group.take(rows[:: 1 + (len(rows) - 1) // ENOUGH_FIGURES] if len(rows) else rows)


def _shares(group: FigureGroup, noise: Noise) -> Array:
    """How much each component and spread accounts for each figure; they sum to 1 over both."""
    mixture = posterior(group, noise)
    logs = mixture.log_weights + np.log(noise.weights)
    logs -= logs.max((1, 2), keepdims=True, initial=-1e300)
    shares = np.exp(logs)
    return np.asarray(shares / shares.sum((1, 2), keepdims=True))


def _disturbance(group: FigureGroup, shares: Array, noise: Noise) -> Noise:
    """How often these processes were disturbed and by how much, beside what is usual."""
    most = group.logs.shape[1]
    logs = np.where(np.isfinite(group.logs), group.logs, 0.0)
    total, counts = logs.sum(1), group.counts
    by_kept = shares.sum(2)
    happened = by_kept[:, most:].sum(1) * counts
    excess = by_kept[:, most:].sum(1) * (total - counts * logs[:, 0] + noise.slowdown)
    for kept in range(1, most + 1):
        others = np.maximum(counts - kept, 0)
        low = logs[:, :kept]
        happened += by_kept[:, kept - 1] * others
        excess += by_kept[:, kept - 1] * np.maximum(total - low.sum(1) - others * low.mean(1), 0)
    iteration_seconds = USUAL_PROCESSES * USUAL_DISTURBED
    often = float((happened.sum() + iteration_seconds) / (counts.sum() + USUAL_PROCESSES))
    much = float((excess.sum() + iteration_seconds * USUAL_SLOWDOWN) / (happened.sum() + iteration_seconds))
    return Noise(noise.weights, float(np.clip(often, 0.005, 0.9)), float(np.clip(much, 0.1, 3.0)))
