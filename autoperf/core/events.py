"""What happens while cases are measured or inputs searched: one frozen value for each event, told to a sink at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from autoperf.core.case import Case
from autoperf.core.finding import Finding, Searched
from autoperf.core.outcome import Outcome, PassName


@dataclass(frozen=True)
class Notice:
    """A line for the user, beside the results."""

    text: str


@dataclass(frozen=True)
class RunStarted:
    """Cases of so many operators follow; `left` says how many seconds remain, for a run with a time budget."""

    operators: int
    left: Callable[[], float] | None = None


@dataclass(frozen=True)
class OperatorStarted:
    """This operator is next, with so many cases (None: not known)."""

    operator: str
    cases: int | None = None


@dataclass(frozen=True)
class CaseStarted:
    """This case is in flight."""

    case: Case


@dataclass(frozen=True)
class CaseStagesTimed:
    """So many seconds each stage of a case took, in all processes together."""

    case: Case
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class CaseFinished:
    """The outcome of a case on one side of the run, by the side's number."""

    side: int
    outcome: Outcome


@dataclass(frozen=True)
class RunFinished:
    """Nothing more is measured; `complete` unless the run was interrupted."""

    complete: bool = True


@dataclass(frozen=True)
class HuntStarted:
    """A hunt begins by getting ready."""


@dataclass(frozen=True)
class BudgetStarted:
    """From now on a hunt's seconds count: it has `budget` of them, of which `used` were used before."""

    budget: float
    used: float = 0.0


@dataclass(frozen=True)
class InputTried:
    """An input was timed, in microseconds a call, or refused for this reason."""

    case: Case
    forward_us: tuple[float, ...] = ()
    backward_us: tuple[float, ...] = ()
    refused: str = ""


@dataclass(frozen=True)
class PairTimed:
    """Two inputs were timed in turn, in microseconds a call, or one of them was refused for this reason."""

    pass_: PassName
    slow: Case
    fast: Case
    slow_us: tuple[float, ...] = ()
    fast_us: tuple[float, ...] = ()
    refused: str = ""


@dataclass(frozen=True)
class CandidateFollowed:
    """An input stands out by this factor, says this oracle, and its cause is looked for."""

    case: Case
    pass_: PassName
    oracle: str
    strength: float


@dataclass(frozen=True)
class CandidateDropped:
    """It is no finding, for this reason."""

    case: Case
    pass_: PassName
    reason: str


@dataclass(frozen=True)
class BestChanged:
    """What stands out most of the operator so far, in words."""

    words: str


@dataclass(frozen=True)
class FindingConfirmed:
    """A finding, whose kernels aren't known yet."""

    finding: Finding


@dataclass(frozen=True)
class FindingCompleted:
    """A finding with its kernels, or one again whose family is wider."""

    finding: Finding


@dataclass(frozen=True)
class OperatorSearched:
    """The search of an operator has ended."""

    searched: Searched


@dataclass(frozen=True)
class HuntFinished:
    """Nothing more is searched; `complete` unless the hunt was interrupted."""

    complete: bool = True


RunEvent: TypeAlias = RunStarted | OperatorStarted | CaseStarted | CaseStagesTimed | CaseFinished | RunFinished
SearchEvent: TypeAlias = InputTried | PairTimed | CandidateFollowed | CandidateDropped | BestChanged
HuntEvent: TypeAlias = (
    HuntStarted
    | BudgetStarted
    | OperatorStarted
    | SearchEvent
    | FindingConfirmed
    | FindingCompleted
    | OperatorSearched
    | HuntFinished
)
Event: TypeAlias = Notice | RunEvent | HuntEvent


class Sink(Protocol):
    """Takes events in the order in which they happen, and leaves alone what isn't for it."""

    def handle(self, event: Event) -> None:
        """This happened."""


class NullSink:
    """Nobody listens."""

    def handle(self, event: Event) -> None:
        """Nothing."""


class Sinks:
    """Several sinks as one; each gets an event after those before it."""

    def __init__(self, *sinks: Sink) -> None:
        self._sinks = sinks

    def handle(self, event: Event) -> None:
        """This happened."""
        for sink in self._sinks:
            sink.handle(event)
