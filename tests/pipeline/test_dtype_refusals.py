"""A dtype that MXNet refuses only when it runs is no failure, unless the case fails in the natural dtype too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autoperf.core.case import Case, Input
from autoperf.core.outcome import Outcome, Status
from autoperf.core.tensors import Matrices, TensorSpec, Uniform
from autoperf.executor.batches import BatchRequest, Job, outcome
from autoperf.executor.child_setup import EXHAUSTED
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.local_runner import DtypeRefusals, LocalRunner, LocalSide, in_dtype
from autoperf.pipeline.release import Release
from autoperf.pipeline.sides import Side
from tests.values import MACHINE

SQUARE = TensorSpec((4, 4), "float16", Matrices("positive_definite"))
FACTOR = Case(operator="_linalg_potrf", category="linalg", profile="small", inputs=(Input("A", SQUARE),))


@pytest.fixture
def refusals(release: Release, tmp_path: Path) -> Iterator[DtypeRefusals]:
    settings = Settings(warmup=0, runs=1, processes=1)
    with Executor(release.library, settings, tmp_path) as executor:
        yield DtypeRefusals(Side("1.9.1", release).default_dtype, executor, ("float16",))


def ends(refusals: DtypeRefusals, *cases: Case) -> list[Outcome]:
    runner = LocalRunner([LocalSide(refusals.executor, MACHINE, refusals.reclassify)])
    requests = iter([BatchRequest(1, "op", (tuple(map(Job, cases)),))])
    return [answered.outcome for answer in runner.run(lambda: next(requests, None)) for answered in answer.cases]


def test_a_dtype_that_is_refused_when_it_runs_is_skipped_with_mxnets_words(refusals: DtypeRefusals) -> None:
    (found,) = ends(refusals, FACTOR)
    assert found.status is Status.SKIPPED
    assert found.reason.startswith("MXNet refuses float16 at run time, but accepts float32: This operation only")
    assert (found.case, found.inputs) == (FACTOR.id, FACTOR.inputs)


def test_what_fails_in_either_dtype_has_failed(refusals: DtypeRefusals) -> None:
    flat = Input("A", TensorSpec((4,), "float16", Uniform()))
    runs = Case(operator="exp", category="exponential", profile="small", inputs=(Input("data", SQUARE),))
    wrong, fine = ends(refusals, msgspec.structs.replace(FACTOR, inputs=(flat,)), runs)
    assert (wrong.status, fine.status) == (Status.FAILED, Status.MEASURED)
    assert "refuses" not in wrong.reason


def test_want_of_memory_is_no_refusal(refusals: DtypeRefusals) -> None:
    lost = outcome(FACTOR, Status.FAILED, 0.0, reason=f"{EXHAUSTED} within the limit of 3 MiB")
    assert refusals.reclassify(Job(FACTOR), lost) is lost


def test_tensors_and_parameters_of_the_dtype_change_and_no_others() -> None:
    whole = Input("B", TensorSpec((2,), "int32", Uniform()))
    case = msgspec.structs.replace(FACTOR, inputs=(*FACTOR.inputs, whole), params={"dtype": "float16", "axis": 1})
    twin = in_dtype(case, "float16", "float32")
    assert [item.tensor.dtype for item in twin.inputs] == ["float32", "int32"]
    assert twin.params == {"dtype": "float32", "axis": 1}
