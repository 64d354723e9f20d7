"""Graphs whose operators are called one after the other, and the memory of a pass."""

from __future__ import annotations

import numpy as np
import pytest

from autoperf.backends.mxnet.capi.graph_calls import EagerInvocation
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.backends.mxnet.capi.profiler import Held
from autoperf.backends.mxnet.trial import Span, pass_memory
from autoperf.core.errors import EngineError
from autoperf.core.graph import Graph, Node
from autoperf.core.outcome import PassMemory

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


@pytest.mark.parametrize(
    "outputs", [("x",), ("x[0]",), ("bent", "x"), ("bent", "x[0]"), ("bent", "bent"), ("bent", "bent[0]")]
)
def test_outputs_that_would_be_freed_twice_are_refused(library: Library, outputs: tuple[str, ...]) -> None:
    graph = Graph(("x",), (Node("bent", "square", ("x",)),), outputs)
    with pytest.raises(EngineError, match="is an input of it, or listed twice"):
        EagerInvocation(library, graph, [NDArray.from_numpy(library, VALUES, "float32")])


def test_a_node_that_mxnet_refuses_raises(library: Library) -> None:
    graph = Graph(("x",), (Node("halves", "SliceChannel", ("x",), {"num_outputs": 5, "axis": 1}),), ("halves",))
    with pytest.raises(EngineError):
        run(library, graph)


CPU = ("cpu", 0)
SPAN = Span(100_000, 200_000)


@pytest.mark.parametrize(
    ("held", "results", "expected"),
    [
        ([(110, 64)], 64, PassMemory(64, 64, 0)),
        ([(50, 100), (110, 164), (120, 1164), (130, 164)], 64, PassMemory(1064, 64, 1000)),
        ([(110, 64), (120, 1064)], 64, PassMemory(1064, 64, 1000)),
        ([], 64, PassMemory(0, 0, 0)),
        ([(50, 100), (110, 0)], 64, PassMemory(0, 0, 0)),
        ([(110, 10)], 64, PassMemory(10, 10, 0)),
        ([(50, 100), (110, 164), (120, 40)], 64, PassMemory(64, 64, 0)),
        ([(50, 7), (250, 99)], 64, PassMemory(0, 0, 0)),
    ],
)
def test_memory_of_a_pass(held: list[tuple[int, int]], results: int, expected: PassMemory) -> None:
    events = [Held(time, "cpu/0", size) for time, size in held]
    assert pass_memory(events, CPU, SPAN, results) == expected


def test_other_devices_are_not_counted() -> None:
    events = [Held(110, "gpu/0", 64), Held(120, "gpu/1", 32)]
    assert pass_memory(events, CPU, SPAN, 64).peak == 0
    assert pass_memory(events, ("gpu", 1), SPAN, 64).peak == 32


def test_gradients_are_the_output_of_a_backward_pass() -> None:
    events = [Held(50, "cpu/0", 500), Held(110, "cpu/0", 300), Held(120, "cpu/0", 1300), Held(130, "cpu/0", 10)]
    assert pass_memory(events, CPU, SPAN, 64, 64) == PassMemory(864, 64, 800)
    assert pass_memory([], CPU, SPAN, 64, 64) == PassMemory(64, 64, 0)


def test_gradients_that_grow_in_the_pass_are_its_output_too() -> None:
    """Row-sparse gradients have no rows before."""
    events = [Held(50, "cpu/0", 500), Held(110, "cpu/0", 548)]
    assert pass_memory(events, CPU, SPAN, 48, 0) == PassMemory(48, 48, 0)
