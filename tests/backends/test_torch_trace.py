"""The kernels in a trace of PyTorch's profiler, without PyTorch."""

from __future__ import annotations

from autoperf.backends.protocol import Kernel
from autoperf.backends.torch.trace import TracedCall, kernels_of

US = 1000


def call(name: str, start: int, duration: int, thread: int = 1) -> TracedCall:
    return TracedCall(name, start * US, duration * US, thread)


def test_the_operator_at_the_bottom_is_the_kernel() -> None:
    calls = [
        call("autograd::engine::evaluate_function: SoftmaxBackward0", 100, 50),
        call("SoftmaxBackward0", 101, 48),
        call("aten::_softmax_backward_data", 103, 40),
        call("aten::softmax", 0, 60),
        call("aten::_softmax", 4, 50),
    ]
    assert kernels_of(calls) == [Kernel("aten::_softmax", 4, 50), Kernel("aten::_softmax_backward_data", 103, 40)]


def test_helpers_within_a_kernel_are_not_its_time() -> None:
    calls = [call("aten::mkldnn_convolution", 10, 90), call("aten::empty", 11, 5)]
    assert kernels_of(calls) == [Kernel("aten::mkldnn_convolution", 10, 85), Kernel("aten::empty", 11, 5)]


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
    kernels = {(kernel.name, kernel.duration) for kernel in kernels_of(calls)}
    assert kernels == {("aten::sum", 92), ("aten::fill_", 3), ("aten::copy_", 5), ("aten::fill_", 40)}


def test_calls_that_follow_each_other_and_those_of_other_threads_are_apart() -> None:
    calls = [call("aten::mul", 0, 10), call("aten::add", 10, 10), call("aten::sub", 5, 10, thread=2)]
    assert [kernel.name for kernel in kernels_of(calls)] == ["aten::mul", "aten::sub", "aten::add"]
