"""The kernels in a trace of PyTorch's profiler, without PyTorch."""

from __future__ import annotations

import pytest

from autoperf.backends.protocol import Kernel
from autoperf.backends.torch.trace import TracedCall, kernels_of

US = 1000
WORKING = frozenset(f"aten::{name}" for name in ("sum", "cumsum", "addmm", "sort", "_softmax"))


def call(name: str, start: int, duration: int, thread: int = 1) -> TracedCall:
    return TracedCall(name, start * US, duration * US, thread)


def test_the_operator_at_the_bottom_is_the_kernel() -> None:
    calls = [
        call("autograd::engine::evaluate_function: SoftmaxBackward0", 100, 50),
        call("SoftmaxBackward0", 101, 48),
        call("aten::_softmax_backward_data", 103, 40),
        call("aten::softmax", 0, 53),
        call("aten::_softmax", 2, 50),
    ]
    assert kernels_of(calls, WORKING) == [
        Kernel("aten::_softmax", 2, 50),
        Kernel("aten::_softmax_backward_data", 103, 40),
    ]


def test_helpers_within_a_kernel_are_not_its_time() -> None:
    calls = [call("aten::mkldnn_convolution", 10, 90), call("aten::empty", 11, 5)]
    assert kernels_of(calls, WORKING) == [Kernel("aten::mkldnn_convolution", 10, 85), Kernel("aten::empty", 95, 5)]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        # It fills the result before it adds up.
        ([call("aten::sum", 0, 40), call("aten::fill_", 1, 2)], {"aten::fill_": 2, "aten::sum": 38}),
        # A conversion that does nothing.
        ([call("aten::cumsum", 0, 40), call("aten::to", 1, 0)], {"aten::to": 0, "aten::cumsum": 40}),
        ([call("aten::linear", 0, 20), call("aten::addmm", 1, 18), call("aten::copy_", 2, 8)],
         {"aten::copy_": 8, "aten::addmm": 10}),
        # A view has no code for the processor, but a copy in it has.
        ([call("aten::reshape", 0, 60), call("aten::clone", 1, 58), call("aten::copy_", 4, 50)], {"aten::copy_": 50}),
    ],
)  # fmt: skip
def test_an_operator_that_calls_others_works_if_it_has_code_for_the_processor(
    calls: list[TracedCall], expected: dict[str, int]
) -> None:
    assert {kernel.name: kernel.duration for kernel in kernels_of(calls, WORKING)} == expected


def test_kernels_of_a_thread_do_not_overlap_and_stay_within_their_calls() -> None:
    calls = [
        call("aten::sort", 0, 40),
        call("aten::copy_", 5, 10),
        call("aten::fill_", 38, 2),
        call("aten::add", 40, 5),
    ]
    assert kernels_of(calls, WORKING) == [
        *(Kernel("aten::sort", 0, 28), Kernel("aten::copy_", 28, 10), Kernel("aten::fill_", 38, 2)),
        Kernel("aten::add", 40, 5),
    ]


def test_an_operator_that_works_itself_is_a_kernel_beside_its_fill_and_its_copy() -> None:
    """As traced by PyTorch 2.13 for torch.sum and torch.zeros."""
    calls = [
        call("aten::sum", 0, 100),
        call("aten::fill_", 2, 3),
        call("aten::copy_", 90, 5),
        call("aten::zeros", 200, 60),
        call("aten::zero_", 210, 45),
        call("aten::fill_", 212, 40),
    ]
    kernels = {(kernel.name, kernel.duration) for kernel in kernels_of(calls, {*WORKING, "aten::sum"})}
    assert kernels == {("aten::sum", 92), ("aten::fill_", 3), ("aten::copy_", 5), ("aten::fill_", 40)}


def test_calls_that_follow_each_other_and_those_of_other_threads_are_apart() -> None:
    calls = [call("aten::mul", 0, 10), call("aten::add", 10, 10), call("aten::sub", 5, 10, thread=2)]
    assert [kernel.name for kernel in kernels_of(calls, WORKING)] == ["aten::mul", "aten::sub", "aten::add"]
