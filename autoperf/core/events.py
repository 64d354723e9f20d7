"""The events of a run or a hunt, as frozen values that a sink handles at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from autoperf.core.case import Case
from autoperf.core.hunt_events import LoggedEvent
from autoperf.core.outcome import Outcome, Status


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
    """The outcome of a case on one side of the run; `side` is its index.

    `replaced` is the status of the outcome of an earlier visit, which this one replaces.
    """

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
