"""NumPy's equations between tensors: tensorsolve and tensorinv."""

from __future__ import annotations

import math
from collections.abc import Mapping

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.tensors import Literal_, Shape, Uniform
from autoperf.rules import arithmetic
from autoperf.rules.arithmetic import elements_of, number, shape_of
from autoperf.rules.operators.linalg import DOMINANT
from autoperf.rules.profiles import sized
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.strategies import extents, factorings


def mapping_of(spec: InputSpec, front: Shape, back: Shape) -> Draft:
    """A linear map between tensors of these shapes, which are equally large.

    A map of vectors is diagonally dominant; where axes fold, contents are random, and singular with no probability,
    or, since few whole numbers may well be, twice the identity.
    """
    if len(front) == len(back) == 1:
        return Draft((*front, *back), content=DOMINANT)
    twice = Literal_((2, *[0] * math.prod(back)))
    return Draft((*front, *back), content=Uniform(-1.0, 1.0) if "float" in spec.dtype else twice)


MAPPED: Mapping[str, Shape] = {
    "small": (4, 4),
    "common": (8, 8),
    "large": (16, 16),
    "skewed": (64, 1),
    "vectors": (256,),
}


def tensorsolve_flops(case: Case) -> float:
    """Those of one system with as many unknowns as `b` has elements."""
    return arithmetic.solution(elements_of(case, "b"), 1)


@rule(
    "_npi_tensorsolve",
    category="linalg",
    flops=tensorsolve_flops,
    canonical=sized(lambda spec, shape: inputs(a=mapping_of(spec, shape, shape), b=Draft(shape)), MAPPED),
)
def tensorsolve(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A map of tensors of one shape onto themselves, and the result; `a_axes` names the unknown's axes in front."""
    shape = draw(mapped(spec.elements))
    a_axes = tuple(range(len(shape))) if draw(st.booleans()) else ()
    return inputs(a=mapping_of(spec, shape, shape), b=Draft(shape), **({"a_axes": a_axes} if a_axes else {}))


@st.composite
def mapped(draw: st.DrawFn, elements: int) -> Shape:
    """A shape of one to three axes, the square of whose elements is within the budget."""
    order = draw(extents(1, min(128, math.isqrt(elements))))
    return draw(factorings(order, draw(st.integers(1, 3))))


def tensorinv_flops(case: Case) -> float:
    """Those of the inverse of one matrix, whose rows are the first `ind` axes."""
    order = math.prod(shape_of(case, "a")[: number(case, "ind", 2)])
    return arithmetic.inverse(order, order)


@rule(
    "_npi_tensorinv",
    category="linalg",
    flops=tensorinv_flops,
    canonical=sized(lambda spec, shape: inputs(a=mapping_of(spec, shape, shape), ind=len(shape)), MAPPED),
)
def tensorinv(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The first `ind` axes multiply to as much as the others, grouped differently or not."""
    front = draw(mapped(spec.elements))
    back = draw(factorings(math.prod(front), draw(st.integers(1, 3))))
    return inputs(a=mapping_of(spec, front, back), ind=len(front))
