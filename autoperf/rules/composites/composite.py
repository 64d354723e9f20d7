"""The contract of a composite: a function that builds its graph from a size, and its sizes; all composites."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.errors import RuleError
from autoperf.core.graph import STATIC_FLAGS
from autoperf.core.operator import COMPOSITE_NAMESPACE, Form, Operator, Parameter, ParameterType, Registry, Role
from autoperf.core.tensors import Shape
from autoperf.rules import composites
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.rule import Inputs, InputSpec, Rule, modules_of, rule
from autoperf.rules.table import drawn_size

Sizes: TypeAlias = Mapping[str, Shape]
"""The arguments of a composite by profile: how many boxes, classes, channels, ..."""
BuildGraph: TypeAlias = Callable[..., GraphValue | tuple[GraphValue, ...]]


def composite(sizes: Sizes, *, differentiable: bool = True) -> Callable[[BuildGraph], Rule]:
    """A decorator that makes a function the composite of its name.

    The function gets a GraphBuilder and the numbers of a size, and returns the outputs. `differentiable` says whether
    a backward pass is measured. Drawn sizes lie between the smallest and the largest canonical ones.
    """

    def decorate(build: BuildGraph) -> Rule:
        def inputs(spec: InputSpec, size: Shape) -> Inputs:
            try:
                return _inputs(build, spec, size, differentiable=differentiable)
            except RuleError as error:
                raise RuleError(f"{_place(build)}: {error}") from error

        def canonical(spec: InputSpec) -> Mapping[str, Inputs]:
            return {profile: inputs(spec, size) for profile, size in sizes.items()}

        def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
            return inputs(spec, drawn_size(draw, sizes.values(), spec.elements))

        drawn.__module__, drawn.__name__, drawn.__doc__ = build.__module__, build.__name__, build.__doc__
        return rule(build.__name__, category=COMPOSITE_NAMESPACE, canonical=canonical)(drawn)

    return decorate


def _inputs(build: BuildGraph, spec: InputSpec, size: Shape, *, differentiable: bool) -> Inputs:
    """The graph of a size. Raises RuleError for mistakes of the function."""
    builder = GraphBuilder(build.__name__, spec.dtype)
    made = build(builder, *size)
    outputs = made if isinstance(made, tuple) else (made,)
    if not outputs or not all(isinstance(output, GraphValue) for output in outputs):
        raise RuleError(
            f"{build.__name__}: invalid result {made!r}: expected a value of the graph, or a tuple of such values; "
            "return the values that operators gave"
        )
    return builder.inputs(outputs, differentiable=differentiable)


def _place(build: BuildGraph) -> str:
    code = inspect.unwrap(build).__code__
    return f"{code.co_filename}, line {code.co_firstlineno}"


_FLAGS = tuple(Parameter(name, ParameterType(Form.BOOLEAN, "boolean"), required=False) for name in sorted(STATIC_FLAGS))


def composite_modules() -> Iterator[ModuleType]:
    """The modules of families, in the order of their names."""
    return modules_of(composites, "composite", "graph_builder")


def stand_ins(rules: Iterable[Rule], registry: Registry) -> Iterator[Operator]:
    """Operators that stand for the composites among these rules in selections, measurements and reports.

    Raises RuleError for a composite with the name of an operator.
    """
    registered = {name for operator in registry.operators for name in operator.names}
    names = {name: each for each in rules if each.category == COMPOSITE_NAMESPACE for name in each.names}
    for name, each in names.items():
        if name in registered:
            raise RuleError(
                f"{each.source}: invalid composite {name!r}: expected a name that no operator of MXNet "
                f"{registry.mxnet} has"
            )
        yield Operator(name, Role.FORWARD, COMPOSITE_NAMESPACE, parameters=_FLAGS)
