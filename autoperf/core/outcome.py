"""What became of a case: samples, statistics, memory, or the reason why there are none."""

from __future__ import annotations

import enum
from typing import Annotated, Literal, TypeAlias

import msgspec

from autoperf.core.case import Input
from autoperf.core.clocks import CLOCKS, Clock
from autoperf.core.graph import Graph
from autoperf.core.limits import MAX_LOOPS
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType


class Status(enum.Enum):
    """The closed set of ends that a case can come to."""

    MEASURED = "measured"
    SKIPPED = "skipped"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMEOUT = "timeout"


class FigureWarning(enum.Enum):
    """The closed set of reasons not to trust a figure as it stands."""

    NOISY = "noisy"
    SHORT = "short"
    DISAGREE = "disagree"
    DRIFT = "drift"
    RESOLUTION = "resolution"
    LOAD = "load"
    THROTTLED = "throttled"


class Series(msgspec.Struct, frozen=True):
    """Samples in microseconds, in the order in which they were taken, and their statistics.

    `loops` is how many calls one sample averages over (1: every call was timed by itself). `processes` is how many of
    the samples, in order, came from each process; empty where all came from one. `low` and `high` are the 95% interval
    of the median, None where there are too few samples for one; `doubts` says why not to trust it. `turns` is there
    where two sides were measured in turn: how many of each process's samples came from each of its turns.
    """

    count: int
    mean: float
    median: float
    p50: float
    p90: float
    p99: float
    min: float
    max: float
    std: float
    samples: tuple[float, ...]
    loops: Annotated[int, msgspec.Meta(le=MAX_LOOPS)] = 1
    processes: tuple[int, ...] = ()
    low: float | None = None
    high: float | None = None
    doubts: tuple[FigureWarning, ...] = ()
    turns: tuple[tuple[int, ...], ...] | msgspec.UnsetType = msgspec.UNSET


PassName: TypeAlias = Literal["forward", "backward"]
"""The passes of an operator."""
PASSES: tuple[PassName, ...] = ("forward", "backward")


class Pass(msgspec.Struct, frozen=True):
    """Forward or backward: kernel time by the profiler, wall time with the profiler off.

    `kernels` has the mean microseconds a call of each of the operator's own kernels, by its exact name; `helpers` those
    of the engine's (layout changes, copies, deletions), which are in no figure. `helpers_us` is their sum;
    `dispatch_us` is what is left of the median wall time without any kernel: the call, the engine's queue, and waking
    up; None where that can't be told. `notes` says what to be wary of.
    """

    kernel_us: Series | None = None
    wall_us: Series | None = None
    kernels: dict[str, float] = {}
    helpers: dict[str, float] = {}
    helpers_us: float | None = None
    dispatch_us: float | None = None
    notes: tuple[str, ...] = ()

    def series(self, clock: Clock) -> Series | None:
        """What this clock read; None if it was not read."""
        readings: Series | None = getattr(self, clock.key)
        return readings

    def all_series(self) -> tuple[Series, ...]:
        """What every clock read, in the order of CLOCKS."""
        return tuple(series for clock in CLOCKS if (series := self.series(clock)) is not None)


class PassMemory(msgspec.Struct, frozen=True):
    """Bytes above the baseline in one call: the peak, what it returns (output), and the rest (workspace)."""

    peak: int
    output: int
    workspace: int


class Memory(msgspec.Struct, frozen=True):
    """The memory of each pass, in bytes; None for a pass that wasn't run."""

    forward: PassMemory | None = None
    backward: PassMemory | None = None


NOT_TIMED = "not timed, since the other side"
"""How the reason begins of a case that was skipped only because it can't be compared."""


class ResumeMark(msgspec.Struct, frozen=True):
    """Where a run that had been cut off was taken up again: when (UTC, ISO 8601), by which command, on which machine,
    and how busy that was (its load over 1, 5 and 15 minutes)."""

    started: str
    command: tuple[str, ...]
    machine: str
    load: tuple[float, float, float]


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="outcome"):
    """One line of a run file; `resumed` is there in the first one after the run was taken up again."""

    case: str
    operator: str
    category: str
    profile: str
    status: Status
    reason: str = ""
    inputs: tuple[Input, ...] = ()
    params: dict[str, Value] = {}
    graphs: dict[str, Graph] = {}
    outputs: tuple[ArrayType, ...] = ()
    forward: Pass | None = None
    backward: Pass | None = None
    memory: Memory | None = None
    seconds: float = 0.0
    resumed: ResumeMark | msgspec.UnsetType = msgspec.UNSET
