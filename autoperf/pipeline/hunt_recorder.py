"""The recorder of a hunt, which writes its events to the folder."""

from __future__ import annotations

from collections.abc import Callable

from autoperf.core.events import (
    CandidateDropped,
    CandidateFollowed,
    Event,
    FindingCompleted,
    FindingConfirmed,
    HuntFinished,
    InputTried,
    OperatorSearched,
    OperatorStarted,
    PairTimed,
)
from autoperf.pipeline.hunt_folder import HuntFolder
from autoperf.results import huntlog


class HuntRecorder:
    """A sink that turns events into log lines; `elapsed` returns the used seconds of the budget."""

    def __init__(self, folder: HuntFolder, elapsed: Callable[[], float]) -> None:
        self._folder, self._elapsed = folder, elapsed
        self._operator = ""

    def handle(self, event: Event) -> None:
        """Writes the event if it belongs to the log. Raises OutputError."""
        if isinstance(event, OperatorStarted):
            self._operator = event.operator
        line = self._line(event)
        if line:
            self._folder.write(line)

    def _line(self, event: Event) -> huntlog.AnyEvent | None:
        at = self._elapsed()
        match event:
            case FindingConfirmed() | FindingCompleted():
                return huntlog.FindingLine(at=at, finding=event.finding)
            case OperatorSearched():
                return huntlog.SearchedLine(at=at, searched=event.searched)
            case HuntFinished():
                return huntlog.EndLine(at=at, complete=event.complete)
            case _:
                return self._search_line(at, event)

    def _search_line(self, at: float, event: Event) -> huntlog.AnyEvent | None:
        name = self._operator
        match event:
            case InputTried(case, forward, backward, refused, side):
                return huntlog.TriedLine(
                    at=at, operator=name, id=case.id, case=case,
                    forward_us=forward, backward_us=backward, refused=refused, side=side,
                )  # fmt: skip
            case PairTimed(pass_, slow, fast, slow_us, fast_us, refused, sides):
                return huntlog.PairLine(
                    at=at, operator=name, pass_=pass_, first=slow, second=fast,
                    first_us=slow_us, second_us=fast_us, refused=refused, sides=sides,
                )  # fmt: skip
            case CandidateFollowed(case, pass_, oracle, strength):
                return huntlog.CandidateLine(
                    at=at, operator=name, pass_=pass_, id=case.id, oracle=oracle, strength=strength
                )
            case CandidateDropped(case, pass_, reason):
                return huntlog.DroppedLine(at=at, operator=name, pass_=pass_, id=case.id, reason=reason)
            case _:
                return None
