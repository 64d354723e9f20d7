"""Keeps one case open in a process over many turns, which alternate in random order with those of others."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from statistics import fmean
from typing import Protocol, TypeAlias, TypeVar

from autoperf.backends.protocol import Profiler
from autoperf.core.outcome import Status
from autoperf.measurement.attribution import Boundaries, spans_us
from autoperf.measurement.case_calls import CaseCalls, counted, joined, traced_block, wall_block
from autoperf.measurement.messages import CaseFailure, Conditions, Opened, PassSamples, QuickTimes, Turn, Turned
from autoperf.measurement.runner import Runner
from autoperf.measurement.sampling import ConditionsMonitor
from autoperf.measurement.stopping_rules import SettledState
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
        self.side, self.failure = side, failure


def take_turns(takers: Sequence[TurnTaker[R]], draw: random.Random, plan: Plan, samples: type[R]) -> list[R]:
    """Each side's samples, in randomised blocks (Fisher, "The design of experiments", 1935). Raises TurnFailed."""
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
    raise TurnFailed(side, answer if isinstance(answer, CaseFailure) else CaseFailure(Status.CRASHED, INVALID_ANSWER))


# The maximum length of a turn as a multiple of its samples, so that both sides see the machine in the same state.
RETAKE_SHARE = 4.0


class OpenCase:
    """A case over all turns, with the samples of each by every clock; the trace is read last, so turns are short."""

    def __init__(self, calls: CaseCalls, warmup: SettledState | int) -> None:
        """Warms the call up; `iteration_seconds` has the seconds of an iteration."""
        self.call = calls.runner.call
        self._calls = calls
        self._monitor = ConditionsMonitor()
        # Without a warm-up, one uncounted iteration gives the time.
        warm = calls.runner.warm_up(warmup) or [calls.runner.run_once(time.perf_counter_ns)]
        self.iteration_seconds = min(call.seconds for call in warm)
        calls.choose_loop(self.iteration_seconds)

    def turn(self, turn: Turn) -> None:
        """Takes the samples of a turn by each clock."""
        calls = self._calls
        self._monitor.restart()
        end = time.monotonic() + RETAKE_SHARE * turn.count * self.iteration_seconds
        if not calls.is_one_loop:
            calls.take(turn.count, end, discard_first=turn.discard_first)
        if calls.recorder:
            calls.take_traced(turn.count, end, discard_first=turn.discard_first)
        calls.count(turn.count, discard_first=turn.discard_first)
        self._monitor.pause()

    def samples(self) -> tuple[PassSamples, PassSamples | None, Conditions]:
        """The samples of the forward and the backward pass, and the conditions during the turns."""
        calls = self._calls
        kernels = calls.recorder.kernels() if calls.recorder and calls.traced else []
        return *calls.samples(kernels), self._monitor.conditions


WARM_UP = SettledState(seconds=0.0, limit=1.0)


class PassTurns:
    """A prepared call from its warm-up to its last turn, timed by the wall clock or by the kernels of a profiler."""

    def __init__(self, runner: Runner, profiler: Profiler | None, *, backward: bool) -> None:
        """Warms the call up; `iteration_seconds` has the seconds of an iteration."""
        self._runner, self._profiler, self._backward = runner, profiler, backward
        self._turns: list[list[Boundaries]] = []
        self.iteration_seconds = runner.warm_up(WARM_UP)[-1].seconds

    def turn(self, turn: Turn) -> None:
        """Takes the samples of a turn; disturbed ones are repeated."""
        end = time.monotonic() + RETAKE_SHARE * turn.count * self.iteration_seconds
        block = traced_block if self._profiler else wall_block
        self._turns.append(block(self._runner, turn.count, end, discard_first=turn.discard_first))

    def times(self) -> QuickTimes:
        """The mean of each turn. Raises EngineError if a call has no kernel in the trace."""
        calls, samples = joined(self._turns), counted(self._turns)
        if self._profiler:
            times = iter(spans_us(self._profiler.kernels(), calls, backward=self._backward))
        else:
            times = (call.us(backward=self._backward) for call in joined(samples))
        means = tuple(fmean(islice(times, len(turn))) for turn in samples)
        return QuickTimes((), means) if self._backward else QuickTimes(means)
