"""Takes turns: processes keep a case open each, and alternate in random order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias, TypeVar

from autoperf.core.outcome import Status
from autoperf.measurement.messages import CaseFailure, Opened, Turn, Turned
from autoperf.processes.failures import INVALID_ANSWER

R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")
T = TypeVar("T")

Plan: TypeAlias = Callable[[Sequence[float]], Iterable[Sequence[Turn]]]
"""The rounds by the seconds of an iteration on each side: the turn of each side, as long as rounds are to be taken."""


class TurnTaker(Protocol[R_co]):
    """A process with a case of its own."""

    def open(self) -> Opened | CaseFailure:
        """Prepares the case and keeps it open."""

    def take(self, turn: Turn) -> Turned | CaseFailure:
        """Takes the samples of a turn."""

    def close(self) -> R_co | CaseFailure:
        """Closes the case; returns the samples of its turns."""


class TurnFailed(Exception):  # noqa: N818 - ends the turns, not the program
    """The process of a side failed; the cases of all others are closed."""

    def __init__(self, side: int, failure: CaseFailure) -> None:
        super().__init__()
        self.side = side
        self.failure = failure


def take_turns(takers: Sequence[TurnTaker[R]], draw: random.Random, plan: Plan, samples: type[R]) -> list[R]:
    """The samples of each side. Raises TurnFailed.

    The order within each round is random (randomised blocks: Fisher, "The design of experiments", 1935).
    """
    sides = range(len(takers))
    try:
        opened = {side: _expected(side, takers[side].open(), Opened) for side in draw.sample(sides, len(sides))}
        for turns in plan([opened[side].iteration_seconds for side in sides]):
            for side in draw.sample(sides, len(sides)):
                _expected(side, takers[side].take(turns[side]), Turned)
        return [_expected(side, takers[side].close(), samples) for side in sides]
    except TurnFailed as failed:
        for side in sides:
            if side != failed.side:
                takers[side].close()
        raise


def _expected(side: int, answer: object, kind: type[T]) -> T:
    if isinstance(answer, kind):
        return answer
    invalid = CaseFailure(Status.CRASHED, INVALID_ANSWER)
    raise TurnFailed(side, answer if isinstance(answer, CaseFailure) else invalid)
