"""The dtypes that operators take: asked of MXNet, tried in forks, remembered, and refused only when they run."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import psutil
import pytest

from autoperf.backends.protocol import TrialResult
from autoperf.cases.build import in_dtype
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, Target, targets
from autoperf.core.case import Case, Input
from autoperf.core.coverage import DtypeAnswers
from autoperf.core.files import CACHE_VARIABLE
from autoperf.core.outcome import Outcome, Status
from autoperf.core.tensors import Constant, Matrices, TensorSpec, Uniform
from autoperf.coverage.coverage import TESTED_DTYPES, cached_answers, try_dtypes
from autoperf.measurement.batches import BatchRequest, Job, TriedCase
from autoperf.measurement.local_runner import LocalRunner, LocalSide
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor
from autoperf.measurement.trial_client import DryRunClient
from autoperf.rules.rule import Inputs, inputs, tensor
from tests.values import MACHINE


def named(release: Release, *names: str) -> list[Target]:
    return targets(release.registry, release.catalog, Selection(operators=names))


def with_inputs(target: Target, call: Inputs) -> Target:
    """The operator with a rule that gives these inputs, and none that inference could object to."""
    assert target.rule
    rule = dataclasses.replace(target.rule, canonical=lambda _spec: {"small": call}, inferable=False)
    return dataclasses.replace(target, rule=rule)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    return tmp_path


@pytest.fixture
def asked() -> list[int]:
    return []


def ask(release: Release, chosen: list[Target], asked: list[int]) -> dict[str, DtypeAnswers]:
    """The answers; `asked` gets the number of operators that were tried."""
    answers = try_dtypes(release, chosen, lambda done, _asked: asked.append(done))
    assert all({*one.taken, *one.refused} == {*TESTED_DTYPES} for one in answers.values())
    return answers


def test_inference_and_trials_say_what_an_operator_takes(release: Release, asked: list[int]) -> None:
    answers = ask(release, named(release, "_npi_bincount", "dot", "_cvimdecode"), asked)
    assert answers["_npi_bincount"].taken == ("int8", "uint8", "int32", "int64")
    assert answers["_npi_bincount"].refused["float32"].endswith("Input data should be int type")
    assert answers["dot"].taken == ("float32", "float64")
    assert "dot only supports" in answers["dot"].refused["int8"]
    assert answers["_cvimdecode"].taken == ("uint8",)
    assert "uint8" in answers["_cvimdecode"].refused["float32"]


def test_a_crash_is_an_answer_too(release: Release, asked: list[int]) -> None:
    zeros = Inputs({"a": tensor(4), "weights": tensor(4, content=Constant(0))}, {"axis": 0, "returned": False})
    (average,) = named(release, "_npi_average")
    answers = ask(release, [with_inputs(average, zeros)], asked)
    assert "SIGFPE" in answers["_npi_average"].refused["int32"]
    assert "float32" in answers["_npi_average"].taken


def test_only_what_the_cache_lacks_is_tried(release: Release, asked: list[int]) -> None:
    first = ask(release, named(release, "exp"), asked)
    assert asked == [1]
    both = ask(release, named(release, "exp", "sin"), asked)
    assert asked == [1, 1]
    assert both["exp"] == first["exp"]
    assert ask(release, named(release, "exp", "sin"), asked) == both
    assert cached_answers(release.library, named(release, "exp", "sin", "cos")) == both
    assert asked == [1, 1]


def test_a_rule_that_changed_is_asked_again(release: Release, asked: list[int]) -> None:
    (target,) = named(release, "exp")
    ask(release, [target], asked)
    other = with_inputs(target, inputs(data=tensor(2, 2)))
    assert cached_answers(release.library, [other]) == {}
    ask(release, [other], asked)
    assert asked == [1, 1]


@pytest.mark.parametrize("content", [b"", b"{", b'{"exp": 1}', b"\xff"])
def test_a_broken_cache_is_asked_anew(release: Release, cache: Path, asked: list[int], content: bytes) -> None:
    ask(release, named(release, "exp"), asked)
    (file,) = cache.glob("dtypes-*.json")
    file.write_bytes(content)
    assert cached_answers(release.library, named(release, "exp")) == {}
    ask(release, named(release, "exp"), asked)
    assert cached_answers(release.library, named(release, "exp")).keys() == {"exp"}


def test_a_cache_that_cant_be_written_is_no_error(
    release: Release, tmp_path: Path, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv(CACHE_VARIABLE, str(file))
    assert "float32" in ask(release, named(release, "exp"), asked)["exp"].taken
    assert cached_answers(release.library, named(release, "exp")) == {}


def test_what_was_found_out_before_an_interruption_is_kept(release: Release) -> None:
    def interrupt(done: int, _asked: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    chosen = named(release, "exp", "sin")
    with pytest.raises(KeyboardInterrupt):
        try_dtypes(release, chosen, interrupt)
    assert len(cached_answers(release.library, chosen)) == 1


@pytest.mark.parametrize("mark", ["killed", "broken"])
def test_what_a_lost_process_says_is_not_kept(
    release: Release, asked: list[int], monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """The answers are given, since they are all that there is, and found out anew the next time."""
    lost = CaseFailure(Status.CRASHED, "the process died: SIGKILL", **{mark: True})
    with monkeypatch.context() as patch:
        patch.setattr(DryRunClient, "forward", lambda _client, _job: lost)
        assert ask(release, named(release, "exp"), asked)["exp"].taken == ()
    assert cached_answers(release.library, named(release, "exp")) == {}
    assert "float32" in ask(release, named(release, "exp"), asked)["exp"].taken


def test_a_fork_that_dies_between_cases_changes_no_answer(
    release: Release, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every case is asked of a process whose fork has just died of SIGKILL."""
    expected = ask(release, named(release, "_npi_bincount"), asked)
    forward, killed = DryRunClient.forward, []

    def after_a_kill(client: DryRunClient, job: Job) -> TrialResult | CaseFailure:
        client.prepare()
        (fork,) = psutil.Process(client.child.pid).children()
        fork.kill()
        killed.append(fork.pid)
        return forward(client, job)

    monkeypatch.setattr(DryRunClient, "forward", after_a_kill)
    monkeypatch.setenv(CACHE_VARIABLE, os.devnull)
    assert ask(release, named(release, "_npi_bincount"), asked) == expected
    assert len(killed) >= len(expected["_npi_bincount"].taken)


SQUARE = TensorSpec((4, 4), "float16", Matrices("positive_definite"))
FACTOR = Case(operator="_linalg_potrf", category="linalg", profile="small", inputs=(Input("A", SQUARE),))


def jobs(*cases: Case) -> tuple[Job, ...]:
    return tuple(Job(case, default_dtype="float32") for case in cases)


REQUESTS = {
    "one by one": BatchRequest(1, "op", (jobs(FACTOR), jobs(FACTOR))),
    "in turn": BatchRequest(1, "op", (jobs(FACTOR), jobs(FACTOR)), in_turn=7),
    "in visits": BatchRequest(1, "op", (jobs(FACTOR), jobs(FACTOR)), until=1),
}


@contextmanager
def executor_of(release: Release, scratch: Path, dtypes: tuple[str, ...] = ("float16",)) -> Iterator[Executor]:
    scratch.mkdir(exist_ok=True)
    settings = Settings(warmup=0, runs=1, processes=1)
    with Executor(release.library, settings, scratch, dtypes=dtypes) as executor:
        yield executor


def ends(request: BatchRequest, *executors: Executor) -> list[Outcome]:
    runner = LocalRunner([LocalSide(executor, MACHINE) for executor in executors])
    requests = iter([request])
    return [answered.outcome for answer in runner.run(lambda: next(requests, None)) for answered in answer.cases]


@pytest.fixture(scope="module")
def both(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Executor, Executor]]:
    folder = tmp_path_factory.mktemp("sides")
    with executor_of(release, folder / "a") as base, executor_of(release, folder / "b") as new:
        yield base, new


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_dtype_that_is_refused_when_it_runs_is_skipped_with_mxnets_words(
    both: tuple[Executor, Executor], request_: BatchRequest
) -> None:
    """However the sides take turns."""
    for found in ends(request_, *both):
        assert (found.status, found.refused_dtype) == (Status.SKIPPED, "float16")
        assert found.reason.startswith("MXNet refuses float16 at run time, but accepts float32: This operation only")
        assert (found.case, found.inputs) == (FACTOR.id, FACTOR.inputs)


def test_what_fails_in_either_dtype_has_failed(both: tuple[Executor, Executor]) -> None:
    flat = Input("A", TensorSpec((4,), "float16", Uniform()))
    runs = Case(operator="exp", category="exponential", profile="small", inputs=(Input("data", SQUARE),))
    request = BatchRequest(1, "op", (jobs(msgspec.structs.replace(FACTOR, inputs=(flat,)), runs),))
    wrong, fine = ends(request, both[0])
    assert (wrong.status, fine.status) == (Status.FAILED, Status.MEASURED)
    assert "refuses" not in wrong.reason
    assert wrong.refused_dtype is fine.refused_dtype is msgspec.UNSET


def test_want_of_memory_is_no_refusal(both: tuple[Executor, Executor]) -> None:
    lost = CaseFailure(Status.FAILED, "out of memory within the limit of 3 MiB", exhausted=True)
    (job,) = jobs(FACTOR)
    found = both[0].conclude(TriedCase(job, lost))
    assert (found.status, found.reason, found.refused_dtype) == (Status.FAILED, lost.reason, msgspec.UNSET)


def test_nobody_refuses_a_dtype_that_was_not_asked_for(release: Release, tmp_path: Path) -> None:
    """The user's own case of another dtype has failed."""
    with executor_of(release, tmp_path / "a", dtypes=()) as executor:
        (found,) = ends(BatchRequest(1, "op", (jobs(FACTOR),)), executor)
    assert (found.status, found.refused_dtype) == (Status.FAILED, msgspec.UNSET)


def test_tensors_and_parameters_of_the_dtype_change_and_no_others() -> None:
    whole = Input("B", TensorSpec((2,), "int32", Uniform()))
    case = msgspec.structs.replace(FACTOR, inputs=(*FACTOR.inputs, whole), params={"dtype": "float16", "axis": 1})
    twin = in_dtype(case, "float16", "float32")
    assert [item.tensor.dtype for item in twin.inputs] == ["float32", "int32"]
    assert twin.params == {"dtype": "float32", "axis": 1}
