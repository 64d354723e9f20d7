"""The events of a run or a hunt, as frozen values that a sink handles at once; a hunt's are the lines of its log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.finding import Finding, Searched
from autoperf.core.outcome import Outcome, PassName, Status


class Logged(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """An event of a log; `at` is in seconds of the hunt's budget, and set where the event is logged."""

    at: float = 0.0


class OfOperator(Logged, frozen=True, kw_only=True):
    """An event of an operator's search; the operator is set where the event is logged."""

    operator: str = ""


class InputTried(OfOperator, frozen=True, kw_only=True, tag="tried"):
    """An input was timed on a side, in us of wall time a call, or `refused`; `crashed`: its backward pass ended it."""

    id: str
    case: Case
    forward_us: tuple[float, ...] = ()
    backward_us: tuple[float, ...] = ()
    refused: str = ""
    side: int = 0
    crashed: bool = False


class PairTimed(OfOperator, frozen=True, kw_only=True, tag="duel"):
    """Two inputs were timed interleaved, each on its side, in microseconds per call, or `refused` has the reason."""

    pass_: PassName = msgspec.field(name="pass")
    first: Case
    second: Case
    first_us: tuple[float, ...] = ()
    second_us: tuple[float, ...] = ()
    refused: str = ""
    sides: tuple[int, int] = (0, 0)


class ResultsCompared(OfOperator, frozen=True, kw_only=True, tag="compared"):
    """An input's results were compared with the other side's: `passes` are equal, `reason` says why another isn't."""

    case: Case
    side: int
    passes: tuple[PassName, ...] = ()
    reason: str = ""


class CandidateFollowed(OfOperator, frozen=True, kw_only=True, tag="suspect"):
    """An input seems slow by the factor `strength` to one source of evidence (`oracle`); its cause is searched."""

    pass_: PassName = msgspec.field(name="pass")
    id: str
    oracle: str
    strength: float


class CandidateDropped(OfOperator, frozen=True, kw_only=True, tag="dropped"):
    """A candidate is not a finding, for this reason."""

    pass_: PassName = msgspec.field(name="pass")
    id: str
    reason: str


class FindingConfirmed(Logged, frozen=True, kw_only=True, tag="finding"):
    """A finding is confirmed, shrunk and generalised; or a known one has its kernels, or a wider family."""

    finding: Finding


class OperatorSearched(Logged, frozen=True, kw_only=True, tag="searched"):
    """The search of an operator has ended, or its budget was used up."""

    searched: Searched


class HuntResumed(Logged, frozen=True, kw_only=True, tag="resumed"):
    """The hunt was resumed: when, by which command, on which machine, at which load."""

    started: str
    command: tuple[str, ...]
    machine: str
    load: tuple[float, float, float]


class HuntFinished(Logged, frozen=True, kw_only=True, tag="end"):
    """The last line; `complete` unless the hunt was interrupted."""

    complete: bool = True


Answer: TypeAlias = InputTried | PairTimed | ResultsCompared
"""An answer of the processes that time inputs, from which a resumed search goes on."""
LoggedEvent: TypeAlias = (
    Answer | CandidateFollowed | CandidateDropped | FindingConfirmed | OperatorSearched | HuntResumed | HuntFinished
)


@dataclass(frozen=True)
class Notice:
    """A line for the user that is not a result."""

    text: str


@dataclass(frozen=True)
class RunStarted:
    """A run starts with this many operators, in this many visits; `left` returns the seconds left of a time budget."""

    operators: int
    left: Callable[[], float] | None = None
    visits: int = 1


@dataclass(frozen=True)
class OperatorStarted:
    """An operator starts, with this many cases (None: unknown)."""

    operator: str
    cases: int | None = None


@dataclass(frozen=True)
class CaseStarted:
    """A case starts."""

    case: Case


@dataclass(frozen=True)
class CaseStagesTimed:
    """The seconds of each stage of a case, summed over all processes."""

    case: Case
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class CaseFinished:
    """The outcome of a case on the side of this index; `replaced` is the status of an earlier visit's outcome."""

    side: int
    outcome: Outcome
    replaced: Status | None = None


@dataclass(frozen=True)
class FleetMeasured:
    """A fleet has measured a case: its number of machines now, and the number of cases of each so far, by name."""

    machines: int
    cases: Mapping[str, int]


@dataclass(frozen=True)
class RunFinished:
    """The run has ended; `complete` is False if it was interrupted."""

    complete: bool = True


@dataclass(frozen=True)
class HuntStarted:
    """A hunt starts its preparation."""


@dataclass(frozen=True)
class BudgetStarted:
    """A hunt's time budget starts: `budget` seconds, of which `used` are spent already."""

    budget: float
    used: float = 0.0


@dataclass(frozen=True)
class BestChanged:
    """The strongest candidate of the operator so far, as text."""

    words: str


@dataclass(frozen=True)
class KernelsStarted:
    """The kernels of a finding are measured now."""


RunEvent: TypeAlias = (
    RunStarted | OperatorStarted | CaseStarted | CaseStagesTimed | CaseFinished | FleetMeasured | RunFinished
)
HuntEvent: TypeAlias = HuntStarted | BudgetStarted | OperatorStarted | BestChanged | KernelsStarted | LoggedEvent
Event: TypeAlias = Notice | RunEvent | HuntEvent


class Sink(Protocol):
    """Handles events in order and ignores those that it doesn't use."""

    def handle(self, event: Event) -> None:
        """Handle one event."""


class NullSink:
    """Discards all events."""

    def handle(self, event: Event) -> None:
        """Discard the event."""


class Sinks:
    """Several sinks as one; they handle each event in their order."""

    def __init__(self, *sinks: Sink) -> None:
        self._sinks = sinks

    def handle(self, event: Event) -> None:
        """Handle one event."""
        for sink in self._sinks:
            sink.handle(event)


def notify(sink: Sink, lines: Iterable[str]) -> None:
    """Emits a notice for each line."""
    for line in lines:
        sink.handle(Notice(line))
