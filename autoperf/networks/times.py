"""The time of a network: by operator and by call, in each mode of the whole and alone; and of several sizes in turn."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from autoperf.core.case import Input
from autoperf.core.graph import IMPERATIVE, IN_TURN, NETWORK, NETWORK_MODES, RANKING_MODES, Graph
from autoperf.core.outcome import PASSES, Outcome, Pass, PassName, Series, Status
from autoperf.core.work import Work

T = TypeVar("T")


@dataclass(frozen=True)
class SizeTime:
    """One size of a network in a mode, alone, or all in turn; `outcome` is measured."""

    name: str
    outcome: Outcome

    @property
    def wall(self) -> Series | None:
        """The wall time of a forward pass; None without a measurement."""
        run = self.outcome.passes.get(PASSES[0])
        return run.wall_us if run else None

    @property
    def wall_us(self) -> float | None:
        """Its median in microseconds."""
        return self.wall.median if self.wall else None

    @property
    def peak(self) -> int | None:
        """The peak of the pass's own allocations in bytes, outputs too."""
        memory = self.outcome.memory_of_pass(PASSES[0])
        return memory.peak if memory else None


@dataclass(frozen=True)
class TurnTimes:
    """A network with all its sizes in turn in one mode, and each of them alone."""

    together: SizeTime
    alone: tuple[SizeTime, ...]

    @property
    def mode(self) -> str:
        """The mode in which the network runs."""
        return self.together.outcome.mode

    @property
    def every(self) -> tuple[SizeTime, ...]:
        """Each size alone, then all in turn."""
        return (*self.alone, self.together)

    @property
    def sum_us(self) -> float | None:
        """The times of all sizes alone together; None if one isn't measured."""
        return _if_all(math.fsum, (size.wall_us for size in self.alone))

    @property
    def largest_peak(self) -> int | None:
        """The largest peak of a size alone in bytes; None if one isn't known."""
        return _if_all(max, (size.peak for size in self.alone))

    @cached_property
    def is_clear(self) -> bool:
        """Whether the 95% interval in turn doesn't meet the sum of those alone."""
        ends = [(each.low, each.high) for size in self.every if (each := size.wall)]
        known = [(low, high) for low, high in ends if low is not None and high is not None]
        if len(known) <= len(self.alone):
            return False
        *others, (low, high) = known
        lows, highs = (math.fsum(side) for side in zip(*others, strict=True))
        return low > highs or high < lows


def _if_all(total: Callable[[Sequence[T]], T], values: Iterable[T | None]) -> T | None:
    listed = list(values)
    known = [value for value in listed if value is not None]
    return total(known) if known and len(known) == len(listed) else None


def turn_times(name: str, wholes: Sequence[Outcome], others: Sequence[Outcome]) -> tuple[TurnTimes, ...]:
    """The times in turn, in each mode of which all sizes are measured; `others` are the wholes of all networks."""
    turned = [each for each in wholes if IN_TURN in each.params and each.status is Status.MEASURED]
    turned.sort(key=lambda each: [*NETWORK_MODES].index(each.mode))
    found = []
    for outcome in turned:
        (graph,) = outcome.graphs.values()
        plain = {name: value for name, value in outcome.params.items() if name != IN_TURN}
        # Each size alone is the same graph in the same mode over its inputs.
        mode = (outcome.mode, plain, outcome.status)
        like = [each for each in others if (each.mode, each.params, each.status) == mode]
        measured = {_tensors(each.inputs): each for each in like if _unnamed(each) == _unnamed(outcome)}
        sizes = [measured.get(_tensors(inputs)) for inputs in graph.by_size(outcome.inputs, outcome.params)]
        known = [each for each in sizes if each]
        if len(known) == len(sizes):
            alone = tuple(SizeTime(next(iter(each.calls or {}), each.profile), each) for each in known)
            found.append(TurnTimes(SizeTime(name, outcome), alone))
    return tuple(found)


def _unnamed(outcome: Outcome) -> list[Graph]:
    return [graph.unnamed() for graph in outcome.graphs.values()]


def _tensors(inputs: Sequence[Input]) -> tuple[object, ...]:
    return tuple(item.tensor for item in inputs)


@dataclass(frozen=True)
class CallTime:
    """A measured call, and its number in one pass of the network."""

    outcome: Outcome
    count: int
    pass_: PassName

    @property
    def run(self) -> Pass | None:
        """The measured pass; None without one."""
        return self.outcome.passes.get(self.pass_)

    @property
    def series(self) -> Series | None:
        """The times of one call: of its kernels, or by the wall clock without the profiler."""
        return self.run.ranking_series() if self.run else None

    @property
    def each_us(self) -> float | None:
        """The median time of one call in microseconds."""
        return self.series.median if self.series else None

    @property
    def total_us(self) -> float:
        """The time of all these calls in one pass of the network, in microseconds; 0 if not measured."""
        return self.count * (self.each_us or 0.0)


@dataclass(frozen=True)
class TimeGroup:
    """A part of a pass: a call, an operator's calls, or a time of none; `modes` has the microseconds of each trace."""

    name: str
    calls: tuple[CallTime, ...] = ()
    modes: Mapping[str, float] = field(default_factory=dict)

    @property
    def count(self) -> int | None:
        """The number of these calls in one pass of the network; None for a time that belongs to none."""
        return sum(call.count for call in self.calls) or None

    @property
    def total_us(self) -> float | None:
        """The time of all these calls measured alone, in microseconds; None without a measured one."""
        return math.fsum(call.total_us for call in self.calls) or None

    @property
    def reach(self) -> float | None:
        """How far the total's 95% interval reaches, as a share, if the intervals of all calls err to one side."""
        ends = [
            (call.count * series.low, call.count * series.high)
            for call in self.calls
            if (series := call.series) and series.low is not None and series.high is not None
        ]
        if not self.total_us or len(ends) < len(self.calls):
            return None
        low, high = (math.fsum(side) / self.total_us for side in zip(*ends, strict=True))
        return max(high - 1, 1 - low)

    @property
    def gflop_per_s(self) -> float | None:
        """The counted operations, in 10^9 per second alone; None without a count."""
        return self._rate(lambda work: work.flops) or None

    @property
    def gb_per_s(self) -> float | None:
        """The counted bytes, in 10^9 per second alone; None without a count."""
        return self._rate(lambda work: work.bytes)

    @property
    def roofline(self) -> float | None:
        """The minimum time by the machine's roofline, as a share of the time alone, over calls with a roofline."""
        rated = [(call.total_us, run.throughput) for call in self.calls if (run := call.run) and run.throughput]
        known = [(time, each.roofline) for time, each in rated if each.roofline is not None]
        total = math.fsum(time for time, _ in known)
        return math.fsum(time * share for time, share in known) / total if total else None

    def _rate(self, amount: Callable[[Work], float]) -> float | None:
        works = [(call, work) for call in self.calls if (work := call.outcome.work_of_pass(call.pass_))]
        seconds = math.fsum(call.total_us for call, _ in works) / 1e6
        return math.fsum(call.count * amount(work) for call, work in works) / seconds / 1e9 if seconds else None


def kernel_times(run: Pass) -> Iterator[tuple[str, float]]:
    """Microseconds by kernel at the reference speed, the operators' own kernels and then the engine's."""
    yield from own_kernels(run).items()
    yield from run.helpers.items()


def own_kernels(run: Pass) -> dict[str, float]:
    """Microseconds of the operators' kernels at reference speed, which add up to their median; of method 1, means."""
    own = math.fsum(run.kernels.values())
    scale = run.kernel_us.median / own if run.kernel_us and own else 1.0
    return {name: mean * scale for name, mean in run.kernels.items()}


def share(part: float, whole: float | None) -> float | None:
    """The share of a part; None if the whole is zero or unknown."""
    return part / whole if whole else None


HELPERS, DISPATCH = "helper kernels", "dispatch"
"""The names of the parts of a pass that belong to no operator: the engine's kernels, and the time without a kernel."""


@dataclass(frozen=True)
class ModeTime:
    """One pass of the whole network in a mode, in microseconds: wall = kernels + helpers + dispatch.

    `imperative_us` is the imperative network's wall time, `alone_us` the sum of all calls; None unless measured.
    """

    mode: str
    pass_: PassName
    run: Pass
    wall: Series
    imperative_us: float | None = None
    alone_us: float | None = None

    @property
    def rest_us(self) -> float | None:
        """The time of the kernels beyond that of the calls one by one: negative if the whole saves some."""
        return None if self.kernels_us is None or self.alone_us is None else self.kernels_us - self.alone_us

    @property
    def wall_us(self) -> float:
        """The median wall time."""
        return self.wall.median

    @property
    def speedup(self) -> float | None:
        """The speedup over the imperative network; None if that isn't measured."""
        return self.imperative_us / self.wall_us if self.imperative_us and self.wall_us else None

    @cached_property
    def kernels(self) -> Mapping[str, float]:
        """The times of the operators' kernels by name; empty without the profiler."""
        return own_kernels(self.run)

    @property
    def kernels_us(self) -> float | None:
        """The time of the operators' kernels; None without the profiler."""
        return self.run.kernel_us.median if self.run.kernel_us else None

    @property
    def helpers_us(self) -> float | None:
        """The time of the engine's kernels (layout changes, copies); None without the profiler."""
        return self.run.helpers_us

    @property
    def dispatch_us(self) -> float | None:
        """The time without a running kernel; None without the profiler, or if the kernels took longer with it on."""
        rest = None if self.kernels_us is None else self.wall_us - self.kernels_us - (self.helpers_us or 0.0)
        return rest if rest is not None and rest >= 0 else None

    @property
    def total_us(self) -> float:
        """The sum of kernels, helpers and dispatch: the wall time, or more if the dispatch is unknown."""
        return max(self.wall_us, (self.kernels_us or 0.0) + (self.helpers_us or 0.0))

    def saved_us(self, other: ModeTime) -> float | None:
        """The time that another mode saves, negative if it takes more; None if the 95% intervals meet."""
        ends = (self.wall.low, self.wall.high, other.wall.low, other.wall.high)
        low, high, other_low, other_high = (math.nan if end is None else end for end in ends)
        return self.wall_us - other.wall_us if other_high < low or other_low > high else None


@dataclass(frozen=True)
class NetworkPass:
    """One pass of a network: its measured calls, and the whole by mode; `made` is the number of all its calls."""

    pass_: PassName
    calls: tuple[CallTime, ...]
    modes: Mapping[str, ModeTime]
    made: int

    @property
    def ranking_mode(self) -> str:
        """The mode whose trace ranks operators and calls; empty without a trace, when their times alone do."""
        return next((mode for mode in RANKING_MODES if mode in self.modes and self.modes[mode].kernels), "")

    @property
    def without_time(self) -> int:
        """The number of its calls without a time; a call without a gradient needs none."""
        has_none = [call for call in self.calls if call.run is None and not call.outcome.reason]
        return self.made - sum(call.count for call in (*self._timed, *has_none))

    @property
    def alone_us(self) -> float | None:
        """The sum of the calls measured alone, in microseconds; None if one of them isn't measured."""
        return None if self.without_time else self.whole.total_us

    @cached_property
    def whole(self) -> TimeGroup:
        """The sum of all parts: all measured calls, and the time in each mode."""
        totals = {mode: time.total_us for mode, time in self.modes.items()}
        return TimeGroup("sum", tuple(self._timed), totals)

    @cached_property
    def by_operator(self) -> list[TimeGroup]:
        """The times that add up to the pass, the largest first: operators, other kernels, helpers and dispatch.

        The trace has names of kernels alone, so operators that share one are a group.
        """
        sharing = list(_sharing_kernels(self._timed))
        known = {name for kernels, _ in sharing for name in kernels}
        others = dict.fromkeys(name for time in self.modes.values() for name in time.kernels if name not in known)
        groups = [
            *(TimeGroup(_operators(calls), tuple(calls), self._in_modes(kernels)) for kernels, calls in sharing),
            *(TimeGroup(name, (), self._in_modes({name})) for name in others),
            TimeGroup(HELPERS, (), {mode: us for mode, time in self.modes.items() if (us := time.helpers_us)}),
            TimeGroup(DISPATCH, (), {mode: us for mode, time in self.modes.items() if (us := time.dispatch_us)}),
        ]
        return sorted((group for group in groups if group.calls or group.modes), key=self._rank)

    @cached_property
    def by_call(self) -> list[TimeGroup]:
        """Each call, the largest first. Its time in a mode is estimated: its operator's, divided by the times alone."""
        groups = []
        for operator in self.by_operator:
            for call in operator.calls:
                part = call.total_us / operator.total_us if operator.total_us else 0.0
                modes = {mode: us * part for mode, us in operator.modes.items()}
                groups.append(TimeGroup(call.outcome.operator, (call,), modes))
        return sorted(groups, key=self._rank)

    def share(self, group: TimeGroup) -> float | None:
        """The share of a part in the ranking mode, else in the sum of the calls alone; None if unknown."""
        mode = self.ranking_mode
        if not mode:
            return share(group.total_us or 0.0, self.alone_us)
        return group.modes[mode] / self.modes[mode].total_us if mode in group.modes else None

    def _rank(self, group: TimeGroup) -> tuple[float, float, float, str]:
        mode = self.ranking_mode
        alone = group.total_us or 0.0
        first = group.modes.get(mode, 0.0) if mode else alone
        case = group.calls[0].outcome.case if group.calls else ""
        return -first, -max(group.modes.values(), default=0.0), -alone, f"{group.name} {case}"

    @property
    def _timed(self) -> list[CallTime]:
        return [call for call in self.calls if call.each_us is not None]

    def _in_modes(self, kernels: Collection[str]) -> dict[str, float]:
        times = {
            mode: [time.kernels[name] for name in kernels if name in time.kernels] for mode, time in self.modes.items()
        }
        return {mode: math.fsum(found) for mode, found in times.items() if found}


def _sharing_kernels(calls: Iterable[CallTime]) -> Iterator[tuple[set[str], list[CallTime]]]:
    """The calls of each operator with the names of their kernels; operators that share a kernel are one group."""
    members: dict[str, list[CallTime]] = defaultdict(list)
    for call in calls:
        members[call.outcome.operator].append(call)
    groups: list[tuple[set[str], list[CallTime]]] = []
    for operator, joined in members.items():
        # Kernels have the names of operators, also one that runs in the network alone.
        kernels = {operator, *(name for call in joined if call.run for name in call.run.kernels)}
        sharing = [group for group in groups if group[0] & kernels]
        groups = [group for group in groups if group not in sharing]
        groups.append((
            kernels.union(*(names for names, _ in sharing)),
            [*(call for _, others in sharing for call in others), *joined],
        ))  # fmt: skip
    yield from groups


def _operators(calls: Iterable[CallTime]) -> str:
    return ", ".join(dict.fromkeys(call.outcome.operator for call in calls))


@dataclass(frozen=True)
class NetworkTimes:
    """The passes of a network, and its outcomes without one; `turns` are its modes with several sizes in turn."""

    name: str
    passes: tuple[NetworkPass, ...]
    missing: tuple[Outcome, ...]
    made: int
    turns: tuple[TurnTimes, ...] = ()


def network_times(outcomes: Iterable[Outcome]) -> list[NetworkTimes]:
    """The times of each network of a run, in the order of their first outcome; none if no case was captured."""
    calls: dict[str, list[tuple[Outcome, int]]] = defaultdict(list)
    wholes: dict[str, list[Outcome]] = defaultdict(list)
    seen: set[tuple[str, str, str]] = set()
    for outcome in outcomes:
        for name, count in (outcome.calls or {}).items():
            way = outcome.mode if outcome.category == NETWORK else ""
            if (name, outcome.case, way) in seen:
                # Two files of cases may have one network; a case's profile is the name of a node in one of them.
                continue
            seen.add((name, outcome.case, way))
            if outcome.category == NETWORK:
                wholes[name].append(outcome)
                calls[name] += ()
            else:
                calls[name].append((outcome, count))
    every = [whole for each in wholes.values() for whole in each]
    return [_network(name, members, wholes[name], every) for name, members in calls.items()]


def _network(
    name: str, calls: Sequence[tuple[Outcome, int]], wholes: Sequence[Outcome], every: Sequence[Outcome]
) -> NetworkTimes:
    outcomes = [*(outcome for outcome, _ in calls), *wholes]
    # Older files of cases lack the number of calls in one pass, but a whole has all nodes.
    stated = [(outcome.network_calls or {}).get(name, 0) for outcome in outcomes]
    nodes = (len(graph.nodes) for whole in wholes for graph in whole.graphs.values())
    made = max(sum(count for _, count in calls), *stated, *nodes)
    measured = [(outcome, count) for outcome, count in calls if outcome.status is Status.MEASURED]
    passes = []
    for pass_ in (pass_ for pass_ in PASSES if any(pass_ in outcome.passes for outcome in outcomes)):
        each = NetworkPass(pass_, tuple(CallTime(outcome, count, pass_) for outcome, count in measured), {}, made)
        # The first measurement of each mode: two files may have the network.
        runs: dict[str, tuple[Pass, Series]] = {}
        for outcome in wholes:
            run = outcome.passes.get(pass_)
            if run and run.wall_us:
                runs.setdefault(outcome.mode, (run, run.wall_us))
        base = runs[IMPERATIVE][1].median if IMPERATIVE in runs else None
        modes = {mode: ModeTime(mode, pass_, run, wall, base, each.alone_us) for mode, (run, wall) in runs.items()}
        passes.append(replace(each, modes=modes))
    missing = tuple(each for each in outcomes if each.status is not Status.MEASURED)
    return NetworkTimes(name, tuple(passes), missing, made, turn_times(name, wholes, every))
