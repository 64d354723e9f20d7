"""Completing calls in this process, gradients by MXNet's word, and the types of every node of a network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import BACKEND
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.introspection import Inference
from autoperf.core.errors import EngineError
from autoperf.core.tensors import ArrayType
from autoperf.registry.calls import Completion, Gradient, InferenceCall
from autoperf.registry.client import RegistryClient


def f32(*shape: int) -> ArrayType:
    return ArrayType(shape, "float32")


@pytest.fixture(scope="module")
def inference(library: Library) -> Inference:
    return Inference(library)


def shapes(completion: Completion) -> dict[str, tuple[int, ...]]:
    return {name: kind.shape for name, kind in completion.inputs}


def test_weights_and_biases_follow_from_data(inference: Inference) -> None:
    found = inference.complete(
        InferenceCall("Convolution", {"data": f32(2, 3, 8, 8)}, {"kernel": (3, 3), "num_filter": 4})
    )
    assert shapes(found) == {"data": (2, 3, 8, 8), "weight": (4, 3, 3, 3), "bias": (4,)}
    assert found.outputs == (f32(2, 4, 6, 6),)
    assert found.valid


def test_parameters_decide_which_inputs_there_are(inference: Inference) -> None:
    params = {"kernel": (3, 3), "num_filter": 4, "no_bias": True}
    bare = inference.complete(InferenceCall("Convolution", {"data": f32(2, 3, 8, 8)}, params))
    wrong = inference.complete(InferenceCall("Convolution", {"data": f32(2, 3, 8, 8), "bias": f32(4)}, params))
    assert list(shapes(bare)) == ["data", "weight"]
    assert wrong.error == "invalid input bias of Convolution: with these parameters, expected data, weight"


@pytest.mark.parametrize(
    ("mode", "inputs", "parameters"),
    [
        ("lstm", ["data", "parameters", "state", "state_cell"], 304),
        ("gru", ["data", "parameters", "state"], 228),
        ("rnn_tanh", ["data", "parameters", "state"], 76),
    ],
)
def test_recurrent_states(inference: Inference, mode: str, inputs: list[str], parameters: int) -> None:
    params = {"mode": mode, "state_size": 4, "num_layers": 2}
    found = inference.complete(InferenceCall("RNN", {"data": f32(5, 2, 3)}, params))
    assert list(shapes(found)) == inputs
    assert shapes(found)["parameters"] == (parameters,)
    assert found.outputs == (f32(5, 2, 4),)


def test_auxiliary_states_and_dtypes(inference: Inference) -> None:
    found = inference.complete(InferenceCall("BatchNorm", {"data": ArrayType((2, 3, 4, 4), "float16")}))
    assert found.auxiliary == ("moving_mean", "moving_var")
    assert [kind.dtype for _, kind in found.inputs] == ["float16", "float32", "float32", "float32", "float32"]
    assert found.outputs == (ArrayType((2, 3, 4, 4), "float16"),)


def test_an_operator_that_does_not_name_its_inputs(inference: Inference) -> None:
    found = inference.complete(InferenceCall("sgd_mom_update", {"weight": f32(2, 3)}, {"lr": 0.1}))
    assert shapes(found) == {"weight": (2, 3), "grad": (2, 3), "mom": (2, 3)}
    assert found.auxiliary == ("mom",)


def test_members_of_a_list_are_counted_and_stay_in_order(inference: Inference) -> None:
    members = {f"data[{i}]": f32(2, i + 1) for i in reversed(range(12))}
    found = inference.complete(InferenceCall("Concat", members, {"dim": 1}))
    assert list(shapes(found)) == [f"data[{i}]" for i in range(12)]
    assert found.outputs == (f32(2, 78),)


def test_too_few_members(inference: Inference) -> None:
    params = {"lrs": (0.1, 0.1), "wds": (0.0, 0.0), "num_weights": 2}
    found = inference.complete(InferenceCall("multi_sgd_update", {"data[0]": f32(2)}, params))
    assert found.error == "expected 4 inputs with these parameters, not 1"


def test_a_list_beside_a_single_input(inference: Inference) -> None:
    inputs = {"seed_arrays[0]": ArrayType((2,), "int64"), "csr_matrix": ArrayType((5, 5), "int64")}
    params = {"num_hops": 1, "num_neighbor": 2, "max_num_vertices": 5}
    found = inference.complete(InferenceCall("_contrib_dgl_csr_neighbor_uniform_sample", inputs, params))
    assert list(shapes(found)) == ["csr_matrix", "seed_arrays[0]"]
    assert [output.shape for output in found.outputs] == [(6,), (5, 5), (5,)]


def test_several_outputs_and_an_alias(inference: Inference) -> None:
    call = InferenceCall("_npx_topk", {"data": f32(4, 5)}, {"axis": 1, "k": 2, "ret_typ": "both"})
    assert inference.complete(call).outputs == (f32(4, 2), f32(4, 2))


def test_numpy_operators_have_scalars_and_empty_arrays(inference: Inference) -> None:
    assert inference.complete(InferenceCall("_np_sum", {"a": f32(2, 3)})).outputs == (f32(),)
    assert inference.complete(InferenceCall("_npi_add", {"lhs": f32(0, 3), "rhs": f32()})).outputs == (f32(0, 3),)
    assert inference.complete(InferenceCall("sum", {"data": f32(2, 3)})).outputs == (f32(1),)


def test_an_unknown_dimension_is_inferred_or_named(inference: Inference) -> None:
    given = {"lhs": f32(-1, 3), "rhs": f32(2, 3)}
    assert inference.complete(InferenceCall("elemwise_add", given)).outputs == (f32(2, 3),)
    half = inference.complete(InferenceCall("exp", {"data": f32(-1, 3)}))
    assert (half.unknown, half.outputs, half.valid) == (("data",), (), False)
    assert shapes(half) == {"data": (-1, 3)}


def test_what_inference_can_not_know_is_named(inference: Inference) -> None:
    found = inference.complete(InferenceCall("dot", {"lhs": f32(2, 3)}))
    assert found.unknown == ("rhs",)
    assert not found.dynamic


@pytest.mark.parametrize(
    "call",
    [
        InferenceCall("_contrib_boolean_mask", {"data": f32(2, 3), "index": f32(2)}),
        InferenceCall("_npx_nonzero", {"x": f32(2, 3)}),
        InferenceCall("_npi_unique", {"data": f32(2, 3)}),
    ],
    ids=lambda call: call.operator,
)
def test_shapes_that_depend_on_contents(inference: Inference, call: InferenceCall) -> None:
    found = inference.complete(call)
    assert (found.dynamic, found.outputs, found.error) == (True, (), "")
    assert found.valid


def test_an_operator_without_outputs(inference: Inference) -> None:
    found = inference.complete(InferenceCall("reset_arrays", {"data[0]": f32(2), "data[1]": f32(3)}))
    assert shapes(found) == {"data[0]": (2,), "data[1]": (3,)}
    assert (found.outputs, found.dynamic, found.valid) == ((), False, True)


def test_an_operator_without_inputs(inference: Inference) -> None:
    found = inference.complete(InferenceCall("_random_uniform", {}, {"shape": (2, 3)}))
    assert (found.inputs, found.outputs) == ((), (f32(2, 3),))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (InferenceCall("dot", {"lhs": f32(2, 3), "rhs": f32(2, 3)}), "dot shape error: [2,3] X [2,3]"),
        (InferenceCall("Convolution", {"data": f32(2, 3, 8, 8)}, {"kernel": (3, 3)}), "Required parameter num_filter"),
        (InferenceCall("topk", {"data": f32(2)}, {"colour": "red"}), "Cannot find argument 'colour'"),
        (InferenceCall("nope"), "nope is not registered"),
        (InferenceCall("elemwise_add", {"lhs": f32(2), "rhs": ArrayType((2,), "int32")}), "float32"),
    ],
)
def test_refusals_are_in_mxnets_words(inference: Inference, call: InferenceCall, message: str) -> None:
    found = inference.complete(call)
    assert message in found.error
    assert "\n" not in found.error
    assert not found.valid


def test_a_refusal_does_not_disturb_the_next_call(inference: Inference) -> None:
    inference.complete(InferenceCall("_npi_add", {"lhs": f32(2), "rhs": f32(3)}))
    assert inference.complete(InferenceCall("exp", {"data": f32(2)})).outputs == (f32(2),)


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


def text(*nodes: dict[str, object]) -> str:
    variables = [number for number, node in enumerate(nodes) if node["op"] == "null"]
    version = {"mxnet_version": ["int", 10901]}
    heads = [[len(nodes) - 1, 0, 0]]
    return json.dumps({"nodes": nodes, "arg_nodes": variables, "heads": heads, "attrs": version})


def variable(name: str, **attrs: str) -> dict[str, object]:
    return {"op": "null", "name": name, "inputs": [], "attrs": attrs}


def node(operator: str, name: str, *inputs: int, **attrs: str) -> dict[str, object]:
    return {"op": operator, "name": name, "inputs": [[number, 0, 0] for number in inputs], "attrs": attrs}


DENSE = text(variable("x"), variable("w"), node("FullyConnected", "out", 0, 1, num_hidden="4", no_bias="True"))


def test_all_nodes_have_types(client: RegistryClient) -> None:
    graph = client.graph(DENSE, {"x": ArrayType((3, 5), "float16")})
    assert [(entry.name, entry.operator, entry.outputs) for entry in graph.nodes] == [
        ("x", "", (ArrayType((3, 5), "float16"),)),
        ("w", "", (ArrayType((4, 5), "float16"),)),
        ("out", "FullyConnected", (ArrayType((3, 4), "float16"),)),
    ]
    assert (graph.nodes[2].inputs, graph.nodes[2].params) == (((0, 0), (1, 0)), {"num_hidden": "4", "no_bias": "True"})
    assert graph.outputs == ((2, 0),)


def test_nodes_of_one_name_are_told_apart(client: RegistryClient) -> None:
    same = text(variable("x"), node("exp", "x_output", 0), node("SliceChannel", "x_output", 1, num_outputs="2"))
    graph = client.graph(same, {"x": ArrayType((2, 4), "float32")})
    assert [len(entry.outputs) for entry in graph.nodes] == [1, 1, 2]


def test_what_front_ends_attach_is_no_parameter(client: RegistryClient) -> None:
    marked = text(variable("x"), node("exp", "out", 0, __ctx_group__="first"))
    assert client.graph(marked, {"x": ArrayType((2,), "float32")}).nodes[1].params == {}


def test_declared_shapes_count_and_minus_one_is_unknown(client: RegistryClient) -> None:
    declared = text(
        variable("x", __shape__="(2, -1)"), variable("y", __shape__="(2, 3)"), node("elemwise_add", "s", 0, 1)
    )
    assert client.graph(declared, {}).nodes[0].outputs == (ArrayType((2, 3), "float32"),)


def test_what_is_unknown_has_a_dimension_of_minus_one(client: RegistryClient) -> None:
    assert client.graph(DENSE, {}).nodes[0].outputs == (ArrayType((-1,), "float32"),)


def test_a_refusal_names_the_node(client: RegistryClient) -> None:
    wrong = text(variable("x"), variable("y"), node("elemwise_add", "sum of both", 0, 1))
    with pytest.raises(EngineError, match=r"sum of both \(elemwise_add\): "):
        client.graph(wrong, {"x": ArrayType((2,), "float32"), "y": ArrayType((3,), "float32")})


@pytest.mark.parametrize("words", ['{"nodes": []}', "no JSON", text(node("no_such_operator", "x"))])
def test_text_that_is_no_network_is_refused_and_the_service_lives_on(client: RegistryClient, words: str) -> None:
    with pytest.raises(EngineError):
        client.graph(words, {})
    assert client.graph(DENSE, {"x": ArrayType((3, 5), "float32")}).nodes[2].outputs[0].shape == (3, 4)
