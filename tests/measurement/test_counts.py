"""Events are counted in iterations of their own, pass by pass. Page faults stand for instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.engine import MXNetEngine
from autoperf.backends.protocol import BackwardRequest, TrialResult
from autoperf.cases.suite import load
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Memory, Pass
from autoperf.core.tensors import ArrayType
from autoperf.measurement.aggregation import merge_processes
from autoperf.measurement.interleaved_executors import plan_turns
from autoperf.measurement.messages import (
    Close,
    Measured,
    Open,
    Opened,
    Task,
    Turn,
    Turned,
    answer_decoder,
)
from autoperf.measurement.runner import Counts, Runner
from autoperf.measurement.sampling import COUNTED, _counted_iterations
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor
from autoperf.measurement.worker import Worker
from autoperf.processes.counters import INSTRUCTIONS, Counter, Event, unavailable
from tests.measurement.executor_values import jobs

PAGE_FAULTS = Event("page-faults", 1, 2)
QUICK = Settings(warmup=1, runs=3, processes=1, profiler="python")
TRIAL = TrialResult(
    (ArrayType((64, 64), "float32"),), BackwardRequest(("data",)), ("exp",), ("elemwise_mul",), Memory()
)


class Script(Counter):
    """A counter that counts what it is given, and keeps how it was used."""

    def __init__(self, *counts: int) -> None:
        self.left = list(counts)
        self.running = False
        self.stops = 0

    def start(self) -> None:
        assert not self.running
        self.running = True

    @property
    def names(self) -> tuple[str, ...]:
        return ("instructions", "cycles")

    def stop(self) -> tuple[int, int]:
        assert self.running
        self.running = False
        self.stops += 1
        count = self.left.pop(0)
        return count, 10 * count


@pytest.fixture
def call(write, library: Library) -> Iterator[Call]:
    made = Call(library, load(write("exp", "data=tensor((4, 4))")).cases[0].case, ("cpu", 0))
    yield made
    made.free()


def task(write) -> Task:
    (job,) = jobs(write("exp", "data=tensor((64, 64))"))
    return Task(job.case, TRIAL)


def sent(answer: object) -> Measured:
    """An answer as the command line's process receives it."""
    _, received = answer_decoder.decode(msgspec.msgpack.encode((1, answer)))
    assert isinstance(received, Measured), received
    return received


def test_a_forward_pass_alone_has_no_second_count(call: Call) -> None:
    script = Script(7, 5)
    assert Runner(call).counted(script, 2, discard_first=True) == [Counts((7, 70)), Counts((5, 50))]
    assert (script.left, script.stops) == ([], 2)


def test_each_pass_has_its_count(call: Call) -> None:
    call.request_gradients(BackwardRequest(("data",)))
    call.make_heads((ArrayType((4, 4), "float32"),))
    assert Runner(call).counted(Script(7, 3, 5, 2), 2) == [Counts((7, 70), (3, 30)), Counts((5, 50), (2, 20))]


def test_a_pass_that_fails_leaves_no_count_running(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    runner, script = Runner(call), Script(1)

    def fail() -> tuple[int, ...]:
        raise MemoryError

    monkeypatch.setattr(call, "invoke", fail)
    with pytest.raises(MemoryError):
        runner.counted(script, 1)
    assert not script.running


@pytest.mark.parametrize("profiler", ["python", "native"])
def test_a_worker_counts_each_pass(library: Library, write, profiler: str) -> None:
    counter = Counter(PAGE_FAULTS._replace(name="instructions"))
    settings = msgspec.structs.replace(QUICK, profiler=profiler)
    answer = sent(Worker(MXNetEngine(library), settings, counter).answer(task(write)))
    counter.close()
    assert answer.backward
    for samples in (answer.forward, answer.backward):
        assert len(samples.wall.samples) == len(samples.counts["instructions"].samples) == 3
        assert samples.counts["instructions"].turns == ()
    passes = [run for run in merge_processes([answer, answer], 0.01) if run]
    for run, samples in zip(passes, (answer.forward, answer.backward), strict=True):
        assert run.instructions.samples == samples.counts["instructions"].samples * 2
        assert run.instructions.processes == (3, 3)
        assert not run.instructions.probes
        assert run.instructions.loops == 1


def test_a_worker_counts_each_turn(library: Library, write) -> None:
    worker = Worker(MXNetEngine(library), QUICK, Script(*range(100, 200)))
    assert isinstance(worker.answer(Open(task(write))), Opened)
    assert worker.answer(Turn(2)) == worker.answer(Turn(3, discard_first=True)) == Turned()
    answer = sent(worker.answer(Close()))
    assert answer.forward.counts["instructions"].samples == (100, 102, 104, 106, 108)
    assert answer.forward.counts["cycles"].samples == (1000, 1020, 1040, 1060, 1080)
    assert answer.backward.counts["instructions"].samples == (101, 103, 105, 107, 109)
    taken = (answer.forward.wall, answer.forward.counts["cycles"], answer.backward.counts["instructions"])
    assert [each.turns for each in taken] == [(2, 3)] * 3
    forward, _ = merge_processes([answer], 0.01)
    assert forward.instructions.turns == ((2, 3),)
    assert (forward.instructions.median, forward.cycles.median) == (104, 1040)


def test_nothing_changes_without_a_counter(library: Library, write) -> None:
    answer = sent(Worker(MXNetEngine(library), QUICK).answer(task(write)))
    assert answer.forward.counts == {}
    forward, _ = merge_processes([answer], 0.01)
    assert not {b"instructions", b"cycles"} & {*re.findall(rb"\w+", msgspec.json.encode(forward))}
    assert msgspec.json.decode(msgspec.json.encode(forward), type=Pass) == forward


def test_counts_are_few_and_take_little_time() -> None:
    assert _counted_iterations(1e-5, 0.04) == COUNTED
    assert _counted_iterations(0.0, 0.04) == COUNTED
    assert _counted_iterations(1e-3, 0.04) == 10
    assert _counted_iterations(0.1, 0.04) == 2
    assert _counted_iterations(3.0, 0.04) == 1


def test_turns_allow_for_the_counted_iterations() -> None:
    settings = Settings(counters=("instructions",), count_by="processor")
    assert settings.iterations_per_sample == 3
    assert Settings(counters=("instructions", "cycles")).iterations_per_sample == 3
    assert Settings(counters=("instructions",), caller="python", count_by="processor").iterations_per_sample == 4
    assert Settings().iterations_per_sample == 2
    assert plan_turns(settings, 1e-3, 1.0)[0].count == 1
    assert plan_turns(Settings(), 1e-3, 1.0)[0].count == 1
    assert plan_turns(settings, 30e-6, 1.0)[0].count < plan_turns(Settings(), 30e-6, 1.0)[0].count


@pytest.mark.parametrize("name", ["wall", "misses", ""])
def test_a_counter_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"invalid counters {name!r}: expected instructions or cycles"):
        Settings(counters=(name,))


@pytest.mark.skipif(unavailable(INSTRUCTIONS) is None, reason="this machine has counters")
def test_an_executor_refuses_to_count_where_that_cannot_be_done(tmp_path: Path) -> None:
    executor = Executor(
        find_library(), msgspec.structs.replace(QUICK, counters=("instructions",), count_by="processor"), tmp_path
    )
    with pytest.raises(UsageError, match="--counters instructions can't be used"):
        executor.__enter__()
