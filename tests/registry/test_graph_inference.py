"""Shapes and dtypes of every node of a network, in the registry service."""

from __future__ import annotations

import json

import pytest

from autoperf.core.errors import EngineError
from autoperf.core.tensors import ArrayType
from autoperf.registry.client import RegistryClient


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
