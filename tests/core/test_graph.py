"""Graphs: the order in which MXNet lists their inputs, and what is no graph."""

from __future__ import annotations

import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.graph import Graph, Node, check_graph

EXP = Node("y", "exp", ("x",))


def test_variables_are_listed_depth_first_from_the_outputs() -> None:
    cell = Graph(
        ("row", "state", "weight", "recurrent", "unused"),
        (
            Node("read", "FullyConnected", ("row", "weight")),
            Node("kept", "FullyConnected", ("state", "recurrent")),
            Node("total", "elemwise_add", ("kept", "read")),
        ),
        ("total", "read"),
    )
    assert cell.input_order() == ("state", "recurrent", "row", "weight")


def test_an_output_of_several_is_a_reference_too() -> None:
    halves = Graph(("x",), (Node("halves", "split", ("x",)), Node("y", "exp", ("halves[1]",))), ("y", "halves[0]"))
    check_graph(halves)
    assert halves.input_order() == ("x",)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (Graph(("x",), (EXP,), ()), "invalid graph: expected at least one output"),
        (Graph(("x", "x"), (EXP,), ("y",)), "'x' is defined twice"),
        (Graph(("x", "y"), (EXP,), ("y",)), "'y' is defined twice"),
        (Graph((), (EXP,), ("y",)), "invalid graph: 'x' is used by node 'y' but not defined; defined are "),
        (Graph(("x",), (EXP,), ("z",)), "invalid graph: 'z' is used by its outputs but not defined; defined are x, y"),
        (Graph(("x",), (EXP,), ("x[1]",)), "'x[1]' is used by its outputs, but the variable 'x' has one output"),
        (Graph(("x",), (EXP,), ("y[-1]",)), "invalid reference 'y[-1]': expected a variable or node"),
        (Graph(("a b",), (), ("a b",)), "invalid reference 'a b': expected a variable or node"),
        (Graph(("x[1]",), (), ("x[1]",)), "invalid name 'x[1]': expected a name of letters"),
    ],
)
def test_what_is_no_graph_is_refused_in_words(graph: Graph, words: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        check_graph(graph)
    assert words in str(caught.value)
