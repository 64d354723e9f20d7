"""Counts the instructions of each case in a fork of a process that valgrind runs.

Valgrind runs code about ten times slower as long as nothing is counted, and fifty times slower while it counts; an
operation of fused multiply and add takes it thousands of times as long. Calls are counted once the process is warm.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from autoperf.backends.passes import backward, forward, release
from autoperf.backends.protocol import Engine, Outputs, PreparedCall
from autoperf.core.errors import CounterError
from autoperf.core.outcome import PASSES, Status
from autoperf.counts.requests import Requests
from autoperf.measurement.child_setup import prepared, run, serve_forks
from autoperf.measurement.messages import CaseFailure, Counted, Service, Task, Unusable
from autoperf.measurement.runner import gc_paused
from autoperf.measurement.settings import Settings

# The number of counted calls: equal counts are exact.
CALLS = 2
# How much longer a call takes while it is counted, with the translation of its code.
COUNTING_FACTOR = 1.5
# A call that takes as many seconds is counted once; the translation of its code takes no time beside it.
LONG_SECONDS = 1.0
# The first call prepares what a framework needs once. It is repeated if it takes less than this share of the limit.
MAX_FIRST_SHARE = 0.1
# Random numbers decide how often some kernels loop.
SEED = 42


def serve(channel: Service, engine: Engine, settings: Settings) -> None:
    """Counts one case at a time until the channel is closed."""
    try:
        requests = Requests()
    except CounterError as error:
        channel.send(Unusable(str(error)))
        return
    if not requests.is_answered:
        channel.send(Unusable("the process that counts isn't run by valgrind"))
        return
    counter = CallCounter(engine, requests, settings)
    serve_forks(channel, engine, settings, lambda: counter.answer)


class CallCounter:
    """Counts the passes of calls by the requests of this process."""

    def __init__(self, engine: Engine, requests: Requests, settings: Settings) -> None:
        self._engine, self._requests, self._settings = engine, requests, settings
        # Without functions of C, whatever runs from the start of a pass to its end is counted.
        self._counts_all = not engine.count_calls(requests.counting)

    def answer(self, task: Task) -> Counted | CaseFailure:
        """The number of counted calls of a case, or why there are none."""
        begin, limit = time.process_time(), self._settings.timeout
        call = prepared(self._engine, self._settings, task)
        self._engine.seed(SEED)
        with gc_paused():
            seconds = _run(call)
            if seconds <= MAX_FIRST_SHARE * limit:
                seconds = _run(call)
            calls = 1 if seconds > LONG_SECONDS else CALLS
            needed = time.process_time() - begin + calls * seconds * COUNTING_FACTOR
            if needed > limit:
                return CaseFailure(
                    Status.SKIPPED,
                    f"counting it would take about {needed:.0f} s, more than the limit of {limit:g} s (--timeout); "
                    "smaller inputs (--input-profile, --max-elements) take less",
                )
            self._requests.start()
            for _ in range(calls):
                self._count(call)
        return Counted(os.getpid(), calls, has_backward=bool(call.gradients))

    def _count(self, call: PreparedCall) -> None:
        outputs: list[Outputs] = []
        try:
            self._dumped(lambda: outputs.append(forward(call)), PASSES[0])
            if call.gradients:
                self._dumped(lambda: backward(call, outputs[0]), PASSES[1])
        finally:
            for made in outputs:
                release(call, made)

    def _dumped(self, function: Callable[[], None], name: str) -> None:
        self._requests.zero()
        if self._counts_all:
            self._requests.toggle()
        function()
        if self._counts_all:
            self._requests.toggle()
        self._requests.dump(name)


def _run(call: PreparedCall) -> float:
    """The processor's seconds of both passes, which other programs don't lengthen."""
    begin = time.process_time()
    outputs = forward(call)
    try:
        if call.gradients:
            backward(call, outputs)
    finally:
        release(call, outputs)
    return time.process_time() - begin


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=False))
