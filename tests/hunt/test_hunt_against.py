"""A hunt of MXNet against NumPy: a planted slow operator is found, a planted wrong implementation finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import pytest

from autoperf.cases import release
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection
from autoperf.core.case import Case
from autoperf.core.errors import EngineError, LibraryError, UsageError
from autoperf.core.events import FindingConfirmed, NullSink
from autoperf.core.finding import Finding
from autoperf.hunt.recheck import logged_claim, recheck
from autoperf.hunt.request import in_dtypes
from autoperf.hunt.search import Options, Search
from autoperf.hunt.sides import FindingKernels, HuntSides, SidesRequest, sides_of, timing_clients
from autoperf.hunt.stored import HuntFolder
from autoperf.hunt.timings import InputTimings
from autoperf.implementations.implementation import Implementation
from autoperf.measurement.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.measurement.quick_timing_client import VIEW, EqualResults, SideTimings
from autoperf.measurement.settings import Settings
from tests.finding_values import HEADER, finding
from tests.installed_frameworks import require
from tests.values import case

NUMPY = SidesRequest(against="numpy")
SEARCHED = NUMPY.searched


@pytest.fixture(scope="module")
def sides(release: Release) -> HuntSides:
    return sides_of([release], NUMPY, Settings(processes=1))


def plant(monkeypatch: pytest.MonkeyPatch, expression: str, **more: object) -> None:
    """Has NumPy compute every operator by this expression."""
    planted = Implementation("any", expression, "hand", differentiable=False, **more)  # type: ignore[arg-type]
    monkeypatch.setattr(release, "implementation", lambda *_arguments: planted)


@dataclass
class Paced:
    """The processes of both sides, whose answers take equally long by its clock, however busy the machine is.

    MXNet's times are multiplied by `slower`, so that a test doesn't depend on the time of a small call.
    """

    timings: SideTimings
    slower: float = 1.0
    now: float = 0.0

    def clock(self) -> float:
        return self.now

    def time_case(self, request: QuickTiming, side: int) -> QuickTimes | CaseFailure:
        self.now += 0.03
        times = self.timings.time_case(request, side)
        if side != SEARCHED or isinstance(times, CaseFailure):
            return times
        return QuickTimes(*(tuple(self.slower * us for us in each) for each in (times.forward_us, times.backward_us)))

    def time_pair(self, request: PairedTiming, sides: tuple[int, int]) -> PairedTimes | CaseFailure:
        self.now += 0.1
        return self.timings.time_pair(request, sides)

    def check_case(self, case: Case, side: int, seconds: float) -> EqualResults:
        self.now += 0.03
        return self.timings.check_case(case, side, seconds)

    def renew(self) -> None:
        self.timings.renew()


@pytest.fixture(scope="module")
def timings(sides: HuntSides, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SideTimings]:
    with ExitStack() as stack:
        yield SideTimings(timing_clients(sides, tmp_path_factory.mktemp("timings"), stack))


def searched(
    sides: HuntSides, timings: SideTimings, operator: str, seconds: float = 3.0, slower: float = 1.0
) -> Search:
    """A search of an operator's forward pass in float32."""
    (target,) = sides.targets(Selection(operators=(operator,)))
    rule = in_dtypes(target, ("float32",)).rule
    assert rule
    source = Paced(timings, slower)
    inputs = InputTimings(source, seconds, NullSink(), backward=False, clock=source.clock, side=SEARCHED)
    options = Options(seed=1, other_side=sides.other_side(target.operator, rule, None))
    return Search(sides.searched.factory(target.operator, rule, None), inputs, options, NullSink())


@pytest.fixture(scope="module")
def found(sides: HuntSides, timings: SideTimings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finding]:
    """The finding of an operator whose result NumPy has already and copies, and the folder of its hunt."""
    folder = tmp_path_factory.mktemp("hunt") / "slow"
    with pytest.MonkeyPatch.context() as monkeypatch:
        plant(monkeypatch, "ready.copy()", prepare={"ready": "np.arctanh(data)"})
        finding = next(iter(searched(sides, timings, "arctanh", 8.0).findings()))
    with HuntFolder(folder, msgspec.structs.replace(HEADER, sides=sides.records)) as hunt:
        hunt.write(FindingConfirmed(at=1.0, finding=finding))
    return folder, finding


@pytest.fixture
def torch_here(own_cache: None) -> None:
    require("torch")


def test_a_planted_slow_operator_is_found(found: tuple[Path, Finding]) -> None:
    _, finding = found
    assert finding.sides == ("MXNet 1.9.1", f"NumPy {np.__version__}")
    assert finding.step == f"the same input on NumPy {np.__version__}"
    assert (finding.operator, finding.pass_, finding.contrast.id) == ("arctanh", "forward", finding.case.id)
    assert finding.estimate.low > 1.5
    assert finding.is_equal_work


def test_the_replay_times_both_and_compares_the_results_again(
    found: tuple[Path, Finding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = logged_claim(found[0], 1)
    assert [(side.library, side.framework) for side in claim.header.sides] == [(None, ""), (None, "numpy")]
    plant(monkeypatch, "ready.copy()", prepare={"ready": "np.arctanh(data)"})
    result = recheck(claim, claim.claimed(()), Settings(), tmp_path)
    assert result.sides == found[1].sides
    assert (result.slow, result.fast) == (result.fast, result.slow)
    assert result.clocks == (
        f"the kernels of MXNet 1.9.1, without dispatch, and whole calls of NumPy {np.__version__} from Python"
    )


def test_the_replay_of_other_results_is_an_error(
    found: tuple[Path, Finding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = logged_claim(found[0], 1)
    plant(monkeypatch, "np.arctanh(data) + 1")
    with pytest.raises(EngineError, match="can't recheck the finding: the results differ: output: largest error 1"):
        recheck(claim, claim.claimed(()), Settings(), tmp_path)


def test_a_planted_wrong_implementation_is_no_finding(
    sides: HuntSides, timings: SideTimings, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, "data + 1")
    search = searched(sides, timings, "arctanh")
    assert list(search.findings()) == []
    assert list(search.searched.uncompared) == ["the results differ: output"]
    assert search.searched.suspects == 0


def test_a_view_is_no_finding(sides: HuntSides, timings: SideTimings, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, "data[:]")
    search = searched(sides, timings, "_copy", slower=100.0)
    assert list(search.findings()) == []
    assert list(search.searched.uncompared) == [VIEW]


def test_the_kernels_of_both_are_measured_where_both_have_a_profiler(
    sides: HuntSides, found: tuple[Path, Finding], tmp_path: Path
) -> None:
    with ExitStack() as stack:
        slow, fast = FindingKernels(sides, tmp_path, stack).of(found[1])
    assert (list(slow), fast) == (["arctanh"], {})


def test_operators_without_an_implementation_are_listed_with_the_reason(sides: HuntSides) -> None:
    by_name = {target.operator.name: target for target in sides.targets(Selection())}
    assert by_name["exp"].rule
    assert by_name["Deconvolution"].reason == "NumPy has no equivalent in a few expressions"
    assert by_name["_foreach"].reason.startswith("a loop or a branch over graphs")


def test_mxnet_is_searched_and_numpy_runs_the_same_call(sides: HuntSides) -> None:
    assert [record.framework for record in sides.records] == ["", "numpy"]
    assert [side.number for side in sides.ordered] == [0, 1]
    assert sides.searched.words == "MXNet 1.9.1"
    assert not all(side.release.backend.differentiates for side in sides.ordered)
    (target,) = sides.targets(Selection(operators=("softmax",)))
    assert target.rule
    assert sides.other_side(target.operator, target.rule, 4096)


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


@pytest.mark.usefixtures("torch_here")
def test_gradients_are_compared_and_kernels_measured_in_pytorch(release: Release, tmp_path: Path) -> None:
    sides = sides_of([release], SidesRequest(against="torch"), Settings(processes=1))
    softmax = case("softmax", 32, 64, category="activation")
    with ExitStack() as stack:
        timings = SideTimings(timing_clients(sides, tmp_path, stack))
        assert timings.check_case(softmax, 0, 9.0).passes == ("forward", "backward")
        summed = timings.check_case(case("sum", 32, 64, params={"axis": 1}), 0, 9.0)
        # PyTorch expands the head gradient, which is a view.
        assert summed == (("forward",), VIEW)
        answer = timings.time_pair(PairedTiming(softmax, softmax, "backward", 6, 30.0), (1, 0))
        assert isinstance(answer, PairedTimes)
        slow, fast = FindingKernels(sides, tmp_path, stack).of(finding(softmax, softmax, pass_="backward"))
    assert list(slow) == ["_backward_softmax"]
    assert list(fast) == ["aten::_softmax_backward_data"]
