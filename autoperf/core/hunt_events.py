"""The events of a hunt that its log keeps: each event is a line, as it is written and read again."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.finding import Finding, Searched
from autoperf.core.outcome import PassName


class Logged(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """An event of a log; `at` is in seconds of the hunt's budget, and set where the event is logged."""

    at: float = 0.0


class OfOperator(Logged, frozen=True, kw_only=True):
    """An event of an operator's search; the operator is set where the event is logged."""

    operator: str = ""


class InputTried(OfOperator, frozen=True, kw_only=True, tag="tried"):
    """An input was timed on a side, in microseconds of wall time per call, or `refused` has the reason why not.

    `crashed`: its backward pass ended the process, so that the forward pass was timed alone.
    """

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
    """The results of an input on a side were compared with the other side's: `passes` are equal.

    `reason` says why another pass isn't among them.
    """

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
