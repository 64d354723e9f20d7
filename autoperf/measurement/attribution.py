"""Attributes the kernels of a trace to calls and passes, and separates the operator's kernels from the engine's."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from autoperf.backends.passes import own_backward, own_forward
from autoperf.backends.protocol import Kernel, KernelRoles
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.graph import FRONT_END
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.texts import count

OVERLAP = 0.05
# The trace has whole microseconds, so that the shortest kernels take none.
MIN_SPAN_US = 0.5
OF_SEVERAL = ""
"""Stands for an operator's name where all kernels that aren't helpers are the case's own."""


class Boundaries(NamedTuple):
    """One iteration in nanoseconds of a clock: start and end of the forward pass, and end of the backward pass.

    An iteration that isn't `counted` is not a sample: the first after a change of clocks is slower. `before` and
    `after` are the nanoseconds of the probe on either side of it. `disturbed` says that these differ or that the
    process had to wait for its processor, `waited` that it had to wait, and `fresh` that a pass took more fresh memory
    than in the settled state. `between` is the time between the passes that belongs to neither. `faults` are the page
    faults of the forward and of the backward pass.
    """

    start: int
    forward_end: int
    backward_end: int
    counted: bool = True
    before: int = 0
    after: int = 0
    disturbed: bool = False
    waited: bool = False
    fresh: bool = False
    between: int = 0
    faults: tuple[int, int] = (0, 0)

    @property
    def forward(self) -> int:
        """Nanoseconds of the forward pass."""
        return self.forward_end - self.start

    @property
    def backward(self) -> int:
        """Nanoseconds of the backward pass; 0 without one."""
        return self.backward_end - self.forward_end - self.between

    @property
    def seconds(self) -> float:
        """Seconds of both passes."""
        return (self.forward + self.backward) / 1e9

    def us(self, *, backward: bool) -> float:
        """Microseconds of one pass."""
        return (self.backward if backward else self.forward) / 1000


class Attributed(NamedTuple):
    """The kernels of one pass: microseconds of its own kernels in each call, and typical microseconds a call by name.

    `spans` has the microseconds of each call in which any kernel was running. `silent` has the indices of the counted
    calls without a kernel of the operator, which have no total.
    """

    totals: tuple[int, ...]
    kernels: dict[str, float]
    helpers: dict[str, float]
    notes: tuple[str, ...]
    spans: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()


def kernel_name(case: Case) -> str | None:
    """The operator's kernel; `OF_SEVERAL` for a composite; None for the front end, which may start any kernels."""
    if case.category == COMPOSITE_NAMESPACE:
        return OF_SEVERAL
    return None if case.way in FRONT_END else case.operator


def windows(
    kernels: Sequence[Kernel], calls: Sequence[Boundaries]
) -> tuple[list[list[Kernel]], list[list[Kernel]], list[Kernel]]:
    """The kernels of each call's forward and backward pass by start time, and the kernels outside every call."""
    forward: list[list[Kernel]] = [[] for _ in calls]
    backward: list[list[Kernel]] = [[] for _ in calls]
    outside: list[Kernel] = []
    # The trace has whole microseconds, rounded down.
    starts = [call.start // 1000 for call in calls]
    for kernel in kernels:
        index = bisect_right(starts, kernel.start) - 1
        call = calls[index] if index >= 0 else None
        if call is not None and kernel.start <= call.forward_end // 1000:
            forward[index].append(kernel)
        elif call is not None and kernel.start <= call.backward_end // 1000:
            backward[index].append(kernel)
        else:
            outside.append(kernel)
    return forward, backward, outside


def attribute(
    kernels: Sequence[Kernel], calls: Sequence[Boundaries], operator: str | None, roles: KernelRoles
) -> tuple[Attributed, Attributed, tuple[str, ...]]:
    """The forward pass, the backward pass, and notes on kernels that belong to neither."""
    forward, backward, outside = windows(kernels, calls)
    forward, backward = _counted(forward, calls), _counted(backward, calls)
    own, note = own_forward(_names(forward), operator, roles)
    if others := [name for name in dict.fromkeys(_names(forward)) if name not in roles.helpers and name not in own]:
        note = f"also ran, and aren't counted: {', '.join(others)}"
    stray = Counter(kernel.name for kernel in outside if kernel.name not in roles.helpers)
    notes = tuple(f"{count(runs, 'run')} of {name} began outside every call" for name, runs in sorted(stray.items()))
    return (
        _attributed(forward, own, roles.bulk, note),
        _attributed(backward, own_backward(_names(backward), roles), roles.bulk),
        notes,
    )


def spans_us(kernels: Sequence[Kernel], calls: Sequence[Boundaries], *, backward: bool) -> tuple[float, ...]:
    """Microseconds of one pass of each counted call in which any kernel ran. Raises EngineError where none did."""
    forward, afterwards, _ = windows(kernels, calls)
    of_calls = _counted(afterwards if backward else forward, calls)
    if not all(of_calls):
        raise EngineError("no kernel of it is in the profiler's trace")
    return tuple(max(MIN_SPAN_US, covered(each)) for each in of_calls)


def _counted(windows: Sequence[list[Kernel]], calls: Sequence[Boundaries]) -> list[list[Kernel]]:
    return [window for window, call in zip(windows, calls, strict=True) if call.counted]


def _attributed(calls: Sequence[Sequence[Kernel]], own: Sequence[str], bulk: str, note: str = "") -> Attributed:
    own_names = frozenset(own)
    by_name: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    totals: list[int] = []
    silent: list[int] = []
    counts: Counter[int] = Counter()
    together = 0
    for place, call in enumerate(calls):
        total = count = 0
        for kernel in call:
            by_name[kernel.name][place] += kernel.duration
            together += kernel.duration
            if kernel.name in own_names:
                total += kernel.duration
                count += 1
        counts[count] += 1
        if count:
            totals.append(total)
        else:
            silent.append(place)
    typical = {name: _typical(times, len(calls)) for name, times in by_name.items()}
    spans = tuple(map(covered, calls))
    return Attributed(
        tuple(totals),
        {name: time for name, time in typical.items() if name in own_names},
        {name: time for name, time in typical.items() if name not in own_names},
        (*([note] if note else ()), *_kernel_notes(counts, together, sum(spans), is_bulked=bulk in own_names)),
        spans,
        tuple(silent),
    )


def _typical(times: Mapping[int, int], calls: int) -> float:
    """The mean of the times in all calls without a twentieth at either end: finer than the trace's clock."""
    ordered = sorted((*times.values(), *[0] * (calls - len(times))))
    ends = calls // 20
    middle = ordered[ends : calls - ends]
    return sum(middle) / len(middle)


def covered(kernels: Sequence[Kernel]) -> int:
    """The microseconds in which at least one of these kernels was running; kernels are sorted by start."""
    total = end = 0
    for kernel in kernels:
        stop = kernel.start + kernel.duration
        if stop > end:
            total += stop - max(end, kernel.start)
            end = stop
    return total


def _kernel_notes(counts: Mapping[int, int], together: int, within: int, *, is_bulked: bool) -> Iterable[str]:
    seen = sorted(count for count in counts if count)
    if seen and counts.get(0):
        yield f"{counts[0]} of {sum(counts.values())} calls have no kernel in the trace and are not counted"
    if len(seen) > 1:
        yield f"the number of kernels differs between calls: {seen[0]} to {seen[-1]}"
    if seen and is_bulked:
        yield "the engine ran kernels in bulk, so that their names are not known"
    if together - within > OVERLAP * together:
        yield f"kernels ran at the same time: for each us, {together / within:.2f} us of kernels"


def _names(calls: Iterable[Iterable[Kernel]]) -> Iterable[str]:
    return (kernel.name for call in calls for kernel in call)
