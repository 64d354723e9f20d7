"""Every fault that a process can have, in each kind of process: one case pays for it, and says what it was.

The faults happen for real. What comes from outside is sent once the case says that it runs.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from executor_values import hostile_job, jobs

from autoperf.capi.library_path import find_library
from autoperf.core.outcome import Outcome, Status
from autoperf.executor import trial_client
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job
from autoperf.processes import channel

# A trial's fork has the command line of its parent.
IN = {
    "trial": "if 'executor.trial' in open('/proc/self/cmdline').read():",
    "worker": "if 'executor.worker' in open('/proc/self/cmdline').read():",
}
LIMIT = 256 * 2**20
SETTINGS = {
    False: Settings(warmup=0, runs=1, processes=1, timeout=60, memory_limit=LIMIT),
    True: Settings(warmup=0, runs=1, processes=1, timeout=1.5, memory_limit=LIMIT),
}
FAULTS = {
    "raises": ("raise KeyError('the key')", Status.FAILED, "KeyError: 'the key'"),
    "exits": ("sys.exit(3)", Status.FAILED, "SystemExit: 3"),
    "ends": ("os._exit(4)", Status.CRASHED, "exit status 4"),
    "aborts": ("os.abort()", Status.CRASHED, "SIGABRT"),
    "segfaults": ("import ctypes; ctypes.string_at(8)", Status.CRASHED, "SIGSEGV"),
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
    "hangs in C with the GIL held": ("import ctypes; ctypes.PyDLL(None).sleep(1000)", Status.TIMEOUT, "1.5 s"),
    "hangs deaf to signals": (
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32)); time.sleep(1000)",
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
    executors: dict[bool, Executor], tmp_path: Path, healthy: Job, fault: str, place: str
) -> None:
    body, status, words = FAULTS[fault]
    running = executors[status is Status.TIMEOUT]
    outcome = fate(running, hostile_job(tmp_path, f"    {IN[place]}\n        {body}"))
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
        outcome = fate(running, hostile_job(tmp_path, waiting(flag, place)))
    assert outcome.status is Status.CRASHED
    assert name in outcome.reason
    assert fate(running, healthy).status is Status.MEASURED


def test_a_trial_that_is_killed_whole_costs_one_case(running: Executor, tmp_path: Path, healthy: Job) -> None:
    """Not the fork that has the case, but the process that it is a fork of."""
    flag = tmp_path / "flag"
    with sent(signal.SIGKILL, flag):
        outcome = fate(running, hostile_job(tmp_path, waiting(flag, "trial", "os.getppid()")))
    assert outcome.status is Status.CRASHED
    assert "SIGKILL" in outcome.reason
    assert fate(running, healthy).status is Status.MEASURED


@pytest.mark.parametrize("whom", ["os.getpid()", "os.getppid()"])
def test_one_kill_of_the_trial_costs_nothing(running: Executor, tmp_path: Path, whom: str) -> None:
    """The case is tried as it was, so that it doesn't lose its backward pass."""
    flag = tmp_path / "flag"
    with sent(signal.SIGKILL, flag):
        outcome = fate(running, hostile_job(tmp_path, waiting(flag, "trial", whom, times=1)))
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert outcome.backward
    assert len(flag.read_text().split()) == 1


@pytest.mark.parametrize("place", IN)
def test_a_process_that_is_stopped_from_outside_is_out_of_time(
    impatient: Executor, tmp_path: Path, healthy: Job, place: str
) -> None:
    flag = tmp_path / "flag"
    with sent(signal.SIGSTOP, flag):
        outcome = fate(impatient, hostile_job(tmp_path, waiting(flag, place)))
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
    (process,) = impatient._workers.processes
    os.killpg(process.child.pid, signal.SIGSTOP)
    assert fate(impatient, healthy).status is Status.TIMEOUT
    assert fate(impatient, healthy).status is Status.MEASURED


def test_of_several_workers_one_may_be_lost(tmp_path: Path, healthy: Job) -> None:
    """The figures are those of the others, and say so."""
    settings = Settings(warmup=0, runs=2, processes=3, timeout=60)
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
        first, second = fate(executor, hostile_job(tmp_path, body)), fate(executor, healthy)
    assert (first.status, second.status) == (Status.MEASURED, Status.MEASURED)
    assert second.reason == ""
