"""A plain loop over one case, in a process of its own: what `accuracy.py` holds autoperf's figures against.

    python benches/plain_calls.py CASES.ndjson ID REFERENCE_US GRADIENTS FORWARD_KERNELS BACKWARD_KERNELS

It shares with autoperf the preparation of a call (arrays, gradients, the C function) and nothing of the measurement: no
worker, no warm-up rule, no stopping rule, no correction, none of its environment variables, and a trace read by
Python's JSON parser. It makes 25 calls, and goes on until ten calls in a row touch no fresh memory that changes their
time by 1%, or for three seconds. Then calls are timed one after the other on one processor, the profiler off; then with
the profiler on. They count if the probe before and after such a stretch says that the machine was at its reference
speed; the first call of a stretch does not. Without names of kernels nothing is traced. Times are medians, those of
kernels of grouped data, since the trace has whole microseconds: a time of 5 us is anywhere from 4.5 to 5.5.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import tempfile
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.call import Call, describe
from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi import profiler
from autoperf.backends.mxnet.capi.library import Library, open_library
from autoperf.backends.mxnet.engine import LayerCall, prepared_call
from autoperf.backends.protocol import BackwardRequest
from autoperf.cases.store import StoredGroups
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.measurement.probe import Probe
from autoperf.measurement.settings import Settings

MIN_WARM_UP, MAX_WARM_UP_SECONDS = 25, 3.0
QUIET, FAULT_US = 10, 1.0
SECONDS, MAX_SECONDS = 0.4, 4.0
MIN_CALLS, MAX_CALLS, MAX_TRACED = 9, 1000, 300
MAX_SLOWDOWN, MAX_WAIT = 1.15, 0.02
STRETCH_NS, MAX_STRETCH = 2_000_000, 20


class Timed(NamedTuple):
    """Nanoseconds of both passes of a call, its page faults, and where it stands in time."""

    forward: int
    backward: int
    faults: int
    begin: int = 0
    middle: int = 0
    end: int = 0


class Loop:
    """The calls of one case."""

    def __init__(self, library: Library, case: Case, gradients: Sequence[str]) -> None:
        self.library = library
        call: Call | LayerCall = prepared_call(library, case, Settings(backward=bool(gradients)).call_options)
        if isinstance(call, Call) and gradients:
            try:
                prepare_backward(library, call, BackwardRequest(tuple(gradients)))
            except EngineError:
                # As a case's trial does: some kernels of sparse operators write row-sparse gradients only.
                prepare_backward(library, call, BackwardRequest(tuple(gradients), sparse=True))
        self.call = call
        self.probe = Probe()

    def once(self, clock: Any) -> Timed:
        call, wait = self.call, self.library.wait_all
        faults = _faults()
        begin = clock()
        outputs = call.invoke()
        wait()
        middle = start = clock()
        if call.gradients:
            start = clock()
            call.run_backward(outputs)
            wait()
        end = clock()
        faults = _faults() - faults
        call.invoke.free(outputs)
        wait()
        return Timed(middle - begin, end - start, faults, begin, middle, end)

    def calls(self, count: int, clock: Any = time.perf_counter_ns) -> list[Timed]:
        autograd.set_recording(self.library, bool(self.call.gradients))
        autograd.set_training(self.library, self.call.case.training)
        return [self.once(clock) for _ in range(count)]

    def stretch(self, count: int, limit_ns: float, clock: Any = time.perf_counter_ns) -> list[Timed]:
        """Calls one after the other; none unless they were alone, and at the machine's reference speed."""
        before = self.probe.read()
        begin, used = time.perf_counter_ns(), time.process_time_ns()
        calls = self.calls(count + 1, clock)[1:]
        elapsed = time.perf_counter_ns() - begin
        had_to_wait = elapsed - (time.process_time_ns() - used) > MAX_WAIT * elapsed
        if had_to_wait or max(before, self.probe.read()) > limit_ns:
            return []
        return calls


def prepare_backward(library: Library, call: Call, request: BackwardRequest) -> None:
    """Asks for the gradients, and runs both passes once. Raises EngineError if no kernel writes such gradients."""
    call.request_gradients(request)
    with autograd.pass_mode(library, recording=True, training=call.case.training):
        outputs = call.invoke()
        try:
            library.wait_all()
            call.make_heads([describe(library, handle) for handle in outputs])
            call.run_backward(outputs)
            library.wait_all()
        finally:
            call.invoke.free(outputs)


def main() -> int:
    file, identifier, reference, *names = sys.argv[1:]
    gradients, forward, backward = ([name for name in text.split(",") if name] for text in names)
    case = next(case for group in StoredGroups(Path(file)) for case in group if case.id == identifier)
    library = open_library(find_library())
    cpu = max(os.sched_getaffinity(0))
    profiler.set_bulk_size(library, 0)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        profiler.configure(library, trace, False)
        loop = Loop(library, case, gradients)
        for thread in Path("/proc/self/task").iterdir():
            os.sched_setaffinity(int(thread.name), {cpu})
        gc.disable()
        warm = warm_up(loop)
        limit_ns = MAX_SLOWDOWN * float(reference) * 1000
        last = warm[-1].forward + warm[-1].backward
        count = max(1, min(MAX_STRETCH, STRETCH_NS // max(1, last)))
        wall = sampled(loop, limit_ns, count)
        kernel = traced(loop, limit_ns, trace, (forward, backward), count) if forward or backward else []
    print(json.dumps(result(warm, wall, kernel)))
    sys.stdout.flush()
    os._exit(0)


def warm_up(loop: Loop) -> list[Timed]:
    """At least 25 calls, until ten in a row touch no fresh memory to speak of."""
    end = time.monotonic() + MAX_WARM_UP_SECONDS
    warm = loop.calls(1)
    while len(warm) < MIN_WARM_UP or not is_settled(warm):
        if time.monotonic() > end and len(warm) >= QUIET:
            break
        warm += loop.calls(1)
    return warm


def is_settled(warm: Sequence[Timed]) -> bool:
    return all(is_negligible(call) for call in warm[-QUIET:])


def is_negligible(call: Timed) -> bool:
    return call.faults * FAULT_US * 1000 <= 0.01 * (call.forward + call.backward)


def sampled(loop: Loop, limit_ns: float, count: int) -> list[Timed]:
    """The calls whose wall times are taken: those that touch no fresh memory to speak of."""
    return repeated(lambda: list(filter(is_negligible, loop.stretch(count, limit_ns))), MAX_CALLS)


def repeated(stretch: Callable[[], list[Timed]], most: int) -> list[Timed]:
    """The calls of stretches for 0.4 s, or longer until there are nine; `most` or a few more."""
    used: list[Timed] = []
    begin = time.monotonic()
    while len(used) < most:
        elapsed = time.monotonic() - begin
        if elapsed > MAX_SECONDS or (elapsed > SECONDS and len(used) >= MIN_CALLS):
            break
        used += stretch()
    return used


def traced(
    loop: Loop, limit_ns: float, path: Path, names: tuple[Sequence[str], Sequence[str]], count: int
) -> list[tuple[float, float]]:
    """Microseconds of the named kernels of both passes; the trace is read at the end, since that takes memory.

    A traced call takes memory for its events, so that calls with fewer faults than usual would be those that were
    disturbed for long. Left out are calls with more faults than usual.
    """

    def stretch() -> list[Timed]:
        profiler.set_state(loop.library, True)
        try:
            calls = loop.stretch(count, limit_ns, time.time_ns)
        finally:
            profiler.set_state(loop.library, False)
        usual = np.median([call.faults for call in calls]) if calls else 0
        return [call for call in calls if call.faults <= usual or is_negligible(call)]

    calls = repeated(stretch, MAX_TRACED)
    if len(calls) < MIN_CALLS:
        return []
    profiler.dump(loop.library)
    events = _events(path.read_text(encoding="utf-8"))
    starts = [event["ts"] for event in events]
    return [
        _sums(events[bisect_left(starts, call.begin // 1000) : bisect_right(starts, call.end // 1000 + 1)], call, names)
        for call in calls
    ]


def _events(text: str) -> list[dict[str, Any]]:
    """The kernels' begins and ends in a dump, in order."""
    found: list[dict[str, Any]] = json.loads(text)["traceEvents"]
    kept = (event for event in found if "operator" in event.get("cat", "").lower() and event["ph"] in "BE")
    return sorted(kept, key=lambda event: event["ts"])


def _sums(
    events: Sequence[dict[str, Any]], call: Timed, names: tuple[Sequence[str], Sequence[str]]
) -> tuple[float, float]:
    totals = [0.0, 0.0]
    for which, (low, high) in enumerate(((call.begin, call.middle), (call.middle, call.end))):
        for event in events:
            name = event["name"].partition("{name=")[0]
            if name in names[which] and low // 1000 <= event["ts"] <= high // 1000 + 1:
                totals[which] += event["ts"] if event["ph"] == "E" else -event["ts"]
    return totals[0], totals[1]


def result(warm: Sequence[Timed], wall: Sequence[Timed], kernel: Sequence[tuple[float, float]]) -> dict[str, Any]:
    last = warm[-QUIET:]
    return {
        "warm_up": len(warm),
        "settled": is_settled(warm),
        "faults": float(np.median([call.faults for call in last])),
        "calls": len(wall),
        "wall_us": [_median([call[which] for call in wall]) / 1000 for which in (0, 1)],
        "kernel_us": [_grouped_median([sums[which] for sums in kernel]) for which in (0, 1)],
    }


def _median(values: Sequence[float]) -> float:
    return float(np.median(values)) if values else 0.0


def _grouped_median(values: Sequence[float]) -> float:
    """The median where equal values are spread evenly over their step of one microsecond."""
    if not values:
        return 0.0
    middle = sorted(values)[len(values) // 2]
    below, same = sum(value < middle for value in values), sum(value == middle for value in values)
    return middle - 0.5 + (len(values) / 2 - below) / same


def _faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


if __name__ == "__main__":
    sys.exit(main())
