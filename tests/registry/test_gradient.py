"""Which calls can be differentiated, and by which kernels, as MXNet says."""

from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import BACKEND
from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.tensors import ArrayType
from autoperf.registry.calls import Gradient, InferenceCall
from autoperf.registry.client import RegistryClient

X = ArrayType((4, 4), "float32")
IMAGE = ArrayType((2, 3, 8, 8), "float32")

EXPECTED = [
    (InferenceCall("softmax", {"data": X}), Gradient(True, ("_backward_softmax",), "graph")),
    # a gradient that is another operator, which no name would tell
    (InferenceCall("Reshape", {"data": X}, {"shape": (2, 8)}), Gradient(True, ("_backward_reshape",), "graph")),
    (InferenceCall("negative", {"data": X}), Gradient(True, ("negative",), "graph")),
    (InferenceCall("exp", {"data": X}), Gradient(True, ("elemwise_mul",), "graph")),
    # the gradient passes through, and no kernel runs
    (InferenceCall("elemwise_add", {"lhs": X, "rhs": X}), Gradient(True, (), "graph")),
    (
        InferenceCall("Convolution", {"data": IMAGE}, {"kernel": (3, 3), "num_filter": 4}),
        Gradient(True, ("_backward_Convolution",), "graph"),
    ),
    (InferenceCall("Concat", {"data[0]": X, "data[1]": X}), Gradient(True, ("_backward_Concat",), "graph")),
    (
        InferenceCall("_npi_add", {"lhs": X, "rhs": ArrayType((), "float32")}),
        Gradient(True, ("_backward_npi_broadcast_add",), "graph"),
    ),
    # a shape that inference forgets is still known
    (InferenceCall("_npi_hstack", {"data[0]": X, "data[1]": X}), Gradient(True, ("_backward_np_hstack",), "graph")),
    (InferenceCall("argmax", {"data": X}), Gradient(False, (), "graph")),
    (InferenceCall("topk", {"data": X}), Gradient(False, (), "graph")),
    (InferenceCall("BlockGrad", {"data": X}), Gradient(False, (), "graph")),
    (InferenceCall("sgd_update", {"weight": X}, {"lr": 0.1}), Gradient(False, (), "graph")),
    (InferenceCall("reset_arrays", {"data[0]": X}), Gradient(False, (), "graph")),
    # hidden outputs: the gradient pass fails, a traced run tells
    (InferenceCall("BatchNorm", {"data": IMAGE}), Gradient(True, ("_backward_BatchNorm",), "run")),
    (InferenceCall("Dropout", {"data": X}), Gradient(True, ("_backward_Dropout",), "run")),
    (InferenceCall("LayerNorm", {"data": X}), Gradient(True, ("_backward_LayerNorm",), "run")),
]


@pytest.fixture(scope="module")
def answers(client: RegistryClient) -> dict[str, Gradient]:
    calls = [call for call, _ in EXPECTED]
    return {call.operator: found for call, found in zip(calls, client.gradients(calls), strict=True)}


@pytest.mark.parametrize(("call", "expected"), EXPECTED, ids=[call.operator for call, _ in EXPECTED])
def test_gradients(answers: dict[str, Gradient], call: InferenceCall, expected: Gradient) -> None:
    assert answers[call.operator] == expected


def test_what_can_not_be_told_says_why(client: RegistryClient) -> None:
    invalid, unknown, crashing = client.gradients(
        [
            InferenceCall("topk", {}, {"colour": "red"}),
            InferenceCall("dot", {"lhs": X}),
            InferenceCall("_sg_mkldnn_fully_connected"),
        ]
    )
    assert "Cannot find argument 'colour'" in invalid.error
    assert unknown.error == "unknown shape of rhs"
    assert "the process ended without an answer (" in crashing.error
    assert all(found.differentiable is None for found in (invalid, unknown, crashing))


def test_answers_are_remembered(library: Library, cache_directory: Path) -> None:
    calls = [InferenceCall("softmax", {"data": X}), InferenceCall("argmax", {"data": X})]
    with RegistryClient(BACKEND, library.path) as client:
        first = client.gradients(calls)
    with RegistryClient(BACKEND, library.path) as client:
        assert client.gradients(calls[::-1]) == first[::-1]
        assert client._service is None
