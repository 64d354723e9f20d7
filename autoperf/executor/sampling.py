"""Takes the samples of one case in one process: both clocks in turn, block by block, until a rule has enough."""

from __future__ import annotations

import time
from collections.abc import Sequence

from autoperf.executor.attribution import Attributed, Boundaries, attribute
from autoperf.executor.messages import PassSamples
from autoperf.executor.runner import Runner
from autoperf.executor.stopping_rules import FIRST_SAMPLES, ExactCount, Readings, StoppingRule, checkpoints
from autoperf.executor.trace import Kernel, Recorder, kernels

BLOCK = 8
BLOCK_SECONDS = 0.002
# A first call after a change of clocks is a few microseconds slower; beside a call this long, that is nothing.
UNSETTLED_SECONDS = 0.001
TRACE_STEP_US = 1.0
# Two samples are taken before anybody is asked whether that was too long, if an iteration takes less than this.
MAX_UNASKED = 4.0


class Sampler:
    """Both clocks' samples of a case so far; without a recorder there is only the wall clock."""

    def __init__(self, runner: Runner, recorder: Recorder | None, operator: str, *, backward: bool) -> None:
        self._runner = runner
        self._recorder = recorder
        self._operator = operator
        self._backward = backward
        self._wall: list[Boundaries] = []
        self._traced: list[Boundaries] = []
        self._kernels: list[Kernel] = []
        # The samples of kernel time by which a rule is asked, forward and backward.
        self._totals: tuple[list[float], list[float]] = ([], [])
        self.trace_seconds = 0.0

    def sample(self, rule: StoppingRule, iteration_seconds: float, seconds: float) -> None:
        """Samples until the rule has enough; an iteration takes `iteration_seconds`, all may take `seconds`."""
        if isinstance(rule, ExactCount):
            self._read(self._take(rule.count, BLOCK, discard_first=False))
            return
        block = max(1, min(BLOCK, int(BLOCK_SECONDS / max(iteration_seconds, 1e-9))))
        begin = time.monotonic()
        elapsed, taken = 0.0, 0
        for count in checkpoints(self._first(iteration_seconds, seconds)):
            # A step that would end further beyond the time than it begins before it isn't taken.
            step = elapsed * (count / taken - 1) if taken else 0.0
            if taken and rule.enough(self._readings(), elapsed + step / 2):
                return
            traced = self._take(count - taken, block, discard_first=iteration_seconds < UNSETTLED_SECONDS)
            self._note(traced, self._read(traced))
            elapsed, taken = time.monotonic() - begin, count

    def taken(self) -> tuple[PassSamples, PassSamples | None]:
        """Forward and backward."""
        counted = [call for call in self._wall if call.counted]
        forward = tuple((call.forward_end - call.start) / 1000 for call in counted)
        backward = tuple((call.backward_end - call.forward_end) / 1000 for call in counted)
        if self._recorder is None:
            return PassSamples(forward), PassSamples(backward) if self._backward else None
        first, second, notes = attribute(self._kernels, self._traced, self._operator)
        return pass_taken(forward, first, notes), pass_taken(backward, second, ()) if self._backward else None

    def _first(self, iteration_seconds: float, seconds: float) -> int:
        """The first checkpoint: a power of two that takes no more than half of the time, but two if one is little."""
        clocks = 2 if self._recorder else 1
        count = FIRST_SAMPLES
        while count > 1 and count * clocks * iteration_seconds > (seconds / 2 if count > 2 else MAX_UNASKED):
            count //= 2
        return count

    def _take(self, count: int, block: int, *, discard_first: bool) -> list[Boundaries]:
        """More samples of both clocks, in turn; gives the calls that were traced."""
        traced: list[Boundaries] = []
        for at in range(0, count, block):
            size = min(block, count - at)
            self._wall += self._runner.block(time.perf_counter_ns, size, discard_first=discard_first)
            if self._recorder:
                traced += self._runner.traced(size, discard_first=discard_first)
        return traced

    def _read(self, traced: Sequence[Boundaries]) -> list[Kernel]:
        """The kernels of calls that were traced."""
        if self._recorder is None:
            return []
        begin = time.monotonic()
        found = kernels(self._recorder.dump())
        self._traced += traced
        self._kernels += found
        self.trace_seconds += time.monotonic() - begin
        return found

    def _note(self, traced: Sequence[Boundaries], found: Sequence[Kernel]) -> None:
        """Has their times ready for the next question whether there are enough, which who counts samples never asks."""
        begin = time.monotonic()
        forward, backward, _ = attribute(found, traced, self._operator)
        self._totals[0].extend(forward.totals)
        self._totals[1].extend(backward.totals)
        self.trace_seconds += time.monotonic() - begin

    def _readings(self) -> list[Readings]:
        counted = [call for call in self._wall if call.counted]
        found = [Readings([call.forward_end - call.start for call in counted])]
        if self._backward:
            found.append(Readings([call.backward_end - call.forward_end for call in counted]))
        return found + [Readings(totals, TRACE_STEP_US) for totals in self._totals if totals]


def pass_taken(wall: tuple[float, ...], traced: Attributed, notes: tuple[str, ...]) -> PassSamples:
    """One pass: its wall times, and what the trace has of it."""
    return PassSamples(
        wall=wall,
        kernel=traced.totals,
        kernels=traced.kernels,
        helpers=traced.helpers,
        spans=traced.spans,
        notes=(*traced.notes, *notes, *(() if traced.totals else ("no kernel of its own is in the trace",))),
    )
