"""One input in several modes, side by side: layers and composites, imperative, hybridized and with static memory."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from autoperf.analysis.call_times import kernel_times
from autoperf.core.case import Input
from autoperf.core.machine import Throughput
from autoperf.core.modes import IMPERATIVE, LAYERS, MODE_PARAMETERS, STATIC, size_of
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import PASSES, Outcome, Pass, PassName, Status

MIN_MODES = 2


@dataclass(frozen=True)
class ModeTimes:
    """An input and its measured outcomes by mode."""

    modes: Mapping[str, Outcome]

    @property
    def outcome(self) -> Outcome:
        """The outcome that names the operator, its arguments and its arrays, without the mode."""
        first = next(iter(self.modes.values()))
        params = {name: value for name, value in first.params.items() if name not in MODE_PARAMETERS}
        return msgspec.structs.replace(first, params=params, profile=size_of(first.profile))

    def _runs(self, pass_: PassName) -> dict[str, Pass]:
        return {mode: run for mode, outcome in self.modes.items() if (run := outcome.passes.get(pass_))}

    def wall(self, pass_: PassName) -> dict[str, float]:
        """The median wall time of a pass in each measured mode, in microseconds."""
        return {mode: run.wall_us.median for mode, run in self._runs(pass_).items() if run.wall_us}

    def speedup(self, pass_: PassName) -> dict[str, float]:
        """The speedup of each mode over the imperative call; empty if that isn't measured."""
        wall = self.wall(pass_)
        return {mode: wall[IMPERATIVE] / us for mode, us in wall.items() if us} if IMPERATIVE in wall else {}

    def kernels(self, pass_: PassName) -> dict[str, dict[str, float]]:
        """The mean microseconds of each kernel by mode, the engine's kernels too; the longest kernel first."""
        kernels: dict[str, dict[str, float]] = defaultdict(dict)
        for mode, run in self._runs(pass_).items():
            for name, us in kernel_times(run):
                kernels[name][mode] = us
        return dict(sorted(kernels.items(), key=lambda pair: (-max(pair[1].values()), pair[0])))

    def memory(self, pass_: PassName) -> dict[str, float]:
        """The peak of a pass's own allocations in bytes, in each measured mode."""
        memories = {mode: outcome.memory for mode, outcome in self.modes.items()}
        passes = {mode: memory.of_pass(pass_) for mode, memory in memories.items() if memory}
        return {mode: float(amounts.peak) for mode, amounts in passes.items() if amounts}

    def throughput(self, pass_: PassName) -> dict[str, Throughput]:
        """The counted work of a pass over its kernels' time, by mode; empty if no work is counted."""
        return {mode: run.throughput for mode, run in self._runs(pass_).items() if run.throughput}

    def without_kernel(self, pass_: PassName) -> dict[str, float]:
        """The wall time in which no kernel ran, by mode: Python, dispatch, the queue; empty without the profiler."""
        kernels = self.kernels(pass_).values()
        totals = {mode: math.fsum(times.get(mode, 0.0) for times in kernels) for mode in self.modes}
        return {mode: us - totals[mode] for mode, us in self.wall(pass_).items() if totals[mode]}


@dataclass(frozen=True)
class CompositeTime:
    """One pass of a composite over one input, in each mode."""

    times: ModeTimes
    pass_: PassName

    @property
    def name(self) -> str:
        """The name of the composite."""
        return self.times.outcome.operator

    @property
    def profile(self) -> str:
        """The profile of its size."""
        return self.times.outcome.profile

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Its tensors."""
        return self.times.outcome.inputs

    @property
    def operators(self) -> int:
        """The number of operators that its graph calls."""
        return sum(len(graph.nodes) for graph in self.times.outcome.graphs.values())

    def wall_us(self, mode: str) -> float | None:
        """The wall time in a mode; None if not measured."""
        return self.times.wall(self.pass_).get(mode)

    @property
    def dispatch_us(self) -> float | None:
        """The time of the imperative calls in which no kernel ran."""
        outcome = self.times.modes.get(IMPERATIVE)
        run = outcome.passes.get(self.pass_) if outcome else None
        return run.dispatch_us if run and run.wall_us else None

    @property
    def dispatch_each_us(self) -> float | None:
        """The dispatch of an operator in the mean; None for a backward pass, whose operators aren't counted."""
        if self.dispatch_us is None or self.pass_ != PASSES[0]:
            return None
        return self.dispatch_us / self.operators

    @property
    def saved_us(self) -> float | None:
        """The time that the static graph saves over the imperative calls; negative if it takes more."""
        imperative, static = self.wall_us(IMPERATIVE), self.wall_us(STATIC)
        return None if imperative is None or static is None else imperative - static

    @property
    def saved_share(self) -> float | None:
        """The time that the static graph saves, as a share of the imperative time."""
        imperative, saved = self.wall_us(IMPERATIVE), self.saved_us
        return None if not imperative or saved is None else saved / imperative


def input_modes(outcomes: Iterable[Outcome]) -> list[ModeTimes]:
    """The layers and composites of a run that were measured in several modes, in the order of their first outcome."""
    measured = (outcome for outcome in outcomes if outcome.category in (LAYERS, COMPOSITE_NAMESPACE))
    return [times for times in _mode_times(measured) if len(times.modes) >= MIN_MODES]


def composite_times(outcomes: Iterable[Outcome]) -> list[CompositeTime]:
    """The passes of the composites of a run, in the order of their first outcome."""
    times = _mode_times(outcome for outcome in outcomes if outcome.category == COMPOSITE_NAMESPACE)
    return [CompositeTime(each, pass_) for each in times for pass_ in PASSES if each.wall(pass_)]


def _mode_times(outcomes: Iterable[Outcome]) -> list[ModeTimes]:
    """The inputs of measured outcomes that state a mode, in the order of their first outcome."""
    groups: dict[bytes, dict[str, Outcome]] = defaultdict(dict)
    for outcome in outcomes:
        if outcome.mode and outcome.status is Status.MEASURED:
            groups[_subject(outcome)][outcome.mode] = outcome
    return [ModeTimes(modes) for modes in groups.values()]


def _subject(outcome: Outcome) -> bytes:
    """The parts that all modes of an input share: its operator, its arguments and its arrays."""
    params = {name: value for name, value in outcome.params.items() if name not in MODE_PARAMETERS}
    size = size_of(outcome.profile) if outcome.category == COMPOSITE_NAMESPACE else ""
    return msgspec.json.encode((outcome.operator, size, outcome.inputs, params))
