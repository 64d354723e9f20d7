"""Rules that end the warm-up of a case, in its settled state, and its sampling, by precision and by time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.scratch import has_settled
from autoperf.stats.correction import MIN_INTERVAL_SAMPLES, half_width

RUN = 5
SETTLED = 0.05
MIN_CALLS = 3


class SettledState(msgspec.Struct, frozen=True):
    """Stops once calls take no fresh memory that they won't take for good, and times no longer fall.

    Times have settled when the median of the last five isn't more than 5% below the median of the five before, or after
    `seconds`: they fall slowly, while the first calls that reuse memory are several times as fast. At least three calls
    are made. `limit` seconds end the warm-up in any case: a slow operator gets a shorter one rather than no samples.
    """

    seconds: float
    limit: float = float("inf")

    def enough(self, calls: Sequence[Boundaries], elapsed: float) -> bool:
        """Whether to stop after these calls, `elapsed` seconds into the warm-up."""
        if calls and elapsed >= self.limit:
            return True
        if len(calls) < MIN_CALLS or not has_settled(calls):
            return False
        return elapsed >= self.seconds or has_steady_times([call.forward + call.backward for call in calls])


def has_steady_times(samples: Sequence[int]) -> bool:
    """Whether the median of the last five samples is at most 5% below the median of the five before."""
    if len(samples) < 2 * RUN:
        return False
    before, last = sorted(samples[-2 * RUN : -RUN]), sorted(samples[-RUN:])
    return last[RUN // 2] >= (1 - SETTLED) * before[RUN // 2]


WINDOW = 64
STEADY = 0.05
RESOLUTION = 0.01
MAX_LOOPS = 256
FIRST_SAMPLES = 8
MAX_AT_ONCE = 512


class Readings(msgspec.Struct, frozen=True):
    """The samples of one pass by one clock so far; `step` is that clock's resolution, in the unit of the samples."""

    samples: Sequence[float]
    step: float = 0.0


class TargetPrecision(msgspec.Struct, frozen=True):
    """Stops when all readings are precise enough or their noise is steady, or at the time limit.

    `precision` is half the width of the median's 95% interval as a share of the median. `seconds` ends it if
    there are at least `min_samples` samples, whose median one disturbed sample doesn't move, `limit` if there is any.
    """

    precision: float
    seconds: float
    min_samples: int = 3
    limit: float = float("inf")

    def enough(self, readings: Sequence[Readings], elapsed: float) -> bool:
        """Whether to stop after these samples, equally many of each reading, `elapsed` seconds into sampling."""
        count = len(readings[0].samples) if readings else 0
        if (count >= self.min_samples and elapsed >= self.seconds) or (count and elapsed >= self.limit):
            return True
        return bool(count) and all(precise(each, self.precision) or steady(each.samples) for each in readings)


def precise(reading: Readings, precision: float) -> bool:
    """Whether the interval of the median is narrow enough, with means over enough calls for the clock's resolution."""
    loops = loops_for(reading.samples, reading.step)
    if len(reading.samples) < MIN_INTERVAL_SAMPLES * loops:
        return False
    return half_width(averaged(reading.samples, loops, reading.step)) <= precision


def steady(samples: Sequence[float]) -> bool:
    """Whether the noise has stopped changing: the last 64 estimates of it spread by less than 5% of their mean.

    The noise is the standard deviation over the mean of all samples so far; this is NVBench's criterion for giving up
    on a precision that a noisy kernel doesn't reach (its "stdrel" stopping criterion).
    """
    count = len(samples)
    if count < WINDOW + 2:
        return False
    values = np.asarray(samples, dtype="float64")
    numbers = np.arange(1, count + 1)
    # Relative to the first sample, so that the sums of squares don't cancel.
    shifted = values - values[0]
    sums, squares = np.cumsum(shifted), np.cumsum(shifted**2)
    variances = np.maximum(squares - sums**2 / numbers, 0)[-WINDOW:] / (numbers[-WINDOW:] - 1)
    noise = np.sqrt(variances) / (values[0] + sums[-WINDOW:] / numbers[-WINDOW:])
    mean = float(noise.mean())
    return mean > 0 and float(noise.std()) < STEADY * mean


def loops_for(samples: Sequence[float], step: float) -> int:
    """The number of calls (a power of two) over which a sample must average so that `step` is below 1% of it."""
    if not samples or step <= 0:
        return 1
    mean = max(sum(samples) / len(samples), step / MAX_LOOPS)
    loops = 1
    while loops < MAX_LOOPS and step / loops >= RESOLUTION * mean:
        loops *= 2
    return loops


def averaged(samples: Sequence[float], loops: int, step: float = 0.0) -> list[float]:
    """Means of `loops` consecutive samples each, without a rest; with a clock's step, disturbed calls count little."""
    if loops == 1:
        return list(samples)
    samples = fenced(samples, step) if step else samples
    return [sum(samples[at : at + loops]) / loops for at in range(0, len(samples) - loops + 1, loops)]


FENCE = 1.5


def fenced(samples: Sequence[float], step: float) -> list[float]:
    """The samples, of which those beyond Tukey's fence count as at the next but one step of the clock beyond it.

    A median ignores disturbed calls, a mean over calls of a coarse clock doesn't: one of 30 us among 32 of 2 us makes
    it half as long again. The fence is 1.5 times the middle half's width beyond it (Tukey, "Exploratory Data Analysis",
    1977).
    """
    ordered, count = sorted(samples), len(samples)
    low, high = ordered[count // 4], ordered[(3 * count - 1) // 4]
    fence = high + step * (math.ceil(FENCE * (high - low) / step) + 1)
    return [min(sample, fence) for sample in samples]


def checkpoints(first: int = FIRST_SAMPLES) -> Iterator[int]:
    """The numbers of samples after which the rule is asked: from `first` (a power of two) on in steps of at most 512.

    They are few, since each is another chance to stop by luck, and multiples of large powers of two, so that means
    over a power of two leave no sample over.
    """
    count = first
    while count < MAX_AT_ONCE:
        yield count
        if count > 1:
            yield count + count // 2
        count *= 2
    yield from itertools.count(MAX_AT_ONCE, MAX_AT_ONCE)
