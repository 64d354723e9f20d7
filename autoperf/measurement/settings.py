"""The settings of a run: clocks, counters, limits and stopping rules."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

import msgspec

from autoperf.backends.lookup import MXNET
from autoperf.backends.protocol import CallOptions
from autoperf.core import options
from autoperf.core.clocks import CAPI, PYTHON
from autoperf.core.errors import UsageError
from autoperf.core.files import CHILD_VARIABLES
from autoperf.core.graph import LayerPlace
from autoperf.counts.requests import PROCESSOR, chosen_counter
from autoperf.measurement.stopping_rules import SettledState, TargetPrecision

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
        if not 1 <= self.visits <= self.processes:
            raise UsageError(
                f"invalid number of visits {self.visits}: expected 1 to {self.processes}, the number of processes, "
                "since each visit times a case in others of them"
            )
        if self.visits > 1 and self.time_budget is not None:
            raise UsageError("several visits and a time budget exclude each other: expected one of them")
        if not (self.takes_times or self.counters):
            raise UsageError("--profiler none takes no times: count instead, by --counters instructions")
        if self.calls_python and not self.takes_times:
            raise UsageError("--caller python takes times: leave it out, or --profiler none")
        for name, value in self.env.items():
            if not _VARIABLE.fullmatch(name):
                raise UsageError(f"invalid name of an environment variable {name!r}: expected letters, digits and _")
            if name in CHILD_VARIABLES:
                raise UsageError(f"invalid variable {name}: autoperf sets it for its own processes")
            if any(sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in value):
                raise UsageError(f"invalid value {value!r} of the variable {name}: expected Unicode text without NUL")

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
        """The number of further processes where these disagree; 0 with `runs`, a time budget, or a single process."""
        is_free = self.runs is None and self.time_budget is None and self.processes > 1
        return min(self.processes, options.MAX_PROCESSES - self.processes) if is_free else 0

    @property
    def call_options(self) -> CallOptions:
        """How calls are prepared."""
        return CallOptions(self.ctx, self.layers, self.backward)

    @property
    def bytes_allowed(self) -> int:
        """The memory limit, or its default for this machine."""
        return self.memory_limit or int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * MEMORY_SHARE)


def absolute(path: str | Path | None) -> str | None:
    """The absolute path as text, which other processes can use; None stays None."""
    return None if path is None else str(Path(path).absolute())


def warmup_rule(settings: Settings, seconds: float | None = None) -> SettledState | int:
    """The count if set, else until the settled state; times may fall for 20 ms or a third of the samples' time."""
    if settings.warmup is not None:
        return settings.warmup
    most = min(WARMUP_SECONDS, WARMUP_SHARE * sampling_seconds(settings, seconds))
    return SettledState(seconds=most, limit=settings.timeout / 10 / settings.processes)


def sampling_rule(settings: Settings, seconds: float | None = None) -> TargetPrecision | int:
    """The count if set, else until the medians reach the precision, for at most `sampling_seconds`."""
    if settings.runs is not None:
        return settings.runs
    share = sampling_seconds(settings, seconds)
    return TargetPrecision(settings.precision, share, limit=settings.timeout / 4 / settings.processes)


def sampling_seconds(settings: Settings, seconds: float | None = None) -> float:
    """One process's share of the time for a case's samples: `seconds` in a run with a time budget, else `max_time`."""
    return (settings.max_time if seconds is None else seconds) / settings.processes
