"""Quick timings of NumPy beside MXNet's kernels: by programs, whose results are compared before an input counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import msgspec
import pytest

from autoperf.backends.lookup import backend_of
from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.protocol import Program
from autoperf.core.outcome import Status
from autoperf.implementations.implementation import Implementation
from autoperf.measurement.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.measurement.quick_timing_client import VIEW, OpenPass, QuickTimingClient, SideTimings
from autoperf.measurement.settings import Settings
from tests.values import case

SETTINGS = Settings(processes=1)
EXP = case("exp", 512, 512)
NUMPY, MXNET = 0, 1
Timings = Callable[[str], SideTimings]


def program(expression: str) -> Program:
    return Program(Implementation("exp", expression, "hand", differentiable=False))


@pytest.fixture(scope="module")
def mxnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuickTimingClient]:
    with QuickTimingClient(find_library(), SETTINGS, tmp_path_factory.mktemp("mxnet"), by_kernels=True) as client:
        yield client


@pytest.fixture(scope="module")
def timings(mxnet: QuickTimingClient, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Timings]:
    """NumPy computes the case by the given expression."""
    numpy = msgspec.structs.replace(SETTINGS, framework="numpy")
    interpreter = backend_of("numpy").find(None)
    chosen = [""]
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("numpy")
        client = QuickTimingClient(interpreter, numpy, folder, programs=lambda _: program(chosen[0]))
        sides = SideTimings([stack.enter_context(client), mxnet])

        def computing(expression: str) -> SideTimings:
            chosen[0] = expression
            return sides

        yield computing


def test_equal_results_are_equal_in_the_pass_that_both_have(timings: Timings) -> None:
    assert timings("np.exp(data)").check_case(EXP, NUMPY, 9.0) == (("forward",), NO_GRADIENT_OF_NUMPY)


NO_GRADIENT_OF_NUMPY = "no backward pass: the implementation has no gradient"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("np.exp(data) + 1", "the results differ: output: largest error 1 at ("),
        ("np.exp(data)[:3]", "the results differ: output: shape (3, 512), expected (512, 512)"),
        ("data.no_such", "AttributeError: "),
    ],
)
def test_other_results_are_a_reason(timings: Timings, expression: str, words: str) -> None:
    equal = timings(expression).check_case(EXP, NUMPY, 9.0)
    assert equal.passes == ()
    assert equal.reason.startswith(words)


def test_a_view_computes_nothing(timings: Timings) -> None:
    copied = case("_copy", 64, 64)
    assert timings("data[:]").check_case(copied, NUMPY, 9.0) == ((), VIEW)
    assert timings("data.copy()").check_case(copied, NUMPY, 9.0).passes == ("forward",)


def test_a_case_that_mxnet_refuses_has_nothing_to_compare_with(timings: Timings) -> None:
    equal = timings("np.exp(data)").check_case(case("softmax", 2, 2, params={"axis": 9}), NUMPY, 9.0)
    assert equal.passes == ()
    assert equal.reason.startswith("no results to compare with: ")


def test_the_kernels_take_less_than_the_call(mxnet: QuickTimingClient, timings: Timings, tmp_path: Path) -> None:
    """By the wall clock the smallest call takes longer than by kernels: it has dispatch, and they haven't."""
    small = QuickTiming(case("exp", 2), backward=True, count=20, seconds=9.0)
    by_kernels = mxnet.time_case(small)
    assert isinstance(by_kernels, QuickTimes)
    assert len(by_kernels.forward_us) == len(by_kernels.backward_us) == 20
    with QuickTimingClient(find_library(), SETTINGS, tmp_path) as client:
        by_calls = client.time_case(small)
    assert isinstance(by_calls, QuickTimes)
    assert median(by_kernels.forward_us) < median(by_calls.forward_us)
    numpy = timings("np.exp(data)").time_case(small, NUMPY)
    assert isinstance(numpy, QuickTimes)
    assert numpy.backward_us == ()


@pytest.mark.parametrize("sides", [(MXNET, NUMPY), (NUMPY, MXNET)])
def test_a_pair_is_timed_in_turn(timings: Timings, sides: tuple[int, int]) -> None:
    answer = timings("np.exp(data)").time_pair(PairedTiming(EXP, EXP, "forward", 5, 30.0), sides)
    assert isinstance(answer, PairedTimes)
    assert len(answer.first_us) == len(answer.second_us) == 5
    assert min(*answer.first_us, *answer.second_us) > 0


def test_a_case_without_a_program_is_refused_by_its_reason(tmp_path_factory: pytest.TempPathFactory) -> None:
    numpy = msgspec.structs.replace(SETTINGS, framework="numpy")
    client = QuickTimingClient(
        backend_of("numpy").find(None), numpy, tmp_path_factory.mktemp("none"), programs=lambda _: "not in NumPy"
    )
    refused = CaseFailure(Status.SKIPPED, "not in NumPy")
    assert client.time_case(QuickTiming(EXP, False, 1, 9.0)) == refused
    assert OpenPass(client, EXP, PairedTiming(EXP, EXP, "forward", 1, 9.0)).open() == refused
