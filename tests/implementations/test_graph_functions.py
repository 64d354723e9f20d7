"""Functions of graphs: straight-line code that computes what the expressions of the nodes do; NumPy runs it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autoperf.cases.release import Release
from autoperf.core.errors import EngineError
from autoperf.core.tensors import ArrayType
from autoperf.implementations.expressions import function_of_lines
from autoperf.implementations.graphs import (
    GraphNode,
    GraphProgram,
    StraightLine,
    literal,
    renamed,
    set_names,
    straight_line,
)
from autoperf.implementations.implementation import Implementation
from autoperf.implementations.lookup import lines_by_operator

DATA = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)


def node(
    name: str, expression: str, inputs: dict[str, str], *shapes: tuple[int, ...], dtype: str = "float32", **more: Any
) -> GraphNode:
    """A node with this expression over parameters `p` of 2."""
    chosen = Implementation("any", expression, "hand", **more)
    return GraphNode(name, chosen, inputs, {"p": 2}, tuple(ArrayType(shape, dtype) for shape in shapes))


def made(nodes: list[GraphNode], outputs: tuple[str, ...], arrays: dict[str, Any], **variables: str) -> StraightLine:
    return straight_line(GraphProgram(variables, tuple(nodes), outputs), "numpy", arrays)


def called(line: StraightLine, **arrays: Any) -> Any:
    return function_of_lines(line.source, "numpy", line.scope)(**arrays)


def test_several_outputs_and_shared_inputs() -> None:
    nodes = [
        node("split", "np.split(x, p, axis=1)", {"x": "data"}, (3, 2), (3, 2)),
        node("both", "a * p + b", {"a": "split", "b": "split[1]"}, (3, 2)),
        node("twice", "np.concatenate(parts, axis=p - 1)", {"parts[0]": "both", "parts[1]": "both"}, (3, 4)),
    ]
    line = made(nodes, ("twice", "split[1]"), {"data": DATA}, data="data")
    assert line.source.splitlines() == [
        "split, split_1 = np.split(data, 2, axis=1)",
        "both = split * 2 + split_1",
        "del split",
        "twice = np.concatenate([both, both], axis=2 - 1)",
        "return twice, split_1",
    ]
    twice, half = called(line)
    assert np.array_equal(twice, np.tile(DATA[:, :2] * 2 + DATA[:, 2:], 2))
    assert np.array_equal(half, DATA[:, 2:])
    assert np.array_equal(called(line, data=DATA * 2)[1], DATA[:, 2:] * 2)


def test_the_variables_of_a_network_are_a_list() -> None:
    arrays = {"data[0]": DATA, "data[1]": DATA + 1}
    line = made([node("sum", "a + b", {"a": "w", "b": "x"}, (3, 4))], ("sum",), arrays, x="data[0]", w="data[1]")
    assert line.source.splitlines() == ["x, w, = data", "sum = w + x", "return sum"]
    assert np.allclose(called(line), DATA * 2 + 1)


def test_prepared_values_of_shapes_are_constants_and_those_of_arrays_are_lines() -> None:
    exponents = {"axes": "tuple(range(x.ndim))", "wide": "x.astype('float64')"}
    nodes = [
        node("power", "x ** p", {"x": "data"}, (3, 4)),
        node("sum", "np.sum(wide, axes)", {"x": "power"}, (1,), dtype="float64", prepare=exponents),
    ]
    line = made(nodes, ("sum",), {"data": DATA}, data="data")
    assert line.source.splitlines()[1:] == [
        "wide = power.astype('float64')",
        "sum = np.sum(wide, (0, 1))",
        "return sum",
    ]
    assert not line.note


def test_indices_that_are_inputs_are_converted_before() -> None:
    inputs, converted = {"x": "data", "index": "index"}, {"chosen": "index.astype(int)"}
    rows = node("rows", "x[chosen]", inputs, (2, 4), prepare=converted, note="whole")
    line = made([rows], ("rows",), {"data": DATA, "index": np.float32([2, 0])}, data="data", index="index")
    assert line.source.splitlines() == ["rows = data[chosen]", "return rows"]
    assert line.scope["chosen"].tolist() == [2, 0]
    assert line.note == "whole"


def test_values_are_converted_where_an_operator_needs_the_type_of_mxnet() -> None:
    compared = node("positive", "x > 0", {"x": "data"}, (3, 4), cast=True)
    product = node("product", "x * y", {"x": "data", "y": "positive"}, (3, 4))
    total = node("total", "np.sum(x, dtype=x.dtype)", {"x": "positive"}, (1,))
    stacked = node("stacked", "np.stack([x, x])", {"x": "total"}, (2, 1))
    line = made([compared, product], ("product",), {"data": DATA}, data="data")
    assert "astype" not in line.source
    line = made([compared, product, total, stacked], ("product", "stacked"), {"data": DATA}, data="data")
    assert [text for text in line.source.splitlines() if "astype" in text or "reshape" in text] == [
        "positive = positive.astype('float32')",
        "total = total.reshape((1,))",
    ]
    assert np.array_equal(called(line)[1], [[6], [6]])


def test_updated_variables_follow_the_outputs_and_later_nodes_see_them() -> None:
    step = node("step", "(x * p, mean + 1)", {"x": "data", "mean": "mean"}, (3, 4), updates=("mean",))
    later = node("later", "a + b", {"a": "step", "b": "mean"}, (3, 4))
    graph = GraphProgram({"data": "data", "mean": "mean"}, (step, later), ("later",), ("mean",))
    line = straight_line(graph, "numpy", {"data": DATA, "mean": DATA[0]})
    result, mean = called(line)
    assert np.array_equal(mean, DATA[0] + 1)
    assert np.array_equal(result, DATA * 2 + mean)


def test_names_of_a_node_hide_none_of_another() -> None:
    """An input has the name of a function of the vocabulary, a node that of an input, an expression sets a name."""
    nodes = [
        node("exp", "[y := whole(x), y + y][1]", {"x": "whole"}, (3, 4), dtype="int64"),
        node("y", "sum([each for each in (x, p)])", {"x": "exp"}, (3, 4), dtype="int64"),
    ]
    arrays = {"whole": np.arange(12.0).reshape(3, 4)}
    assert np.array_equal(called(made(nodes, ("y",), arrays, whole="whole")), np.arange(12).reshape(3, 4) * 2 + 2)


def test_the_node_that_fails_is_named() -> None:
    with pytest.raises(EngineError, match=r"node wrong: AttributeError: .*no_such"):
        made([node("wrong", "x.no_such", {"x": "data"}, (1,))], ("wrong",), {"data": DATA}, data="data")


@pytest.mark.parametrize(
    ("value", "text"),
    [(-1, "-1"), (0.5, "0.5"), ("a", "'a'"), (None, "None"), ((), "()"), ((1, (2,)), "(1, (2, ), )"), (True, "True")],
)
def test_literals(value: object, text: str) -> None:
    assert literal(value) == text
    assert eval(text) == value


@pytest.mark.parametrize("value", [float("inf"), [1], (slice(0, 1),), np.float32(1), np.ones(2)])
def test_other_values_are_constants(value: object) -> None:
    assert literal(value) is None


def test_an_expression_over_other_names() -> None:
    text = renamed("f(x, axis=axis) ** x.axis[lambda y: y + x]", {"x": "a.b", "axis": "-1", "y": "z"})
    assert text == "f(a.b, axis=-1) ** a.b.axis[lambda z: z + a.b]"


def test_no_expression_sets_the_name_of_an_input_or_a_parameter(release: Release) -> None:
    """Otherwise a name would mean two things in one expression, and renaming would take one for the other."""
    for name, lines in lines_by_operator().items():
        operator = release.registry.find(name)
        inputs = {entry.name for entry in operator.tensors} if operator else set()
        known = inputs | ({entry.name for entry in operator.parameters} if operator else set())
        for entry in lines:
            for text in (*entry.expressions.values(), *entry.shared.prepare.values()):
                assert not set_names(text) & {*known, *entry.shared.prepare}, f"{name}: {text}"
