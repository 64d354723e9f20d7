"""Graphs as values: the bodies of loops and branches, and what a fused operator fuses."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

from autoperf.core.errors import CaseFileError
from autoperf.core.names import NAME, is_name
from autoperf.core.operator import Value

ExecutionMode: TypeAlias = Literal["call", "graph", "compiled", "thread_safe", "executor"]
"""How an operator is run: by a plain call; in a graph of its own; as the graph that it holds, compiled, for one thread
or for several; or in a graph of its own by the executor that 1.x has."""
COMPILED: frozenset[ExecutionMode] = frozenset({"compiled", "thread_safe"})

_REFERENCE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[(\d+)\])?")


class Node(msgspec.Struct, frozen=True):
    """One operator of a graph. Inputs are named after variables or earlier nodes; `split[1]` is a second output."""

    name: str
    operator: str
    inputs: tuple[str, ...]
    params: dict[str, Value] = {}


class Graph(msgspec.Struct, frozen=True):
    """Variables, nodes in an order in which each knows its inputs, and the names of what comes out."""

    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    def visited(self) -> tuple[str, ...]:
        """The variables in the order in which MXNet lists a graph's inputs: depth first from the outputs.

        A variable that nothing uses is none of them. For graphs that `check_graph` accepts.
        """
        nodes = {node.name: node for node in self.nodes}
        found: dict[str, None] = {}
        seen: set[str] = set()
        # The next to visit stands last.
        waiting = [split_reference(used)[0] for used in reversed(self.outputs)]
        while waiting:
            name = waiting.pop()
            if name in self.inputs:
                found[name] = None
            elif name not in seen:
                seen.add(name)
                waiting += [split_reference(used)[0] for used in reversed(nodes[name].inputs)]
        return tuple(found)


def split_reference(text: str) -> tuple[str, int]:
    """ "split[1]" as a name and the number of an output. Raises CaseFileError if it is no reference."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        raise CaseFileError(f"{text!r} names no variable or node of a graph")
    return found[1], int(found[2] or 0)


def check_graph(graph: Graph) -> None:
    """Raises CaseFileError if a name is used before it is there, given twice or no name, or if nothing comes out.

    A variable is one tensor. How many outputs a node has, only MXNet knows: capi/composed.py asks it.
    """
    known: set[str] = set()
    for name in graph.inputs:
        _add(known, name)
    variables = frozenset(known)
    for node in graph.nodes:
        for used in node.inputs:
            _require(known, variables, used, f"node {node.name!r} wants it")
        _add(known, node.name)
        _check_node(node)
    for used in graph.outputs:
        _require(known, variables, used, "its outputs want it")
    if not graph.outputs:
        raise CaseFileError("a graph has no outputs")


def _check_node(node: Node) -> None:
    if not isinstance(node.operator, str) or not NAME.fullmatch(node.operator):
        raise CaseFileError(f"the node {node.name!r} has the operator {node.operator!r}, which is no name")
    for name in node.params:
        if not is_name(name):
            raise CaseFileError(f"the node {node.name!r} has the parameter {name!r}, which is no name")


def _add(known: set[str], name: str) -> None:
    if split_reference(name) != (name, 0):
        raise CaseFileError(f"{name!r} is no name for a variable or node of a graph")
    if name in known:
        raise CaseFileError(f"a graph has two things called {name!r}")
    known.add(name)


def _require(known: set[str], variables: frozenset[str], used: str, where: str) -> None:
    name, output = split_reference(used)
    if name not in known:
        raise CaseFileError(f"a graph has no {name!r} where {where}; it has {', '.join(sorted(known))}")
    if output and name in variables:
        raise CaseFileError(f"a graph has no {used!r} where {where}: {name!r} is a variable, so it is one tensor")
