"""Takes the samples of one case in one process: alternating blocks of both clocks, until a rule stops them."""

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
# The first call after a change of clocks is a few microseconds slower, which is negligible for longer calls.
UNSETTLED_SECONDS = 0.001
TRACE_STEP_US = 1.0
# Two samples are taken before the rule is asked for the first time, if an iteration takes less than this.
MAX_UNCHECKED_SECONDS = 4.0


class Sampler:
    """The samples of a case by both clocks; without a recorder, by the wall clock only."""

    def __init__(self, runner: Runner, recorder: Recorder | None, operator: str, *, backward: bool) -> None:
        self._runner = runner
        self._recorder = recorder
        self._operator = operator
        self._backward = backward
        self._wall: list[Boundaries] = []
        self._traced: list[Boundaries] = []
        self._kernels: list[Kernel] = []
        # Kernel times of the forward and the backward pass, for the rule.
        self._totals: tuple[list[float], list[float]] = ([], [])
        self.trace_seconds = 0.0

    def sample(self, rule: StoppingRule, iteration_seconds: float, seconds: float) -> None:
        """Samples until the rule stops; an iteration takes `iteration_seconds`, all samples about `seconds`."""
        if isinstance(rule, ExactCount):
            self._read(self._take(rule.count, BLOCK, discard_first=False))
            return
        block = max(1, min(BLOCK, int(BLOCK_SECONDS / max(iteration_seconds, 1e-9))))
        begin = time.monotonic()
        elapsed, sampled = 0.0, 0
        for count in checkpoints(self._first_checkpoint(iteration_seconds, seconds)):
            # A step is skipped if it would end further after the limit than it starts before it.
            step = elapsed * (count / sampled - 1) if sampled else 0.0
            if sampled and rule.enough(self._readings(), elapsed + step / 2):
                return
            traced = self._take(count - sampled, block, discard_first=iteration_seconds < UNSETTLED_SECONDS)
            self._add_totals(traced, self._read(traced))
            elapsed, sampled = time.monotonic() - begin, count

    def samples(self) -> tuple[PassSamples, PassSamples | None]:
        """The samples of the forward and the backward pass."""
        counted = [call for call in self._wall if call.counted]
        forward = tuple((call.forward_end - call.start) / 1000 for call in counted)
        backward = tuple((call.backward_end - call.forward_end) / 1000 for call in counted)
        if self._recorder is None:
            return PassSamples(forward), PassSamples(backward) if self._backward else None
        first, second, notes = attribute(self._kernels, self._traced, self._operator)
        return pass_samples(forward, first, notes), pass_samples(backward, second, ()) if self._backward else None

    def _first_checkpoint(self, iteration_seconds: float, seconds: float) -> int:
        """The first checkpoint: a power of two in at most half of the time, but two samples if these are short."""
        clocks = 2 if self._recorder else 1
        count = FIRST_SAMPLES
        while count > 1 and count * clocks * iteration_seconds > (seconds / 2 if count > 2 else MAX_UNCHECKED_SECONDS):
            count //= 2
        return count

    def _take(self, count: int, block: int, *, discard_first: bool) -> list[Boundaries]:
        """Takes samples by both clocks in alternating blocks; returns the traced calls."""
        traced: list[Boundaries] = []
        for at in range(0, count, block):
            size = min(block, count - at)
            self._wall += self._runner.block(time.perf_counter_ns, size, discard_first=discard_first)
            if self._recorder:
                traced += self._runner.traced(size, discard_first=discard_first)
        return traced

    def _read(self, traced: Sequence[Boundaries]) -> list[Kernel]:
        """The kernels of traced calls."""
        if self._recorder is None:
            return []
        begin = time.monotonic()
        trace = kernels(self._recorder.dump())
        self._traced += traced
        self._kernels += trace
        self.trace_seconds += time.monotonic() - begin
        return trace

    def _add_totals(self, traced: Sequence[Boundaries], trace: Sequence[Kernel]) -> None:
        """Adds kernel times for the stopping rule; not needed for an exact count."""
        begin = time.monotonic()
        forward, backward, _ = attribute(trace, traced, self._operator)
        self._totals[0].extend(forward.totals)
        self._totals[1].extend(backward.totals)
        self.trace_seconds += time.monotonic() - begin

    def _readings(self) -> list[Readings]:
        counted = [call for call in self._wall if call.counted]
        readings = [Readings([call.forward_end - call.start for call in counted])]
        if self._backward:
            readings.append(Readings([call.backward_end - call.forward_end for call in counted]))
        return readings + [Readings(totals, TRACE_STEP_US) for totals in self._totals if totals]


def pass_samples(wall: tuple[float, ...], traced: Attributed, notes: tuple[str, ...]) -> PassSamples:
    """The samples of one pass: its wall times, and its kernels in the trace."""
    return PassSamples(
        wall=wall,
        kernel=traced.totals,
        kernels=traced.kernels,
        helpers=traced.helpers,
        spans=traced.spans,
        notes=(*traced.notes, *notes, *(() if traced.totals else ("no kernel of its own is in the trace",))),
    )
