"""Operators that give the same elements another shape or another order of axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Literal_, Shape
from autoperf.core.work import Flops
from autoperf.rules.arithmetic import LINEAR, Derivative
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import IMAGE_SHAPES, MATRIX_SHAPES, MODEST_SHAPES, at_shapes, of_one, of_several, sized
from autoperf.strategies import axes, axis_sets, divisors, factorings, shapes
from autoperf.strategies.shapes import permutations, signed_axes

array_rule = partial(rule, category="array")
rearranging_rule = partial(array_rule, backward=LINEAR)

MAX_AXES = 6
"""The highest rank that transpose takes."""


@dataclass(frozen=True)
class Codes:
    """The negative numbers (and 0) by which a target shape refers to the source's dimensions."""

    keep: int
    rest: int
    merge: int
    split: int


CLASSIC = Codes(keep=0, rest=-2, merge=-3, split=-4)
NUMPY = Codes(keep=-2, rest=-4, merge=-5, split=-6)


@st.composite
def coded_shapes(draw: st.DrawFn, shape: Shape, codes: Codes) -> Shape:
    """A target that keeps, merges, splits or copies the dimensions of `shape` one after another; at most one -1."""
    target: list[int] = []
    position = 0
    while position < len(shape):
        still = len(shape) - position
        way = draw(st.sampled_from(("keep", "number", "split", "rest", *(("merge",) if still > 1 else ()))))
        if way == "rest":
            return (*target, codes.rest)
        if way == "split":
            factor = draw(divisors(shape[position]))
            other = shape[position] // factor
            target += [codes.split, factor, other if -1 in target else draw(st.sampled_from((other, -1)))]
        else:
            target.append({"keep": codes.keep, "merge": codes.merge, "number": shape[position]}[way])
        position += 2 if way == "merge" else 1
    return tuple(target)


@st.composite
def plain_shapes(draw: st.DrawFn, shape: Shape) -> Shape:
    """Numbers with the same product as `shape`; one of them may be -1, which stands for the missing factor."""
    target = list(draw(factorings(math.prod(shape), draw(st.integers(1, 4)))))
    if draw(st.booleans()):
        target[draw(axes(len(target)))] = -1
    return tuple(target)


@st.composite
def targets(draw: st.DrawFn, shape: Shape, codes: Codes) -> dict[str, Value]:
    """The new shape, and whether it is read from right to left."""
    way = draw(st.sampled_from(("plain", "coded", "reverse")))
    if way == "plain":
        return {"shape": draw(plain_shapes(shape)), "reverse": False}
    if way == "coded":
        return {"shape": draw(coded_shapes(shape, codes)), "reverse": False}
    return {"shape": (-1, *(codes.keep,) * draw(st.integers(0, len(shape) - 1))), "reverse": True}


@rearranging_rule("Reshape", canonical=at_shapes(MATRIX_SHAPES, shape=(-1, 4)), dims={"output": "= data"})
def reshape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any shape with the same number of elements, in numbers and codes (0, -1, -2, -3, -4) for source dimensions."""
    shape = draw(shapes(1, 5, spec.elements))
    return of_one(spec, shape, **draw(targets(shape, CLASSIC)))


@rearranging_rule("_npx_reshape", canonical=at_shapes(MATRIX_SHAPES, newshape=(-1, 4)))
def npx_reshape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any shape with the same number of elements, in numbers and codes (-1, -2, -4, -5, -6) for source dimensions."""
    shape = draw(shapes(1, 5, spec.elements))
    target = draw(targets(shape, NUMPY))
    return of_one(spec, shape, newshape=target["shape"], reverse=target["reverse"])


COLUMNS: Shape = (-1, 4)


def _dynamic(data: Shape, shape: Shape, dtype: str = "int64") -> Inputs:
    target = None if shape == COLUMNS else Literal_(tuple(map(float, shape)))
    return inputs(data=Draft(data), shape=Draft((len(shape),), dtype, target))


def reachable(case: Case) -> Mapping[str, AnyContent]:
    """Four columns, the same shape, or all elements on the first axis."""
    shape, rank = case.shape("data"), case.elements("shape")
    if rank == len(COLUMNS) and math.prod(shape) % COLUMNS[1] == 0:
        return {"shape": Literal_(tuple(map(float, COLUMNS)))}
    same = shape if rank == len(shape) else (-1, *[1] * (rank - 1))
    return {"shape": Literal_(tuple(map(float, same)))}


@array_rule(
    "_contrib_dynamic_reshape",
    canonical=sized(lambda _spec, shape: _dynamic(shape, COLUMNS), MATRIX_SHAPES),
    contents=reachable,
    varied={"shape": "many shapes have as many elements"},
)
def dynamic_reshape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """As Reshape, left to right, but the new shape is the contents of a vector."""
    shape = draw(shapes(1, 5, spec.elements))
    target = draw(st.one_of(plain_shapes(shape), coded_shapes(shape, CLASSIC)))
    return _dynamic(shape, target, draw(st.sampled_from(("int32", "int64"))))


@rearranging_rule("_np_reshape", canonical=at_shapes(MATRIX_SHAPES, newshape=(-1, 4)))
def np_reshape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any shape with the same number of elements; one dimension may be -1."""
    shape = draw(shapes(1, 5, spec.elements))
    return of_one(spec, shape, newshape=draw(plain_shapes(shape)))


@rearranging_rule("Flatten", canonical=at_shapes(IMAGE_SHAPES))
def flatten(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Everything behind the first axis becomes one axis."""
    return of_one(spec, draw(shapes(1, 5, spec.elements)))


@array_rule(
    "reshape_like",
    canonical=sized(
        lambda _spec, shape: inputs(lhs=Draft((shape[0] * shape[1] // 4, 4)), rhs=Draft(shape)), MATRIX_SHAPES
    ),
    backward=Derivative(zero=("rhs",)),
    unread=("rhs",),
)
def reshape_like(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """lhs[lhs_begin:lhs_end] takes the dimensions rhs[rhs_begin:rhs_end]; both ranges have one product."""
    middle = draw(shapes(1, 3, spec.elements))
    inner = math.prod(middle)
    left = draw(shapes(1, 2, max(1, spec.elements // inner)))
    front, like = draw(st.integers(0, len(left))), draw(factorings(inner, draw(st.integers(1, 3))))
    lead = draw(st.integers(0, 1))
    return inputs(
        lhs=Draft((*left[:front], *middle, *left[front:])),
        rhs=Draft((*(1,) * lead, *like)),
        lhs_begin=front,
        lhs_end=front + len(middle),
        rhs_begin=lead,
        rhs_end=None if draw(st.booleans()) else lead + len(like),
    )


def permuted(order: Callable[[Case, int], Sequence[int]]) -> Flops:
    """One move per element, if the new order of axes changes the order of elements. Moving axes of length 1 doesn't."""

    def moves(case: Case) -> float:
        shape = case.inputs[0].tensor.shape
        long = [axis for axis in order(case, len(shape)) if shape[axis] != 1]
        return float(math.prod(shape)) if long != sorted(long) else 0.0

    return moves


def order_of_axes(case: Case, rank: int) -> list[int]:
    """The order by the parameter `axes`, by default the reverse one."""
    axes = case.numbers("axes")
    return [axis % rank for axis in axes] if axes else list(reversed(range(rank)))


def order_swapped(case: Case, rank: int) -> list[int]:
    """The order with `dim1` and `dim2` exchanged."""
    order = list(range(rank))
    first, second = case.number("dim1", 0), case.number("dim2", 0)
    order[first], order[second] = order[second], order[first]
    return order


def order_moved(case: Case, rank: int) -> list[int]:
    """The order in which each axis of `source` has its place in `destination`."""
    source, destination = ([axis % rank for axis in case.numbers(name)] for name in ("source", "destination"))
    order = [axis for axis in range(rank) if axis not in source]
    for place, axis in sorted(zip(destination, source, strict=True)):
        order.insert(place, axis)
    return order


def order_rolled(case: Case, rank: int) -> list[int]:
    """The order in which `axis` stands before the axis `start`."""
    axis, start = case.number("axis") % rank, case.number("start", 0)
    start += rank if start < 0 else 0
    order = [other for other in range(rank) if other != axis]
    order.insert(start - (axis < start), axis)
    return order


@rearranging_rule(
    *("transpose", "_np_transpose", "_npi_transpose"),
    canonical=lambda spec: {
        **at_shapes(MATRIX_SHAPES, axes=(1, 0))(spec),
        "nchw_to_nhwc": of_one(spec, (4, 64, 56, 56), axes=(0, 2, 3, 1)),
        "attention_heads": of_one(spec, (8, 128, 8, 64), axes=(0, 2, 1, 3)),
    },
    moves=permuted(order_of_axes),
)
def transpose(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The axes in any order, or (left out) reversed; at most 6 axes."""
    shape = draw(shapes(1, MAX_AXES, spec.elements))
    return of_one(spec, shape) if draw(st.booleans()) else of_one(spec, shape, axes=draw(permutations(len(shape))))


@rearranging_rule("SwapAxis", canonical=at_shapes(MODEST_SHAPES, dim1=0, dim2=1), moves=permuted(order_swapped))
def swap_axes(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two axes change places; the same axis twice is a copy."""
    shape = draw(shapes(1, 5, spec.elements))
    return of_one(spec, shape, dim1=draw(signed_axes(len(shape))), dim2=draw(signed_axes(len(shape))))


@rearranging_rule(
    *("_np_moveaxis", "_npi_moveaxis"),
    canonical=at_shapes(MATRIX_SHAPES, source=(0,), destination=(-1,)),
    moves=permuted(order_moved),
)
def move_axis(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Different source axes to different places; at most 6 axes."""
    shape = draw(shapes(1, MAX_AXES, spec.elements))
    source = draw(permutations(len(shape)))[: draw(st.integers(1, len(shape)))]
    destination = draw(permutations(len(shape)))[: len(source)]
    return of_one(spec, shape, source=source, destination=destination)


@rearranging_rule("_npi_rollaxis", canonical=at_shapes(MATRIX_SHAPES, axis=1, start=0), moves=permuted(order_rolled))
def roll_axis(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One axis goes before another one, or to the end; at most 6 axes."""
    shape = draw(shapes(1, MAX_AXES, spec.elements))
    rank = len(shape)
    return of_one(spec, shape, axis=draw(signed_axes(rank)), start=draw(st.integers(-rank, rank)))


@rearranging_rule("expand_dims", canonical=at_shapes(MATRIX_SHAPES, axis=1))
def expand_dims(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A new axis of size 1 in any place, the end included."""
    shape = draw(shapes(1, 4, spec.elements))
    return of_one(spec, shape, axis=draw(signed_axes(len(shape) + 1)))


@rearranging_rule(
    *("squeeze", "_np_squeeze", "_npi_squeeze"),
    canonical=sized(lambda spec, shape: of_one(spec, (1, *shape, 1), axis=(0,)), MATRIX_SHAPES),
)
def squeeze(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Named axes of size 1, or (left out) every one; at least one axis is longer, so that an array remains."""
    shape = list(draw(shapes(1, 3, spec.elements, smallest=2)))
    for _ in range(draw(st.integers(1, 3))):
        shape.insert(draw(st.integers(0, len(shape))), 1)
    ones = [axis for axis, extent in enumerate(shape) if extent == 1]
    if draw(st.booleans()):
        return of_one(spec, tuple(shape))
    chosen = draw(axis_sets(len(ones)))
    return of_one(spec, tuple(shape), axis=tuple(ones[index] for index in chosen))


@rearranging_rule(
    *(f"_{prefix}_atleast_{rank}d" for prefix in ("np", "npi") for rank in (1, 2, 3)),
    canonical=sized(lambda spec, shape: of_several(spec, [shape, shape]), MATRIX_SHAPES),
)
def at_least(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One to four arrays of any rank; each gets axes of size 1 until it has enough."""
    count = draw(st.integers(1, 4))
    return of_several(spec, [draw(shapes(1, 4, spec.elements // count)) for _ in range(count)])


@rearranging_rule("depth_to_space", "space_to_depth", canonical=at_shapes(IMAGE_SHAPES, block_size=2))
def blocks_of_pixels(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(batch, channels, height, width): the block size divides height and width, or its square the channels."""
    block = draw(st.integers(1, 4))
    batch, depth, height, width = draw(shapes(4, 4, spec.elements // block**2))
    deep = (batch, depth * block**2, height, width)
    wide = (batch, depth, height * block, width * block)
    return of_one(spec, deep if spec.name == "depth_to_space" else wide, block_size=block)


@rearranging_rule("reverse", "_npi_flip", canonical=at_shapes(MATRIX_SHAPES, axis=(1,)))
def flip(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Different axes, each read backwards."""
    shape = draw(shapes(1, 4, spec.elements))
    return of_one(spec, shape, axis=draw(axis_sets(len(shape))))


@rearranging_rule("_npi_rot90", canonical=at_shapes(MODEST_SHAPES, k=1, axes=(0, 1)))
def rotate(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Quarter turns of any number in the plane of two different axes."""
    shape = draw(shapes(2, 4, spec.elements))
    return of_one(spec, shape, k=draw(st.integers(-2, 4)), axes=draw(permutations(len(shape)))[:2])


@rearranging_rule(
    *("_np_roll", "_npi_roll"),
    canonical=at_shapes(MATRIX_SHAPES, {"common": inputs(data=tensor(256, 256), shift=(5,), axis=(1,))}, shift=(5,)),
)
def roll(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One shift for the flattened array, or one for each of some axes; a shift is shorter than its axis."""
    shape = draw(shapes(1, 4, spec.elements))
    if draw(st.booleans()):
        most = math.prod(shape) - 1
        return of_one(spec, shape, shift=(draw(st.integers(-most, most)),))
    chosen = draw(axis_sets(len(shape)))
    shift = tuple(draw(st.integers(1 - shape[axis], shape[axis] - 1)) for axis in chosen)
    return of_one(spec, shape, shift=shift, axis=chosen)
