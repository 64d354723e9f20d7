"""The noise model: how figures vary between processes, estimated from many cases, by clock and duration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np

from autoperf.comparison.pairs import Pair
from autoperf.reports.layout import grouped

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

# Standard deviations of the logarithm of a process's median: from 0.3% to 30%, in steps of a factor of 2.5.
SPREADS = np.array([0.003, 0.0075, 0.019, 0.047, 0.12, 0.3])
# The prior, with the weight of PRIOR_FIGURES figures.
PRIOR_WEIGHTS = np.array([0.15, 0.3, 0.3, 0.15, 0.07, 0.03])
PRIOR_DISTURBED = 0.1
PRIOR_FIGURES = 10.0
PRIOR_SLOWDOWN = 0.35
PRIOR_PROCESSES = 2 * PRIOR_FIGURES
ROUNDS = 60
CONVERGED = 1e-3
MAX_FIGURES = 600
# An exponential with mean 1, cut into slices: the probability, mean and standard deviation of each.
SLICES = np.array([0.5, 0.3, 0.15, 0.04, 0.009, 0.001])
SLICE_MEANS = np.array([0.307, 1.082, 2.147, 3.593, 5.349, 7.908])
SLICE_DEVIATIONS = np.array([0.198, 0.259, 0.382, 0.437, 0.588, 1.000])
Stratum: TypeAlias = tuple[str, int]
"""A clock and a class of duration."""
EDGES_US = (50.0, 1000.0)
MIN_FIGURES = 30
MIN_SEVERAL_PROCESSES = 10
FROM_PROCESSES = "its own processes"
FROM_AA = "an A/A run"
FROM_TURNS = "turns of both sides"
FROM_PAIRS = "pairs of processes"
INTERLEAVED = (FROM_TURNS, FROM_PAIRS)
FROM_MARGIN = "the margin"
FROM_ITSELF = "this comparison itself"


class FigureGroup(msgspec.Struct, frozen=True):
    """Figures with the ascending logarithms of their processes, padded with inf; shape: figures x processes."""

    logs: Array
    counts: np.ndarray[Any, np.dtype[np.int64]]

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]]) -> FigureGroup:
        """A group from logarithms by figure, at least one for each."""
        counts = np.array([len(row) for row in rows], dtype=np.int64)
        logs = np.full((len(rows), int(counts.max(initial=1))), np.inf)
        for index, row in enumerate(rows):
            logs[index, : len(row)] = np.sort(np.asarray(row))
        return cls(logs, counts)

    def take(self, rows: np.ndarray[Any, Any]) -> FigureGroup:
        """The figures with these indices."""
        return FigureGroup(self.logs[rows], self.counts[rows])


class Noise(msgspec.Struct, frozen=True):
    """The distribution of a process's log time about the true one.

    An undisturbed process is normal with a standard deviation out of `SPREADS`, which occur with probabilities
    `weights`. With probability `disturbed` a process is delayed: then an exponential with mean `slowdown` is added.
    Disturbance only adds time (Chen and Revels, "Robust benchmarking in noisy environments", 2016); the rest is Tukey's
    contaminated normal (1960), with variances pooled over figures as Smyth does for genes (2004).
    """

    weights: Array
    disturbed: float
    slowdown: float = PRIOR_SLOWDOWN


class Mixture(msgspec.Struct, frozen=True):
    """For each figure and spread, normal components of the true time's logarithm: log weights, means and deviations.

    Shapes: figures x components x spreads, means without the last.
    """

    log_weights: Array
    means: Array
    deviations: Array


TYPICAL_NOISE = Noise(PRIOR_WEIGHTS, PRIOR_DISTURBED)


def posterior(group: FigureGroup, noise: Noise) -> Mixture:
    """The posterior of the true log times for each spread, without the prior weights of the spreads.

    Since disturbance adds time, the undisturbed processes are the lowest j of K, for j from K to 0. They give a normal
    about their mean, with the likelihood of j normals whose mean is integrated out, times the exponential densities of
    the others. j = 0 leaves a tail below the lowest.
    """
    slices = len(SLICES)
    figures, max_count = group.logs.shape
    spreads = SPREADS[None, :]
    log_weights = np.full((figures, max_count + slices, len(SPREADS)), -np.inf)
    means = np.zeros((figures, max_count + slices))
    deviations = np.ones((figures, max_count + slices, len(SPREADS)))
    logs = np.where(np.isfinite(group.logs), group.logs, 0.0)
    total = logs.sum(1)
    for kept in range(1, max_count + 1):
        is_possible = group.counts >= kept
        low = logs[:, :kept]
        others = group.counts - kept
        excess = total - low.sum(1) - others * low.mean(1)
        by_others = others * np.log(noise.disturbed / noise.slowdown) - excess / noise.slowdown
        log_weight = _log_weight(low, spreads, noise) + by_others[:, None]
        log_weights[:, kept - 1] = np.where(is_possible[:, None], log_weight, -np.inf)
        means[:, kept - 1] = low.mean(1)
        deviations[:, kept - 1] = spreads / np.sqrt(kept)
    share = noise.slowdown / group.counts
    lowest = logs[:, 0]
    by_each = group.counts * np.log(noise.disturbed / noise.slowdown)
    all_disturbed = by_each + np.log(share) - (total - group.counts * lowest) / noise.slowdown
    log_weights[:, max_count:] = (all_disturbed[:, None] + np.log(SLICES))[:, :, None]
    means[:, max_count:] = lowest[:, None] - share[:, None] * SLICE_MEANS
    deviations[:, max_count:] = np.hypot(spreads[None], (share[:, None] * SLICE_DEVIATIONS)[:, :, None])
    return Mixture(log_weights, means, deviations)


def _log_weight(low: Array, spreads: Array, noise: Noise) -> Array:
    """The log likelihood of the lowest processes as the undisturbed ones, without the others; figures x spreads."""
    kept = low.shape[1]
    squares = ((low - low.mean(1)[:, None]) ** 2).sum(1)[:, None]
    weight: Array = (
        kept * np.log1p(-noise.disturbed)
        - (kept - 1) * np.log(spreads * np.sqrt(2 * np.pi))
        - 0.5 * np.log(kept)
        - squares / (2 * spreads**2)
    )
    return weight


def estimate_noise(groups: Sequence[FigureGroup]) -> tuple[Noise, ...]:
    """The noise of each group, with common weights of the spreads.

    Expectation maximisation from the prior, which groups keep that have only figures of a single process.
    """
    # The figures with several processes, at most about MAX_FIGURES of them at equal distances.
    several = [np.flatnonzero(group.counts > 1) for group in groups]
    sampled = [rows[:: 1 + max(len(rows) - 1, 0) // MAX_FIGURES] for rows in several]
    informative = [group.take(rows) for group, rows in zip(groups, sampled, strict=True)]
    noises = [TYPICAL_NOISE] * len(groups)
    if not any(len(group.counts) for group in informative):
        return tuple(noises)
    for _ in range(ROUNDS):
        occurrences = PRIOR_WEIGHTS * PRIOR_FIGURES
        for index, group in enumerate(informative):
            if len(group.counts):
                # The responsibilities of components and spreads for each figure; they sum to 1 over both.
                logs = posterior(group, noises[index]).log_weights + np.log(noises[index].weights)
                shares = np.exp(logs - logs.max((1, 2), keepdims=True, initial=-1e300))
                shares /= shares.sum((1, 2), keepdims=True)
                occurrences = occurrences + shares.sum((0, 1))
                noises[index] = _updated_disturbance(group, shares, noises[index])
        weights = occurrences / occurrences.sum()
        converged = float(np.abs(weights - noises[0].weights).max()) < CONVERGED
        noises = [Noise(weights, noise.disturbed, noise.slowdown) for noise in noises]
        if converged:
            break
    return tuple(noises)


def _updated_disturbance(group: FigureGroup, shares: Array, noise: Noise) -> Noise:
    """The noise with updated probability and size of disturbances, including the prior."""
    max_count = group.logs.shape[1]
    logs = np.where(np.isfinite(group.logs), group.logs, 0.0)
    total, counts = logs.sum(1), group.counts
    by_kept = shares.sum(2)
    expected_disturbed = by_kept[:, max_count:].sum(1) * counts
    excess = by_kept[:, max_count:].sum(1) * (total - counts * logs[:, 0] + noise.slowdown)
    for kept in range(1, max_count + 1):
        others = np.maximum(counts - kept, 0)
        low = logs[:, :kept]
        expected_disturbed += by_kept[:, kept - 1] * others
        excess += by_kept[:, kept - 1] * np.maximum(total - low.sum(1) - others * low.mean(1), 0)
    prior_disturbed = PRIOR_PROCESSES * PRIOR_DISTURBED
    disturbed = float((expected_disturbed.sum() + prior_disturbed) / (counts.sum() + PRIOR_PROCESSES))
    slowdown = float((excess.sum() + prior_disturbed * PRIOR_SLOWDOWN) / (expected_disturbed.sum() + prior_disturbed))
    return Noise(noise.weights, float(np.clip(disturbed, 0.005, 0.9)), float(np.clip(slowdown, 0.1, 3.0)))


# With a margin from the user, only the uncertainty of the median remains: the second spread, 0.75%.
STATED = Noise(np.eye(len(SPREADS))[1], 0.001)


def strata(pairs: Sequence[Pair], rows: Iterable[int], *, merged: bool = True) -> Iterator[list[int]]:
    """These rows of the pairs by clock and duration; where `merged`, a stratum of fewer than 30 joins the next.

    Times and counts are never merged, since disturbances slow a process but leave its counts unchanged.
    """
    by_stratum = grouped(rows, lambda row: stratum_of(pairs[row]))
    if not merged:
        yield from by_stratum.values()
        return
    parts = [members for _, members in sorted(by_stratum.items())]
    for is_time in (True, False):
        large: list[list[int]] = [[]]
        for members in (each for each in parts if pairs[each[0]].clock.is_time is is_time):
            if len(large[-1]) >= MIN_FIGURES:
                large.append([])
            large[-1] += members
        if len(large) > 1 and len(large[-1]) < MIN_FIGURES:
            rest = large.pop()
            large[-1] += rest
        yield from filter(None, large)


def noise_of(
    pairs: Sequence[Pair], calibration: Sequence[Pair], margin: float | None
) -> tuple[tuple[Noise, Noise], str]:
    """The noise of each side of these pairs, and its source.

    If both sides have several processes, it is estimated from them. Otherwise the source is the first available of: an
    A/A run, the margin, the other side, and this comparison under the assumption that nothing changed, which detects
    only outliers (Efron's empirical null, 2004).
    """
    base, new = figure_groups(pairs)
    several = [(int((each.counts > 1).sum()), len(each.counts)) for each in (base, new)]
    has_processes = [number >= min(MIN_SEVERAL_PROCESSES, total) for number, total in several]
    if all(has_processes):
        base_noise, new_noise = estimate_noise([base, new])
        return (base_noise, new_noise), FROM_PROCESSES
    if calibration:
        keys = set(map(stratum_of, pairs))
        are_times = pairs[0].clock.is_time
        usable = [pair for pair in calibration if pair.clock.is_time is are_times] or calibration
        similar = [pair for pair in usable if stratum_of(pair) in keys]
        group, source = _pooled(similar if len(similar) >= MIN_FIGURES else usable), FROM_AA
    elif margin is not None:
        return (STATED, STATED), FROM_MARGIN
    elif any(has_processes):
        group, source = base if has_processes[0] else new, "the processes of the other side"
    else:
        group, source = _pooled(pairs), FROM_ITSELF
    (shared,) = estimate_noise([group])
    return (shared, shared), source


def figure_groups(pairs: Sequence[Pair]) -> tuple[FigureGroup, FigureGroup]:
    """The figures of both sides of these pairs."""
    return FigureGroup.of([pair.base.logs for pair in pairs]), FigureGroup.of([pair.new.logs for pair in pairs])


def _pooled(pairs: Sequence[Pair]) -> FigureGroup:
    return FigureGroup.of([[*pair.base.logs, *pair.new.logs] for pair in pairs])


def stratum_of(pair: Pair) -> Stratum:
    """The clock, and the class of duration by the geometric mean of both sides; counts have one class."""
    if not pair.clock.is_time:
        return pair.clock.name, 0
    middle = math.exp((math.log(max(pair.base.median, 1e-3)) + math.log(max(pair.new.median, 1e-3))) / 2)
    return pair.clock.name, sum(middle >= edge for edge in EDGES_US)
