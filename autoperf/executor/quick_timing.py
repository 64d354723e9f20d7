"""Says roughly, and at once, what a case takes, or which of two cases takes longer, in a process of its own."""

from __future__ import annotations

import contextlib
import random
import sys
import time
from collections.abc import Iterator

from autoperf.capi.library import Library
from autoperf.capi.linux import limit_memory
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, EngineError
from autoperf.core.outcome import Status
from autoperf.executor.attribution import Boundaries
from autoperf.executor.call import Call, describe, differentiable_inputs, parse_context
from autoperf.executor.child_setup import refusal, run, serve_requests
from autoperf.executor.messages import (
    BackwardRequest,
    CaseFailure,
    PairedTimes,
    PairedTiming,
    QuickTimes,
    QuickTiming,
    Request,
    Service,
)
from autoperf.executor.runner import Runner, undisturbed
from autoperf.executor.settings import Settings

# A short call is timed several times in a row, until that has lasted this long, and the mean is one sample.
SAMPLE_SECONDS = 0.0005
MAX_LOOPS = 8
WARM_CALLS = 2


class QuickTimer:
    """A process's library, and how it answers."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self._library = library
        self._settings = settings
        self._ctx = parse_context(settings.ctx)

    def answer(self, question: Request) -> QuickTimes | PairedTimes | CaseFailure:
        """Times what is asked for, or says why that didn't work."""
        if not isinstance(question, QuickTiming | PairedTiming):
            return CaseFailure(Status.FAILED, f"a process that answers a hunt can't answer {question}")
        try:
            with undisturbed():
                return self._probe(question) if isinstance(question, QuickTiming) else self._duel(question)
        except Exception as error:  # noqa: BLE001 - whatever a case does, it costs this answer only
            with contextlib.suppress(AutoperfError):
                self._library.wait_all()
            return refusal(error, self._settings.bytes_allowed)

    def _probe(self, probe: QuickTiming) -> QuickTimes:
        begin = time.monotonic()
        with self._runner(probe.case, backward=probe.backward) as (runner, backward):
            samples = [_once(runner)]
            limit = probe.seconds / 2
            # The first call is a warm-up, unless it has taken so long that it has to do.
            if time.monotonic() - begin < limit:
                samples = []
                while len(samples) < probe.count and (not samples or time.monotonic() - begin < probe.seconds):
                    samples.append(_once(runner))
        return QuickTimes(
            tuple(_microseconds(one, backward=False) for one in samples),
            tuple(_microseconds(one, backward=True) for one in samples) if backward else (),
        )

    def _duel(self, duel: PairedTiming) -> PairedTimes:
        order = random.Random(duel.seed)  # noqa: S311 - an order of measurements, not a secret
        deadline = time.monotonic() + duel.seconds
        with (
            self._runner(duel.first, backward=duel.backward) as (first, first_has),
            self._runner(duel.second, backward=duel.backward) as (second, second_has),
        ):
            if duel.backward and not (first_has and second_has):
                raise EngineError("one of the two inputs has no backward pass")
            runners = first, second
            loops = [_loops(runner, backward=duel.backward) for runner in runners]
            taken: tuple[list[float], list[float]] = ([], [])
            while len(taken[0]) < duel.rounds and (not taken[0] or time.monotonic() < deadline):
                for side in order.sample((0, 1), 2):
                    calls = runners[side].block(time.perf_counter_ns, loops[side])
                    each = [_microseconds(call, backward=duel.backward) for call in calls]
                    taken[side].append(sum(each) / len(each))
        return PairedTimes(tuple(taken[0]), tuple(taken[1]))

    @contextlib.contextmanager
    def _runner(self, case: Case, *, backward: bool) -> Iterator[tuple[Runner, bool]]:
        """A call that is ready, and whether it has a backward pass; where that fails, a forward pass alone."""
        call = Call(self._library, case, self._ctx)
        try:
            wanted = differentiable_inputs(case) if backward else ()
            yield Runner(call), bool(wanted) and self._with_gradients(call, wanted)
        finally:
            call.free()

    def _with_gradients(self, call: Call, wanted: tuple[str, ...]) -> bool:
        runner = Runner(call)
        try:
            call.request_gradients(BackwardRequest(wanted))
            outputs = runner.forward()
            call.make_heads(tuple(describe(self._library, handle) for handle in outputs))
            runner.backward(outputs)
            runner.release(outputs)
        except EngineError:
            call.request_gradients(BackwardRequest(()))
            with contextlib.suppress(EngineError):
                self._library.wait_all()
            return False
        return True


def _loops(runner: Runner, *, backward: bool) -> int:
    """Over how many calls a sample averages, by the last of a few that warm up."""
    last = [_once(runner) for _ in range(WARM_CALLS)][-1]
    return max(1, min(MAX_LOOPS, int(SAMPLE_SECONDS * 1e6 / max(_microseconds(last, backward=backward), 1.0))))


def _once(runner: Runner) -> Boundaries:
    (call,) = runner.block(time.perf_counter_ns, 1)
    return call


def _microseconds(call: Boundaries, *, backward: bool) -> float:
    return (call.backward_end - call.forward_end if backward else call.forward_end - call.start) / 1000


def serve(channel: Service, library: Library, settings: Settings) -> None:
    """Answers one question after the other until the hunt hangs up."""
    timer = QuickTimer(library, settings)
    limit_memory(settings.bytes_allowed)
    serve_requests(channel, timer.answer)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, uses_gpu=True))
