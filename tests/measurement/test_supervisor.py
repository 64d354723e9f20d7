"""The supervisor runs cases, and refuses at its start what can't run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.errors import AutoperfError, LibraryError, UsageError
from autoperf.core.events import NullSink
from autoperf.core.outcome import Outcome, Status
from autoperf.measurement.batches import Job
from autoperf.measurement.local_runner import SideSetup, opened_sides
from autoperf.measurement.run_request import RunPlan
from autoperf.measurement.schedules import TimeBudget
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor
from tests.measurement.executor_values import QUICK, jobs

Run = Callable[..., list[Outcome]]
Write = Callable[..., Path]


def test_mxnets_refusal_is_one_sentence(run: Run) -> None:
    (outcome,) = run("Convolution", "data=tensor((2, 3)), kernel=(3, 3), num_filter=3")
    assert outcome.status is Status.FAILED
    assert outcome.reason.startswith("Check failed: num_inputs == infered_num_inputs (1 vs. 3)")
    assert "\n" not in outcome.reason
    assert outcome.forward is None
    assert outcome.memory is None


def test_a_conversion_of_sparse_storage_is_a_note(run: Run) -> None:
    (outcome,) = run("exp", "data=tensor((64, 8), storage='row_sparse', density=0.5)")
    assert outcome.forward
    assert any("exp has no kernel for inputs of storage row_sparse" in note for note in outcome.forward.notes)
    (outcome,) = run("sqrt", "data=tensor((64, 8), content=uniform(1, 2), storage='row_sparse', density=0.5)")
    assert outcome.forward
    assert not any("no kernel" in note for note in outcome.forward.notes)


def test_an_operator_that_isnt_there_fails(run: Run) -> None:
    (outcome,) = run("no_such_operator", "data=tensor((2, 3))")
    assert outcome.status is Status.FAILED
    assert "no_such_operator" in outcome.reason


def test_a_case_runs_without_the_file_that_states_it(executor: Executor, write: Write) -> None:
    path = write("exp", "data=tensor((2, 2))")
    (job,) = jobs(path)
    path.unlink()
    assert [outcome.status for outcome in executor.run([job])] == [Status.MEASURED]


def test_jobs_are_taken_one_at_a_time(executor: Executor, write: Write) -> None:
    (job,) = jobs(write("exp", "data=tensor((3, 3))"))
    taken: list[int] = []

    def queue() -> Iterator[Job]:
        for number in range(3):
            taken.append(number)
            yield job

    outcomes = executor.run(queue())
    next(outcomes)
    assert taken == [0]
    next(outcomes)
    assert taken == [0, 1]


def test_a_case_that_can_not_fit_is_skipped_with_the_figures(write: Write, tmp_path: Path) -> None:
    settings = Settings(warmup=0, runs=1, processes=1, memory_limit=256 * 2**20)
    (tmp_path / "scratch").mkdir()
    with Executor(find_library(), settings, tmp_path / "scratch") as executor:
        large, small = executor.run(jobs(write("exp", "data=tensor((1024, 1024, 128))", "data=tensor((3, 3))")))
    assert (large.status, small.status) == (Status.SKIPPED, Status.MEASURED)
    assert large.reason == "its inputs and outputs take 536,870,912 bytes, more than the limit of 268,435,456 bytes"


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


def test_the_processes_of_all_sides_start_beside_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    for name in ("start", "wait_ready"):
        step = getattr(Executor, name)
        monkeypatch.setattr(Executor, name, lambda self, name=name, step=step: (steps.append(name), step(self)))
    setups = [SideSetup(label, QUICK, find_library()) for label in ("A", "B")]
    with opened_sides(setups, (), tmp_path, NullSink(), int64_tensor=False) as sides:
        assert steps == ["start", "start", "wait_ready", "wait_ready"]
        assert [side.executor.build.version for side in sides] == ["1.9.1", "1.9.1"]


def test_no_process_starts_for_a_batch_that_there_is_not() -> None:
    assert [RunPlan((), operators, iter(()), 12).parallel for operators in (0, 1, 3)] == [1, 1, 3]
    assert RunPlan((), 3, iter(()), 12, budget=TimeBudget(60.0, 3, 0.1, 0.0)).parallel == 12
