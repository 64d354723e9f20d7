"""One input in several modes, side by side: layers and composites, imperative, hybridized and with static memory.

A composite that other frameworks ran too has a mode for each of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from autoperf.core.clocks import PYTHON, WALL, Clock
from autoperf.core.machine import Throughput
from autoperf.core.modes import IMPERATIVE, LAYERS, MODE_PARAMETERS, size_of
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import Outcome, Pass, PassName, Status
from autoperf.networks.times import kernel_times

MIN_MODES = 2


@dataclass(frozen=True)
class ModeTimes:
    """An input and its measured outcomes by mode; `clock` times whole calls in all modes.

    `of_frameworks`: some modes are those of other frameworks, whose kernels have other names.
    """

    modes: Mapping[str, Outcome]
    clock: Clock = WALL
    of_frameworks: bool = False

    @property
    def outcome(self) -> Outcome:
        """The outcome that names the operator, its arguments and its arrays, without the mode."""
        first = next(iter(self.modes.values()))
        params = {name: value for name, value in first.params.items() if name not in MODE_PARAMETERS}
        return msgspec.structs.replace(first, params=params, profile=size_of(first.profile))

    @property
    def operators(self) -> int:
        """The number of operators that a composite's graph calls."""
        return sum(len(graph.nodes) for graph in self.outcome.graphs.values())

    def _runs(self, pass_: PassName) -> dict[str, Pass]:
        return {mode: run for mode, outcome in self.modes.items() if (run := outcome.passes.get(pass_))}

    def wall(self, pass_: PassName) -> dict[str, float]:
        """The median time of whole calls of a pass in each measured mode, in microseconds."""
        runs = self._runs(pass_).items()
        return {mode: series.median for mode, run in runs if (series := run.series(self.clock))}

    def speedup(self, pass_: PassName) -> dict[str, float]:
        """The speedup of each mode over the imperative call; empty if that isn't measured."""
        wall, base = self.wall(pass_), self.base
        return {mode: wall[base] / us for mode, us in wall.items() if us} if base in wall else {}

    @property
    def base(self) -> str:
        """The mode that others are compared with: imperative, or the first framework's only one."""
        return next(iter(self.modes)) if self.of_frameworks and IMPERATIVE not in self.modes else IMPERATIVE

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


def input_modes(outcomes: Iterable[Outcome]) -> list[ModeTimes]:
    """The layers and composites of a run that were measured in several modes, in the order of their first outcome."""
    measured = (outcome for outcome in outcomes if outcome.category in (LAYERS, COMPOSITE_NAMESPACE))
    return [ModeTimes(modes) for modes in _by_mode(measured).values() if len(modes) >= MIN_MODES]


def side_modes(sides: Sequence[tuple[str, Iterable[Outcome]]]) -> list[ModeTimes]:
    """The composites that several frameworks measured: by mode, and by the label of a side that has one mode alone.

    Empty if several sides have modes, as several releases of MXNet.
    """
    by_side = [(label, _by_mode(each for each in outcomes if _is_composite(each))) for label, outcomes in sides]
    if sum(any(len(modes) > 1 for modes in inputs.values()) for _, inputs in by_side) > 1:
        return []
    groups: dict[bytes, dict[str, Outcome]] = defaultdict(dict)
    for label, inputs in by_side:
        for subject, modes in inputs.items():
            groups[subject] |= modes if len(modes) > 1 else dict.fromkeys([label], next(iter(modes.values())))
    return [
        ModeTimes(modes, _common_clock(modes), of_frameworks=True)
        for modes in groups.values()
        if len(modes) >= MIN_MODES
    ]


def _is_composite(outcome: Outcome) -> bool:
    return outcome.category == COMPOSITE_NAMESPACE


def _common_clock(modes: Mapping[str, Outcome]) -> Clock:
    """The clock of whole calls that all modes have: from Python, or else the wall clock, which isn't alike."""
    runs = [run for outcome in modes.values() for run in outcome.passes.values()]
    return PYTHON if all(run.series(PYTHON) for run in runs) else WALL


def _by_mode(outcomes: Iterable[Outcome]) -> dict[bytes, dict[str, Outcome]]:
    """The measured outcomes of each input by mode, in the order of their first outcome."""
    groups: dict[bytes, dict[str, Outcome]] = defaultdict(dict)
    for outcome in outcomes:
        if outcome.mode and outcome.status is Status.MEASURED:
            groups[_subject(outcome)][outcome.mode] = outcome
    return groups


def _subject(outcome: Outcome) -> bytes:
    """The parts that all modes of an input share: its operator, its arguments and its arrays."""
    params = {name: value for name, value in outcome.params.items() if name not in MODE_PARAMETERS}
    size = size_of(outcome.profile) if outcome.category == COMPOSITE_NAMESPACE else ""
    return msgspec.json.encode((outcome.operator, size, outcome.inputs, params))
