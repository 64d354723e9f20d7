"""Layers of Gluon in the ways in which they run, side by side, with the kernels that each spends its time in."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from autoperf.analysis.network_times import kernel_times
from autoperf.core.layers import CATEGORY, HYBRIDIZE, IMPERATIVE, WAYS
from autoperf.core.outcome import Outcome, PassName, Status
from autoperf.core.throughput import Throughput

_WAY_OF = {value: way for way, value in WAYS.items()}
MIN_WAYS = 2


@dataclass(frozen=True)
class LayerTimes:
    """A layer with certain arguments and arrays, and its measured outcomes by the way in which it ran."""

    ways: Mapping[str, Outcome]

    @property
    def outcome(self) -> Outcome:
        """The outcome that names the layer, its arguments and its arrays, without the way."""
        first = next(iter(self.ways.values()))
        params = {name: value for name, value in first.params.items() if name != HYBRIDIZE}
        return msgspec.structs.replace(first, params=params)

    def wall(self, pass_: PassName) -> dict[str, float]:
        """The median wall time of a pass by way, in microseconds; without ways that have no figure."""
        runs = {way: outcome.passes.get(pass_) for way, outcome in self.ways.items()}
        return {way: run.wall_us.median for way, run in runs.items() if run and run.wall_us}

    def speedup(self, pass_: PassName) -> dict[str, float]:
        """How many times as fast as the imperative layer each way is; nothing where that has no figure."""
        wall = self.wall(pass_)
        return {way: wall[IMPERATIVE] / us for way, us in wall.items() if us} if IMPERATIVE in wall else {}

    def kernels(self, pass_: PassName) -> dict[str, dict[str, float]]:
        """The mean microseconds of each kernel by way, the engine's kernels too; the longest kernel first."""
        kernels: dict[str, dict[str, float]] = defaultdict(dict)
        for way, outcome in self.ways.items():
            run = outcome.passes.get(pass_)
            for name, us in kernel_times(run) if run else ():
                kernels[name][way] = us
        return dict(sorted(kernels.items(), key=lambda pair: (-max(pair[1].values()), pair[0])))

    def memory(self, pass_: PassName) -> dict[str, float]:
        """The peak of a pass's own allocations in bytes, by way; without ways that have no figure."""
        memories = {way: outcome.memory for way, outcome in self.ways.items()}
        passes = {way: memory.of_pass(pass_) for way, memory in memories.items() if memory}
        return {way: float(amounts.peak) for way, amounts in passes.items() if amounts}

    def throughput(self, pass_: PassName) -> dict[str, Throughput]:
        """The counted work of a pass over its kernels' time, by way; empty where no work is counted."""
        runs = {way: outcome.passes.get(pass_) for way, outcome in self.ways.items()}
        return {way: run.throughput for way, run in runs.items() if run and run.throughput}

    def without_kernel(self, pass_: PassName) -> dict[str, float]:
        """The wall time in which no kernel ran, by way: Python, dispatch, the queue; none without the profiler."""
        kernels = self.kernels(pass_).values()
        totals = {way: math.fsum(times.get(way, 0.0) for times in kernels) for way in self.ways}
        return {way: us - totals[way] for way, us in self.wall(pass_).items() if totals[way]}


def layer_times(outcomes: Iterable[Outcome]) -> list[LayerTimes]:
    """The layers of a run that were measured in several ways, in the order of their first outcome."""
    groups: dict[bytes, dict[str, Outcome]] = defaultdict(dict)
    for outcome in outcomes:
        way = _way(outcome)
        if way:
            groups[_subject(outcome)][way] = outcome
    return [LayerTimes(ways) for ways in groups.values() if len(ways) >= MIN_WAYS]


def _way(outcome: Outcome) -> str:
    """The way in which a measured layer ran; empty for any other outcome."""
    if outcome.category != CATEGORY or outcome.status is not Status.MEASURED:
        return ""
    return _WAY_OF.get(outcome.params.get(HYBRIDIZE, False), "")


def _subject(outcome: Outcome) -> bytes:
    """What is the same for all ways of a layer: its name, its arguments and its arrays."""
    params = {name: value for name, value in outcome.params.items() if name != HYBRIDIZE}
    return msgspec.json.encode((outcome.operator, outcome.inputs, params))
