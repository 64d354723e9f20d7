"""Reductions over axes: sums, means, extrema, products, norms, moments, and checks that numbers are finite."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Constant, Integers, Mask, Shape, Uniform
from autoperf.rules.arithmetic import NONLINEAR, Derivative, nonlinear_except, other_operands
from autoperf.rules.rule import Contents, Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import (
    ELEMENTWISE_SHAPES,
    Row,
    SampleInputs,
    first_of,
    of_one,
    of_shape,
    sized,
    table,
    unpacked,
)
from autoperf.strategies import axes, axis_sets, extents, shapes

reduction_rule = partial(rule, category="reduction")

Axes: TypeAlias = tuple[int, ...] | None
Reduced: TypeAlias = tuple[Shape, Axes]

REDUCTIONS: Mapping[str, Reduced] = {
    "small": ((32, 32), (1,)),
    "common": ((256, 256), (1,)),
    "large": ((1024, 1024), (1,)),
    "skewed": ((10_000, 10), (0,)),
    "skewed_rows": ((10_000, 10), (1,)),
    "skewed_line": ((10, 10_000), (1,)),
    "columns": ((512, 512), (0,)),
    "middle": ((64, 64, 64), (1,)),
    "whole": ((512, 512), None),
}
SLOW_REDUCTIONS = {**REDUCTIONS, "large": ((512, 512), (1,))}
SLOWEST_REDUCTIONS = {
    **REDUCTIONS,
    "large": ((256, 512), (1,)),
    "columns": ((512, 256), (0,)),
    "middle": ((32, 64, 64), (1,)),
    "whole": ((256, 512), None),
}
ACCUMULATORS: tuple[Value, ...] = (None, "float32", "float64")


@st.composite
def reduced(draw: st.DrawFn, elements: int) -> tuple[Shape, Axes]:
    """A shape and the axes to reduce: one, some, or None for all of them."""
    shape, pattern = draw(shapes(1, 4, elements)), draw(st.sampled_from(("one", "one", "some", "all")))
    if pattern == "all":
        return shape, None
    return shape, (draw(axes(len(shape))),) if pattern == "one" else draw(axis_sets(len(shape)))


def extent_of(shape: Shape, over: Axes) -> int:
    """How many elements go into each result."""
    return math.prod(shape if over is None else (shape[axis] for axis in over))


def reduce_over(spec: InputSpec, data: Draft, over: Axes, **modes: Draft | Value) -> Inputs:
    """A call that reduces `data`; the axes are left out where all of them are meant."""
    return inputs(**{spec.operator.tensors[0].name: data}, **{} if over is None else {"axis": over}, **modes)


BYTES = ("int8", "uint8")
AVERAGES = ("mean", "moments", "_npi_average", "_npi_std", "_npi_var")
"""Operators that divide by the number of elements in the data's own dtype, and by zero the process ends."""


def averaged(spec: InputSpec, shape: Shape) -> Shape:
    """The shape, odd for averages in 8 bits, where a multiple of 256 is zero."""
    crowded = spec.dtype in BYTES and spec.name in AVERAGES
    return tuple(extent - 1 + extent % 2 for extent in shape) if crowded else shape


@st.composite
def reduction_modes(draw: st.DrawFn, spec: InputSpec, shape: Shape, over: Axes) -> dict[str, Value]:
    """Values of keepdims, exclude, dtype and ddof, where this operator has them.

    `exclude` needs a remaining axis to reduce, and `ddof` stays below the number of elements that are reduced.
    `initial` is never set: MXNet refuses it ("initial is not supported yet").
    """
    offered = spec.operator.parameter
    modes: dict[str, Value] = {}
    if offered("keepdims"):
        modes["keepdims"] = draw(st.booleans())
    if offered("exclude") and over is not None and len(over) < len(shape):
        modes["exclude"] = draw(st.booleans())
    if offered("dtype") and (dtype := draw(st.sampled_from(ACCUMULATORS))):
        modes["dtype"] = dtype
    if offered("ddof"):
        # One less than an odd number may be a multiple of 256.
        most = 0 if spec.dtype in BYTES else 1
        modes["ddof"] = draw(st.integers(0, min(most, extent_of(shape, over) - 1)))
    return modes


ANY_AXES = "One tensor of rank 1 to 4, reduced over one axis, some of them or all."


def half_true(case: Case) -> Mapping[str, AnyContent]:
    """Zeros and ones of which about half of the results are true, however many go into each.

    That takes as many ones as this: n independent ones are all there with the n-th power of their share.
    """
    (data,) = case.inputs
    share = 0.5 ** (1 / extent_of(data.tensor.shape, case.numbers("axis") or None))
    return {data.name: Mask(share if case.operator.endswith("all") else 1 - share)}


def reduction(contents: Contents = lambda _case: {}, profiles: Mapping[str, Reduced] = REDUCTIONS) -> SampleInputs:
    """One tensor of rank 1 to 4, reduced over one axis, some of them or all; sparse if there are kernels for it."""

    def dense(spec: InputSpec, size: Reduced) -> Inputs:
        shape, over = size
        return reduce_over(spec, Draft(averaged(spec, shape)), over)

    def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        size, over = draw(reduced(spec.elements))
        shape = averaged(spec, size)
        return reduce_over(spec, Draft(shape), over, **draw(reduction_modes(spec, shape, over)))

    return SampleInputs(lambda spec: sized(dense, profiles, sparse(spec))(spec), drawn, contents)


def sparse(spec: InputSpec) -> Mapping[str, Inputs]:
    """CSR over either axis, for the operators that have kernels for it; those reject bool."""
    if f"_sparse_{spec.name}" not in spec.operator.aliases or spec.dtype == "bool":
        return {}
    data = Draft(averaged(spec, (1024, 1024)), storage="csr", density=0.05)
    return {"csr": reduce_over(spec, data, (1,)), "csr_columns": reduce_over(spec, data, (0,))}


RULES = table(
    __name__,
    "reduction",
    sums=Row(("sum", "mean", "nansum", "max", "min"), reduction(), ANY_AXES, backward=nonlinear_except("sum", "mean")),
    numpy_sums=Row(
        ("_np_sum", "_npi_sum", "_np_max", "_npi_max", "_np_min", "_npi_min", "_npi_mean"),
        reduction(),
        ANY_AXES,
        backward=nonlinear_except("_np_sum", "_npi_sum", "_npi_mean"),
    ),
    deviations=Row(("_npi_std", "_npi_var"), reduction(profiles=SLOWEST_REDUCTIONS), ANY_AXES, backward=NONLINEAR),
    products=Row(
        ("prod", "nanprod", "_np_prod", "_npi_prod"),
        # Those that sparse tensors store may be any.
        reduction(
            lambda case: first_of(Uniform(0.999, 1.001))(case) if case.inputs[0].tensor.storage == "default" else {}
        ),
        "Numbers close to one, whose product neither overflows nor vanishes.",
        backward=NONLINEAR,
    ),
    quantifiers=Row(
        ("_np_all", "_npi_all", "_np_any", "_npi_any"),
        reduction(half_true),
        "Zeros and ones, over one axis, some of them or all; about half of the results are true.",
        category="logical",
    ),
    all_finite=Row(("all_finite",), of_shape(of_one, ELEMENTWISE_SHAPES), "One tensor of any shape."),
)


@reduction_rule(
    "moments",
    canonical=sized(
        unpacked(
            lambda spec, shape, over: inputs(data=Draft(averaged(spec, shape)), axes=over or tuple(range(len(shape))))
        ),
        SLOWEST_REDUCTIONS,
    ),
    backward=NONLINEAR,
)
def moments(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Mean and variance; every axis is named, since no axis does not mean all of them here."""
    shape, over = draw(reduced(spec.elements))
    return inputs(
        data=Draft(averaged(spec, shape)), axes=over or tuple(range(len(shape))), keepdims=draw(st.booleans())
    )


WIDE = ("float32", "float64")
"""The dtypes of sparse norms and of singular values."""


def norm_canonical(spec: InputSpec) -> Mapping[str, Inputs]:
    """The Euclidean norm over each profile's axes, and of all elements in sparse storage (only 32 and 64 bits)."""
    dense = {profile: reduce_over(spec, Draft(shape), over) for profile, (shape, over) in SLOW_REDUCTIONS.items()}
    dense["absolute"] = inputs(data=tensor(512, 512), ord=1, axis=(1,))
    if spec.dtype not in WIDE:
        return dense
    return dense | {
        "csr": inputs(data=tensor(1024, 1024, storage="csr", density=0.05)),
        "row_sparse": inputs(data=tensor(1024, 1024, storage="row_sparse", density=0.05)),
    }


@reduction_rule("norm", canonical=norm_canonical, backward=NONLINEAR)
def norm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The norm of order 1 or 2, which are all there are, over one axis, some of them or all."""
    shape, over = draw(reduced(spec.elements))
    return reduce_over(spec, Draft(shape), over, ord=draw(st.sampled_from((1, 2))), keepdims=draw(st.booleans()))


FLATTENED, BY_SINGULAR_VALUES, FROBENIUS, NUCLEAR, VECTOR = -2, 0, 1, 2, -1
NUMPY_NORM = {
    "small": inputs(data=tensor(32, 32), ord=2, axis=(1,), flag=VECTOR),
    "common": inputs(data=tensor(256, 256), ord=2, axis=(1,), flag=VECTOR),
    "large": inputs(data=tensor(512, 512), ord=2, axis=(1,), flag=VECTOR),
    "skewed": inputs(data=tensor(10_000, 10), ord=2, axis=(0,), flag=VECTOR),
    "skewed_rows": inputs(data=tensor(10_000, 10), ord=2, axis=(1,), flag=VECTOR),
    "whole": inputs(data=tensor(512, 512), ord=2, flag=FLATTENED),
    "cubic": inputs(data=tensor(256, 256), ord=3, axis=(1,), flag=VECTOR),
    "frobenius": inputs(data=tensor(16, 64, 64), ord=2, axis=(1, 2), flag=FROBENIUS),
    "spectral": inputs(data=tensor(64, 64), ord=2, axis=(0, 1), flag=BY_SINGULAR_VALUES),
    "nuclear": inputs(data=tensor(8, 32, 32), ord=2, axis=(1, 2), flag=NUCLEAR),
}


@reduction_rule(
    "_npi_norm",
    canonical=lambda spec: {
        profile: call
        for profile, call in NUMPY_NORM.items()
        if spec.dtype in WIDE or profile not in ("spectral", "nuclear")
    },
    backward=NONLINEAR,
)
def numpy_norm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The parameters that the registry doesn't list, as the NumPy front end passes them: ord, axis, keepdims, flag."""
    keepdims = draw(st.booleans())
    by_svd = (BY_SINGULAR_VALUES, NUCLEAR) if spec.dtype in WIDE else ()
    kind = draw(st.sampled_from((FLATTENED, VECTOR, VECTOR, FROBENIUS, *by_svd)))
    if kind in (BY_SINGULAR_VALUES, NUCLEAR):
        order = draw(st.sampled_from((2, -2))) if kind == BY_SINGULAR_VALUES else 2
        data = draw(wide_matrices(min(spec.elements, 4096)))
        return inputs(
            data=data, ord=order, axis=(len(data.shape) - 2, len(data.shape) - 1), keepdims=keepdims, flag=kind
        )
    shape = draw(shapes(2 if kind == FROBENIUS else 1, 4, spec.elements))
    if kind == FLATTENED:
        return inputs(data=Draft(shape), ord=2, keepdims=keepdims, flag=kind)
    if kind == FROBENIUS:
        pair = draw(st.permutations(range(len(shape))))[:2]
        return inputs(data=Draft(shape), ord=2, axis=tuple(sorted(pair)), keepdims=keepdims, flag=kind)
    order = draw(st.sampled_from((0, 1, 2, 3)))
    return inputs(data=Draft(shape), ord=order, axis=(draw(axes(len(shape))),), keepdims=keepdims, flag=kind)


@st.composite
def wide_matrices(draw: st.DrawFn, elements: int) -> Draft:
    """Stacks of matrices with no more rows than columns, at most 64 each, which the singular values ask for."""
    columns = draw(extents(1, min(64, math.isqrt(elements))))
    rows = draw(extents(1, columns))
    stack = draw(extents(1, max(1, elements // (rows * columns))))
    return Draft((stack, rows, columns) if draw(st.booleans()) else (rows, columns))


def weighing(case: Case) -> Mapping[str, AnyContent]:
    """Weights whose sum, which divides too, is never zero, not even in 8 bits."""
    dtype = case.inputs[-1].tensor.dtype
    if dtype in BYTES:
        return {"weights": Constant(1)}
    return {"weights": Uniform(0.1, 1.0) if "float" in dtype else Integers(1, 4)}


def average_canonical(spec: InputSpec) -> Mapping[str, Inputs]:
    """Weights of the data's shape; "vector" has one weight for each position of the axis."""
    plans = {profile: (averaged(spec, shape), over) for profile, (shape, over) in SLOW_REDUCTIONS.items()}
    full = {
        profile: reduce_over(spec, Draft(shape), over, weights=Draft(shape)) for profile, (shape, over) in plans.items()
    }
    square = averaged(spec, (512, 512))
    return full | {
        "vector": inputs(a=Draft(square), weights=Draft(square[:1]), axis=(1,)),
        "unweighted": inputs(a=Draft(square), axis=(1,), weighted=False),
    }


@reduction_rule("_npi_average", canonical=average_canonical, backward=Derivative(other_operands), contents=weighing)
def average(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Positive weights: none, of the data's shape, or a vector along the only axis that is reduced."""
    drawn, over = draw(reduced(spec.elements))
    shape = averaged(spec, drawn)
    returned, weighted = draw(st.booleans()), draw(st.sampled_from(("full", "full", "vector", "no")))
    if weighted == "no":
        return reduce_over(spec, Draft(shape), over, weighted=False, returned=returned)
    vector = weighted == "vector" and over is not None and len(over) == 1
    weights = Draft((extent_of(shape, over),) if vector else shape)
    return reduce_over(spec, Draft(shape), over, weights=weights, returned=returned)


SQUARE_SUM = {
    profile: inputs(data=tensor(*shape, storage="row_sparse", density=density), axis=(axis,), keepdims=False)
    for profile, shape, density, axis in (
        ("small", (32, 32), 0.5, 1),
        ("common", (256, 256), 0.1, 1),
        ("large", (10_000, 100), 0.1, 1),
        ("skewed", (10_000, 10), 0.1, 0),
        ("skewed_rows", (10_000, 10), 0.1, 1),
    )
}


@reduction_rule("_square_sum", canonical=SQUARE_SUM)
def square_sum(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A row-sparse matrix, reduced over one of its two axes; there is no kernel for dense storage."""
    shape, density = draw(shapes(2, 2, spec.elements)), draw(st.sampled_from((0.01, 0.1, 0.5, 1.0)))
    return inputs(
        data=Draft(shape, storage="row_sparse", density=density), axis=(draw(axes(2)),), keepdims=draw(st.booleans())
    )


def arrays(*several: Shape) -> Inputs:
    """A list of tensors and their number, which the operator takes as a parameter."""
    return inputs(data=[Draft(shape) for shape in several], num_arrays=len(several))


@reduction_rule(
    *("multi_all_finite", "multi_sum_sq"),
    canonical={
        "small": arrays((32, 32), (32,)),
        "common": arrays(*((64, 64),) * 16),
        "large": arrays(*((256, 256),) * 16),
        "skewed": arrays((10_000, 1), (1, 10_000), (10,)),
        "many": arrays(*((64,),) * 64),
    },
)
def multi_array(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Between 1 and 16 tensors of any shapes, like gradients."""
    count = draw(st.integers(1, 16))
    return arrays(*(draw(shapes(1, 4, spec.elements // count)) for _ in range(count)))
