"""Processes are killed at drawn moments: each outcome is its own case's, and one case is lost at most for each kill."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from executor_values import HEAD, hostile_job, jobs

from autoperf.capi.library_path import find_library
from autoperf.core.outcome import Outcome, Status
from autoperf.core.tensors import ArrayType
from autoperf.executor.managed_process import ManagedProcess
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job
from autoperf.registry.calls import InferenceCall
from autoperf.registry.client import RegistryClient

CASES = 30
KILLS = 12
SEED = 20
PAUSE = 0.15
SETTINGS = Settings(warmup=0, runs=2, processes=1, timeout=60)
IN_WORKER = "    if 'executor.worker' in open('/proc/self/cmdline').read():"
DUPLICATE = """
        import msgspec
        body = msgspec.msgpack.encode((1, {'type': 'turned'}))
        os.write(int(sys.argv[2]), len(body).to_bytes(4, 'big') + body)
"""


@pytest.fixture
def queue(tmp_path: Path) -> list[Job]:
    """Cases that differ in their shapes, and so in what their outputs and memory are."""
    text = HEAD.format(operator="exp")
    for rows in range(1, CASES + 1):
        text += f"\n@case()\ndef rows_{rows}():\n    return dict(data=tensor(({rows}, 3)))\n"
    path = tmp_path / "queue.py"
    path.write_text(text, encoding="utf-8")
    return jobs(path)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    with Executor(find_library(), SETTINGS, tmp_path_factory.mktemp("kills")) as executor:
        yield executor


def check(job: Job, outcome: Outcome) -> None:
    """What is said of a case is what is true of it alone."""
    (data,) = job.case.inputs
    shape = data.tensor.shape
    assert outcome.case == job.case.id
    if outcome.status is Status.MEASURED:
        assert [output.shape for output in outcome.outputs] == [shape]
        assert outcome.memory
        assert outcome.memory.forward.output == 12 * shape[0]


def forks(process: ManagedProcess) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error, AttributeError):
        return psutil.Process(process.child.pid).children()
    return []


def test_forks_that_die_while_they_wait_cost_nothing(running: Executor, queue: Sequence[Job]) -> None:
    for job in queue[:8]:
        running.prepare()
        (idle,) = forks(running._trial)
        idle.kill()
        (outcome,) = running.run([job])
        check(job, outcome)
        assert (outcome.status, outcome.reason) == (Status.MEASURED, "")


def test_a_fork_that_is_stopped_while_it_waits_costs_nothing(
    running: Executor, queue: Sequence[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autoperf.executor.trial_client.READY_PATIENCE", 1.0)
    running.prepare()
    (idle,) = forks(running._trial)
    idle.suspend()
    for job in queue[:2]:
        (outcome,) = running.run([job])
        check(job, outcome)
        assert (outcome.status, outcome.reason) == (Status.MEASURED, "")


@pytest.mark.parametrize("place", ["    if True:", IN_WORKER], ids=["trial", "worker"])
def test_an_answer_too_many_costs_its_own_case_at_most(
    running: Executor, queue: Sequence[Job], tmp_path: Path, place: str
) -> None:
    hostile = hostile_job(tmp_path, f"{place}{DUPLICATE}")
    (first,) = running.run([hostile])
    assert first.case == hostile.case.id
    for job in queue[:3]:
        (outcome,) = running.run([job])
        check(job, outcome)
        assert outcome.status is Status.MEASURED


@contextmanager
def killing(victims: Callable[[random.Random], int | None], seed: int) -> Iterator[list[int]]:
    """Kills what is drawn, at drawn moments, so many times at most; the ids of those that were."""
    draw, over, killed = random.Random(seed), threading.Event(), list[int]()

    def kill() -> None:
        while len(killed) < KILLS and not over.wait(draw.uniform(0, PAUSE)):
            victim = victims(draw)
            if victim:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        over.set()
        killer.join()


def test_kills_at_drawn_moments_cost_one_case_each_at_most(running: Executor, queue: Sequence[Job]) -> None:
    """Of the trial, its forks and the worker; a process that is only just started is left alone."""

    def victim(draw: random.Random) -> int | None:
        trial, worker = (process._child for process in (running._trial, *running._workers.processes))
        kind = draw.choice(("trial", "fork", "worker"))
        child = worker if kind == "worker" else trial
        if child is None:
            return None
        if kind != "fork":
            return child.pid
        with contextlib.suppress(psutil.Error):
            return draw.choice([fork.pid for fork in psutil.Process(child.pid).children()] or [None])
        return None

    with killing(victim, SEED) as killed:
        outcomes = [next(running.run([job])) for job in queue]
    for job, outcome in zip(queue, outcomes, strict=True):
        check(job, outcome)
        assert outcome.status in {Status.MEASURED, Status.CRASHED, Status.FAILED}
        assert outcome.reason or outcome.status is Status.MEASURED
    assert killed
    assert sum(outcome.status is not Status.MEASURED for outcome in outcomes) <= len(killed)
    (last,) = running.run(queue[:1])
    check(queue[0], last)
    assert last.status is Status.MEASURED


def test_kills_of_the_registrys_service_cost_one_call_each_at_most() -> None:
    calls = [InferenceCall("exp", {"data": ArrayType((rows, 3), "float32")}) for rows in range(1, 2001)]
    with RegistryClient(find_library(), cached=False) as client:

        def victim(_draw: random.Random) -> int | None:
            return client._service.pid if client._service else None

        with killing(victim, SEED) as killed:
            completions = client.complete(calls)
            while not killed:
                completions = client.complete(calls)
    wrong = 0
    for call, completion in zip(calls, completions, strict=True):
        if completion.valid:
            assert completion.outputs[0].shape == call.inputs["data"].shape
        else:
            assert "SIGKILL" in completion.error
            wrong += 1
    assert wrong <= len(killed)
