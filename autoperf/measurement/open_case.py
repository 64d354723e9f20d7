"""Keeps one case open in a process over many turns, which alternate in random order with those of others."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, islice
from statistics import fmean
from typing import Protocol, TypeAlias, TypeVar

import msgspec

from autoperf.backends.protocol import Profiler
from autoperf.core.outcome import Status
from autoperf.measurement.attribution import Attributed, Boundaries, attribute, kernel_name, spans_us
from autoperf.measurement.messages import CaseFailure, Conditions, Opened, PassSamples, Turn, Turned
from autoperf.measurement.runner import Counts, EventCounter, Runner
from autoperf.measurement.sampling import (
    ConditionsMonitor,
    ConditionsReading,
    SideTimer,
    combined,
    one_loop,
    retaken_of,
    undisturbed,
    wall_samples,
    with_counts,
    with_kernels,
    with_warm_up,
)
from autoperf.measurement.stopping_rules import SettledState, WarmUpRule
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


# The maximum length of a turn as a multiple of its samples, so that both sides see the machine in the same state.
RETAKE_SHARE = 4.0


class OpenCase:
    """A prepared call from its warm-up to its last turn, with the samples of each turn by every clock.

    The trace is read at the end, so that a turn takes little longer than its samples.
    """

    def __init__(
        self,
        runner: Runner,
        recorder: Profiler | None,
        warmup: WarmUpRule,
        counter: EventCounter | None = None,
        beside: SideTimer | None = None,
    ) -> None:
        """Warms the call up; `iteration_seconds` has the seconds of an iteration."""
        self.call = runner.call
        self._runner = runner
        self._recorder = recorder
        self._counter = counter
        self._beside = beside
        self._wall: list[list[Boundaries]] = []
        self._traced: list[list[Boundaries]] = []
        self._counts: list[list[Counts]] = []
        self._windows: list[ConditionsReading] = []
        self._monitor = ConditionsMonitor()
        # Without a warm-up, one uncounted iteration gives the time.
        warm = self._runner.warm_up(warmup) or [self._runner.run_once(time.perf_counter_ns)]
        self.iteration_seconds = min(call.seconds for call in warm)
        self._is_one_loop = recorder is not None and beside is None and one_loop(runner, self.iteration_seconds)

    def turn(self, turn: Turn) -> None:
        """Takes the samples of a turn by each clock."""
        self._monitor.restart()
        end = time.monotonic() + RETAKE_SHARE * turn.count * self.iteration_seconds
        if not self._is_one_loop:
            self._wall.append(wall_block(self._runner, turn.count, end, discard_first=turn.discard_first))
        if self._beside:
            self._beside.take(turn.count, end, discard_first=turn.discard_first)
        if self._recorder:
            self._traced.append(traced_block(self._runner, turn.count, end, discard_first=turn.discard_first))
            self._wall += self._traced[-1:] if self._is_one_loop else []
        if self._counter:
            self._counts.append(self._runner.counted(self._counter, turn.count, discard_first=turn.discard_first))
        self._windows.append(self._monitor.window())

    def samples(self) -> tuple[PassSamples, PassSamples | None, Conditions]:
        """The samples of the forward and the backward pass, and the conditions during the turns."""
        passes = self._beside.added(self._times()) if self._beside else self._times()
        calls = [call for turn in (*self._wall, *self._traced) for call in turn]
        forward, backward = with_warm_up(*passes, self._runner, calls)
        if self._counter:
            forward, backward = with_counts(forward, backward, self._counts, self._counter.names)
        return forward, backward, combined(self._windows)

    def _times(self) -> tuple[PassSamples, PassSamples | None]:
        wall = [_counted(turn) for turn in self._wall]
        calls = [call for turn in wall for call in turn]
        turns = self._traced if self._is_one_loop else [*self._wall, *self._traced]
        retaken = retaken_of([call for turn in turns for call in turn])
        forward = self._with_turns(wall_samples(calls, retaken), wall)
        backward = None
        if self.call.gradients:
            backward = self._with_turns(wall_samples(calls, retaken, backward=True), wall)
        if self._recorder is None:
            return forward, backward
        traced = [call for turn in self._traced for call in turn]
        trace = self._recorder.kernels() if traced else []
        first, second, notes = attribute(trace, traced, kernel_name(self.call.case), self._recorder.roles)
        return (
            self._with_kernels(forward, first, notes),
            self._with_kernels(backward, second, backward=True) if backward else None,
        )

    def _with_turns(self, samples: PassSamples, turns: Sequence[Sequence[Boundaries]]) -> PassSamples:
        return msgspec.structs.replace(samples, turns=tuple(map(len, turns)))

    def _with_kernels(
        self, wall: PassSamples, traced: Attributed, notes: tuple[str, ...] = (), *, backward: bool = False
    ) -> PassSamples:
        turns = [_counted(turn) for turn in self._traced]
        samples = with_kernels(wall, traced, [call for turn in turns for call in turn], notes, backward=backward)
        return msgspec.structs.replace(samples, kernel_turns=traced_turns([*map(len, turns)], traced.silent))


def wall_block(runner: Runner, count: int, end: float, *, discard_first: bool = False) -> list[Boundaries]:
    """`count` calls by the wall clock; disturbed ones are repeated until `end` (monotonic seconds)."""
    return undisturbed(
        lambda missing: runner.block(time.perf_counter_ns, missing, discard_first=discard_first), count, end
    )


def traced_block(runner: Runner, count: int, end: float, *, discard_first: bool = False) -> list[Boundaries]:
    """As `wall_block`, with the profiler running."""
    return undisturbed(lambda missing: runner.traced(missing, discard_first=discard_first), count, end)


def traced_turns(sizes: Sequence[int], silent: Sequence[int]) -> tuple[int, ...]:
    """The number of calls with a kernel time in each turn; `silent` has the indices over all turns of the others."""
    ends = list(accumulate(sizes))
    return tuple(
        size - sum(end - size <= place < end for place in silent) for size, end in zip(sizes, ends, strict=True)
    )


def _counted(turn: Sequence[Boundaries]) -> list[Boundaries]:
    return [call for call in turn if call.counted]


WARM_UP = SettledState(seconds=0.0, limit=1.0)
NANOSECONDS = 1000.0
"""In a microsecond."""


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

    def means_us(self) -> tuple[float, ...]:
        """The mean microseconds of each turn. Raises EngineError if a call has no kernel in the trace."""
        calls = [call for turn in self._turns for call in turn]
        if self._profiler:
            times = iter(spans_us(self._profiler.kernels(), calls, backward=self._backward))
        else:
            times = (call.passed(backward=self._backward) / NANOSECONDS for call in calls if call.counted)
        return tuple(fmean(islice(times, len(_counted(turn)))) for turn in self._turns)
