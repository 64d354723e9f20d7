"""What the supervisor and its child processes say to each other."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.outcome import Memory, Status
from autoperf.core.tensors import ArrayType
from autoperf.processes.channel import Channel


class Build(msgspec.Struct, frozen=True, tag="build"):
    """A child has loaded the library: which one, what it was built with, and how many threads OpenMP has."""

    version: str
    library: str
    features: dict[str, bool]
    threads: int | None
    gpus: int


class Unusable(msgspec.Struct, frozen=True, tag="unusable"):
    """A child can't work at all; the text is for the user, who asked for what isn't there (`usage`) or lacks it."""

    reason: str
    usage: bool = False


class ForkReady(msgspec.Struct, frozen=True, tag="ready"):
    """A forked child waits for its case."""


class Accepted(msgspec.Struct, frozen=True, tag="accepted"):
    """A forked child has its case; what comes to pass from here on is the case's."""


class ChildExited(msgspec.Struct, frozen=True, tag="exited"):
    """A forked child has ended with this wait status."""

    status: int


class BackwardRequest(msgspec.Struct, frozen=True):
    """How a backward pass is asked for: of which inputs, and whether the gradients are row-sparse.

    Some kernels of sparse operators write no others. `note` says why it isn't the plain wish: all inputs, and dense.
    """

    inputs: tuple[str, ...]
    sparse: bool = False
    note: str = ""


class TrialResult(msgspec.Struct, frozen=True, tag="facts"):
    """What a trial found out about a case.

    `backward_request` is what backward pass works, None if none does or no gradient flows; `forward_kernels` and
    `backward_kernels` are the two passes' own; `reason` says why a backward pass failed, in MXNet's words.
    """

    outputs: tuple[ArrayType, ...]
    backward_request: BackwardRequest | None
    forward_kernels: tuple[str, ...]
    backward_kernels: tuple[str, ...]
    memory: Memory
    reason: str = ""
    seconds: float = 0.0


class CaseFailure(msgspec.Struct, frozen=True, tag="refused"):
    """A case didn't work out.

    `killed`: SIGKILL has ended the process that had it. `broken`: its process sent what was no answer, or couldn't be
    started. Either may come from outside, and says little of the case.
    """

    status: Status
    reason: str
    killed: bool = False
    broken: bool = False


class Task(msgspec.Struct, frozen=True, tag="task"):
    """One case: the file, the function in it, and the id that it must have; for a worker, what the trial found.

    `backward`: whether a trial should try a backward pass. `seconds`: how long samples of the case may be taken,
    in all processes together, if that isn't what the settings say.
    """

    file: str
    function: str
    case: str
    trial_result: TrialResult | None = None
    backward: bool = True
    seconds: float | None = None


class PassSamples(msgspec.Struct, frozen=True):
    """What one process took of one pass, in the order in which it was taken.

    `wall` is in microseconds a call; `kernel` in whole microseconds a call, the sum over the operator's own kernels,
    None without the profiler; `spans` is for how many of them any kernel at all was running. `kernels` and `helpers`
    are mean microseconds a call by name. Where a process took turns with another, `turns` and `kernel_turns` say how
    many of `wall` and `kernel` each of its turns gave.
    """

    wall: tuple[float, ...]
    kernel: tuple[int, ...] | None = None
    kernels: dict[str, float] = {}
    helpers: dict[str, float] = {}
    spans: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    turns: tuple[int, ...] = ()
    kernel_turns: tuple[int, ...] = ()


class Conditions(msgspec.Struct, frozen=True):
    """What else went on while a process took its samples.

    `elapsed` is in seconds; `others` is how many seconds of processor time went to anybody else, virtual machines
    beside this one included; `preempted` how often this process was put aside; `throttled` how often a processor
    slowed itself down.
    """

    elapsed: float
    others: float
    preempted: int
    throttled: int


class Measured(msgspec.Struct, frozen=True, tag="measured"):
    """A case was timed in one process; `stages` has the seconds that each stage took."""

    forward: PassSamples
    backward: PassSamples | None
    conditions: Conditions
    stages: dict[str, float]


class Open(msgspec.Struct, frozen=True, tag="open"):
    """A case that is to be made ready, warmed up and kept, to be timed in turns."""

    task: Task


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """The case is ready; an iteration of it takes about so many seconds."""

    iteration_seconds: float


class Turn(msgspec.Struct, frozen=True, tag="turn"):
    """So many samples of the open case by each clock.

    If `discard_first`, an iteration that doesn't count precedes those of each clock. With a `place` (0 to 1), the
    process begins on the processor there, as the other of its pair does.
    """

    count: int
    discard_first: bool = False
    place: float | None = None


class Turned(msgspec.Struct, frozen=True, tag="turned"):
    """The samples of a turn are taken, and kept until the end."""


class Close(msgspec.Struct, frozen=True, tag="close"):
    """The open case is to be given back, and what its turns took is to be told."""


class QuickTiming(msgspec.Struct, frozen=True, tag="probe"):
    """A case of which a hunt wants to know roughly what it takes: so many samples of each pass, unless time is up.

    The case comes whole, since there is no file of it. `seconds` ends it early; one sample there is in any case.
    """

    case: Case
    backward: bool
    count: int
    seconds: float


class QuickTimes(msgspec.Struct, frozen=True, tag="probed"):
    """Wall times in microseconds a call; no `backward_us` where no backward pass was wanted, or none works."""

    forward_us: tuple[float, ...]
    backward_us: tuple[float, ...] = ()


class PairedTiming(msgspec.Struct, frozen=True, tag="duel"):
    """Two cases that are to be timed in turn, so many times, unless time is up."""

    first: Case
    second: Case
    backward: bool
    rounds: int
    seconds: float
    seed: int = 0


class PairedTimes(msgspec.Struct, frozen=True, tag="duelled"):
    """Wall times in microseconds of one call of each, in pairs that were taken one right after the other."""

    first_us: tuple[float, ...]
    second_us: tuple[float, ...]


Request: TypeAlias = Task | Open | Turn | Close | QuickTiming | PairedTiming
Answer: TypeAlias = (
    Build
    | Unusable
    | ForkReady
    | Accepted
    | ChildExited
    | TrialResult
    | CaseFailure
    | Measured
    | Opened
    | Turned
    | QuickTimes
    | PairedTimes
)
Service: TypeAlias = Channel[Answer, Request]
"""The end of a channel that answers."""

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
answer_decoder: msgspec.msgpack.Decoder[tuple[int, Answer]] = msgspec.msgpack.Decoder(tuple[int, Answer])
