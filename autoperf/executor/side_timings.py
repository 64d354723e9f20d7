"""Times cases on one or two sides, each by a process of its own; cases of both sides are timed in turn."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autoperf.core.case import Case
from autoperf.executor.messages import CaseFailure, Opened, PairedTimes, PairedTiming, QuickTimes, QuickTiming, Turn
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

    def time_case(self, request: QuickTiming, side: int) -> QuickTimes | CaseFailure:
        """The wall times of each pass of a case on a side, or the failure."""
        return self._clients[side].time_case(request)

    def time_pair(self, request: PairedTiming, sides: tuple[int, int]) -> PairedTimes | CaseFailure:
        """The times of the pass of both cases, each on its side, taken alternately, or the failure."""
        first, second = (self._clients[side] for side in sides)
        if first is second:
            return first.time_pair(request)
        pair = _TurnTaker(first, request.first), _TurnTaker(second, request.second)
        try:
            return _in_turn(pair, request)
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


def _in_turn(pair: Sequence[_TurnTaker], request: PairedTiming) -> PairedTimes:
    """The times of as many turns of both as are asked for, at least of one. Raises _TurnLost."""
    order = random.Random(request.seed)  # noqa: S311 - an order of measurements, not a secret
    deadline = time.monotonic() + request.seconds
    turns = [taker.open(backward=request.backward, seconds=request.seconds) for taker in pair]
    for _ in _rounds_until(deadline, request.rounds):
        for number in order.sample((0, 1), 2):
            pair[number].take(turns[number], request.seconds)
    first, second = (taker.close(backward=request.backward) for taker in pair)
    return PairedTimes(first, second)


def _rounds_until(deadline: float, rounds: int) -> Iterator[int]:
    """The number of each round that begins before the deadline, and of the first."""
    for number in range(max(1, rounds)):
        if number and time.monotonic() >= deadline:
            return
        yield number
