"""The contract of a composite: a function that builds its graph from a size, and the sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.tensors import Shape
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.profiles import drawn_size
from autoperf.rules.rule import Inputs, InputSpec, Rule, rule

Sizes: TypeAlias = Mapping[str, Shape]
"""The arguments of a composite by profile: how many boxes, classes, channels, ..."""
BuildGraph: TypeAlias = Callable[..., GraphValue | tuple[GraphValue, ...]]


def composite(sizes: Sizes, *, differentiable: bool = True) -> Callable[[BuildGraph], Rule]:
    """A decorator that makes a function the composite of its name.

    The function gets a GraphBuilder and the numbers of a size, and returns the outputs. `differentiable` says whether
    a backward pass is measured. Drawn sizes lie between the smallest and the largest canonical ones.
    """

    def decorate(build: BuildGraph) -> Rule:
        def made(spec: InputSpec, size: Shape) -> Inputs:
            builder = GraphBuilder(build.__name__, spec.dtype)
            outputs = build(builder, *size)
            return builder.inputs(outputs if isinstance(outputs, tuple) else (outputs,), differentiable=differentiable)

        def canonical(spec: InputSpec) -> Mapping[str, Inputs]:
            return {profile: made(spec, size) for profile, size in sizes.items()}

        def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
            return made(spec, drawn_size(draw, sizes.values(), spec.elements))

        drawn.__module__, drawn.__name__, drawn.__doc__ = build.__module__, build.__name__, build.__doc__
        return rule(build.__name__, category=COMPOSITE_NAMESPACE, canonical=canonical)(drawn)

    return decorate
