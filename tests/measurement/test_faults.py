"""Every fault of a process, in each kind of process: it costs one case, which names it, and the next is measured.

The faults happen for real. A signal from outside is sent once the case says that it runs, or at drawn moments.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from autoperf.backends.mxnet.backend import BACKEND, find_library
from autoperf.core.errors import ProcessError
from autoperf.core.outcome import Outcome, Status
from autoperf.core.tensors import ArrayType
from autoperf.measurement import trial_client
from autoperf.measurement.batches import Job
from autoperf.measurement.managed_process import ManagedProcess
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor
from autoperf.processes import channel
from autoperf.registry.calls import InferenceCall
from autoperf.registry.client import RegistryClient
from tests.measurement.executor_values import QUICK, hostile_job, jobs
from tests.measurement.hostile import HOSTILE
from tests.values import case

# A trial's fork has the command line of its parent.
IN = {
    "trial": "if 'measurement.trial' in open('/proc/self/cmdline').read():",
    "worker": "if 'measurement.worker' in open('/proc/self/cmdline').read():",
}
LIMIT = 256 * 2**20
CASES = 30
KILLS = 12
SEED = 20
PAUSE = 0.15
DUPLICATE = """
        body = msgspec.msgpack.encode((1, {'type': 'turned'}))
        os.write(int(sys.argv[2]), len(body).to_bytes(4, 'big') + body)
"""
SETTINGS = {
    False: Settings(warmup=0, runs=1, processes=1, timeout=60, memory_limit=LIMIT, framework=HOSTILE),
    True: Settings(warmup=0, runs=1, processes=1, timeout=1.5, memory_limit=LIMIT, framework=HOSTILE),
}
FAULTS = {
    "raises": ("raise KeyError('the key')", Status.FAILED, "KeyError: 'the key'"),
    "ends well": ("os._exit(0)", Status.CRASHED, "exit status 0"),
    "ends": ("os._exit(4)", Status.CRASHED, "exit status 4"),
    "aborts": ("os.abort()", Status.CRASHED, "SIGABRT"),
    "kills itself": ("os.kill(os.getpid(), 9)", Status.CRASHED, "SIGKILL, as Linux sends it when memory runs out"),
    "segfaults": ("ctypes.string_at(8)", Status.CRASHED, "SIGSEGV"),
    "divides by zero in C": ("os.kill(os.getpid(), 8)", Status.CRASHED, "SIGFPE"),
    "has last words": ("os.write(2, b'no such thing as a free lunch\\n'); os.abort()", Status.CRASHED, "a free lunch"),
    "takes too much memory": ("bytes(2**30)", Status.FAILED, "out of memory within the limit of 256 MiB"),
    "leaks": ("kept = [bytes(2**22) for _ in range(2**10)]", Status.FAILED, "out of memory within the limit"),
    "writes rubbish": ("os.write(int(sys.argv[2]), b'rubbish rubbish')", Status.CRASHED, "garbage"),
    "writes a message of another kind": (
        "os.write(int(sys.argv[2]), (8).to_bytes(4, 'big') + b'\\x81\\xa4type\\xa1x')", Status.CRASHED, "garbage",
    ),
    "stops within a message": (
        "os.write(int(sys.argv[2]), (100).to_bytes(4, 'big') + b'half'); os._exit(5)", Status.CRASHED, "process",
    ),
    "hangs in Python": ("time.sleep(1000)", Status.TIMEOUT, "1.5 s"),
    "hangs in C with the GIL held": ("ctypes.PyDLL(None).sleep(1000)", Status.TIMEOUT, "1.5 s"),
    "hangs deaf to signals": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32)); time.sleep(1000)",
        Status.TIMEOUT, "1.5 s",
    ),
    "stops itself": ("os.kill(os.getpid(), 19)", Status.TIMEOUT, "1.5 s"),
}  # fmt: skip


@pytest.fixture(scope="module")
def executors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, Executor]]:
    """One for all faults: what one breaks must not break the next. Another for what hangs, with little patience."""
    with ExitStack() as stack:
        yield {
            hangs: stack.enter_context(Executor(find_library(), settings, tmp_path_factory.mktemp("faults")))
            for hangs, settings in SETTINGS.items()
        }


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the rest of a message, whose writer is dead."""
    monkeypatch.setattr(channel, "REST_PATIENCE", 1.0)


@pytest.fixture
def running(executors: dict[bool, Executor]) -> Executor:
    return executors[False]


@pytest.fixture
def impatient(executors: dict[bool, Executor]) -> Executor:
    return executors[True]


@pytest.fixture
def healthy(write: Callable[..., Path]) -> Job:
    return jobs(write("exp", "data=tensor((3, 3))", name="healthy"))[0]


def fate(executor: Executor, job: Job) -> Outcome:
    (outcome,) = executor.run([job])
    return outcome


@pytest.mark.parametrize("place", IN)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_one_case_and_says_what_it_was(
    executors: dict[bool, Executor], healthy: Job, fault: str, place: str
) -> None:
    body, status, words = FAULTS[fault]
    running = executors[status is Status.TIMEOUT]
    outcome = fate(running, hostile_job(f"    {IN[place]}\n        {body}"))
    assert (outcome.status, outcome.forward, outcome.backward) == (status, None, None)
    assert words in outcome.reason
    assert outcome.reason
    assert "\n" not in outcome.reason
    after = fate(running, healthy)
    assert (after.status, after.reason) == (Status.MEASURED, "")
    assert after.backward


@contextmanager
def sent(number: int, flag: Path) -> Iterator[None]:
    """Sends a signal to whichever process writes its id to the flag, each once, from a thread of this process."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.01):
            for pid in flag.read_text().split() if flag.exists() else ():
                if pid not in seen:
                    seen.add(pid)
                    os.kill(int(pid), number)

    seen: set[str] = set()
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def waiting(flag: Path, place: str, whom: str = "os.getpid()", times: int = 99) -> str:
    """The body of a case that says which process is to get the signal, and waits for it; only so many times."""
    return f"""\
    {IN[place]}
        told = open({str(flag)!r}).read().split() if os.path.exists({str(flag)!r}) else []
        if len(told) < {times}:
            with open({str(flag)!r}, 'a') as file:
                file.write(f"{{{whom}}} ")
            time.sleep(1000)
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
@pytest.mark.parametrize("place", IN)
def test_a_signal_from_outside_costs_one_case(
    running: Executor, tmp_path: Path, healthy: Job, place: str, name: str
) -> None:
    flag = tmp_path / "flag"
    with sent(signal.Signals[name], flag):
        outcome = fate(running, hostile_job(waiting(flag, place)))
    assert outcome.status is Status.CRASHED
    assert name in outcome.reason
    assert fate(running, healthy).status is Status.MEASURED


def test_a_trial_that_is_killed_whole_costs_one_case(running: Executor, tmp_path: Path, healthy: Job) -> None:
    """Not the fork that has the case, but the process that it is a fork of."""
    flag = tmp_path / "flag"
    with sent(signal.SIGKILL, flag):
        outcome = fate(running, hostile_job(waiting(flag, "trial", "os.getppid()")))
    assert outcome.status is Status.CRASHED
    assert "SIGKILL" in outcome.reason
    assert fate(running, healthy).status is Status.MEASURED


@pytest.mark.parametrize("whom", ["os.getpid()", "os.getppid()"])
def test_one_kill_of_the_trial_costs_nothing(running: Executor, tmp_path: Path, whom: str) -> None:
    """The case is tried as it was, so that it doesn't lose its backward pass."""
    flag = tmp_path / "flag"
    with sent(signal.SIGKILL, flag):
        outcome = fate(running, hostile_job(waiting(flag, "trial", whom, times=1)))
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert outcome.backward
    assert len(flag.read_text().split()) == 1


@pytest.mark.parametrize("place", IN)
def test_a_process_that_is_stopped_from_outside_is_out_of_time(
    impatient: Executor, tmp_path: Path, healthy: Job, place: str
) -> None:
    flag = tmp_path / "flag"
    with sent(signal.SIGSTOP, flag):
        outcome = fate(impatient, hostile_job(waiting(flag, place)))
    assert outcome.status is Status.TIMEOUT
    assert fate(impatient, healthy).status is Status.MEASURED


def test_a_trial_that_was_stopped_between_cases_is_replaced(
    running: Executor, healthy: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time that this takes is not the case's, which is measured."""
    monkeypatch.setattr(trial_client, "READY_PATIENCE", 1.5)
    fate(running, healthy)
    child = running._trial.child
    os.killpg(child.pid, signal.SIGSTOP)
    outcome = fate(running, healthy)
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert running._trial.child is not child


def test_a_worker_that_was_stopped_between_cases_costs_one_case(impatient: Executor, healthy: Job) -> None:
    fate(impatient, healthy)
    (process,) = impatient.workers.processes
    os.killpg(process.child.pid, signal.SIGSTOP)
    assert fate(impatient, healthy).status is Status.TIMEOUT
    assert fate(impatient, healthy).status is Status.MEASURED


def test_of_several_workers_one_may_be_lost(tmp_path: Path, healthy: Job) -> None:
    """The figures are those of the others, and say so."""
    settings = Settings(warmup=0, runs=2, processes=3, timeout=60, framework=HOSTILE)
    flag = tmp_path / "flag"
    body = f"""\
    {IN["worker"]}
        with open({str(flag)!r}, 'a+') as file:
            file.write(f"{{os.getpid()}} ")
            file.flush()
            file.seek(0)
            first = file.read().split()[0]
        if first == str(os.getpid()):
            os.abort()
"""
    with Executor(find_library(), settings, tmp_path) as executor:
        fate(executor, healthy)
        first, second = fate(executor, hostile_job(body)), fate(executor, healthy)
    assert (first.status, second.status) == (Status.MEASURED, Status.MEASURED)
    assert second.reason == ""


def test_damage_by_an_earlier_case_isnt_blamed_on_a_later_one(executor: Executor, tmp_path: Path, healthy: Job) -> None:
    """The first worker that prepares this case fails; a fresh one doesn't."""
    flag = tmp_path / "flag"
    body = f"""\
    {IN["worker"]}
        if not os.path.exists({str(flag)!r}):
            open({str(flag)!r}, 'w').close()
            os.abort()"""
    for job in (healthy, hostile_job(body)):
        assert fate(executor, job).status is Status.MEASURED
    assert flag.exists()


def test_a_case_that_takes_too_much_memory_fails(write: Callable[..., Path], tmp_path: Path) -> None:
    settings = Settings(warmup=0, runs=1, processes=1, memory_limit=256 * 2**20)
    with Executor(find_library(), settings, tmp_path) as executor:
        small, large, too_much, again = executor.run(
            jobs(write("_ones", "shape=(10,)", "shape=(1024, 1024, 16)", "shape=(1024, 1024, 128)", "shape=(11,)"))
        )
    assert [one.status for one in (small, large, again)] == [Status.MEASURED] * 3
    assert too_much.status is Status.FAILED
    assert "out of memory within the limit of 256 MiB" in too_much.reason


def test_contents_that_segfault_cost_only_their_case(run: Callable[..., list[Outcome]]) -> None:
    far = "data=tensor((4,)), indices=tensor((1, 4), 'int64', constant(10**11)), shape=(8,)"
    good = "data=tensor((4,)), indices=tensor((1, 4), 'int64', integers(0, 8)), shape=(8,)"
    crashed, fine = run("scatter_nd", far, good)
    assert crashed.status is Status.CRASHED
    assert crashed.reason.startswith("the process died: ")
    assert fine.status is Status.MEASURED


def test_children_that_are_killed_between_cases_are_replaced(executor: Executor, healthy: Job) -> None:
    fate(executor, healthy)
    for process in (executor._trial, *executor.workers.processes):
        child = process.child
        os.killpg(child.pid, signal.SIGKILL)
        assert child.exit_code(30) == -signal.SIGKILL
    for _ in range(2):
        assert fate(executor, healthy).reason == ""


@pytest.mark.parametrize(("share", "is_ended"), [(0.0, True), (1.0, False)])
def test_a_process_that_holds_much_memory_after_a_case_is_ended(
    running: Executor, healthy: Job, share: float, *, is_ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autoperf.measurement.managed_process.HELD_SHARE", share)
    for _ in range(2):
        assert [outcome.status for outcome in running.run([healthy])] == [Status.MEASURED]
        assert [process.runs for process in running.workers.processes] == [not is_ended] * len(
            running.workers.processes
        )


def test_a_scratch_folder_that_is_gone_is_named(tmp_path: Path, healthy: Job) -> None:
    """Processes that run go on without it; one that has to be started can't be."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with Executor(find_library(), QUICK, scratch) as executor:
        scratch.rmdir()
        assert fate(executor, healthy).status is Status.MEASURED
        executor.workers.processes[0].stop()
        outcome = fate(executor, healthy)
    assert outcome.status is Status.FAILED
    assert outcome.reason.startswith("the worker process can't be started: can't start the worker process: No such")
    assert str(scratch) in outcome.reason


def test_forks_that_end_before_they_are_ready_fail_the_case(tmp_path: Path, healthy: Job) -> None:
    """Without any memory not even the warm-up works, and there is no endless retry."""
    with Executor(find_library(), Settings(processes=1, memory_limit=1000), tmp_path) as executor:
        outcome = fate(executor, healthy)
    assert outcome.status is Status.FAILED
    assert outcome.reason.startswith(("the trial process can't be started", "out of memory"))


def test_a_closed_executor_starts_no_process(tmp_path: Path, healthy: Job) -> None:
    with Executor(find_library(), QUICK, tmp_path) as executor:
        assert fate(executor, healthy).status is Status.MEASURED
    before = psutil.Process().children()
    assert fate(executor, healthy).reason == "the trial process can't be started: the trial process is closed"
    with pytest.raises(ProcessError, match="the worker process is closed"):
        executor.workers.start()
    assert psutil.Process().children() == before


def test_no_process_is_left_behind(tmp_path: Path, healthy: Job) -> None:
    with Executor(find_library(), QUICK, tmp_path) as executor:
        fate(executor, healthy)
        groups = [process.child.pid for process in (executor._trial, *executor.workers.processes)]
        assert all(alive(group) for group in groups)
    deadline = time.monotonic() + 30
    while any(alive(group) for group in groups) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(alive(group) for group in groups)


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def queue() -> list[Job]:
    """Cases that differ in their shapes, and so in what their outputs and memory are."""
    return [Job(case("exp", rows, 3)) for rows in range(1, CASES + 1)]


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
    monkeypatch.setattr("autoperf.measurement.trial_client.READY_PATIENCE", 1.0)
    running.prepare()
    (idle,) = forks(running._trial)
    idle.suspend()
    for job in queue[:2]:
        (outcome,) = running.run([job])
        check(job, outcome)
        assert (outcome.status, outcome.reason) == (Status.MEASURED, "")


@pytest.mark.parametrize("place", IN)
def test_an_answer_too_many_costs_its_own_case_at_most(running: Executor, queue: Sequence[Job], place: str) -> None:
    hostile = hostile_job(f"    {IN[place]}{DUPLICATE}")
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
        trial, worker = (process._child for process in (running._trial, *running.workers.processes))
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
    with RegistryClient(BACKEND, find_library(), cached=False) as client:

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
