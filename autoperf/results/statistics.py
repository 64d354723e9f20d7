"""Turns samples into the statistics that a report shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autoperf.core.outcome import Doubt, Series
from autoperf.results.intervals import interval


def summarise(
    samples: Sequence[float], loops: int = 1, processes: Sequence[int] = (), doubts: Sequence[Doubt] = ()
) -> Series:
    """The statistics of samples in microseconds, none of them dropped.

    Percentiles interpolate linearly between order statistics (Hyndman and Fan's definition 7, NumPy's default): for
    n sorted samples the q-th percentile stands at position (n - 1) * q / 100, counted from 0; the median is P50. `std`
    is the sample standard deviation (n - 1 in the denominator), 0 for a single sample. `loops` is how many
    calls each sample averages over, `processes` how many samples in order came from each process (none given: all from
    one). Raises ValueError for no samples at all, one that is not finite, or processes that don't add up to them.
    """
    values = np.asarray(samples, dtype="float64")
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"statistics need at least one sample, all of them finite; got {list(samples)[:5]}")
    counts = tuple(processes) or (values.size,)
    if sum(counts) != values.size or min(counts) < 0:
        raise ValueError(f"{values.size} samples can't come from processes with {counts}")
    ordered = np.sort(values)
    low, high = interval([part.tolist() for part in np.split(values, np.cumsum(counts)[:-1])]) or (None, None)
    p50, p90, p99 = (_percentile(ordered, share) for share in (0.5, 0.9, 0.99))
    return Series(
        count=int(values.size),
        mean=float(values.mean()),
        median=p50,
        p50=p50,
        p90=p90,
        p99=p99,
        min=float(ordered[0]),
        max=float(ordered[-1]),
        std=float(values.std(ddof=1)) if values.size > 1 else 0.0,
        samples=tuple(values.tolist()),
        loops=loops,
        processes=tuple(processes) if len(counts) > 1 else (),
        low=low,
        high=high,
        doubts=tuple(doubts),
    )


def _percentile(ordered: np.ndarray[Any, Any], share: float) -> float:
    """NumPy's own answer takes longer than everything else here: this is called a few times for each case."""
    position = (ordered.size - 1) * share
    below = int(position)
    above = min(below + 1, ordered.size - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (position - below))
