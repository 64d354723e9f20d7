"""A graph whose operators are called one after the other computes what the compiled one does, and leaks nothing."""

from __future__ import annotations

import numpy as np
import pytest

from autoperf.backends.mxnet.capi.graph_calls import EagerInvocation
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.core.errors import EngineError
from autoperf.core.graph import Graph, Node

VALUES = np.arange(6, dtype="float32").reshape(2, 3)
SPLIT = Graph(
    ("x",),
    (
        Node("halves", "SliceChannel", ("x",), {"num_outputs": 3, "axis": 1}),
        Node("bent", "square", ("halves[1]",)),
        Node("sum", "elemwise_add", ("bent", "halves[2]")),
    ),
    ("sum", "halves[1]"),
)


def run(library: Library, graph: Graph) -> list[np.ndarray]:
    array = NDArray.from_numpy(library, VALUES, "float32")
    invocation = EagerInvocation(library, graph, [array])
    results = []
    for _ in range(2):
        handles = invocation()
        results = [NDArray(library, handle).to_numpy() for handle in handles]
    array.free()
    return results


def test_nodes_use_outputs_of_earlier_ones(library: Library) -> None:
    total, second = run(library, SPLIT)
    np.testing.assert_array_equal(second, VALUES[:, 1:2])
    np.testing.assert_array_equal(total, VALUES[:, 1:2] ** 2 + VALUES[:, 2:3])


@pytest.mark.parametrize("outputs", [("x",), ("bent", "x"), ("bent", "bent")])
def test_outputs_that_would_be_freed_twice_are_refused(library: Library, outputs: tuple[str, ...]) -> None:
    graph = Graph(("x",), (Node("bent", "square", ("x",)),), outputs)
    with pytest.raises(EngineError, match="is an input of it, or listed twice"):
        EagerInvocation(library, graph, [NDArray.from_numpy(library, VALUES, "float32")])


def test_a_node_that_mxnet_refuses_raises(library: Library) -> None:
    graph = Graph(("x",), (Node("halves", "SliceChannel", ("x",), {"num_outputs": 5, "axis": 1}),), ("halves",))
    with pytest.raises(EngineError):
        run(library, graph)
