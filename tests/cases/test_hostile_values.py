"""Nothing from a data file gets into rendered source but as a checked name, or as the literal of its value."""

from __future__ import annotations

import ast
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

from autoperf.cases.render import Origin, render, write
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.cases.suite import load
from autoperf.core.case import Case, Input, check_case
from autoperf.core.errors import AutoperfError
from autoperf.core.graph import Graph, Node
from autoperf.core.tensors import Integers, Literal_, TensorSpec, Uniform
from tests.values import stored_cases

EVIL = (
    '**(__import__("os").system("touch owned") or {})',
    'x=__import__("os").system("touch owned"), y',
    '"""\n__import__("os").system("touch owned")\n"""',
    '"); __import__("os").system("touch owned"); ("',
    "'+__import__('os').system('touch owned')+'",
    "{{ 7 * 7 }}{% include 'finding.py.jinja' %}",
    "a\\",
    'a"',
    '""',
    "a\nb",
    "a\u2028b",
    "x\u00b2",
    "\ufb01",
    "__debug__",
    "class",
    "None",
    "dict",
    "name",
    "\ud800",
    "\0",
    "",
    "N" * 5000,
)
TEXTS = st.one_of(st.sampled_from(EVIL), st.text(max_size=20), st.sampled_from(("a", "axis", "data", "exp")))
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), TEXTS, st.floats(-1e6, 1e6))
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2).map(tuple))
PARAMS = st.dictionaries(TEXTS, VALUES, max_size=2)
# What a rendered file may call, and what it may name besides.
CALLS = {"Suite", "case", "dict", "tensor", "graph", "node", "uniform", "integers", "literal", "main"}
NAMES = CALLS | {"SUITE", "SystemExit", "__file__", "__name__"}
RUNS = settings(max_examples=50, deadline=None, database=None, suppress_health_check=list(HealthCheck))
MANY = settings(RUNS, max_examples=1000)


def often(iteration_seconds: object, strange: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly what is usual, so that one strange field at a time comes through to be rendered."""
    return st.one_of(*[st.just(iteration_seconds)] * 5, strange)


CONTENTS = st.one_of(
    st.just(Uniform()),
    st.builds(Integers, st.integers(-5, 5), st.integers(6, 9)),
    st.lists(st.floats(-9, 9), max_size=3).map(lambda values: Literal_(tuple(values))),
)
TENSORS = st.builds(TensorSpec, st.just((2, 3)), often("float32", st.just("int64")), CONTENTS)
NODES = st.builds(
    Node, often("y", TEXTS), often("exp", TEXTS), often(("x",), TEXTS.map(lambda text: (text,))), often({}, PARAMS)
)
GRAPHS = st.builds(
    Graph,
    often(("x",), TEXTS.map(lambda text: (text,))),
    NODES.map(lambda node: (node,)),
    often(("y",), TEXTS.map(lambda text: (text,))),
)
CASES = st.builds(
    Case,
    operator=often("exp", TEXTS),
    category=often("misc", TEXTS),
    profile=often("small", TEXTS),
    inputs=st.builds(Input, often("data", TEXTS), TENSORS).map(lambda item: (item,)),
    params=often({"axis": 1}, PARAMS),
    in_place=often((), TEXTS.map(lambda text: (text,))),
    training=st.booleans(),
    graphs=st.dictionaries(often("fn", TEXTS), GRAPHS, max_size=1),
    way=st.sampled_from(("call", "graph", "executor")),
)
ORIGINS = st.builds(Origin, often("1.9.1", TEXTS), st.integers(0, 2**32), TEXTS, TEXTS)


def check_source(text: str, case: Case) -> None:
    """The tree has nothing but what a file of cases has: one docstring, known calls, and constants."""
    compile(text, "file", "exec")
    tree = ast.parse(text)
    kinds = [type(node) for node in tree.body]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert kinds == [ast.Expr, ast.ImportFrom, ast.Assign, *[ast.FunctionDef] * len(functions), ast.If]
    assert ast.get_docstring(tree)
    given_names = {*case.params, *case.graphs, *(item.name.partition("[")[0] for item in case.inputs)}
    given_names |= {key for graph in case.graphs.values() for node in graph.nodes for key in node.params}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            assert node.func.id in CALLS | {"SystemExit"}
            assert all(keyword.arg is not None for keyword in node.keywords)
            if node.func.id == "dict":
                assert {keyword.arg for keyword in node.keywords} <= given_names
        elif isinstance(node, ast.Name):
            assert node.id in NAMES | {function.name for function in functions}
        assert not isinstance(node, ast.Attribute | ast.Starred | ast.Subscript | ast.Lambda | ast.JoinedStr)


def check_rendered(case: Case, origin: Origin) -> None:
    """What is rendered and stored of a case is read back as it was."""
    try:
        check_case(case)
    except AutoperfError:
        assume(False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        rendered = render([case], origin)
        check_source(rendered.text, case)
        path = write(rendered, folder)
        assert path.resolve().is_relative_to(folder)
        (loaded,) = load(path).cases
        assert loaded.case.digest == case.digest
        assert (loaded.case.profile, loaded.case.category) == (case.profile, case.category)
        stored = folder / "cases.ndjson"
        write_cases(stored, CasesHeader(VERSION, "0", "1.9.1", 1), [case])
        assert [one.digest for one in stored_cases(stored)] == [case.digest]


@seed(16)
@RUNS
@given(case=CASES, origin=ORIGINS)
def test_a_hostile_case_is_refused_or_rendered_as_literals(case: Case, origin: Origin) -> None:
    check_rendered(case, origin)


@pytest.mark.nightly
@seed(17)
@MANY
@given(case=CASES, origin=ORIGINS)
def test_many_a_hostile_case_is_refused_or_rendered_as_literals(case: Case, origin: Origin) -> None:
    check_rendered(case, origin)


@seed(16)
@RUNS
@given(case=CASES, origin=ORIGINS)
def test_what_renders_checks_names_itself(case: Case, origin: Origin) -> None:
    """Also of a case that nobody has checked, a value is no source."""
    names = [*case.params, *case.graphs, *(item.name for item in case.inputs)]
    assume(len(names) == len(set(names)))
    try:
        text = render([case], origin).text
    except AutoperfError:
        assume(False)
    check_source(text, case)


def test_a_node_whose_parameter_is_code_is_refused(tmp_path: Path) -> None:
    graph = Graph(("x",), (Node("y", "exp", ("x",), {EVIL[0]: 1}),), ("y",))
    tensor = TensorSpec((2,), "float32", Uniform())
    case = Case(
        operator="op", category="misc", profile="p", inputs=(Input("data", tensor),), graphs={"fn": graph}, way="graph"
    )
    file = tmp_path / "cases.ndjson"
    write_cases(file, CasesHeader(VERSION, "0", "1.9.1", 1), [case])
    with pytest.raises(AutoperfError, match=r"line 2: node 'y': invalid parameter .*: expected a name"):
        stored_cases(file)
    with pytest.raises(AutoperfError, match=r"invalid name .*: expected a name"):
        render([case], Origin("1.9.1", 0, "rules/x.py:f", "exact"))


def test_a_node_may_have_parameters_of_any_name(tmp_path: Path) -> None:
    graph = Graph(("x",), (Node("y", "exp", ("x",), {"name": "n", "operator": 2, "inputs": 3}),), ("y",))
    tensor = TensorSpec((2,), "float32", Uniform())
    case = Case(
        operator="op", category="misc", profile="p", inputs=(Input("data", tensor),), graphs={"fn": graph}, way="graph"
    )
    (loaded,) = load(write(render([case], Origin("1.9.1", 0, "rules/x.py:f", "exact")), tmp_path)).cases
    assert loaded.case.graphs == case.graphs
