"""Keeps one case ready in a process over many turns, between which another process takes its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import accumulate

import msgspec

from autoperf.executor.affinity import pinned_to_one
from autoperf.executor.attribution import Attributed, Boundaries, attribute
from autoperf.executor.call import Call
from autoperf.executor.conditions import ConditionsMonitor, ConditionsReading, together
from autoperf.executor.messages import Conditions, PassSamples, Turn
from autoperf.executor.runner import Runner, undisturbed
from autoperf.executor.sampling import pass_taken
from autoperf.executor.stopping_rules import StoppingRule
from autoperf.executor.trace import Recorder, kernels


class OpenCase:
    """A prepared call from its warm-up to its last turn, with what each turn took by both clocks.

    The trace is read at the end, so that a turn costs little more than its samples.
    """

    def __init__(self, call: Call, recorder: Recorder | None, warmup: StoppingRule) -> None:
        """Warms the call up; `iteration_seconds` is the seconds that an iteration takes."""
        self.call = call
        self._runner = Runner(call)
        self._recorder = recorder
        self._wall: list[list[Boundaries]] = []
        self._traced: list[list[Boundaries]] = []
        self._windows: list[ConditionsReading] = []
        # Without a warm-up, one iteration that is no sample has to tell.
        warm = self._runner.repeat(time.perf_counter_ns, warmup) or [self._runner.once(time.perf_counter_ns)]
        self.iteration_seconds = min(one.backward_end - one.start for one in warm) / 1e9

    def turn(self, turn: Turn) -> None:
        """So many samples by each clock."""
        if turn.place is not None:
            with undisturbed(), pinned_to_one(turn.place):
                self._runner.once(time.perf_counter_ns)
        watch = ConditionsMonitor()
        self._wall.append(self._runner.block(time.perf_counter_ns, turn.count, discard_first=turn.discard_first))
        if self._recorder:
            self._traced.append(self._runner.traced(turn.count, discard_first=turn.discard_first))
        self._windows.append(watch.window())

    def taken(self) -> tuple[PassSamples, PassSamples | None, Conditions]:
        """Forward and backward, and what else went on during the turns."""
        backward = bool(self.call.gradients)
        conditions = together(self._windows)
        counted = [_counted(turn) for turn in self._wall]
        turns = tuple(map(len, counted))
        first = tuple((one.forward_end - one.start) / 1000 for turn in counted for one in turn)
        second = tuple((one.backward_end - one.forward_end) / 1000 for turn in counted for one in turn)
        if self._recorder is None:
            return PassSamples(first, turns=turns), PassSamples(second, turns=turns) if backward else None, conditions
        calls = [one for turn in self._traced for one in turn]
        found = kernels(self._recorder.dump()) if calls else []
        forward, gradient, notes = attribute(found, calls, self.call.case.operator)
        return (
            self._pass(first, turns, forward, notes),
            self._pass(second, turns, gradient, ()) if backward else None,
            conditions,
        )

    def _pass(
        self, wall: tuple[float, ...], turns: tuple[int, ...], traced: Attributed, notes: tuple[str, ...]
    ) -> PassSamples:
        sizes = [len(_counted(turn)) for turn in self._traced]
        return msgspec.structs.replace(
            pass_taken(wall, traced, notes), turns=turns, kernel_turns=with_kernels(sizes, traced.silent)
        )


def with_kernels(sizes: Sequence[int], silent: Sequence[int]) -> tuple[int, ...]:
    """How many calls of each turn have a kernel time, if these calls (counted over all turns) have none."""
    ends = list(accumulate(sizes))
    return tuple(
        size - sum(end - size <= place < end for place in silent) for size, end in zip(sizes, ends, strict=True)
    )


def _counted(turn: Sequence[Boundaries]) -> list[Boundaries]:
    return [one for one in turn if one.counted]
