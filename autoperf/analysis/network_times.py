"""The time of a network: by call and by operator, and of the whole network beside the sum of its parts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from autoperf.core.modes import IMPERATIVE, NETWORK
from autoperf.core.outcome import PASSES, Outcome, Pass, PassName, Status
from autoperf.core.work import Work


@dataclass(frozen=True)
class CallTime:
    """A measured call, and its number in one pass of the network."""

    outcome: Outcome
    count: int

    def each_us(self, pass_: PassName) -> float | None:
        """The median time of one call in microseconds: of its kernels, or by the wall clock without the profiler."""
        run = self.outcome.passes.get(pass_)
        series = run.ranking_series() if run else None
        return series.median if series else None

    def total_us(self, pass_: PassName) -> float:
        """The time of all these calls in one pass of the network, in microseconds; 0 if not measured."""
        return self.count * (self.each_us(pass_) or 0.0)

    @property
    def sort_key(self) -> tuple[float, str]:
        """Orders calls by their time in both passes, the largest first."""
        return -sum(self.total_us(name) for name in PASSES), self.outcome.case


@dataclass(frozen=True)
class TimeGroup:
    """A group of a network's calls: one call, or all calls of an operator."""

    name: str
    calls: tuple[CallTime, ...]

    @property
    def count(self) -> int:
        """The number of these calls in one pass of the network."""
        return sum(call.count for call in self.calls)

    def total_us(self, pass_: PassName) -> float:
        """The time of all these calls in microseconds."""
        return math.fsum(call.total_us(pass_) for call in self.calls)

    def gflop_per_s(self, pass_: PassName) -> float | None:
        """The counted operations of a pass, in 10^9 per second; None without a count."""
        return self._rate(pass_, lambda work: work.flops) or None

    def gb_per_s(self, pass_: PassName) -> float | None:
        """The counted bytes of a pass, in 10^9 per second; None without a count."""
        return self._rate(pass_, lambda work: work.bytes)

    def roofline(self, pass_: PassName) -> float | None:
        """The minimum time of a pass by the machine's roofline, as a share of its time, over calls with a roofline."""
        shares = [(call.total_us(pass_), _roofline(call.outcome, pass_)) for call in self.calls]
        known = [(time, share) for time, share in shares if share is not None]
        total = math.fsum(time for time, _ in known)
        return math.fsum(time * share for time, share in known) / total if total else None

    def _rate(self, pass_: PassName, amount: Callable[[Work], float]) -> float | None:
        """The amounts of all counted calls over their time, in 10^9 a second."""
        works = [(call, work) for call in self.calls if (work := call.outcome.work_of_pass(pass_))]
        seconds = math.fsum(call.total_us(pass_) for call, _ in works) / 1e6
        return math.fsum(call.count * amount(work) for call, work in works) / seconds / 1e9 if seconds else None


@dataclass(frozen=True)
class WholeTime:
    """One pass of the whole network in a mode (`way`), in microseconds, beside the sum of its parts.

    wall = parts + in_network + helpers + dispatch: `in_network` is the time by which the operators' kernels take longer
    in the network than alone (negative: shorter), `helpers` the time of the engine's kernels (layout changes, copies),
    and `dispatch` the remaining time without a running kernel. `imperative` is the wall time of the imperative network.
    `parts` is None if a call of the network isn't measured.
    """

    way: str
    pass_: PassName
    wall: float
    parts: float | None
    kernels: float | None = None
    helpers: float | None = None
    imperative: float | None = None

    @property
    def speedup(self) -> float | None:
        """The speedup over the imperative network; None if that isn't measured."""
        return self.imperative / self.wall if self.imperative and self.wall else None

    @property
    def in_network(self) -> float | None:
        """The operators' kernels in the network minus alone; None without the profiler."""
        return None if self.kernels is None or self.parts is None else self.kernels - self.parts

    @property
    def dispatch(self) -> float | None:
        """The time without a running kernel; None without the profiler."""
        return None if self.kernels is None else self.wall - self.kernels - (self.helpers or 0.0)

    @property
    def explained(self) -> float | None:
        """The sum of parts as a share of the whole's time; None without the sum."""
        return self.parts / self.wall if self.parts is not None and self.wall else None


@dataclass(frozen=True)
class KernelDifference:
    """A kernel's mean time in one pass of the network in a mode, and in its calls alone, in microseconds."""

    name: str
    way: str
    pass_: PassName
    in_network: float
    alone: float

    @property
    def difference(self) -> float:
        """The time in the network minus the time alone."""
        return self.in_network - self.alone


@dataclass(frozen=True)
class NetworkTimes:
    """The measured calls of a network, the outcomes without a measurement, and the outcomes of the whole network.

    `made` is the number of calls in one pass of the network, including calls that weren't captured or selected.
    """

    name: str
    calls: tuple[CallTime, ...]
    missing: tuple[Outcome, ...]
    wholes: tuple[Outcome, ...]
    made: int

    @cached_property
    def by_call(self) -> list[TimeGroup]:
        """Each call by its time, the largest first."""
        ranked = sorted(self.calls, key=lambda call: call.sort_key)
        return [TimeGroup(call.outcome.operator, (call,)) for call in ranked]

    @cached_property
    def by_operator(self) -> list[TimeGroup]:
        """The calls of each operator, by their time."""
        members: dict[str, list[CallTime]] = defaultdict(list)
        for call in self.calls:
            members[call.outcome.operator].append(call)
        groups = [TimeGroup(name, tuple(calls)) for name, calls in members.items()]
        return sorted(groups, key=lambda group: (-sum(group.total_us(name) for name in PASSES), group.name))

    def without_figure(self, pass_: PassName) -> int:
        """The number of its calls without a time in a pass; a call without a gradient needs none."""
        return self.made - sum(call.count for call in self.calls if _is_timed(call, pass_))

    def has(self, pass_: PassName) -> bool:
        """Whether a pass of a call or of the whole is measured."""
        return any(outcome.passes.get(pass_) for outcome in (*(call.outcome for call in self.calls), *self.wholes))

    def sum_us(self, pass_: PassName) -> float | None:
        """The sum of parts in microseconds; None if one of them isn't measured."""
        return None if self.without_figure(pass_) else self.parts_us(pass_)

    def parts_us(self, pass_: PassName) -> float:
        """The sum of the measured parts, in microseconds."""
        return math.fsum(call.total_us(pass_) for call in self.calls)

    @cached_property
    def whole(self) -> list[WholeTime]:
        """Each measured pass of the whole network, in each mode."""
        return [time for name in PASSES for outcome in self.wholes if (time := self._whole(outcome, name))]

    def _whole(self, outcome: Outcome, pass_: PassName) -> WholeTime | None:
        run = outcome.passes.get(pass_)
        if run is None or run.wall_us is None:
            return None
        kernels = run.kernel_us.median if run.kernel_us else None
        imperative = next((run.wall_us.median for run in self._runs(IMPERATIVE, pass_) if run.wall_us), None)
        return WholeTime(
            outcome.mode, pass_, run.wall_us.median, self.sum_us(pass_), kernels, run.helpers_us, imperative
        )

    def _runs(self, mode: str, pass_: PassName) -> list[Pass]:
        """The measurements of a pass of the whole in a mode: at most one, unless two files have the network."""
        return [run for outcome in self.wholes if outcome.mode == mode and (run := outcome.passes.get(pass_))]

    def kernels(self, mode: str, pass_: PassName) -> list[tuple[str, float]]:
        """The operators' kernels of a pass of the whole and their microseconds, the longest first."""
        kernels = next((run.kernels for run in self._runs(mode, pass_)), {})
        return sorted(kernels.items(), key=lambda pair: -pair[1])

    def in_network_us(self, group: TimeGroup, mode: str, pass_: PassName) -> float | None:
        """The time of a group's kernels in a pass of the whole in a mode; None if other calls share them.

        Kernels are distinguished only by name, so it is also None if a call isn't measured.
        """
        if self.without_figure(pass_):
            return None
        own = {name for call in group.calls for name in _own_kernels(call, pass_)}
        members = {id(call) for call in group.calls}
        others = {name for call in self.calls if id(call) not in members for name in _own_kernels(call, pass_)}
        whole = _summed((1, run) for run in self._runs(mode, pass_)[:1])
        if not own or own & others or own.isdisjoint(whole):
            return None
        return math.fsum(whole.get(name, 0.0) for name in own)

    def differences(self, mode: str, pass_: PassName) -> list[KernelDifference]:
        """The kernels of a pass, own and the engine's, by their difference from the parts, the largest first.

        There are none if a part isn't measured, since its kernels would seem to run only in the network.
        """
        if self.without_figure(pass_):
            return []
        whole = _summed((1, run) for run in self._runs(mode, pass_))
        alone = _summed((call.count, run) for call in self.calls if (run := call.outcome.passes.get(pass_)))
        names = {**whole, **alone} if whole else {}
        differences = [
            KernelDifference(name, mode, pass_, whole.get(name, 0.0), alone.get(name, 0.0)) for name in names
        ]
        return sorted(differences, key=lambda kernel: (-abs(kernel.difference), kernel.name))


def network_times(outcomes: Iterable[Outcome]) -> list[NetworkTimes]:
    """The times of each network of a run, in the order of their first outcome; none if no case was captured."""
    calls: dict[str, list[CallTime]] = defaultdict(list)
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
                calls[name].append(CallTime(outcome, count))
    return [
        NetworkTimes(
            name,
            tuple(call for call in members if call.outcome.status is Status.MEASURED),
            tuple(outcome for outcome in _outcomes(members, wholes[name]) if outcome.status is not Status.MEASURED),
            tuple(wholes[name]),
            _made(name, members, wholes[name]),
        )
        for name, members in calls.items()
    ]


def _made(name: str, calls: Sequence[CallTime], wholes: Sequence[Outcome]) -> int:
    """The number of calls in one pass of a network; older files of cases lack it, but a whole has all nodes."""
    stated = [(outcome.network_calls or {}).get(name, 0) for outcome in _outcomes(calls, wholes)]
    nodes = (len(graph.nodes) for whole in wholes for graph in whole.graphs.values())
    return max(sum(call.count for call in calls), *stated, *nodes)


def _is_timed(call: CallTime, pass_: PassName) -> bool:
    """Whether a call has a time in a pass, or none because it has no gradient."""
    has_no_gradient = call.outcome.passes.get(pass_) is None and not call.outcome.reason
    return has_no_gradient or call.each_us(pass_) is not None


def _outcomes(calls: Iterable[CallTime], wholes: Iterable[Outcome]) -> list[Outcome]:
    return [*(call.outcome for call in calls), *wholes]


def _own_kernels(call: CallTime, pass_: PassName) -> Iterable[str]:
    """The names of a call's kernels in a pass."""
    run = call.outcome.passes.get(pass_)
    return run.kernels if run else ()


def _roofline(outcome: Outcome, pass_: PassName) -> float | None:
    run = outcome.passes.get(pass_)
    return run.throughput.roofline if run and run.throughput else None


def _summed(runs: Iterable[tuple[int, Pass]]) -> dict[str, float]:
    """Microseconds by kernel, own and the engine's, summed over passes with their numbers of calls."""
    sums: dict[str, float] = defaultdict(float)
    for count, run in runs:
        for name, mean in kernel_times(run):
            sums[name] += count * mean
    return dict(sums)


def kernel_times(run: Pass) -> Iterator[tuple[str, float]]:
    """Microseconds by kernel at the reference speed; the operators' own kernels add up to the median of their sum.

    In files of method 1 they are means, which don't add up to it.
    """
    own = math.fsum(run.kernels.values())
    scale = run.kernel_us.median / own if run.kernel_us and own else 1.0
    yield from ((name, mean * scale) for name, mean in run.kernels.items())
    yield from run.helpers.items()


def share(part: float, whole: float | None) -> float | None:
    """The share of a part; None if the whole is zero or unknown."""
    return part / whole if whole else None
