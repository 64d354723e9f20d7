"""Keeps one case open in a process over many turns, which alternate with those of another process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import accumulate

import msgspec

from autoperf.executor.affinity import pinned_to_one
from autoperf.executor.attribution import Attributed, Boundaries, attribute
from autoperf.executor.call import Call
from autoperf.executor.conditions import ConditionsMonitor, ConditionsReading, combined
from autoperf.executor.messages import Conditions, PassSamples, Turn
from autoperf.executor.runner import Runner, gc_paused
from autoperf.executor.sampling import pass_samples
from autoperf.executor.stopping_rules import StoppingRule
from autoperf.executor.trace import Recorder, kernels


class OpenCase:
    """A prepared call from its warm-up to its last turn, with the samples of each turn by both clocks.

    The trace is read at the end, so that a turn takes little longer than its samples.
    """

    def __init__(self, call: Call, recorder: Recorder | None, warmup: StoppingRule) -> None:
        """Warms the call up; `iteration_seconds` has the seconds of an iteration."""
        self.call = call
        self._runner = Runner(call)
        self._recorder = recorder
        self._wall: list[list[Boundaries]] = []
        self._traced: list[list[Boundaries]] = []
        self._windows: list[ConditionsReading] = []
        # Without a warm-up, one uncounted iteration gives the time.
        warm = self._runner.repeat(time.perf_counter_ns, warmup) or [self._runner.run_once(time.perf_counter_ns)]
        self.iteration_seconds = min(iteration.backward_end - iteration.start for iteration in warm) / 1e9

    def turn(self, turn: Turn) -> None:
        """Takes the samples of a turn by each clock."""
        if turn.place is not None:
            with gc_paused(), pinned_to_one(turn.place):
                self._runner.run_once(time.perf_counter_ns)
        monitor = ConditionsMonitor()
        self._wall.append(self._runner.block(time.perf_counter_ns, turn.count, discard_first=turn.discard_first))
        if self._recorder:
            self._traced.append(self._runner.traced(turn.count, discard_first=turn.discard_first))
        self._windows.append(monitor.window())

    def samples(self) -> tuple[PassSamples, PassSamples | None, Conditions]:
        """The samples of the forward and the backward pass, and the conditions during the turns."""
        backward = bool(self.call.gradients)
        conditions = combined(self._windows)
        counted = [_counted(turn) for turn in self._wall]
        turns = tuple(map(len, counted))
        forward_us = tuple((call.forward_end - call.start) / 1000 for turn in counted for call in turn)
        backward_us = tuple((call.backward_end - call.forward_end) / 1000 for turn in counted for call in turn)
        if self._recorder is None:
            return (
                PassSamples(forward_us, turns=turns),
                PassSamples(backward_us, turns=turns) if backward else None,
                conditions,
            )
        calls = [call for turn in self._traced for call in turn]
        trace = kernels(self._recorder.dump()) if calls else []
        forward, gradient, notes = attribute(trace, calls, self.call.case.operator)
        return (
            self._pass(forward_us, turns, forward, notes),
            self._pass(backward_us, turns, gradient, ()) if backward else None,
            conditions,
        )

    def _pass(
        self, wall: tuple[float, ...], turns: tuple[int, ...], traced: Attributed, notes: tuple[str, ...]
    ) -> PassSamples:
        sizes = [len(_counted(turn)) for turn in self._traced]
        return msgspec.structs.replace(
            pass_samples(wall, traced, notes), turns=turns, kernel_turns=traced_turns(sizes, traced.silent)
        )


def traced_turns(sizes: Sequence[int], silent: Sequence[int]) -> tuple[int, ...]:
    """The number of calls with a kernel time in each turn; `silent` has the indices over all turns of the others."""
    ends = list(accumulate(sizes))
    return tuple(
        size - sum(end - size <= place < end for place in silent) for size, end in zip(sizes, ends, strict=True)
    )


def _counted(turn: Sequence[Boundaries]) -> list[Boundaries]:
    return [call for call in turn if call.counted]
