"""The contract of a composite: a function that builds its graph from a size, and its sizes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.errors import RuleError
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.tensors import Shape
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.rule import Inputs, InputSpec, Rule, rule
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
