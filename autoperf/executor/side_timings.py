"""Times cases on one or two sides, each by a process of its own; cases of both sides are timed in turn."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.executor.messages import CaseFailure, Opened, PairedTimes, QuickTimes, Turn
from autoperf.executor.quick_timing import MAX_LOOPS, SAMPLE_SECONDS
from autoperf.executor.quick_timing_client import QuickTimingClient
from autoperf.executor.sampling import UNSETTLED_SECONDS


class SideTimings:
    """The quick timings of a hunt's sides, by their numbers.

    Two cases of one side are timed alternately by its process. Those of two sides are kept open by both processes,
    which alternate in turns as those of an interleaved comparison do.
    """

    def __init__(self, clients: Sequence[QuickTimingClient]) -> None:
        self._clients = tuple(clients)

    def probe(self, case: Case, *, side: int, backward: bool, count: int, seconds: float) -> QuickTimes | CaseFailure:
        """Up to `count` wall times of each pass on a side within about `seconds` seconds, or the failure."""
        return self._clients[side].probe(case, backward=backward, count=count, seconds=seconds)

    def duel(
        self,
        first: Case,
        second: Case,
        pass_: PassName,
        *,
        sides: tuple[int, int],
        rounds: int,
        seconds: float,
        seed: int = 0,
    ) -> PairedTimes | CaseFailure:
        """Times of one pass of both cases, each on its side, taken alternately, or the failure."""
        if sides[0] == sides[1]:
            return self._clients[sides[0]].duel(first, second, pass_, rounds=rounds, seconds=seconds, seed=seed)
        pair = tuple(_TurnTaker(self._clients[side], case) for side, case in zip(sides, (first, second), strict=True))
        try:
            order = random.Random(seed)  # noqa: S311 - an order of measurements, not a secret
            return _in_turn(pair, pass_ == "backward", rounds, seconds, order)  # noqa: S105 - a pass of an operator
        except _TurnLost as lost:
            for taker in pair:
                taker.client.close_pass()
            return lost.failure

    def renew(self) -> None:
        """Ends the processes, so that the next answers come from fresh ones."""
        for client in self._clients:
            client.renew()


class _TurnTaker(NamedTuple):
    """The process of one side, and the case that it keeps open."""

    client: QuickTimingClient
    case: Case

    def open(self, *, backward: bool, seconds: float) -> Turn:
        """Opens the case; returns its turn: as many calls as a sample has. Raises _TurnLost."""
        answer = self.client.open_pass(self.case, backward=backward, seconds=seconds)
        if not isinstance(answer, Opened):
            raise _TurnLost(answer)
        loops = int(SAMPLE_SECONDS / max(answer.iteration_seconds, 1e-9))
        is_short = answer.iteration_seconds < UNSETTLED_SECONDS
        return Turn(max(1, min(MAX_LOOPS, loops)), discard_first=is_short)

    def take(self, turn: Turn, seconds: float) -> None:
        """Takes a turn. Raises _TurnLost."""
        failure = self.client.take_turn(turn, self.case, seconds)
        if failure:
            raise _TurnLost(failure)

    def close(self, *, backward: bool) -> tuple[float, ...]:
        """Closes the case; returns the mean microseconds of its turns. Raises _TurnLost."""
        answer = self.client.close_pass()
        if not isinstance(answer, QuickTimes):
            raise _TurnLost(answer)
        return answer.backward_us if backward else answer.forward_us


class _TurnLost(Exception):  # noqa: N818 - ends a pair's turns, not the program
    """A process failed or was lost."""

    def __init__(self, failure: CaseFailure) -> None:
        super().__init__()
        self.failure = failure


def _in_turn(
    pair: Sequence[_TurnTaker], backward: bool, rounds: int, seconds: float, order: random.Random
) -> PairedTimes:
    """The times of up to `rounds` turns of both within about `seconds` seconds, at least one. Raises _TurnLost."""
    deadline = time.monotonic() + seconds
    turns = [taker.open(backward=backward, seconds=seconds) for taker in pair]
    for _ in _rounds_until(deadline, rounds):
        for number in order.sample((0, 1), 2):
            pair[number].take(turns[number], seconds)
    first, second = (taker.close(backward=backward) for taker in pair)
    return PairedTimes(first, second)


def _rounds_until(deadline: float, rounds: int) -> Iterator[int]:
    """The number of each round that begins before the deadline, and of the first."""
    for number in range(max(1, rounds)):
        if number and time.monotonic() >= deadline:
            return
        yield number
