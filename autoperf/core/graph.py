"""Graphs as values: the bodies of loops and branches, and the subgraphs of fused operators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.operator import Value
from autoperf.core.texts import IDENTIFIER, NAME, is_name

ExecutionMode: TypeAlias = Literal[
    "call", "graph", "compiled", "thread_safe", "fused", "eager", "executor", "front_end", "layer"
]  # fmt: skip
"""How an operator runs: called imperatively; in a graph; as its own subgraph, compiled (CachedOp), for one thread,
thread-safe, or with its nodes fused by oneDNN, or eagerly, one node after the other; in a graph by the executor of
MXNet 1.x; or in the Python front end: as a call that is no operator, or as a layer of Gluon."""
COMPILED: frozenset[ExecutionMode] = frozenset({"compiled", "thread_safe", "fused"})
OWN_GRAPH: frozenset[ExecutionMode] = COMPILED | {"eager"}
"""The modes in which the case's one graph runs itself, and no operator that holds it."""
FRONT_END: frozenset[ExecutionMode] = frozenset({"front_end", "layer"})
"""The modes of calls of the Python front end, which processes that import it run."""
STATIC_FLAGS: Mapping[str, Value] = {"static_alloc": True, "static_shape": True}
"""CachedOp's flags for a graph that plans its memory once."""

_REFERENCE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[(\d+)\])?")


class Node(msgspec.Struct, frozen=True):
    """One operator of a graph. Inputs are named after variables or earlier nodes; `split[1]` is a second output."""

    name: str
    operator: str
    inputs: tuple[str, ...]
    params: dict[str, Value] = {}


class Graph(msgspec.Struct, frozen=True):
    """Variables, nodes in topological order, and the names of the outputs."""

    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    def input_order(self) -> tuple[str, ...]:
        """The variables in MXNet's order of a graph's inputs: depth first from the outputs, without unused ones.

        The graph must pass `check_graph`.
        """
        nodes = {node.name: node for node in self.nodes}
        inputs = frozenset(self.inputs)
        variables: dict[str, None] = {}
        seen: set[str] = set()
        # A stack: the next name is last.
        stack = [split_reference(used)[0] for used in reversed(self.outputs)]
        while stack:
            name = stack.pop()
            if name in inputs:
                variables[name] = None
            elif name not in seen:
                seen.add(name)
                stack += [split_reference(used)[0] for used in reversed(nodes[name].inputs)]
        return tuple(variables)


def operators_of(operator: str, graphs: Iterable[Graph]) -> Iterator[str]:
    """The operator, and the operators of its graphs' nodes."""
    yield operator
    yield from (node.operator for graph in graphs for node in graph.nodes)


def split_reference(text: str) -> tuple[str, int]:
    """ "split[1]" as a name and an output index. Raises CaseFileError if it is not a reference."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise CaseFileError(
            f"invalid reference {text!r}: expected a variable or node of the graph, such as 'split' or 'split[1]'"
        )
    return match[1], int(match[2] or 0)


def short_reference(text: str) -> str:
    """The shortest form of a reference: `split` for `split[0]`."""
    name, output = split_reference(text)
    return f"{name}[{output}]" if output else name


def check_graph(graph: Graph) -> None:
    """Raises CaseFileError if a name is invalid, used before its definition or defined twice, or without outputs.

    A variable is one tensor. Only MXNet knows a node's number of outputs: the backend checks it.
    """
    known: set[str] = set()
    for name in graph.inputs:
        _add(known, name)
    variables = frozenset(known)
    for node in graph.nodes:
        for used in node.inputs:
            _require(known, variables, used, f"node {node.name!r}")
        _add(known, node.name)
        _check_node(node)
    for used in graph.outputs:
        _require(known, variables, used, "its outputs")
    if not graph.outputs:
        raise CaseFileError("invalid graph: expected at least one output")


def _check_node(node: Node) -> None:
    if not isinstance(node.operator, str) or not NAME.fullmatch(node.operator):
        raise CaseFileError(f"node {node.name!r}: invalid operator {node.operator!r}: expected {IDENTIFIER}")
    for name in node.params:
        if not is_name(name):
            raise CaseFileError(f"node {node.name!r}: invalid parameter {name!r}: expected {IDENTIFIER}")


def _add(known: set[str], name: str) -> None:
    if split_reference(name) != (name, 0):
        raise CaseFileError(f"invalid name {name!r}: expected {IDENTIFIER} for a variable or node of a graph")
    if name in known:
        raise CaseFileError(f"invalid graph: {name!r} is defined twice")
    known.add(name)


def _require(known: set[str], variables: frozenset[str], used: str, user: str) -> None:
    name, output = split_reference(used)
    if name not in known:
        raise CaseFileError(
            f"invalid graph: {name!r} is used by {user} but not defined; defined are {', '.join(sorted(known))}"
        )
    if output and name in variables:
        raise CaseFileError(f"invalid graph: {used!r} is used by {user}, but the variable {name!r} has one output")
