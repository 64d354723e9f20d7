"""The settings of a run: clocks, counters, limits, and the rules that end warm-up and sampling."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec
import numpy as np
import psutil

from autoperf.backends.lookup import MXNET
from autoperf.backends.protocol import CallOptions
from autoperf.core import options
from autoperf.core.clocks import CAPI, PYTHON
from autoperf.core.errors import UsageError
from autoperf.core.files import CHILD_VARIABLES
from autoperf.core.layers import LayerPlace
from autoperf.counts.valgrind import PROCESSOR, chosen_counter
from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.fresh_memory import has_settled
from autoperf.stats.intervals import MIN_SAMPLES, half_width

RUN = 5
SETTLED = 0.05
MIN_CALLS = 3


class WarmUpRule(Protocol):
    """Decides when a warm-up ends."""

    def enough(self, calls: Sequence[Boundaries], elapsed: float) -> bool:
        """Whether to stop after these calls, `elapsed` seconds into the warm-up."""


class ExactCalls(msgspec.Struct, frozen=True):
    """Stops after the number of calls that the user has set."""

    count: int

    def enough(self, calls: Sequence[Boundaries], elapsed: float) -> bool:  # noqa: ARG002 - the protocol's signature
        """Whether there are `count` calls."""
        return len(calls) >= self.count


class SettledState(msgspec.Struct, frozen=True):
    """Stops once calls take no fresh memory that they won't take for good, and times no longer fall.

    Times have settled when the median of the last five isn't more than 5% below the median of the five before, or after
    `seconds`: they fall slowly, while the first calls that reuse memory are several times as fast. At least three calls
    are made. `limit` seconds end the warm-up in any case: a slow operator gets a shorter one rather than no samples.
    """

    seconds: float
    limit: float = float("inf")

    def enough(self, calls: Sequence[Boundaries], elapsed: float) -> bool:
        """Whether the state has settled, or the time limit is reached."""
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


class StoppingRule(Protocol):
    """Decides when sampling ends."""

    def enough(self, readings: Sequence[Readings], elapsed: float) -> bool:
        """Whether to stop after these samples, equally many of each reading, `elapsed` seconds into sampling."""


class ExactCount(msgspec.Struct, frozen=True):
    """Stops after the number of samples that the user has set."""

    count: int

    def enough(self, readings: Sequence[Readings], elapsed: float) -> bool:  # noqa: ARG002 - the protocol's signature
        """Whether there are `count` samples."""
        return _count(readings) >= self.count


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
        """Whether more samples wouldn't help, or the time limit is reached."""
        count = _count(readings)
        if count >= self.min_samples and elapsed >= self.seconds:
            return True
        if count and elapsed >= self.limit:
            return True
        return bool(count) and all(self._done(reading) for reading in readings)

    def _done(self, reading: Readings) -> bool:
        return precise(reading, self.precision) or steady(reading.samples)


def precise(reading: Readings, precision: float) -> bool:
    """Whether the interval of the median is narrow enough, with means over enough calls for the clock's resolution."""
    loops = loops_for(reading.samples, reading.step)
    if len(reading.samples) < MIN_SAMPLES * loops:
        return False
    return half_width(averaged(reading.samples, loops)) <= precision


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


def averaged(samples: Sequence[float], loops: int) -> list[float]:
    """The means of each `loops` consecutive samples; a rest is dropped."""
    if loops == 1:
        return list(samples)
    return [sum(samples[at : at + loops]) / loops for at in range(0, len(samples) - loops + 1, loops)]


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


def _count(readings: Sequence[Readings]) -> int:
    return len(readings[0].samples) if readings else 0


Profiler = Literal["native", "python", "none"]
MEMORY_SHARE = 0.75
WARMUP_SECONDS = 0.02
WARMUP_SHARE = 1 / 3
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that apply to every case of a run.

    `profiler` "native" gives kernel and wall time, "python" wall time only, "none" neither. Each case is timed in each
    of `processes` processes, and in at most twice as many if these disagree; several `visits` spread the processes of a
    case over the run. `warmup` and `runs` are iterations in each process, `runs` by each clock; where they are None, a
    stopping rule decides: samples are taken until the 95% interval of a process's median is within `precision` of it,
    for at most `max_time` seconds a case. `time_budget` limits the seconds of the whole run, `timeout` those of a case,
    `memory_limit` the bytes that one process takes beyond the loaded library (default: three quarters of the machine's
    memory). `ctx` is "cpu" or "gpu(0)"; `backward` says whether backward passes run. `cpus` are the processors of the
    processes that take times: None for one for each thread of the framework, empty for any. `counters` names the events
    of the processor that are counted beside the times, by `count_by` (default: the processor where it can); valgrind's
    files are kept in the folder `keep_dumps`; with `counts_first` two sides whose counts say that they execute the same
    code aren't timed; `caller` is "python" if the call from Python is timed too, else "capi". `env` is added to the
    environment of the child processes. `layers` are the user's own layers by the names of their cases. `framework` is
    the name of the backend.
    """

    profiler: Profiler = "native"
    warmup: int | None = None
    runs: int | None = None
    processes: int = options.DEFAULT_PROCESSES
    visits: int = 1
    precision: float = options.DEFAULT_PRECISION
    max_time: float = options.DEFAULT_MAX_TIME
    time_budget: float | None = None
    timeout: float = options.DEFAULT_TIMEOUT
    memory_limit: int | None = None
    ctx: str = "cpu"
    backward: bool = True
    cpus: tuple[int, ...] | None = None
    counters: tuple[str, ...] = ()
    count_by: str | None = None
    keep_dumps: str | None = None
    counts_first: bool = False
    caller: str = CAPI
    env: dict[str, str] = {}
    layers: dict[str, LayerPlace] = {}
    framework: str = MXNET

    def __post_init__(self) -> None:
        """Raises UsageError for an invalid value."""
        options.check_fields((*options.SETTINGS, options.COUNTERS, options.CALLER), self)
        self._check_visits()
        if not (self.takes_times or self.counters):
            raise UsageError("--profiler none takes no times: count instead, by --counters instructions")
        if self.calls_python and not self.takes_times:
            raise UsageError("--caller python takes times: leave it out, or --profiler none")
        _check_variables(self.env)

    def _check_visits(self) -> None:
        if not 1 <= self.visits <= self.processes:
            raise UsageError(
                f"invalid number of visits {self.visits}: expected 1 to {self.processes}, the number of processes, "
                "since each visit times a case in others of them"
            )
        if self.visits > 1 and self.time_budget is not None:
            raise UsageError("several visits and a time budget exclude each other: expected one of them")

    @property
    def calls_python(self) -> bool:
        """Whether each case is also called through the framework's Python package."""
        return self.caller == PYTHON.name

    @property
    def takes_times(self) -> bool:
        """Whether cases are timed; otherwise they are only counted."""
        return self.profiler != "none"

    @property
    def times_later(self) -> bool:
        """Whether all cases are counted before the first is timed, so that the time goes to those that differ most."""
        return self.counts_first and self.takes_times and self.time_budget is not None

    @property
    def counted_by(self) -> str:
        """The counter of events, the processor or valgrind; empty if nothing is counted."""
        return chosen_counter(self.counters, self.count_by)

    @property
    def iterations_per_sample(self) -> int:
        """The number of iterations for one sample by each clock."""
        return (2 if self.profiler == "native" else 1) + self.calls_python + (self.counted_by == PROCESSOR)

    @property
    def reserve(self) -> int:
        """The number of further processes that time a case whose processes disagree.

        It is 0 if the user has set the work (`runs`), its time (`time_budget`), or a single process.
        """
        is_free = self.runs is None and self.time_budget is None and self.processes > 1
        return min(self.processes, options.MAX_PROCESSES - self.processes) if is_free else 0

    @property
    def call_options(self) -> CallOptions:
        """How calls are prepared."""
        return CallOptions(self.ctx, self.layers, self.backward)

    @property
    def bytes_allowed(self) -> int:
        """The memory limit, or its default for this machine."""
        return self.memory_limit or int(psutil.virtual_memory().total * MEMORY_SHARE)


def absolute(path: str | Path | None) -> str | None:
    """The absolute path as text, which other processes can use; None stays None."""
    return None if path is None else str(Path(path).absolute())


def _check_variables(variables: Mapping[str, str]) -> None:
    """Raises UsageError for variables that can't be passed to a process or stored as JSON."""
    for name, value in variables.items():
        if not _VARIABLE.fullmatch(name):
            raise UsageError(f"invalid name of an environment variable {name!r}: expected letters, digits and _")
        if name in CHILD_VARIABLES:
            raise UsageError(f"invalid variable {name}: autoperf sets it for its own processes")
        if any(sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in value):
            raise UsageError(f"invalid value {value!r} of the variable {name}: expected Unicode text without NUL")


def warmup_rule(settings: Settings, seconds: float | None = None) -> WarmUpRule:
    """An exact count if set, else until the settled state; times may fall for 20 ms or a third of the samples' time."""
    if settings.warmup is not None:
        return ExactCalls(settings.warmup)
    most = min(WARMUP_SECONDS, WARMUP_SHARE * sampling_seconds(settings, seconds))
    return SettledState(seconds=most, limit=settings.timeout / 10 / settings.processes)


def sampling_rule(settings: Settings, seconds: float | None = None) -> StoppingRule:
    """An exact count if set, else until the medians reach the precision, for at most `sampling_seconds`."""
    if settings.runs is not None:
        return ExactCount(settings.runs)
    share = sampling_seconds(settings, seconds)
    return TargetPrecision(settings.precision, share, limit=settings.timeout / 4 / settings.processes)


def sampling_seconds(settings: Settings, seconds: float | None = None) -> float:
    """One process's share of the time for a case's samples: `seconds` in a run with a time budget, else `max_time`."""
    return (settings.max_time if seconds is None else seconds) / settings.processes
