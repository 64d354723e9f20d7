"""The time of a network's calls, each measured alone: one call, or all calls of an operator."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from autoperf.core.outcome import Outcome, Pass, PassName, Series
from autoperf.core.work import Work


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

    @property
    def is_timed(self) -> bool:
        """Whether it has a time in the pass, or none because it has no gradient."""
        return self.each_us is not None or (self.run is None and not self.outcome.reason)


@dataclass(frozen=True)
class TimeGroup:
    """A part of a network's pass: one call, all calls of an operator, or a time that belongs to no call.

    `modes` has its time in the whole network by mode, in microseconds, where the trace has it.
    """

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
        shares = [(call.total_us, _roofline(call.run)) for call in self.calls]
        known = [(time, share) for time, share in shares if share is not None]
        total = math.fsum(time for time, _ in known)
        return math.fsum(time * share for time, share in known) / total if total else None

    def _rate(self, amount: Callable[[Work], float]) -> float | None:
        """The amounts of all counted calls over their time, in 10^9 a second."""
        works = [(call, work) for call in self.calls if (work := call.outcome.work_of_pass(call.pass_))]
        seconds = math.fsum(call.total_us for call, _ in works) / 1e6
        return math.fsum(call.count * amount(work) for call, work in works) / seconds / 1e9 if seconds else None


def _roofline(run: Pass | None) -> float | None:
    return run.throughput.roofline if run and run.throughput else None


def kernel_times(run: Pass) -> Iterator[tuple[str, float]]:
    """Microseconds by kernel at the reference speed, the operators' own kernels and then the engine's."""
    yield from own_kernels(run).items()
    yield from run.helpers.items()


def own_kernels(run: Pass) -> dict[str, float]:
    """Microseconds of the operators' kernels at the reference speed, which add up to the median of their sum.

    In files of method 1 they are means, which don't add up to it.
    """
    own = math.fsum(run.kernels.values())
    scale = run.kernel_us.median / own if run.kernel_us and own else 1.0
    return {name: mean * scale for name, mean in run.kernels.items()}


def share(part: float, whole: float | None) -> float | None:
    """The share of a part; None if the whole is zero or unknown."""
    return part / whole if whole else None
