"""Times cases on one or two sides, each by a process of its own; cases of both sides are timed in turn."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autoperf.core.case import Case
from autoperf.executor.messages import (
    CaseFailure,
    Opened,
    PairedTimes,
    PairedTiming,
    QuickTimes,
    QuickTiming,
    Turn,
    Turned,
)
from autoperf.executor.quick_timing import MAX_LOOPS, SAMPLE_SECONDS
from autoperf.executor.quick_timing_client import QuickTimingClient
from autoperf.executor.sampling import UNSETTLED_SECONDS
from autoperf.executor.turns import TurnFailed, take_turns


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
        takers = [_PassInTurn(first, request.first, request), _PassInTurn(second, request.second, request)]
        draw = random.Random(request.seed)  # noqa: S311 - an order of measurements, not a secret
        try:
            times = take_turns(takers, draw, lambda seconds: _rounds(seconds, request), QuickTimes)
        except TurnFailed as failed:
            return failed.failure
        return PairedTimes(*(side.backward_us if request.backward else side.forward_us for side in times))

    def renew(self) -> None:
        """Ends the processes, so that the next answers come from fresh ones."""
        for client in self._clients:
            client.renew()


class _PassInTurn(NamedTuple):
    """The process of one side, and the case whose pass it keeps open."""

    client: QuickTimingClient
    case: Case
    request: PairedTiming

    def open(self) -> Opened | CaseFailure:
        return self.client.open_pass(self.case, backward=self.request.backward, seconds=self.request.seconds)

    def take(self, turn: Turn) -> Turned | CaseFailure:
        return self.client.take_turn(turn, self.case, self.request.seconds)

    def close(self) -> QuickTimes | CaseFailure:
        return self.client.close_pass()


def _rounds(iteration_seconds: Sequence[float], request: PairedTiming) -> Iterator[Sequence[Turn]]:
    """The requested rounds that fit in the time, at least one; a turn has as many calls as a sample."""
    deadline = time.monotonic() + request.seconds
    turns = [
        Turn(
            max(1, min(MAX_LOOPS, int(SAMPLE_SECONDS / max(seconds, 1e-9)))), discard_first=seconds < UNSETTLED_SECONDS
        )
        for seconds in iteration_seconds
    ]
    for number in range(max(1, request.rounds)):
        if number and time.monotonic() >= deadline:
            return
        yield turns
