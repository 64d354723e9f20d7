"""Times cases, one after the other, in a process of its own that was freshly started."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import msgspec

from autoperf.capi.library import Library
from autoperf.core.case import Case
from autoperf.core.outcome import Pass, Series
from autoperf.executor.attribution import Attributed, Boundaries, attribute
from autoperf.executor.call import Call, parse_context
from autoperf.executor.channel import Channel, ChannelClosed
from autoperf.executor.child import Shelf, limit_memory, quiet_exit, refusal, run
from autoperf.executor.measure import Runner
from autoperf.executor.messages import Facts, Measured, Refused, Task
from autoperf.executor.settings import Settings, sampling_rule, warmup_rule
from autoperf.executor.trace import Recorder, kernels
from autoperf.results.statistics import summarise


class Stopwatch:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = time.monotonic()

    def stop(self, stage: str) -> None:
        """What has passed since the last stop was this stage."""
        now = time.monotonic()
        self.stages[stage] = now - self._last
        self._last = now


class Worker:
    """A process's library, settings, profiler and last file."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self.library = library
        self.settings = settings
        self._shelf = Shelf()
        self._recorder = Recorder(library, memory=False) if settings.profiler == "native" else None

    def answer(self, task: Task) -> Measured | Refused:
        """Times a case, or says why that didn't work."""
        watch = Stopwatch()
        try:
            call = self._prepare(self._shelf.case(task), task.facts)
        except Exception as error:  # noqa: BLE001 - whatever a case does, it costs this case only
            return refusal(error, self.settings.bytes_allowed)
        try:
            watch.stop("prepare")
            forward, backward = self._time(call, watch)
            if backward and task.facts and task.facts.wish and task.facts.wish.note:
                backward = msgspec.structs.replace(backward, notes=(task.facts.wish.note, *backward.notes))
        except Exception as error:  # noqa: BLE001 - likewise
            return refusal(error, self.settings.bytes_allowed)
        finally:
            call.free()
        watch.stop("free")
        return Measured(forward, backward, watch.stages)

    def _prepare(self, case: Case, facts: Facts | None) -> Call:
        call = Call(self.library, case, parse_context(self.settings.ctx))
        if facts and facts.wish:
            call.want(facts.wish)
            call.make_heads(facts.outputs)
        return call

    def _time(self, call: Call, watch: Stopwatch) -> tuple[Pass, Pass | None]:
        runner = Runner(call)
        runner.repeat(time.perf_counter_ns, warmup_rule(self.settings))
        watch.stop("warm-up")
        wall = runner.repeat(time.perf_counter_ns, sampling_rule(self.settings))
        watch.stop("wall")
        if self._recorder is None:
            return _passes(wall, None, bool(call.gradients), ())
        traced = runner.traced(sampling_rule(self.settings))
        watch.stop("kernel")
        forward, backward, notes = attribute(kernels(self._recorder.dump()), traced, call.case.operator)
        watch.stop("trace")
        return _passes(wall, (forward, backward), bool(call.gradients), notes)


def _passes(
    wall: Sequence[Boundaries],
    traced: tuple[Attributed, Attributed] | None,
    with_backward: bool,
    notes: tuple[str, ...],
) -> tuple[Pass, Pass | None]:
    forward = _pass([call.forward_end - call.start for call in wall], traced[0] if traced else None, notes)
    if not with_backward:
        return forward, None
    return forward, _pass([call.backward_end - call.forward_end for call in wall], traced[1] if traced else None, ())


def _pass(wall_ns: Sequence[int], traced: Attributed | None, notes: tuple[str, ...]) -> Pass:
    wall = summarise([sample / 1000 for sample in wall_ns])
    if traced is None:
        return Pass(wall_us=wall, notes=notes)
    return Pass(
        kernel_us=_kernel_series(traced),
        wall_us=wall,
        kernels=traced.kernels,
        helpers=traced.helpers,
        notes=(*traced.notes, *notes, *(() if traced.totals else ("no kernel of its own is in the trace",))),
    )


def _kernel_series(traced: Attributed) -> Series | None:
    return summarise(traced.totals) if traced.totals else None


def serve(channel: Channel, library: Library, settings: Settings) -> None:
    """Takes one case after the other until the supervisor hangs up."""
    worker = Worker(library, settings)
    limit_memory(settings.bytes_allowed)
    try:
        while True:
            task = channel.receive()
            if isinstance(task, Task):
                channel.send(worker.answer(task))
    except ChannelClosed:
        pass
    finally:
        quiet_exit(0)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, uses_gpu=True))
