"""Cases that other frameworks run: their results are checked against MXNet's, and the environment says what ran."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autoperf.cases import release
from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import OwnInputs
from autoperf.cases.selection import Selection
from autoperf.core.case import Case
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, Status
from autoperf.implementations.implementation import Implementation
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import RunMode, RunSession
from autoperf.measurement.schedules import InTurn
from autoperf.measurement.settings import Settings
from tests.installed_frameworks import require
from tests.values import Recording
from tools.stored_run import read_run

SMALL = OwnInputs()
QUICK = Settings(processes=1, warmup=1, runs=2)
TORCH, JAX = (pytest.mark.usefixtures(f"{name}_installed") for name in ("torch", "jax"))


@pytest.fixture
def torch_installed(own_cache: None) -> None:
    require("torch")


@pytest.fixture
def jax_installed(own_cache: None) -> None:
    require("jax")


def outcomes(
    tmp_path: Path, framework: str, *operators: str, own: OwnInputs = SMALL, libraries: tuple[str, ...] = ()
) -> list[Outcome]:
    """The outcomes of operators in a framework: of their small inputs, or of these."""
    recipe = Recipe() if own else Recipe(draws=0, profiles=frozenset({"small"}))
    request = RunRequest(
        Selection(operators=operators),
        recipe,
        QUICK,
        own=own,
        libraries=libraries,
        frameworks=(framework,),
        output=tmp_path / "run.ndjson",
    )
    (side,) = RunSession(request, Recording(), ("autoperf", "run"), RunMode()).run().sides
    return [*read_run(side.path).outcomes]


def ran(tmp_path: Path, framework: str, operator: str, own: OwnInputs = SMALL) -> Outcome:
    """The outcome of an operator's only case."""
    (outcome,) = outcomes(tmp_path, framework, operator, own=own)
    return outcome


def plant(monkeypatch: pytest.MonkeyPatch, *expressions: str, **more: object) -> None:
    """Has every case computed by an expression: the only one, or that of its number of rows, from 1 on."""

    def found(_framework: str, _operator: Operator, case: Case, _user: object) -> Implementation:
        chosen = expressions[case.inputs[0].tensor.shape[0] - 1 if len(expressions) > 1 else 0]
        return Implementation("any", chosen, "hand", **more)

    monkeypatch.setattr(release, "implementation", found)


def rows(columns: int, count: int) -> str:
    """Inputs of so many columns, with 1 row, 2 rows, ..."""
    return f"data={','.join(f'{number}x{columns}' for number in range(1, count + 1))}"


def test_a_case_runs_in_numpy_forward_and_has_no_kernels(tmp_path: Path) -> None:
    outcome = ran(tmp_path, "numpy", "exp")
    assert outcome.status is Status.MEASURED
    assert outcome.forward
    assert outcome.forward.wall_us
    assert (outcome.forward.kernel_us, outcome.backward, outcome.memory) == (None, None, None)
    (machine,) = read_run(tmp_path / "run.ndjson").machines
    assert machine.environment.mxnet["version"] == machine.environment.packages["numpy"] == np.__version__
    assert machine.reference
    assert np.__version__ in machine.reference.probe


def test_results_without_an_output_and_of_a_single_number_are_compared(tmp_path: Path) -> None:
    for outcome in outcomes(tmp_path, "numpy", "reset_arrays", "_contrib_allclose"):
        assert outcome.status is Status.MEASURED, outcome.reason


def test_operators_that_another_release_changed_are_computed_as_there(tmp_path: Path, next_library: Path) -> None:
    for outcome in outcomes(tmp_path, "numpy", "GroupNorm", "_npi_pad", libraries=(str(next_library),)):
        assert outcome.status is Status.MEASURED, outcome.reason


def test_an_operator_without_an_implementation_is_skipped_with_the_reason(tmp_path: Path) -> None:
    outcome = ran(tmp_path, "numpy", "Deconvolution")
    assert outcome.status is Status.SKIPPED
    assert outcome.reason == f"NumPy {np.__version__}: NumPy has no equivalent in a few expressions"


WRONG = {
    "np.sum(data, axis=0)": "output: shape (3,), expected (1,)",
    "np.sum(data, axis=1).astype('float64')": "output: dtype float64, expected float32",
    "np.sum(data, axis=1) + 1": "output: largest error 1 at (",
    "np.sum(data, axis=1) * (np.arange(4) != 2)": "at (2): 0.0, expected ",
    "data.no_such": "AttributeError: 'numpy.ndarray' object has no attribute 'no_such'",
    "np.sum(": "SyntaxError: ",
}
"""Wrong sums of so many rows, and the reasons for which they aren't timed."""


def test_a_wrong_implementation_is_not_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, *WRONG, differentiable=False)
    made = outcomes(tmp_path, "numpy", "sum", own=OwnInputs((rows(3, len(WRONG)),), ("axis=1",)))
    for outcome, words in zip(made, WRONG.values(), strict=True):
        assert outcome.status is Status.FAILED
        assert words in outcome.reason
        assert outcome.forward is None


@pytest.mark.parametrize(("factor", "status"), [("1.0002", Status.MEASURED), ("1.02", Status.FAILED)])
def test_an_operator_that_amplifies_rounding_has_its_tolerance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: str, status: Status
) -> None:
    plant(monkeypatch, f"np.linalg.tensorinv(a, ind) * np.float32({factor})", differentiable=False)
    assert ran(tmp_path, "numpy", "_npi_tensorinv").status is status


def test_inputs_are_converted_beforehand_and_the_case_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expression = "np.exp(data).reshape(32, 32)"
    plant(monkeypatch, expression, differentiable=False, prepare={"data": "data.ravel()"}, note="data is flat")
    outcome = ran(tmp_path, "numpy", "exp")
    assert outcome.status is Status.MEASURED, outcome.reason
    assert "data is flat" in outcome.forward.notes


def test_mxnet_and_numpy_are_measured_in_turn(tmp_path: Path) -> None:
    request = RunRequest(
        Selection(operators=("exp",)), Recipe(draws=0, profiles=frozenset({"small"})), QUICK,
        frameworks=("mxnet", "numpy"), output=tmp_path / "run.ndjson",
    )  # fmt: skip
    mode = RunMode("compare", InTurn(0), names=("A", "B"), in_turn="token")
    sides = RunSession(request, Recording(), ("autoperf", "compare"), mode).run().sides
    assert [side.framework for side in sides] == ["MXNet", "NumPy"]
    (first,), (second,) = (read_run(side.path).outcomes for side in sides)
    assert first.case == second.case
    assert {len(each.forward.wall_us.turns) for each in (first, second)} == {1}
    threads = [read_run(side.path).machines[0].environment.mxnet["threads"] for side in sides]
    assert threads[0] == threads[1]


@pytest.fixture(scope="module")
def in_torch(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """The outcomes of some operators in PyTorch, by their names."""
    require("torch")
    made = outcomes(tmp_path_factory.mktemp("torch"), "torch", "transpose", "elemwise_add", "softmax")
    return {outcome.operator: outcome for outcome in made}


def test_pytorch_has_gradients_and_kernels(in_torch: dict[str, Outcome]) -> None:
    outcome = in_torch["softmax"]
    assert outcome.status is Status.MEASURED, outcome.reason
    assert list(outcome.forward.kernels) == ["aten::_softmax"]
    assert list(outcome.backward.kernels) == ["aten::_softmax_backward_data"]


@pytest.mark.nightly
@TORCH
def test_gamma_in_pytorch_has_its_sign(tmp_path: Path) -> None:
    outcome = ran(tmp_path, "torch", "gamma", OwnInputs(("data=64:uniform(-2.9,-0.1)",)))
    assert outcome.status is Status.MEASURED, outcome.reason


@pytest.mark.nightly
@TORCH
def test_an_embedding_in_pytorch_takes_indices_of_mxnets_dtypes(tmp_path: Path) -> None:
    indices = ",".join(f"4:{dtype}:integers(0,9)" for dtype in ("int32", "float32"))
    own = OwnInputs((f"data={indices}", "weight=9x5"), ("input_dim=9", "output_dim=5"))
    made = outcomes(tmp_path, "torch", "Embedding", own=own)
    assert [outcome.inputs[0].tensor.dtype for outcome in made] == ["int32", "float32"]
    for outcome in made:
        assert outcome.status is Status.MEASURED, outcome.reason
        assert list(outcome.forward.kernels) == ["aten::index_select"]


@TORCH
def test_a_wrong_gradient_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right values, whose gradient has the wrong sign, is half as large, or is none."""
    wrong = (
        "F.softmax(data, axis).detach() * 2 - F.softmax(data, axis)",
        "F.softmax(data, axis).detach() * 0.5 + F.softmax(data, axis) * 0.5",
        "F.softmax(data, axis).detach() + 0 * data",
    )
    plant(monkeypatch, *wrong)
    made = outcomes(tmp_path, "torch", "softmax", own=OwnInputs((rows(5, len(wrong)),)))
    assert len(made) == len(wrong)
    for outcome in made:
        assert outcome.status is Status.FAILED
        assert "gradient of data: largest error " in outcome.reason


def views(outcome: Outcome) -> tuple[bool | None, bool | None]:
    """Whether each pass has the note of a view; None for a pass that wasn't measured."""
    assert outcome.status is Status.MEASURED, outcome.reason
    forward, backward = (run.returns_view if run else None for run in (outcome.forward, outcome.backward))
    return forward, backward


@pytest.mark.nightly
@JAX
def test_jax_has_gradients_no_kernels_and_no_views(tmp_path: Path) -> None:
    softmax, transpose = outcomes(tmp_path, "jax", "softmax", "transpose")
    assert (softmax.operator, softmax.status) == ("softmax", Status.MEASURED), softmax.reason
    assert softmax.backward.wall_us
    assert softmax.forward.kernel_us is None
    assert (transpose.operator, views(transpose)) == ("transpose", (False, False))


def test_a_view_in_numpy_is_a_note(tmp_path: Path) -> None:
    made = outcomes(tmp_path, "numpy", "transpose", "Reshape", "SliceChannel", "exp", "Concat")
    assert {outcome.operator: views(outcome) for outcome in made} == {
        "transpose": (True, None), "Reshape": (True, None), "SliceChannel": (True, None), "exp": (False, None),
        "Concat": (False, None),
    }  # fmt: skip


def test_a_copy_of_a_view_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, "np.ascontiguousarray(np.transpose(data, axes or None))", differentiable=False)
    assert views(ran(tmp_path, "numpy", "transpose")) == (False, None)


def test_views_in_pytorch_are_told_by_pass(in_torch: dict[str, Outcome]) -> None:
    assert {name: views(outcome) for name, outcome in in_torch.items()} == {
        "transpose": (True, True), "elemwise_add": (False, True), "softmax": (False, False)
    }  # fmt: skip
