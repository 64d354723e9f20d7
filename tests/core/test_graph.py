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
    assert cell.visited() == ("state", "recurrent", "row", "weight")


def test_an_output_of_several_is_a_reference_too() -> None:
    halves = Graph(("x",), (Node("halves", "split", ("x",)), Node("y", "exp", ("halves[1]",))), ("y", "halves[0]"))
    check_graph(halves)
    assert halves.visited() == ("x",)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (Graph(("x",), (EXP,), ()), "a graph has no outputs"),
        (Graph(("x", "x"), (EXP,), ("y",)), "two things called 'x'"),
        (Graph(("x", "y"), (EXP,), ("y",)), "two things called 'y'"),
        (Graph((), (EXP,), ("y",)), "a graph has no 'x' where node 'y' wants it; it has "),
        (Graph(("x",), (EXP,), ("z",)), "a graph has no 'z' where its outputs want it; it has x, y"),
        (Graph(("x",), (EXP,), ("x[1]",)), "no 'x[1]' where its outputs want it: 'x' is a variable"),
        (Graph(("x",), (EXP,), ("y[-1]",)), "'y[-1]' names no variable or node of a graph"),
        (Graph(("a b",), (), ("a b",)), "'a b' names no variable or node of a graph"),
        (Graph(("x[1]",), (), ("x[1]",)), "'x[1]' is no name for a variable or node of a graph"),
    ],
)
def test_what_is_no_graph_is_refused_in_words(graph: Graph, words: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        check_graph(graph)
    assert words in str(caught.value)
