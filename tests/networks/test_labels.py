"""Networks of one name in several files, and the calls through which gradients flow."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError
from autoperf.core.graph import Graph, Node
from autoperf.core.modes import NETWORK
from autoperf.core.tensors import ArrayType
from autoperf.networks.calls import NetworkLabels, gradient_places
from autoperf.registry.calls import InferredGraph, InferredNode
from tests.values import case

NAME = "net.make, batch 1"


def call(size: int, count: int) -> Case:
    return case("exp", size, category="exponential", profile="n0", calls={NAME: count})


def whole(size: int, way: str = "static") -> Case:
    graph = Graph(("data",), (Node("n0", "exp", ("data",)),), ("n0",))
    return msgspec.structs.replace(
        call(size, 1), operator="_CachedOp", category=NETWORK, profile=way, graphs={"graph": graph}
    )


def held(*files: list[Case]) -> None:
    """Reads files of these cases, 0.ndjson and so on."""
    labels = NetworkLabels()
    for number, cases in enumerate(files):
        for one in cases:
            labels.add(Path(f"{number}.ndjson"), one)
        labels.end_file()


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ([call(8, 2), whole(8)], [call(9, 2), whole(9)]),
        ([call(8, 2), whole(8)], [call(9, 2)]),
        ([call(8, 2)], [call(8, 3)]),
    ],
)
def test_different_networks_of_one_name_are_refused(first: list[Case], other: list[Case]) -> None:
    with pytest.raises(CaseFileError, match=r"^0.ndjson and 1.ndjson have different networks .*'net.make, batch 1'"):
        held(first, other)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ([call(8, 2), whole(8)], [call(8, 2), whole(8)]),
        ([call(8, 2), whole(8, "static")], [whole(8, "hybridized")]),
        ([call(8, 2)], [call(8, 2)]),
        ([call(8, 2), whole(8)], [msgspec.structs.replace(call(9, 1), calls={"other": 1})]),
    ],
)
def test_one_network_may_be_in_several_files(first: list[Case], other: list[Case]) -> None:
    """Both files are accepted; a third, with another network of the name, conflicts with the first."""
    with pytest.raises(CaseFileError, match=r"^0.ndjson and 2.ndjson have different networks"):
        held(first, other, [call(7, 5), whole(7)])


def test_a_oneof_two_networks_has_the_counts_of_both() -> None:
    first = msgspec.structs.replace(call(8, 2), network_calls={NAME: 7})
    second = msgspec.structs.replace(call(8, 1), calls={"other": 3})
    labels = NetworkLabels()
    for one in (first, second):
        labels.add(Path("cases.ndjson"), one)
        labels.end_file()
    assert [labels.with_calls(case).calls for case in (first, second)] == [{NAME: 2, "other": 3}] * 2
    assert labels.with_calls(second).network_calls == {NAME: 7}


def node(name: str, operator: str, *inputs: tuple[int, int], dtype: str = "float32") -> InferredNode:
    return InferredNode(name, operator, {}, inputs, (ArrayType((4,), dtype),))


GRAPH = InferredGraph(
    (
        node("tokens", "", dtype="int32"),
        node("table", ""),
        node("label", ""),
        node("rows", "Embedding", (0, 0), (1, 0)),
        node("target", "square", (2, 0)),
        node("loss", "elemwise_sub", (3, 0), (4, 0)),
        node("scaled", "square", (3, 0)),
        node("positive", "_greater_scalar", (6, 0)),
        node("masked", "elemwise_mul", (5, 0), (7, 0)),
    ),
    ((8, 0),),
)


def is_differentiable(number: int) -> bool:
    return GRAPH.nodes[number].operator != "_greater_scalar"


def test_gradients_flow_from_the_variables_that_get_one_through_floats() -> None:
    places = gradient_places(GRAPH, lambda variable: variable.name != "label", is_differentiable)
    # Compared values reach the output only through the comparison.
    assert places == {3: (1,), 5: (0,), 8: (0,)}


def test_without_variables_that_get_one_there_are_none() -> None:
    assert gradient_places(GRAPH, lambda variable: variable.name == "tokens", is_differentiable) == {}
