"""The messages between the supervisor and its child processes."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.backends.protocol import Program, TrialResult
from autoperf.core.case import Case
from autoperf.core.machine import Probes
from autoperf.core.outcome import PASSES, OpenResults, PassName, ResultDifference, Status
from autoperf.core.work import CodeCount
from autoperf.processes.channel import Channel


class Build(msgspec.Struct, frozen=True, tag="build"):
    """A child has loaded the library: its version and features, and the number of OpenMP threads and GPUs.

    `cpus` are the processors on which it is placed; empty if Linux may move it. `probe_us` is the time of the probe at
    the fastest speed that it saw; None in processes that take no times. `interpreter` has its `python`, its `numpy` and
    the name of its `probe`, whose work depends on its NumPy. `compiler` says how calls are compiled, if they are.
    """

    version: str
    library: str
    features: dict[str, bool]
    threads: int | None
    gpus: int
    cpus: tuple[int, ...] = ()
    probe_us: float | None = None
    interpreter: dict[str, str] = {}
    compiler: str = ""

    @property
    def facts(self) -> dict[str, object]:
        """The framework's part of the environment record."""
        absent = {"interpreter", *(() if self.compiler else ("compiler",))}
        return {name: value for name, value in msgspec.to_builtins(self).items() if name not in absent}


class Unusable(msgspec.Struct, frozen=True, tag="unusable"):
    """A child can't work at all; `reason` is for the user, and `usage` says whether an option is the cause."""

    reason: str
    usage: bool = False


class ForkReady(msgspec.Struct, frozen=True, tag="ready"):
    """A forked child waits for its case."""


class Accepted(msgspec.Struct, frozen=True, tag="accepted"):
    """A forked child has its case; a failure from here on is the case's."""


class ChildExited(msgspec.Struct, frozen=True, tag="exited"):
    """A forked child has ended with this wait status."""

    status: int


class CaseFailure(msgspec.Struct, frozen=True, tag="refused"):
    """A case failed.

    `killed`: its process was ended by SIGKILL. `broken`: its process sent an invalid answer or couldn't be started.
    Either may have a cause outside the case. `exhausted`: it needs more memory than the limit. `difference` is that of
    its results from those of the framework that it follows.
    """

    status: Status
    reason: str
    killed: bool = False
    broken: bool = False
    exhausted: bool = False
    difference: ResultDifference | None = None

    @property
    def is_refusal(self) -> bool:
        """Whether the framework itself refuses the call."""
        return self.status is Status.FAILED and not (self.broken or self.exhausted)


class Task(msgspec.Struct, frozen=True, tag="task"):
    """A case to run; for a worker, also the trial's result.

    `backward`: whether a trial runs a backward pass. `seconds`: the time for samples of the case in all processes
    together, if it differs from the settings. `reference_us`: the time of the probe at the machine's reference speed.
    `program`: how a framework makes the call that follows another one; its trial has that one's trial result.
    `results`: the path of the files to which a trial writes the results of `draws` draws of the case's contents, or
    from which it, or a worker, reads those to compare with. `open`: the results that the operator leaves open.
    """

    case: Case
    trial_result: TrialResult | None = None
    backward: bool = True
    seconds: float | None = None
    reference_us: float | None = None
    program: Program | None = None
    results: str = ""
    draws: int = 1
    open: OpenResults = OpenResults()


class ClockSamples(msgspec.Struct, frozen=True):
    """The samples of a pass by one clock or counter in one process, in order: microseconds, or events, of each call.

    `probes` are the readings of the probe beside them, `turns` the numbers of samples in each turn of an interleaved
    comparison, and `faults` the page faults in each sample, empty if there were none.
    """

    samples: tuple[float, ...]
    probes: Probes | None = None
    turns: tuple[int, ...] = ()
    faults: tuple[int, ...] = ()


class PassSamples(msgspec.Struct, frozen=True):
    """The samples of one pass in one process.

    `kernel` has whole microseconds, the sum over the operator's own kernels, of the calls that had any; None without
    the profiler. `spans` has the microseconds of each call in which any kernel was running, `kernels` and `helpers`
    typical microseconds a call by name. `python` is the time by the `function` of the Python package, `counts` has the
    events of further calls, by the names of counters. `retaken` counts the samples of both clocks that were taken
    again, and `waited` those whose process still had to wait for its processor. `first_us` is the first call of all,
    None without a warm-up; `settled` says whether the warm-up ended in the settled state. `recompiled` counts the
    compilations after the first one, in the warm-up and in the samples; None where calls aren't compiled.
    """

    wall: ClockSamples
    kernel: ClockSamples | None = None
    kernels: dict[str, float] = {}
    helpers: dict[str, float] = {}
    spans: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    python: ClockSamples | None = None
    function: str = ""
    counts: dict[str, ClockSamples] = {}
    retaken: int = 0
    waited: int = 0
    first_us: float | None = None
    settled: bool = True
    recompiled: tuple[int, int] | None = None


class Conditions(msgspec.Struct, frozen=True):
    """The conditions under which a process took its samples.

    `elapsed` is in seconds; `others` has the seconds that its processors gave to other processes and other virtual
    machines; `throttled` counts thermal throttling events.
    """

    elapsed: float
    others: float
    throttled: int

    @property
    def load(self) -> float:
        """How many processors others used, in the mean."""
        return self.others / self.elapsed if self.elapsed else 0.0


class Measured(msgspec.Struct, frozen=True, tag="measured"):
    """A case's samples in one process, its seconds by stage, and how timed calls' results differ from the trial's."""

    forward: PassSamples
    backward: PassSamples | None
    conditions: Conditions
    stages: dict[str, float]
    difference: ResultDifference | None = None

    @property
    def passes(self) -> dict[PassName, PassSamples]:
        """The samples of each pass that the case has, by its name."""
        return {name: run for name, run in zip(PASSES, (self.forward, self.backward), strict=True) if run}


class Counted(msgspec.Struct, frozen=True, tag="counted"):
    """A fork has counted a case, in so many calls; the dumps of its passes have the number of its process."""

    pid: int
    calls: int
    has_backward: bool


class CaseCounts(msgspec.Struct, frozen=True, tag="counts"):
    """The counts of a case's passes by name, one for each counted call."""

    passes: dict[PassName, tuple[CodeCount, ...]]


class Open(msgspec.Struct, frozen=True, tag="open"):
    """Asks to prepare a case, warm it up and keep it open for turns.

    A process of quick timings times one of its passes, the backward one if the task says so: `Close` is answered by
    QuickTimes, with the mean of each turn.
    """

    task: Task


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """The case is open; an iteration takes about `iteration_seconds` seconds."""

    iteration_seconds: float


class Turn(msgspec.Struct, frozen=True, tag="turn"):
    """Asks for `count` samples of the open case by each clock, with `discard_first` after an uncounted iteration."""

    count: int
    discard_first: bool = False


class Turned(msgspec.Struct, frozen=True, tag="turned"):
    """The samples of a turn were taken; the process keeps them until the case is closed."""


class Close(msgspec.Struct, frozen=True, tag="close"):
    """Asks to close the open case and to send the samples of its turns."""


class QuickTiming(msgspec.Struct, frozen=True, tag="quick_timing"):
    """Asks for up to `count` samples of each pass, at least one, in about `seconds` s; `program`: as in a Task."""

    case: Case
    backward: bool
    count: int
    seconds: float
    program: Program | None = None


class QuickTimes(msgspec.Struct, frozen=True, tag="quick_times"):
    """Times in microseconds a call; `backward_us` is empty if no backward pass was requested or none works."""

    forward_us: tuple[float, ...]
    backward_us: tuple[float, ...] = ()


class PairedTiming(msgspec.Struct, frozen=True, tag="paired_timing"):
    """Asks to time one pass of two cases alternately, up to `rounds` times within about `seconds` seconds."""

    first: Case
    second: Case
    pass_: PassName
    rounds: int
    seconds: float
    seed: int = 0

    @property
    def backward(self) -> bool:
        """Whether the backward pass is timed."""
        return self.pass_ == "backward"  # noqa: S105 - a pass of an operator


class PairedTimes(msgspec.Struct, frozen=True, tag="paired_times"):
    """Times in microseconds of a call of each case, as pairs that were taken back to back."""

    first_us: tuple[float, ...]
    second_us: tuple[float, ...]


Request: TypeAlias = Task | Open | Turn | Close | QuickTiming | PairedTiming
_State: TypeAlias = Build | Unusable | ForkReady | Accepted | ChildExited
Answer: TypeAlias = _State | TrialResult | CaseFailure | Measured | Counted | Opened | Turned | QuickTimes | PairedTimes
Service: TypeAlias = Channel[Answer, Request]
"""The child's end of a channel."""

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
answer_decoder: msgspec.msgpack.Decoder[tuple[int, Answer]] = msgspec.msgpack.Decoder(tuple[int, Answer])
