"""8-bit inference: to and from integers, and layers on them, each tensor with the range of its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Constant, Integers, Shape, Uniform
from autoperf.core.work import no_arithmetic
from autoperf.rules.arithmetic import filters, images, windows
from autoperf.rules.operators.convolution import convolution_flops
from autoperf.rules.operators.nn_basic import dense_flops
from autoperf.rules.operators.pooling import pooling_flops
from autoperf.rules.operators.reshaping import CLASSIC, NUMPY, order_of_axes, permuted, targets
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.rules.table import ELEMENTWISE_SHAPES, Row, at_shapes, below, by_profile, of_one, of_shape, sized, table
from autoperf.strategies import extents, shapes
from autoperf.strategies.shapes import permutations

LOW, HIGH = -1.0, 1.0
LEAST, LARGEST = Constant(LOW), Constant(HIGH)
CALIBRATED: dict[str, Value] = {"min_calib_range": LOW, "max_calib_range": HIGH}
SEQUENCES: dict[str, Shape] = by_profile((8, 4, 32), (32, 16, 128), (128, 32, 256), (10_000, 1, 10))
IMAGES: dict[str, Shape] = by_profile((1, 4, 16, 16), (1, 64, 32, 32), (1, 64, 56, 56), (1, 2048, 7, 7))
BOUND = Draft((1,), dtype="float32")
STATISTICS = {"gamma": Uniform(0.5, 1.5), "moving_var": Uniform(0.5, 1.5)}
BYTES = {"int8": Integers(-127, 128), "uint8": Integers(0, 256), "int32": Integers(-(2**20), 2**20)}


def quantized(shape: Shape, dtype: str = "int8") -> Draft:
    """Quantized data."""
    return Draft(shape, dtype=dtype)


def contents(case: Case) -> Mapping[str, AnyContent]:
    """Whole numbers over the dtype's range (a part of it, of 32 bits), and the values of its least and its largest."""
    whole = {item.name: BYTES[item.tensor.dtype] for item in case.inputs if item.tensor.dtype in BYTES}
    bounds = [item.name for item in case.inputs if item.tensor.dtype not in BYTES]
    least = dict.fromkeys((name for name in bounds if "min" in name.split("_")), LEAST)
    largest = dict.fromkeys((name for name in bounds if "max" in name.split("_")), LARGEST)
    return {**whole, **largest, **least}


quantization_rule = partial(rule, category="quantization", contents=contents)
int8_rule = partial(quantization_rule, dtype="int8")


def ranges(*names: str) -> dict[str, Draft]:
    """The values of the smallest and the largest integer, for each of these tensors."""
    return {f"{end}_{name}": BOUND for name in names for end in ("min", "max")}


def _quantize(_spec: InputSpec, shape: Shape, kind: str = "uint8") -> Inputs:
    return inputs(data=Draft(shape), out_type=kind, **ranges("range"))


@quantization_rule("_contrib_quantize", canonical=sized(_quantize, ELEMENTWISE_SHAPES))
def quantize(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor to 8 bits, by a given range."""
    return _quantize(spec, draw(shapes(1, 4, spec.elements)), draw(st.sampled_from(("int8", "uint8"))))


def _maybe_calibrated(draw: st.DrawFn) -> dict[str, Value]:
    return CALIBRATED if draw(st.booleans()) else {}


@quantization_rule("_contrib_quantize_v2", canonical=at_shapes(ELEMENTWISE_SHAPES, out_type="int8"))
def quantize_v2(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor to 8 bits, by a calibrated range or by its own."""
    kind = draw(st.sampled_from(("int8", "uint8", "auto")))
    return of_one(spec, draw(shapes(1, 4, spec.elements)), out_type=kind, **_maybe_calibrated(draw))


@quantization_rule("_contrib_quantize_asym", canonical=at_shapes(SEQUENCES))
def quantize_asymmetric(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(steps, batch, inputs) by scale and shift of a calibrated range or of its own; another rank kills the process."""
    return of_one(spec, draw(shapes(3, 3, spec.elements)), **_maybe_calibrated(draw))


def _requantize(_spec: InputSpec, shape: Shape, kind: str = "int8", **params: Value) -> Inputs:
    return inputs(data=quantized(shape, "int32"), out_type=kind, **ranges("range"), **params)


@quantization_rule("_contrib_requantize", canonical=sized(_requantize, ELEMENTWISE_SHAPES), dtype="int32")
def requantize(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """32 bits to 8, by a calibrated range or by the range of the data."""
    kind = draw(st.sampled_from(("int8", "uint8", "auto")))
    return _requantize(spec, draw(shapes(1, 4, spec.elements)), kind, **_maybe_calibrated(draw))


def _ranged(spec: InputSpec, shape: Shape, /, **params: Value) -> Inputs:
    return inputs(data=quantized(shape, spec.dtype), **ranges("data"), **params)


def _pool(spec: InputSpec, shape: Shape) -> Inputs:
    return _ranged(spec, shape, kernel=(2, 2), stride=(2, 2), pool_type="max").inference()


@int8_rule("_contrib_quantized_pooling", canonical=sized(_pool, IMAGES), flops=pooling_flops)
def pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width), by maximum or average; in inference, for it registers a gradient that it does not have."""
    image = draw(images(spec.elements, dims=(2, 2)))
    window, kind = draw(windows(image.spatial, dilated=False)), draw(st.sampled_from(("max", "avg")))
    return _ranged(spec, image.shape, pool_type=kind, **window.params(dilation=False)).inference()


def _convolve(spec: InputSpec, shape: Shape, count: int = 16, **params: Value) -> Inputs:
    kernel = params.get("kernel", (1, 1))
    taps = kernel if isinstance(kernel, tuple) else (1, 1)
    weight = quantized((count, shape[1], *(int(str(tap)) for tap in taps)))
    options: dict[str, Value] = {"kernel": taps, "num_filter": count, "no_bias": True, **params}
    return inputs(data=quantized(shape, spec.dtype), weight=weight, **ranges("data", "weight"), **options)


@quantization_rule(
    "_contrib_quantized_conv", canonical=sized(_convolve, IMAGES), dtype="uint8", flops=convolution_flops
)
def convolution(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width), unsigned: "op only supports uint8 as input type"."""
    image = draw(images(min(spec.elements, 2**15), dims=(2, 2)))
    window = draw(windows(image.spatial, largest=3, dilated=False))
    pixels = image.batch * math.prod(window.places(image.spatial))
    count = draw(filters(image, window, 1, pixels, elements=spec.elements))
    return _convolve(spec, image.shape, count, **window.params(dilation=False))


def _dense(spec: InputSpec, shape: Shape, hidden: int = 64) -> Inputs:
    weight = quantized((hidden, shape[1]))
    options: dict[str, Value] = {"num_hidden": hidden, "no_bias": True}
    return inputs(data=quantized(shape, spec.dtype), weight=weight, **ranges("data", "weight"), **options)


@int8_rule("_contrib_quantized_fully_connected", canonical=sized(_dense, ELEMENTWISE_SHAPES), flops=dense_flops)
def fully_connected(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, inputs) by a weight of (hidden, inputs)."""
    shape = draw(shapes(2, 2, spec.elements))
    hidden = draw(extents(1, max(1, min(256, spec.elements // max(shape)))))
    return _dense(spec, shape, hidden)


def _sum(spec: InputSpec, shape: Shape) -> Inputs:
    bounds = {f"{name}_{end}": BOUND for name in ("lhs", "rhs") for end in ("min", "max")}
    return inputs(lhs=quantized(shape, spec.dtype), rhs=quantized(shape, spec.dtype), **bounds)


int8_row = partial(Row, dtype="int8", contents=contents)
RULES = table(
    __name__,
    "quantization",
    dequantize=int8_row(
        ("_contrib_dequantize",),
        of_shape(lambda spec, shape: inputs(data=quantized(shape, spec.dtype), **ranges("range")), ELEMENTWISE_SHAPES),
        "8 bits to numbers.",
    ),
    activation=int8_row(
        ("_contrib_quantized_act",),
        of_shape(partial(_ranged, act_type="relu"), ELEMENTWISE_SHAPES, (2, 4)),
        "8 bits of rank 2 to 4, with their range.",
    ),
    flatten=int8_row(
        ("_contrib_quantized_flatten",),
        of_shape(_ranged, IMAGES, (2, 4)),
        "8 bits of rank 2 to 4, with their range.",
        flops=no_arithmetic,
    ),
    batch_norm=Row(
        ("_contrib_quantized_batch_norm",),
        of_shape(partial(_ranged, **CALIBRATED), IMAGES, (4, 4)),
        "(N, C, height, width), to a calibrated range; the variance is positive.",
        dtype="int8",
        contents=lambda case: {**contents(case), **STATISTICS},
    ),
    addition=int8_row(
        ("_contrib_quantized_elemwise_add",), of_shape(_sum, ELEMENTWISE_SHAPES), "Two tensors of one shape."
    ),
)


def _join(spec: InputSpec, shape: Shape, count: int = 2) -> Inputs:
    return inputs(data=[quantized(shape, spec.dtype)] * count + [BOUND, BOUND] * count, num_args=count, dim=1)


def joined(case: Case) -> Mapping[str, AnyContent]:
    """Whole numbers, then the least and the largest of each tensor."""
    bounds = [item.name for item in case.inputs if item.tensor.dtype not in BYTES]
    return {**contents(case), **{name: LARGEST if place % 2 else LEAST for place, name in enumerate(bounds)}}


@int8_rule(
    "_contrib_quantized_concat", canonical=sized(_join, ELEMENTWISE_SHAPES), flops=no_arithmetic, contents=joined
)
def concatenation(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """2 to 4 tensors of one shape, joined along axis 1; num_args counts them without their ranges."""
    return _join(spec, draw(shapes(2, 4, spec.elements // 4)), draw(st.integers(2, 4)))


def _look_up(_spec: InputSpec, shape: Shape, rows: int = 1000, width: int = 16) -> Inputs:
    tokens = Draft(shape, dtype="int32")
    table = quantized((rows, width))
    sizes: dict[str, Value] = {"input_dim": rows, "output_dim": width, "dtype": "int8"}
    return inputs(data=tokens, weight=table, **ranges("weight"), **sizes)


@int8_rule(
    "_contrib_quantized_embedding",
    canonical=sized(_look_up, ELEMENTWISE_SHAPES),
    flops=no_arithmetic,
    contents=lambda case: {**contents(case), "data": below(case.number("input_dim"))},
)
def embedding(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Indices on [0, rows) into a signed table."""
    width = draw(extents(1, max(1, min(256, spec.elements))))
    rows = draw(extents(1, max(1, spec.elements // width)))
    return _look_up(spec, draw(shapes(1, 3, max(1, spec.elements // width))), rows, width)


def _product(spec: InputSpec, shape: Shape, **params: Value) -> Inputs:
    """A direct call fails: MXNet only makes this operator in graphs."""
    return Inputs(_sum(spec, shape).tensors, params).in_a_graph().inference()


@int8_rule("_contrib_quantized_elemwise_mul", canonical=sized(_product, ELEMENTWISE_SHAPES))
def multiplication(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two signed tensors of one shape, to 32 bits, to 8 by a calibrated range, or to floats."""
    modes: tuple[dict[str, Value], ...] = ({}, CALIBRATED, {"enable_float_output": True})
    return _product(spec, draw(shapes(1, 4, spec.elements)), **draw(st.sampled_from(modes)))


RESHAPES = {"_contrib_quantized_reshape": ("shape", CLASSIC), "_npx_quantized_reshape": ("newshape", NUMPY)}
"""The parameter of the new shape, and its codes, by operator."""


@int8_rule(
    *RESHAPES,
    canonical=sized(
        lambda spec, shape: _ranged(spec, shape, **{RESHAPES[spec.name][0]: (-1, shape[1])}), ELEMENTWISE_SHAPES
    ),
    flops=no_arithmetic,
)
def reshape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any shape with the same number of elements, by the codes of Reshape or of npx.reshape."""
    parameter, codes = RESHAPES[spec.name]
    shape = draw(shapes(1, 4, spec.elements))
    target = draw(targets(shape, codes))
    return _ranged(spec, shape, **{parameter: target["shape"], "reverse": target["reverse"]})


@int8_rule(
    *("_contrib_quantized_transpose", "_npx_quantized_transpose"),
    canonical=sized(lambda spec, shape: _ranged(spec, shape, axes=(1, 0)), ELEMENTWISE_SHAPES),
    flops=no_arithmetic,
    moves=permuted(order_of_axes),
)
def transpose(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The axes of up to four in any order, or (left out) reversed."""
    shape = draw(shapes(1, 4, spec.elements))
    order: dict[str, Value] = {"axes": draw(permutations(len(shape)))} if draw(st.booleans()) else {}
    return _ranged(spec, shape, **order)
