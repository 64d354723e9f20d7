"""Operators that make an array from numbers."""

from __future__ import annotations

import math
from functools import partial

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.rules.rule import Inputs, InputSpec, inputs, rule
from autoperf.rules.table import MATRIX_SHAPES, MODEST_SHAPES, at_shapes, of_one, sized
from autoperf.strategies import axes, extents, shapes

creation_rule = partial(rule, category="creation")

LENGTHS = {"small": 1024, "common": 65_536, "large": 1_048_576, "skewed": 10}
SIDES = {"small": 32, "common": 256, "large": 1024, "skewed": 1021}
SLOW_LENGTHS = {**LENGTHS, "large": 262_144}
"""The lengths for functions that take a power or a cosine of every element."""
DTYPES = ("float16", "float32", "float64", "int32", "int64", "uint8")
FLOATS = ("float16", "float32", "float64")
NUMBERS = {
    "float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6, "bool": 7,
    "bfloat16": 12,
}  # fmt: skip
"""MXNet's own numbers of the dtypes."""


def _dtype(draw: st.DrawFn, spec: InputSpec, among: tuple[str, ...] = DTYPES) -> str:
    return draw(st.sampled_from(among)) if spec.dtype == "float32" else spec.dtype


@creation_rule(
    *("_zeros", "_ones", "_npi_zeros", "_npi_ones"),
    canonical=sized(lambda spec, shape: inputs(shape=shape, dtype=spec.dtype), MATRIX_SHAPES),
)
def filled(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A shape and a dtype."""
    return inputs(shape=draw(shapes(1, 4, spec.elements)), dtype=_dtype(draw, spec))


@creation_rule(
    "_zeros_without_dtype",
    canonical=sized(lambda spec, shape: inputs(shape=shape, dtype=NUMBERS[spec.dtype]), MATRIX_SHAPES),
)
def zeros_without_dtype(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A shape, and MXNet's number of a dtype; without the dtype, only a graph can infer it."""
    return inputs(shape=draw(shapes(1, 4, spec.elements)), dtype=NUMBERS[spec.dtype])


SIGNED, UNSIGNED, FRACTION = 0, 1, 2
"""Which of the three spellings of a number NumPy's front end filled in (`value_type`)."""


def number_kind(*numbers: float) -> int:
    """The spelling of numbers that NumPy's front end fills in: that of fractions if one is a float."""
    return FRACTION if any(isinstance(number, float) for number in numbers) else SIGNED


def spelled_number(number: float, kind: int, prefix: str = "", suffix: str = "") -> dict[str, Value]:
    """A number in three spellings, one of which is used."""
    whole = int(number)
    return {
        f"{prefix}double{suffix}": float(number) if kind == FRACTION else 0.0,
        f"{prefix}int{suffix}": whole if kind == SIGNED else 0,
        f"{prefix}uint{suffix}": whole if kind == UNSIGNED else 0,
    }


def _spelled_out(spec: InputSpec) -> bool:
    """Whether this release's operator takes three spellings of each number, as 2.0's `_npi_full` and `_npi_linspace`.

    In 1.x these are other names of `_full` and `_linspace`.
    """
    return spec.operator.parameter("value_type") is not None


def _filled_with(spec: InputSpec, shape: Shape, value: float, kind: int, dtype: str) -> Inputs:
    if _spelled_out(spec):
        return inputs(shape=shape, dtype=dtype, value_type=kind, **spelled_number(value, kind, suffix="_value"))
    return inputs(shape=shape, dtype=dtype, value=value)


@creation_rule(
    *("_full", "_npi_full"),
    canonical=sized(lambda spec, shape: _filled_with(spec, shape, 1.5, FRACTION, spec.dtype), MATRIX_SHAPES),
)
def full(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A shape, a dtype and the value, on 2.0 as a fraction or a whole number with a sign or without."""
    value, kind = draw(st.sampled_from((0.0, 1.0, 3.0))), draw(st.sampled_from((SIGNED, UNSIGNED, FRACTION)))
    return _filled_with(spec, draw(shapes(1, 4, spec.elements)), value, kind, _dtype(draw, spec))


@creation_rule(
    *("_eye", "_npi_eye", "_npi_tri"),
    canonical=sized(lambda spec, shape: inputs(N=shape[0], M=shape[1], dtype=spec.dtype), MATRIX_SHAPES),
)
def eye(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows, columns, and the diagonal of the ones, or up to which there are ones (tri); it may lie outside."""
    rows, columns = draw(shapes(2, 2, spec.elements))
    return inputs(N=rows, M=columns, k=draw(st.integers(-rows, columns)), dtype=_dtype(draw, spec))


@creation_rule(
    "_npi_tril_indices", canonical=sized(lambda _spec, shape: inputs(n=shape[0], m=shape[1], k=0), MATRIX_SHAPES)
)
def lower_indices(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows, columns, and a diagonal that leaves one place at least; two vectors of int64."""
    rows, columns = draw(shapes(2, 2, spec.elements))
    return inputs(n=rows, m=columns, k=draw(st.integers(1 - rows, columns)))


@creation_rule("_npi_identity", canonical=sized(lambda spec, side: inputs(shape=(side, side), dtype=spec.dtype), SIDES))
def identity(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The shape of a square."""
    side = draw(extents(1, math.isqrt(spec.elements)))
    return inputs(shape=(side, side), dtype=_dtype(draw, spec))


@creation_rule(
    *("_arange", "_npi_arange"),
    canonical=sized(lambda spec, length: inputs(start=0.0, stop=float(length), dtype=spec.dtype), LENGTHS),
)
def arange(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """From start to stop by a step of that direction, or from 0 to start; elements repeated, except in NumPy's."""
    repeat = 1 if spec.name.startswith("_npi_") else draw(st.integers(1, 3))
    count = draw(extents(1, max(1, spec.elements // repeat)))
    step, start = draw(st.sampled_from((1.0, 0.5, 2.0, -1.0))), draw(st.integers(-10, 10))
    dtype = _dtype(draw, spec, (*FLOATS[1:], "int32", "int64"))
    if draw(st.booleans()):
        return inputs(start=float(count), repeat=repeat, dtype=dtype)
    return inputs(start=float(start), stop=start + step * count, step=step, repeat=repeat, dtype=dtype)


def _line(spec: InputSpec, ends: tuple[float, float], num: int, kind: int, **params: Value) -> Inputs:
    if _spelled_out(spec):
        spelled = {**spelled_number(ends[0], kind, "start_"), **spelled_number(ends[1], kind, "stop_")}
        return inputs(num=num, value_type=kind, **spelled, **params)
    return inputs(start=ends[0], stop=ends[1], num=num, **params)


@creation_rule(
    *("_linspace", "_npi_linspace"),
    canonical=sized(lambda spec, length: _line(spec, (0.0, 1.0), length, FRACTION, dtype=spec.dtype), LENGTHS),
)
def linspace(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Start, stop and their number; in 1.x under the names `num` and `endpoint`, which the registry doesn't list."""
    kind = draw(st.sampled_from((SIGNED, UNSIGNED, FRACTION)))
    end = st.integers(0 if kind == UNSIGNED else -10, 10).map(float)
    options: dict[str, Value] = {"endpoint": draw(st.booleans()), "dtype": _dtype(draw, spec, FLOATS)}
    return _line(spec, (draw(end), draw(end)), draw(extents(1, spec.elements)), kind, **options)


@creation_rule(
    "_npi_logspace",
    canonical=sized(lambda spec, length: inputs(start=0.0, stop=1.0, num=length, dtype=spec.dtype), SLOW_LENGTHS),
    flops=lambda case: case.outputs[0].elements,
)
def logspace(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Powers of a base, from one exponent to another."""
    return inputs(
        start=float(draw(st.integers(-3, 3))),
        stop=float(draw(st.integers(-3, 3))),
        num=draw(extents(1, spec.elements)),
        endpoint=draw(st.booleans()),
        base=draw(st.sampled_from((2.0, 10.0))),
        dtype=_dtype(draw, spec, FLOATS),
    )


@creation_rule(
    *("_npi_blackman", "_npi_hamming", "_npi_hanning"),
    canonical=sized(lambda spec, length: inputs(M=length, dtype=spec.dtype), SLOW_LENGTHS),
    flops=lambda case: case.outputs[0].elements,
)
def window(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The number of points."""
    return inputs(M=draw(extents(1, spec.elements)), dtype=_dtype(draw, spec, FLOATS))


@creation_rule(
    "_npi_indices",
    dtype="int32",
    canonical=sized(lambda spec, shape: inputs(dimensions=shape, dtype=spec.dtype), MODEST_SHAPES),
)
def indices(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The extents of a grid; the result has a grid for each extent."""
    return inputs(
        dimensions=draw(shapes(1, 4, max(1, spec.elements // 4))),
        dtype=_dtype(draw, spec, ("int32", "int64", "float32")),
    )


@creation_rule("_contrib_arange_like", canonical=at_shapes(MATRIX_SHAPES), unread=("data",))
def arange_like(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Numbers in the shape of an array, or one for each position of an axis."""
    shape = draw(shapes(1, 4, spec.elements))
    axis, step = draw(st.one_of(st.none(), axes(len(shape)))), draw(st.sampled_from((1.0, 0.5, -1.0)))
    return of_one(spec, shape, start=float(draw(st.integers(-10, 10))), step=step, axis=axis)
