"""The log of a hunt: NDJSON with a header and a line for each event, by which a hunt is replayed and resumed."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.finding import Finding, Searched, SideRecord
from autoperf.core.method import FIRST
from autoperf.core.outcome import PassName
from autoperf.results.environment import Environment

VERSION = 1


class HuntHeader(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hunt"):
    """The first line: options, operators and environment of the hunt. `budget` is in seconds.

    `sides` are the searched (slow) and the other (fast) side of a hunt between two.
    """

    version: int = VERSION
    method: int = FIRST
    autoperf: str
    mxnet: str
    seed: int
    budget: float
    operators: tuple[str, ...]
    started: str
    command: tuple[str, ...]
    options: dict[str, Any]
    environment: Environment
    sides: tuple[SideRecord, ...] = ()

    @property
    def threads(self) -> int | None:
        """The number of MXNet's threads, if the environment has it."""
        threads = self.environment.mxnet.get("threads")
        return threads if isinstance(threads, int) else None


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """An event; `at` is in seconds of the hunt's budget."""

    at: float


class TriedLine(LoggedEvent, frozen=True, kw_only=True, tag="tried"):
    """An input was timed on a side, or refused with a reason. Wall times are in microseconds per call."""

    operator: str
    id: str
    case: Case
    forward_us: tuple[float, ...] = ()
    backward_us: tuple[float, ...] = ()
    refused: str = ""
    side: int = 0


class PairLine(LoggedEvent, frozen=True, kw_only=True, tag="duel"):
    """Two inputs were timed in pairs, each on its side, in microseconds per call."""

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    first: Case
    second: Case
    first_us: tuple[float, ...] = ()
    second_us: tuple[float, ...] = ()
    refused: str = ""
    sides: tuple[int, int] = (0, 0)


class CandidateLine(LoggedEvent, frozen=True, kw_only=True, tag="suspect"):
    """An oracle reports an input as unexpectedly slow; `strength` is the ratio."""

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    id: str
    oracle: str
    strength: float


class DroppedLine(LoggedEvent, frozen=True, kw_only=True, tag="dropped"):
    """A candidate was dropped, with the reason."""

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    id: str
    reason: str


class FindingLine(LoggedEvent, frozen=True, kw_only=True, tag="finding"):
    """A finding is confirmed, shrunk and generalised."""

    finding: Finding


class SearchedLine(LoggedEvent, frozen=True, kw_only=True, tag="searched"):
    """The search of an operator has ended, or its budget was used up."""

    searched: Searched


class ResumedLine(LoggedEvent, frozen=True, kw_only=True, tag="resumed"):
    """The hunt was resumed: when, by which command, on which machine, at which load."""

    started: str
    command: tuple[str, ...]
    machine: str
    load: tuple[float, float, float]


class EndLine(LoggedEvent, frozen=True, kw_only=True, tag="end"):
    """The last line; `complete` unless the hunt was interrupted."""

    complete: bool = True


AnyEvent: TypeAlias = (
    TriedLine | PairLine | CandidateLine | DroppedLine | FindingLine | SearchedLine | ResumedLine | EndLine
)
