"""Checks of the samples and statistics of outcomes that are read from files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import UNSET

from autoperf.core.machine import Probes
from autoperf.core.outcome import Outcome, Pass, Series
from autoperf.stats.correction import check_probes
from autoperf.stats.intervals import median

# A month in microseconds; the range of a counter of 64 bits.
MAX_SAMPLE_US = 2.7e12
MAX_COUNT = 2.0**64
MAX_SLOPE = 4.0
# Gigabytes, or 10^9 operations, a second; page faults of a call.
MAX_RATE = 1e12
# Readings of the probe, a piece of work of some microseconds; they are kept in nanoseconds.
MIN_READING_US, MAX_READING_US = 1e-3, 1e9
# Times of baseline files are rounded, and the mean of equal samples may differ from them in its last digit.
TOLERANCE = 1e-3
# The speed of a machine relative to its reference.
MIN_SPEED, MAX_SPEED = 1e-4, 1000.0


def check_outcome(outcome: Outcome) -> None:
    """Raises ValueError for invalid samples or statistics, and for an impossible speed of the machine."""
    check_passes(outcome.passes.values())


def check_passes(passes: Iterable[Pass]) -> None:
    """Raises ValueError as `check_outcome` does."""
    for run in passes:
        _check_parts(run)
        for metric, series in run.metrics.items():
            if series.speed and not MIN_SPEED <= series.speed <= MAX_SPEED:
                raise ValueError(
                    f"invalid speed {series.speed:g} of the machine: expected from {MIN_SPEED:g} to {MAX_SPEED:g}"
                )
            check_series(series, exact=not metric.is_time)
            check_statistics(series)


def _check_parts(run: Pass) -> None:
    """Raises ValueError for invalid times beside the clocks', and for impossible rates."""
    times = {
        "dispatch_us": run.dispatch_us, "helpers_us": run.helpers_us, "first_us": run.first_us,
        **run.kernels, **run.helpers,
    }  # fmt: skip
    rates = run.throughput or None
    amounts = {
        "faults": run.faults,
        **({"gb_per_s": rates.gb_per_s, "gflop_per_s": rates.gflop_per_s, "roofline": rates.roofline} if rates else {}),
    }
    for limit, values in ((MAX_SAMPLE_US, times), (MAX_RATE, amounts)):
        for name, value in values.items():
            if value is not None and value is not UNSET and not 0 <= value <= limit:
                raise ValueError(f"invalid {name} {value:g}: expected from 0 to {limit:g}")


def check_series(series: Series, *, exact: bool = False) -> None:
    """Raises ValueError for processes or turns that don't add up to the samples, and for invalid times or counts.

    `exact` samples are counts.
    """
    samples, counts = series.samples, series.processes or (len(series.samples),)
    _check_sizes(series, counts)
    smallest, largest = min(samples), max(samples)
    # This form is false for NaN.
    limit, unit = (MAX_COUNT, "") if exact else (MAX_SAMPLE_US, " us")
    if not (smallest >= 0 and largest <= limit):
        what = "counts" if exact else "times"
        raise ValueError(
            f"invalid samples of {smallest:g} to {largest:g}{unit}: expected {what} from 0 to {limit:g}{unit}"
        )
    if series.probes:
        check_probes(samples, series.probes)
        _check_readings(series.probes)
    if series.at_reference:
        stated = series.at_reference
        check_probes(stated.samples, Probes(stated.probe, stated.probe))
        if not (stated.samples and min(stated.samples) >= 0 and max(stated.samples) <= limit):
            raise ValueError(f"invalid times at reference speed {stated.samples}: expected from 0 to {limit:g}{unit}")
    if series.slope and not abs(series.slope) <= MAX_SLOPE:
        raise ValueError(f"invalid slope {series.slope}: expected from {-MAX_SLOPE:g} to {MAX_SLOPE:g}")
    turns = series.turns or ()
    if turns and (
        len(turns) != len(counts)
        or any(sum(sizes) != count or min(sizes, default=0) < 0 for sizes, count in zip(turns, counts, strict=True))
    ):
        raise ValueError(f"invalid turns {turns}: expected sums of {list(counts)} samples by process")


def _check_sizes(series: Series, counts: Sequence[int]) -> None:
    if not series.samples:
        raise ValueError("invalid samples (): expected at least one")
    if sum(counts) != len(series.samples) or min(counts) < 0:
        raise ValueError(f"invalid counts {counts} of samples by process: expected a sum of {len(series.samples)}")
    if series.loops < 1:
        raise ValueError(f"invalid loops {series.loops}: expected at least 1 call for each sample")


def _check_readings(probes: Probes) -> None:
    readings = (*probes.before, *probes.after)
    shortest, longest = min(readings), max(readings)
    if not MIN_READING_US <= shortest <= longest <= MAX_READING_US:
        raise ValueError(
            f"invalid readings of the probe of {shortest:g} to {longest:g} us: expected {MIN_READING_US:g} to "
            f"{MAX_READING_US:g} us"
        )


def check_statistics(series: Series) -> None:
    """Raises ValueError for statistics in the wrong order, and for statistics that the (valid) samples contradict.

    A baseline file has one sample of each process, and the statistics of all.
    """
    is_reduced = series.count > len(series.samples) and series.processes == (1,) * len(series.samples)
    if series.count != len(series.samples) and not is_reduced:
        raise ValueError(f"invalid count {series.count}: expected {len(series.samples)}, the number of samples")
    ordered = (series.min, series.p50, series.p90, series.p99, series.max)
    interval = (series.low or 0.0, series.high or series.low or 0.0)
    for values in (ordered, (series.min, series.median, series.max), (series.min, series.mean, series.max), interval):
        if any(below > above * (1 + TOLERANCE) for below, above in pairwise(values)):
            listed = ", ".join(f"{value:g}" for value in values)
            raise ValueError(f"invalid statistics {listed}: expected them in ascending order")
    if (series.low or 0.0) > series.max * (1 + TOLERANCE) or (series.high or series.max) < series.min * (1 - TOLERANCE):
        raise ValueError(f"invalid interval {series.low} to {series.high}: expected one around the samples")
    if (series.retaken or 0) < 0 or not 0 <= (series.steady or 0) <= series.count:
        raise ValueError(f"invalid retaken {series.retaken} or steady {series.steady}: expected numbers of samples")
    if not 0 <= series.std <= MAX_COUNT:
        raise ValueError(f"invalid std {series.std:g}: expected 0 or more")
    low, high = (0.0, MAX_COUNT) if is_reduced else _bounds(series)
    if not low * (1 - TOLERANCE) <= series.min <= series.max <= high * (1 + TOLERANCE):
        raise ValueError(
            f"invalid min {series.min:g} and max {series.max:g}: expected {low:g} to {high:g}, as of the samples"
        )
    stated = series.uncorrected if series.probes else series.median
    actual = median(sorted(series.samples))
    if stated is not UNSET and not is_reduced and not abs(stated - actual) <= TOLERANCE * actual:
        raise ValueError(f"invalid median {stated:g}: expected {actual:g}, the median of the samples")


def _bounds(series: Series) -> tuple[float, float]:
    """The bounds of the samples at reference speed; no bounds without a speed."""
    low, high = min(series.samples), max(series.samples)
    if not series.probes or not series.slope:
        return low, high
    if not series.speed:
        return 0.0, MAX_COUNT
    readings = (*series.probes.before, *series.probes.after)
    shortest, longest = min(readings), max(readings)
    # The reference is the median of the readings times the speed; its bounds are enough, and much faster.
    spread = longest / shortest
    factors = [(ratio / series.speed) ** series.slope for ratio in (1 / spread, spread)]
    # A correction makes no sample longer, except in earlier files.
    return low / max(1.0, *factors), high / min(1.0, *factors)
