"""Children that crash, hang, starve, lie or never start: each costs its case, and the next one is measured."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from executor_values import QUICK, hostile_job, jobs

from autoperf.capi.library_path import find_library
from autoperf.core.errors import AutoperfError, LibraryError, UsageError
from autoperf.core.outcome import Status
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job

# The forked child of a trial has its parent's command line, so that a worker is told by not being one.
IN_WORKER = "    if 'executor.worker' in open('/proc/self/cmdline').read():"


@pytest.fixture
def healthy(write) -> Job:
    return jobs(write("exp", "data=tensor((3, 3))", name="healthy"))[0]


def fates(executor: Executor, *queue: Job) -> list[tuple[Status, str]]:
    return [(outcome.status, outcome.reason) for outcome in executor.run(queue)]


@pytest.mark.parametrize(
    "mishap",
    [
        ("    os._exit(0)", Status.CRASHED, "exit status 0"),
        ("    os._exit(7)", Status.CRASHED, "exit status 7"),
        ("    os.abort()", Status.CRASHED, "SIGABRT"),
        ("    os.kill(os.getpid(), 9)", Status.CRASHED, "SIGKILL, as Linux sends it when memory runs out"),
        ("    print('the last words', flush=True)\n    os._exit(1)", Status.CRASHED, "exit status 1: the last words"),
        ("    raise SystemExit(3)", Status.FAILED, "hostile.py, line 7: SystemExit: 3"),
        ("    1 / 0", Status.FAILED, "hostile.py, line 7: ZeroDivisionError"),
        ("    return dict(data=tensor((5, 5)))", Status.FAILED, "did the file change?"),
        ("    os.write(int(sys.argv[2]), b'rubbish rubbish')\n    os._exit(0)", Status.CRASHED, "garbage"),
    ],
)
def test_a_case_that_breaks_the_trial_costs_only_itself(executor, tmp_path, healthy, mishap) -> None:
    body, status, words = mishap
    (first, reason), (second, _) = fates(executor, hostile_job(tmp_path, body), healthy)
    assert first is status
    assert words in reason
    assert second is Status.MEASURED


@pytest.mark.parametrize(
    "mishap",
    [
        (f"{IN_WORKER}\n        os._exit(5)", Status.CRASHED, "exit status 5"),
        (f"{IN_WORKER}\n        os.abort()", Status.CRASHED, "SIGABRT"),
        (f"{IN_WORKER}\n        1 / 0", Status.FAILED, "ZeroDivisionError"),
        (f"{IN_WORKER}\n        os.write(int(sys.argv[2]), b'rubbish rubbish')", Status.CRASHED, "garbage"),
    ],
)
def test_a_case_that_breaks_the_worker_costs_only_itself(executor, tmp_path, healthy, mishap) -> None:
    body, status, words = mishap
    (first, reason), (second, _) = fates(executor, hostile_job(tmp_path, body), healthy)
    assert first is status
    assert words in reason
    assert second is Status.MEASURED


def test_damage_by_an_earlier_case_isnt_blamed_on_a_later_one(executor, tmp_path, healthy) -> None:
    """The first worker that reads this file fails; a fresh one doesn't."""
    flag = tmp_path / "flag"
    body = f"{IN_WORKER}\n        if not os.path.exists({str(flag)!r}):\n            open({str(flag)!r}, 'w').close()\n"
    body += "            os.abort()"
    statuses = [status for status, _ in fates(executor, healthy, hostile_job(tmp_path, body))]
    assert statuses == [Status.MEASURED, Status.MEASURED]
    assert flag.exists()


def test_a_case_that_takes_too_much_memory_fails(write, tmp_path) -> None:
    settings = Settings(warmup=0, runs=1, processes=1, memory_limit=256 * 2**20)
    with Executor(find_library(), settings, tmp_path) as executor:
        small, large, too_much, again = executor.run(
            jobs(write("_ones", "shape=(10,)", "shape=(1024, 1024, 16)", "shape=(1024, 1024, 128)", "shape=(11,)"))
        )
    assert [one.status for one in (small, large, again)] == [Status.MEASURED] * 3
    assert too_much.status is Status.FAILED
    assert "out of memory within the limit of 256 MiB" in too_much.reason


def test_a_case_that_can_not_fit_is_skipped_with_the_figures(write, tmp_path) -> None:
    settings = Settings(warmup=0, runs=1, processes=1, memory_limit=256 * 2**20)
    (tmp_path / "scratch").mkdir()
    with Executor(find_library(), settings, tmp_path / "scratch") as executor:
        large, small = executor.run(jobs(write("exp", "data=tensor((1024, 1024, 128))", "data=tensor((3, 3))")))
    assert (large.status, small.status) == (Status.SKIPPED, Status.MEASURED)
    assert large.reason == "its inputs and outputs take 536,870,912 bytes, more than the limit of 268,435,456 bytes"


def test_contents_that_segfault_cost_only_their_case(run) -> None:
    far = "data=tensor((4,)), indices=tensor((1, 4), 'int64', constant(10**11)), shape=(8,)"
    good = "data=tensor((4,)), indices=tensor((1, 4), 'int64', integers(0, 8)), shape=(8,)"
    crashed, fine = run("scatter_nd", far, good)
    assert crashed.status is Status.CRASHED
    assert crashed.reason.startswith("the process died: ")
    assert fine.status is Status.MEASURED


def test_mxnets_refusal_is_one_sentence(run) -> None:
    (outcome,) = run("Convolution", "data=tensor((2, 3)), kernel=(3, 3), num_filter=3")
    assert outcome.status is Status.FAILED
    assert outcome.reason.startswith("Check failed: num_inputs == infered_num_inputs (1 vs. 3)")
    assert "\n" not in outcome.reason
    assert outcome.forward is None
    assert outcome.memory is None


def test_an_operator_that_isnt_there_fails(run) -> None:
    (outcome,) = run("no_such_operator", "data=tensor((2, 3))")
    assert outcome.status is Status.FAILED
    assert "no_such_operator" in outcome.reason


def test_children_that_are_killed_between_cases_are_replaced(executor: Executor, healthy) -> None:
    fates(executor, healthy)
    for process in (executor._trial, *executor._workers.processes):
        child = process.child
        os.killpg(child.pid, signal.SIGKILL)
        assert child.exit_code(30) == -signal.SIGKILL
    assert fates(executor, healthy, healthy) == [(Status.MEASURED, "")] * 2


def test_a_scratch_folder_that_is_gone_is_named(tmp_path: Path, healthy) -> None:
    """Processes that run go on without it; one that has to be started can't be."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with Executor(find_library(), QUICK, scratch) as executor:
        scratch.rmdir()
        assert fates(executor, healthy) == [(Status.MEASURED, "")]
        executor._workers.processes[0].stop()
        ((status, reason),) = fates(executor, healthy)
    assert status is Status.FAILED
    assert reason.startswith("the worker process can't be started: can't start the worker process: No such")
    assert str(scratch) in reason


def test_a_file_that_is_written_anew_is_read_anew(executor: Executor, write) -> None:
    first = jobs(write("exp", "data=tensor((2, 2))"))
    assert fates(executor, *first) == [(Status.MEASURED, "")]
    second = jobs(write("exp", "data=tensor((3, 3))"))
    assert fates(executor, *second) == [(Status.MEASURED, "")]
    (status, reason), *_ = fates(executor, *first)
    assert status is Status.FAILED
    assert "did the file change?" in reason


def test_jobs_are_taken_one_at_a_time(executor: Executor, healthy) -> None:
    taken = []

    def queue():
        for number in range(3):
            taken.append(number)
            yield healthy

    outcomes = executor.run(queue())
    next(outcomes)
    assert taken == [0]
    next(outcomes)
    assert taken == [0, 1]


def test_forks_that_end_before_they_are_ready_fail_the_case(tmp_path: Path, healthy) -> None:
    """Without any memory not even the warm-up works, and there is no endless retry."""
    with Executor(find_library(), Settings(processes=1, memory_limit=1000), tmp_path) as executor:
        (status, reason), *_ = fates(executor, healthy)
    assert status is Status.FAILED
    assert reason.startswith(("the trial process can't be started", "out of memory"))


def test_no_process_is_left_behind(tmp_path, healthy) -> None:
    with Executor(find_library(), QUICK, tmp_path) as executor:
        fates(executor, healthy)
        groups = [process.child.pid for process in (executor._trial, *executor._workers.processes)]
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


def test_a_library_that_is_none_is_told_at_once(tmp_path: Path) -> None:
    fake = tmp_path / "libmxnet.so"
    fake.write_bytes(b"not a library")
    with pytest.raises(LibraryError, match="can't be loaded"), Executor(fake, QUICK, tmp_path):
        pass


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PYTHONHOME", "/nonexistent", r"the worker process didn't start \(exit status 1\)"),
        ("MXNET_ENGINE_TYPE", "Foo", "Cannot find Engine Foo"),
        ("MXNET_MP_WORKER_NTHREADS", "many", "MXNET_MP_WORKER_NTHREADS expect int"),
    ],
)
def test_variables_that_keep_a_process_from_starting_are_named(
    tmp_path: Path, name: str, value: str, words: str
) -> None:
    settings = Settings(processes=1, env={name: value, "MXNET_CPU_WORKER_NTHREADS": "1"})
    with (
        pytest.raises(LibraryError, match=rf"{words}.*; --env gave it {name}={value}, MXNET_CPU_WORKER_NTHREADS=1"),
        Executor(find_library(), settings, tmp_path),
    ):
        pass


def test_a_gpu_that_isnt_there_is_told_at_once(tmp_path: Path) -> None:
    settings = Settings(processes=1, ctx="gpu(7)")
    with (
        pytest.raises(UsageError, match=r"--ctx gpu\(7\): .* sees no GPU here"),
        Executor(find_library(), settings, tmp_path),
    ):
        pass


def test_a_malformed_context_is_told_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--ctx"):
        Executor(find_library(), Settings(ctx="tpu"), tmp_path)


def test_an_executor_that_isnt_entered_has_no_build(tmp_path: Path) -> None:
    with pytest.raises(AutoperfError, match="isn't running"):
        _ = Executor(find_library(), QUICK, tmp_path).build
