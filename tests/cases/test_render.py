"""Rendered files: readable, valid Python, and the same cases when they are read back."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.cases.render import Origin, identifier, literal, render, write
from autoperf.cases.suite import load
from autoperf.core.case import Case, Input
from autoperf.core.errors import AutoperfError, OutputError, RuleError
from autoperf.core.graph import Graph, Node
from autoperf.core.tensors import Boxes, Constant, Distinct, Integers, Literal_, Mask, Normal, Patterned
from tests.values import case, inputs, tensor

ORIGIN = Origin("1.9.1", 42, "rules/operators/gemm.py:dot", "exact")


def dot(profile: str = "small", **changes: object) -> Case:
    given = inputs(lhs=tensor(2, 3), rhs=tensor(3, 4))
    return case(**{"operator": "dot", "category": "gemm", "profile": profile, "inputs": given, **changes})


SPLIT = Node("halves", "split", ("row",), {"num_outputs": 2, "axis": -1})
SCALED = Node("scaled", "_mul_scalar", ("state",), {"scalar": 0.5})
CASES = [
    dot("small", params={"transpose_a": False}),
    dot("drawn", params={"axis": (1,), "name": 'a"b\\c\n', "rate": 1e-05, "nothing": None}, training=False),
    dot("drawn", inputs=(Input("data[0]", tensor(4)), Input("data[1]", tensor(4, content=Constant(0.0))))),
    dot(
        "lambda",
        inputs=(
            Input("weight", tensor(8, 2, storage="row_sparse", density=0.25)),
            Input("index", tensor(8, content=Integers(0, 2), dtype="int64")),
            Input("boxes", tensor(2, 6, content=Boxes(1.0, 1.0, ((0, 3), (0, 1))))),
            Input("order", tensor(4, content=Distinct(9, True))),
            Input("mask", tensor(4, content=Mask(0.25), dtype="bool")),
            Input("tiny", tensor(4, content=Patterned(Normal(), "subnormal", "float16"))),
            Input("info", tensor(3, content=Literal_((32.0, 32.0, 1.0)))),
        ),
        in_place=("weight",),
    ),
    dot(
        "loop",
        inputs=(Input("data[0]", tensor(4, 2)), Input("data[1]", tensor(2))),
        params={"num_outputs": 2},
        graphs={"fn": Graph(("row", "state"), (SPLIT, SCALED), ("halves[1]", "scaled"))},
        way="graph",
    ),
    dot("alone", way="executor"),
]


def test_a_file_reads_like_one_that_somebody_wrote(snapshot: SnapshotAssertion) -> None:
    assert render(CASES, ORIGIN).text == snapshot


def test_the_cases_are_the_same_when_the_file_is_read_back(tmp_path: Path) -> None:
    loaded = load(write(render(CASES, ORIGIN), tmp_path)).cases
    assert [one.case.id for one in loaded] == [one.id for one in CASES]
    assert [one.label for one in loaded] == [one.id for one in CASES]


def test_a_file_is_one_operators() -> None:
    with pytest.raises(RuleError, match="invalid cases: expected one operator"):
        render([dot(), dot(operator="batch_dot")], ORIGIN)


def test_where_nothing_can_be_written_is_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(OutputError, match="can't write"):
        write(render([dot()], ORIGIN), blocked)


@pytest.mark.parametrize(
    "value",
    [True, None, 3, -1, 0.1, 1e-300, "plain", 'qu"ote', "back\\slash", "line\nend", "ünïcode", (), (1,), (1, (2, 3))],
)
def test_a_literal_is_the_value_again(value: object) -> None:
    assert ast.literal_eval(literal(value)) == value  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("inf"), float("nan"), b"bytes", [1], {"a": 1}])
def test_what_has_no_literal_is_refused(value: object) -> None:
    with pytest.raises(AutoperfError, match=r"no literal|invalid value"):
        literal(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("small", "small"),
        ("1d", "case_1d"),
        ("class", "class_"),
        ("a-b c", "a_b_c"),
        ("x²", "x2"),
        ("", "case_"),
        ("__name__", "case___name__"),
        ("ﬁ", "fi"),
    ],
)
def test_a_profile_becomes_a_function_name(text: str, name: str) -> None:
    assert identifier(text) == name
    assert name.isidentifier()


PROFILES = (
    "3x3",
    "x²",
    "x2",
    "a",
    "a",
    "a_2",
    "SUITE",
    "dict",
    "case",
    "__builtins__",
    "__name__",
    "None",
    "ﬁ",
    "fi",
    "",
)
HOSTILE = ('"""', "a\nb", "\\", "\x1b[31m", "é" * 300, '")\nraise SystemExit(3)\n("', *PROFILES)


def with_profiles(profiles: Sequence[str]) -> list[Case]:
    """A case for each profile, all of one operator."""
    return [dot(profile, inputs=(Input("lhs", tensor(2, number)),)) for number, profile in enumerate(profiles, 1)]


def test_whatever_profiles_are_called_each_case_is_read_back(tmp_path: Path) -> None:
    cases = with_profiles(HOSTILE)
    loaded = load(write(render(cases, ORIGIN), tmp_path)).cases
    assert [(one.case.id, one.case.profile) for one in loaded] == [(one.id, one.profile) for one in cases]


def test_what_a_docstring_says_of_the_origin_cannot_end_it(tmp_path: Path) -> None:
    source = 'user_rules/a"""\nraise SystemExit(3)\n"""\\.py:"'
    rendered = render(CASES, replace(ORIGIN, source=source, tier='"'))
    assert [one.case.id for one in load(write(rendered, tmp_path)).cases] == [one.id for one in CASES]
    tree = ast.parse(rendered.text)
    assert not any(isinstance(node, ast.Raise) for node in tree.body)
    assert source.replace("\n", " ") in (ast.get_docstring(tree) or "")


def test_a_graph_of_many_nodes_has_a_line_for_each(tmp_path: Path) -> None:
    nodes = tuple(Node(f"n{place}", "exp", (f"n{place - 1}" if place else "x",)) for place in range(5))
    chain = dot(inputs=(Input("x", tensor(4)),), graphs={"graph": Graph(("x",), nodes, ("n4",))}, way="eager")
    rendered = render([chain], ORIGIN)
    assert '\n            node("n1", "exp", "n0"),\n' in rendered.text
    assert load(write(rendered, tmp_path)).cases[0].case.id == chain.id


def test_a_graph_without_inputs_is_read_back(tmp_path: Path) -> None:
    numbers = Node("numbers", "_arange", (), {"start": 0, "stop": 4})
    made = dot(inputs=(), graphs={"graph": Graph((), (numbers,), ("numbers",))}, way="compiled")
    assert load(write(render([made], ORIGIN), tmp_path)).cases[0].case.id == made.id
