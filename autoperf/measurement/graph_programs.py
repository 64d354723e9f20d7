"""Programs of graphs in a framework that follows another one: composites, and whole networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import TypeAlias

from autoperf.backends.protocol import Program
from autoperf.backends.results import program_of
from autoperf.cases.release import Release, subject
from autoperf.core.case import Case, Input
from autoperf.core.errors import AutoperfError, UsageError
from autoperf.core.graph import Graph, Node, short_reference, split_reference
from autoperf.core.operator import Operator
from autoperf.core.tensors import ArrayType, TensorSpec, default_content
from autoperf.equality.tolerance import TOLERANCES
from autoperf.implementations.graphs import GraphNode, GraphProgram
from autoperf.implementations.implementation import Implementation
from autoperf.networks.calls import NetworkCall, argument_names
from autoperf.registry.calls import UNKNOWN_DIMENSION
from autoperf.rules.rule import Draft

Find: TypeAlias = Callable[[Operator, Case], Implementation | str]
"""Finds the implementation of an operator for a case, or the reason why there is none."""
ONE_WAY = "a graph runs in one way there, as the case whose profile ends in imperative"


class GraphPrograms:
    """Makes the programs of a framework's graphs from the implementations of their operators."""

    def __init__(self, release: Release, find: Find) -> None:
        self._release, self._find = release, find
        self._subject = cache(partial(subject, release))

    def program(self, case: Case) -> Program | str:
        """The program of a case that runs its graph eagerly, or the reason why there is none."""
        if case.way != "eager":
            return ONE_WAY
        (graph,) = case.graphs.values()
        variables = dict(zip(graph.input_order(), case.arguments, strict=True))
        try:
            types = self._types(graph, {name: item.tensor.type for name, item in variables.items()})
            nodes = tuple(self._node(node, types, training=case.training) for node in graph.nodes)
        except AutoperfError as error:
            return str(error)
        names = {name: item.name for name, item in variables.items()}
        updates = tuple(reference for node in nodes for reference in node.updated)
        if unknown := [reference for reference in updates if reference not in names]:
            return f"it updates {unknown[0]}, which is no input of the case"
        outputs = tuple(map(short_reference, graph.outputs))
        made = GraphProgram(names, nodes, outputs, updates, training=case.training)
        return Program(_whole(case, made, differentiates=self._release.backend.differentiates), graph=made)

    def _types(self, graph: Graph, inputs: Mapping[str, ArrayType]) -> dict[str, tuple[ArrayType, ...]]:
        """The types of the variables, and of the outputs of each node, by name. Raises AutoperfError."""
        # Also of nodes that no output needs: run eagerly, MXNet computes them too.
        every = Graph(graph.inputs, graph.nodes, tuple(node.name for node in graph.nodes))
        inferred = self._release.client.graph(every, inputs)
        return {node.name: node.outputs for node in inferred.nodes}

    def _node(self, node: Node, types: Mapping[str, tuple[ArrayType, ...]], *, training: bool) -> GraphNode:
        """A node with its implementation. Raises UsageError with the reason if there is none."""
        operator = self._subject(node.operator)
        inputs = tuple(Draft(kind.shape, kind.dtype) for kind in (_type(types, name) for name in node.inputs))
        names = argument_names(NetworkCall(node.name, node.operator, {}, inputs), operator, node.params)
        if any(UNKNOWN_DIMENSION in kind.shape for kind in types[node.name]):
            raise UsageError(f"the shape of {node.name} ({node.operator}) depends on contents")
        tensors = (TensorSpec(each.shape, str(each.dtype), default_content(str(each.dtype))) for each in inputs)
        case = Case(
            operator=operator.operator.name,
            category=operator.category,
            profile=node.name,
            inputs=tuple(map(Input, names, tensors)),
            params=node.params,
            outputs=types[node.name],
            training=training,
        )
        found = self._find(operator.operator, case)
        if isinstance(found, str):
            raise UsageError(f"its operator {node.operator}: {found}")
        if found.random:
            raise UsageError(f"its operator {node.operator} draws random numbers, so results can't be compared")
        program = program_of(found, operator.operator, case)
        given = dict(zip(names, map(short_reference, node.inputs), strict=True))
        return GraphNode(node.name, program.implementation, given, program.arguments, case.outputs)


def _type(types: Mapping[str, tuple[ArrayType, ...]], reference: str) -> ArrayType:
    """The type of a value of a graph. Raises UsageError for an output that isn't visible."""
    name, output = split_reference(reference)
    if output >= len(types.get(name, ())):
        raise UsageError(f"MXNet infers no type of {reference}")
    return types[name][output]


def _whole(case: Case, graph: GraphProgram, *, differentiates: bool) -> Implementation:
    """How the results of a graph are compared.

    Gradients are if the framework has them, unless a node's implementation has none where MXNet's operator has one:
    results that are compared in another dtype (comparisons, indices) have none in MXNet either.
    """
    chosen = [node.implementation for node in graph.nodes]
    made_by = {reference: node.implementation for node in graph.nodes for reference in node.references}
    precisions = [each.precision for each in chosen if each.precision]
    return Implementation(
        case.operator,
        f"the implementations of {', '.join(dict.fromkeys(each.operator for each in chosen))}",
        "hand",
        differentiable=differentiates and all(each.differentiable or each.cast for each in chosen),
        cast=any(made_by[reference].cast for reference in graph.outputs if reference in made_by),
        updates=tuple(_entry(graph.variables[reference]) for reference in graph.updates),
        constant=tuple(_constant(graph)),
        precision=max(precisions, key=TOLERANCES.__getitem__, default=""),
    )


def _entry(name: str) -> str:
    """An input as an entry of an implementation, which reads a number in brackets as the end of a range."""
    stem, bracket, number = name.rstrip("]").partition("[")
    return f"{stem}[{number}:{int(number) + 1}]" if bracket else name


def _constant(graph: GraphProgram) -> Iterator[str]:
    """The inputs whose gradient means nothing to any node that takes them."""
    meant = {
        reference
        for node in graph.nodes
        for name, reference in node.inputs.items()
        if name.partition("[")[0] not in node.implementation.constant
    }
    yield from (given for variable, given in graph.variables.items() if variable not in meant)
