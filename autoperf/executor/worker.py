"""Times cases, one after the other, in a process of its own that was freshly started."""

from __future__ import annotations

import sys
import time

import msgspec

from autoperf.capi.library import Library
from autoperf.core.case import Case
from autoperf.executor.call import Call, parse_context
from autoperf.executor.channel import Channel, ChannelClosed
from autoperf.executor.child import Shelf, limit_memory, quiet_exit, refusal, run
from autoperf.executor.conditions import Watch
from autoperf.executor.measure import Runner, undisturbed
from autoperf.executor.messages import Conditions, Facts, Measured, Refused, Taken, Task
from autoperf.executor.sampling import Sampler
from autoperf.executor.settings import Settings, sampling_rule, sampling_seconds, warmup_rule
from autoperf.executor.trace import Recorder


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
            forward, backward, conditions = self._time(call, task.seconds, watch)
            if backward and task.facts and task.facts.wish and task.facts.wish.note:
                backward = msgspec.structs.replace(backward, notes=(task.facts.wish.note, *backward.notes))
        except Exception as error:  # noqa: BLE001 - likewise
            return refusal(error, self.settings.bytes_allowed)
        finally:
            call.free()
        watch.stop("free")
        return Measured(forward, backward, conditions, watch.stages)

    def _prepare(self, case: Case, facts: Facts | None) -> Call:
        call = Call(self.library, case, parse_context(self.settings.ctx))
        if facts and facts.wish:
            call.want(facts.wish)
            call.make_heads(facts.outputs)
        return call

    def _time(self, call: Call, seconds: float | None, watch: Stopwatch) -> tuple[Taken, Taken | None, Conditions]:
        runner = Runner(call)
        warm = runner.repeat(time.perf_counter_ns, warmup_rule(self.settings, seconds))
        watch.stop("warm-up")
        usual = min((one.backward_end - one.start for one in warm), default=0) / 1e9
        window = Watch()
        sampler = Sampler(runner, self._recorder, call.case.operator, backward=bool(call.gradients))
        with undisturbed():
            sampler.sample(sampling_rule(self.settings, seconds), usual, sampling_seconds(self.settings, seconds))
            conditions = window.close()
            watch.stop("samples")
            watch.stages["samples"] -= sampler.trace_seconds
            forward, backward = sampler.taken()
        watch.stop("trace")
        watch.stages["trace"] += sampler.trace_seconds
        return forward, backward, conditions


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
