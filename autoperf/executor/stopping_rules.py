"""Says when a phase of a measurement has gone on for long enough: by count, by precision, or by time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec
import numpy as np

from autoperf.results.intervals import MIN_SAMPLES, half_width

WINDOW = 64
STEADY = 0.05
RESOLUTION = 0.01
MAX_LOOPS = 256
FIRST_SAMPLES = 8
MAX_AT_ONCE = 512
RUN = 5
SETTLED = 0.05


class Readings(msgspec.Struct, frozen=True):
    """The samples of one pass by one clock so far; `step` is that clock's resolution, in the unit of the samples."""

    samples: Sequence[float]
    step: float = 0.0


class StoppingRule(Protocol):
    """Says when a phase of a measurement has gone on for long enough."""

    def enough(self, readings: Sequence[Readings], elapsed: float) -> bool:
        """Whether to stop after these samples, equally many of each reading, `elapsed` seconds into the phase."""


class ExactCount(msgspec.Struct, frozen=True):
    """Stops after a number of samples that the user asked for."""

    count: int

    def enough(self, readings: Sequence[Readings], elapsed: float) -> bool:  # noqa: ARG002 - the protocol's signature
        """Whether there are `count` samples."""
        return _count(readings) >= self.count


class SteadyTimes(msgspec.Struct, frozen=True):
    """Stops a warm-up once times no longer fall, or after `seconds`; with at least `least` samples.

    They have settled when the median of the last five isn't more than 5% below that of the five before. `limit`
    seconds end it even before `least`: a slow operator gets a shorter warm-up rather than none of its samples.
    """

    seconds: float
    least: int = 2
    limit: float = float("inf")

    def enough(self, readings: Sequence[Readings], elapsed: float) -> bool:
        """Whether times have settled, or the time is over."""
        count = _count(readings)
        if count < self.least:
            return bool(count) and elapsed >= self.limit
        return elapsed >= self.seconds or all(settled(one.samples) for one in readings)


class TargetPrecision(msgspec.Struct, frozen=True):
    """Stops when every reading is precise enough, or its noise shows no sign of shrinking; or when time is over.

    `precision` is the half of the median's 95% interval as a share of the median. `seconds` ends it if there are at
    least `least` samples, `limit` if there is any.
    """

    precision: float
    seconds: float
    least: int = 2
    limit: float = float("inf")

    def enough(self, readings: Sequence[Readings], elapsed: float) -> bool:
        """Whether more samples would be of no use, or there is no time for them."""
        count = _count(readings)
        if count >= self.least and elapsed >= self.seconds:
            return True
        if count and elapsed >= self.limit:
            return True
        return bool(count) and all(self._done(one) for one in readings)

    def _done(self, one: Readings) -> bool:
        return precise(one, self.precision) or steady(one.samples)


def precise(one: Readings, precision: float) -> bool:
    """Whether the interval of the median is narrow enough, at a resolution that can tell."""
    loops = loops_for(one.samples, one.step)
    if len(one.samples) < MIN_SAMPLES * loops:
        return False
    return half_width(averaged(one.samples, loops)) <= precision


def steady(samples: Sequence[float], window: int = WINDOW, spread: float = STEADY) -> bool:
    """Whether the noise has stopped changing: the last 64 estimates of it spread by less than 5% of their mean.

    The noise is the standard deviation over the mean of all samples so far; this is NVBench's criterion for giving up
    on a precision that a noisy kernel doesn't reach (its "stdrel" stopping criterion).
    """
    count = len(samples)
    if count < window + 2:
        return False
    values = np.asarray(samples, dtype="float64")
    numbers = np.arange(1, count + 1)
    # Relative to the first sample, so that the sums of squares don't cancel.
    shifted = values - values[0]
    sums, squares = np.cumsum(shifted), np.cumsum(shifted**2)
    variances = np.maximum(squares - sums**2 / numbers, 0)[-window:] / (numbers[-window:] - 1)
    noise = np.sqrt(variances) / (values[0] + sums[-window:] / numbers[-window:])
    mean = float(noise.mean())
    return mean > 0 and float(noise.std()) < spread * mean


def settled(samples: Sequence[float], run: int = RUN, share: float = SETTLED) -> bool:
    """Whether the median of the last `run` samples isn't more than `share` below that of the `run` before."""
    if len(samples) < 2 * run:
        return False
    before, last = sorted(samples[-2 * run : -run]), sorted(samples[-run:])
    return last[run // 2] >= (1 - share) * before[run // 2]


def loops_for(samples: Sequence[float], step: float) -> int:
    """Over how many calls a sample has to average so that `step` is below 1% of it: a power of two."""
    if not samples or step <= 0:
        return 1
    mean = max(sum(samples) / len(samples), step / MAX_LOOPS)
    loops = 1
    while loops < MAX_LOOPS and step / loops >= RESOLUTION * mean:
        loops *= 2
    return loops


def averaged(samples: Sequence[float], loops: int) -> list[float]:
    """Each `loops` samples in a row as their mean; what is left over is in no sample."""
    if loops == 1:
        return list(samples)
    return [sum(samples[at : at + loops]) / loops for at in range(0, len(samples) - loops + 1, loops)]


def checkpoints(first: int = FIRST_SAMPLES) -> Iterator[int]:
    """After how many samples the rule is asked: from `first` (a power of two) on half again as many, at most 512 more.

    Few looks, since each is one more chance to stop by luck; and always a multiple of a large power of two, so that
    averages over a power of two leave nothing over.
    """
    count = first
    while count < MAX_AT_ONCE:
        yield count
        if count > 1:
            yield count + count // 2
        count *= 2
    yield from itertools.count(MAX_AT_ONCE, MAX_AT_ONCE)


def _count(readings: Sequence[Readings]) -> int:
    return len(readings[0].samples) if readings else 0
