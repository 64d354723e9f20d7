"""A hunt of MXNet against NumPy: a planted slow operator is found, a planted wrong implementation finds nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.finding import Finding, Searched
from autoperf.executor.quick_timing_client import VIEW
from autoperf.executor.settings import Settings
from autoperf.implementations.implementation import Implementation
from autoperf.pipeline import side_batches
from autoperf.pipeline.hunt_request import HuntRequest
from autoperf.pipeline.hunt_session import FinishedHunt, HuntSession
from autoperf.pipeline.hunt_sides import HuntSides, SidesRequest, sides_of
from autoperf.pipeline.recheck import logged_claim, recheck
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection
from tests.pipeline.test_other_frameworks import TORCH
from tests.recording import Recording

NUMPY = SidesRequest(against="numpy")


@pytest.fixture(scope="module")
def sides(release: Release) -> HuntSides:
    return sides_of([release], NUMPY, Settings(processes=1))


def plant(monkeypatch: pytest.MonkeyPatch, expression: str, **more: object) -> None:
    """Has NumPy compute every operator by this expression."""
    planted = Implementation("any", expression, "hand", differentiable=False, **more)  # type: ignore[arg-type]
    monkeypatch.setattr(side_batches, "implementation", lambda *_arguments: planted)


def hunted(folder: Path, operator: str, seconds: float) -> FinishedHunt:
    request = HuntRequest(
        operators=(operator,), seed=1, budget=seconds, least=2.0, timeout=20.0, sides=NUMPY, dtypes=("float32",)
    )
    return HuntSession(request, folder, Recording(), ("autoperf", "hunt")).run()


def only(finished: FinishedHunt) -> Searched:
    (searched,) = finished.folder.searched
    return searched


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finding]:
    """The finding of an operator beside which NumPy has its result already, which it copies."""
    folder = tmp_path_factory.mktemp("hunt") / "slow"
    with pytest.MonkeyPatch.context() as monkeypatch:
        plant(monkeypatch, "ready.copy()", prepare={"ready": "np.arctanh(data)"})
        finished = hunted(folder, "arctanh", 9.0)
    (first, *_) = finished.folder.findings.values()
    return folder, first


def test_a_planted_slow_operator_is_found(found: tuple[Path, Finding]) -> None:
    folder, finding = found
    assert finding.sides == ("MXNet 1.9.1", f"NumPy {np.__version__}")
    assert finding.step == f"the same input on NumPy {np.__version__}"
    assert (finding.operator, finding.pass_, finding.contrast.id) == ("arctanh", "forward", finding.case.id)
    assert finding.estimate.low > 1.5
    assert finding.is_equal_work
    assert list(finding.kernels) == ["arctanh"]
    assert finding.contrast_kernels == {}
    script = next((folder / "scripts").glob("arctanh-*.py")).read_text()
    assert 'sides = ({"mxnet": None}, {"framework": "numpy"})' in script
    assert f"It needs MXNet 1.9.1 and NumPy {np.__version__} (`numpy`), times both sides in turn" in " ".join(
        script.split()
    )


def test_the_replay_times_both_and_compares_the_results_again(
    found: tuple[Path, Finding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = logged_claim(found[0], 1)
    assert claim.sides == [{"mxnet": None, "env": {}}, {"framework": "numpy"}]
    plant(monkeypatch, "ready.copy()", prepare={"ready": "np.arctanh(data)"})
    result = recheck(claim, claim.claimed(()), Settings(), tmp_path, rounds=7, seconds=20.0)
    assert result.sides == found[1].sides
    assert (result.rounds, result.slow, result.fast) == (7, result.fast, result.slow)
    assert result.clocks == (
        f"the kernels of MXNet 1.9.1, without dispatch, and whole calls of NumPy {np.__version__} from Python"
    )


def test_the_replay_of_other_results_is_an_error(
    found: tuple[Path, Finding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = logged_claim(found[0], 1)
    plant(monkeypatch, "np.arctanh(data) + 1")
    with pytest.raises(Exception, match="can't recheck the finding: the results differ: output: largest error 1"):
        recheck(claim, claim.claimed(()), Settings(), tmp_path, rounds=7, seconds=20.0)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [("data + 1", "the results differ: output"), ("data[:]", "the results differ: output")],
    ids=["wrong", "a view with other values"],
)
def test_a_planted_wrong_implementation_is_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expression: str, reason: str
) -> None:
    plant(monkeypatch, expression)
    finished = hunted(tmp_path / "hunt", "arctanh", 4.0)
    assert finished.folder.findings == {}
    assert list(only(finished).uncompared) == [reason]
    assert only(finished).suspects == 0


def test_a_view_is_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, "data[:]")
    finished = hunted(tmp_path / "hunt", "_copy", 3.0)
    assert finished.folder.findings == {}
    assert set(only(finished).uncompared) <= {VIEW}


def test_operators_without_an_implementation_are_listed_with_the_reason(sides: HuntSides) -> None:
    by_name = {target.operator.name: target for target in sides.targets(Selection())}
    assert by_name["exp"].rule
    assert by_name["Deconvolution"].reason == "NumPy has no equivalent in a few expressions"
    assert by_name["_foreach"].reason.startswith("a loop or a branch over graphs")


def test_mxnet_is_searched_and_numpy_runs_the_same_call(sides: HuntSides) -> None:
    assert [record.framework for record in sides.records] == ["", "numpy"]
    assert [side.number for side in sides.ordered] == [0, 1]
    assert sides.searched.words == "MXNet 1.9.1"
    assert not sides.differentiates
    (target,) = sides.targets(Selection(operators=("softmax",)))
    assert target.rule
    other = sides.other_side(target.operator, target.rule, 4096)
    assert other
    assert other.follows


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"libraries": ("1.9.1", "2.0.0b1")}, "expected one build that --against numpy is for"),
        ({"faster": True}, "--against numpy searches MXNet for slow inputs: leave out --faster"),
        ({"environments": ({"A": "1"}, {})}, "leave out --env"),
    ],
)
def test_a_hunt_against_a_framework_has_one_build(options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        SidesRequest(against="numpy", **options)  # type: ignore[arg-type]


def test_a_framework_that_is_not_installed_is_named(release: Release) -> None:
    with pytest.raises(LibraryError, match=r"PyTorch 1\.0 is not installed; run `autoperf frameworks install torch@1"):
        sides_of([release], SidesRequest(against="torch@1.0"), Settings())


@TORCH
def test_gradients_are_compared_and_timed_in_pytorch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = Implementation("any", "torch.arctanh(data)", "hand")
    monkeypatch.setattr(side_batches, "implementation", lambda *_arguments: planted)
    request = HuntRequest(
        operators=("arctanh",), seed=1, budget=6.0, least=1.2, timeout=20.0, sides=SidesRequest(against="torch")
    )
    finished = HuntSession(request, tmp_path / "hunt", Recording(), ("autoperf", "hunt")).run()
    assert not any(reason.startswith("the results differ") for reason in only(finished).uncompared)
