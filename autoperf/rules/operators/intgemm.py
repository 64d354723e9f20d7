"""8-bit matrix products by the intgemm library: quantizing, arranging a weight, picking its rows, and the layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.tensors import AnyContent, Constant, Integers, Shape
from autoperf.rules.operators.nn_basic import dense_flops
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import Row, below, of_one, of_size, sized, table
from autoperf.strategies import extents, shapes

INNER = 64
"""Columns of a register tile on the widest processors (AVX-512); the length of each row is a multiple of it."""
OUTER = 8
"""Rows of a tile; a weight has a multiple of it."""
SIGNED = Integers(-127, 128)
PLANES: Mapping[str, Shape] = {"small": (16, 64), "common": (256, 256), "large": (1024, 1024), "skewed": (4096, 64)}
LARGEST = tensor(1, dtype="float32")


def quantized(case: Case) -> Mapping[str, AnyContent]:
    """Signed numbers in 8 bits, rows of the weight, and scales."""
    signed = {item.name: SIGNED for item in case.inputs if item.tensor.dtype == "int8"}
    rows = {"indices": below(case.shape("weight")[0])} if case.has("indices") else {}
    return {"maxabs": Constant(1.0), "scaling": Constant(0.01), **signed, **rows}


quantization_rule = partial(rule, category="quantization", contents=quantized)


_weight = partial(tensor, dtype="int8")  # rows that are already quantized


@st.composite
def _tiled(draw: st.DrawFn, elements: int) -> Shape:
    columns = draw(extents(1, max(1, min(16, elements // (INNER * OUTER)))))
    rows = draw(extents(1, max(1, min(64, elements // (INNER * OUTER * columns)))))
    return OUTER * rows, INNER * columns


def _rows(inner: int) -> Callable[[InputSpec], st.SearchStrategy[Shape]]:
    return lambda spec: shapes(1, 3, max(1, spec.elements // inner)).map(lambda rest: (inner, *rest))


RULES = table(
    __name__,
    "quantization",
    largest=Row(
        ("_contrib_intgemm_maxabsolute",),
        of_size(of_one, PLANES, _rows(16)),
        "A float32 tensor whose number of elements is a multiple of 16.",
    ),
    prepare_data=Row(
        ("_contrib_intgemm_prepare_data",),
        of_size(lambda _spec, shape: inputs(data=Draft(shape), maxabs=LARGEST), PLANES, _rows(INNER)),
        "A float32 tensor of whole registers, and the number that becomes 127.",
        contents=quantized,
    ),
)


@quantization_rule(
    "_contrib_intgemm_prepare_weight",
    canonical=sized(
        lambda _spec, shape: inputs(weight=Draft(shape), maxabs=LARGEST),
        PLANES,
        {"already_quantized": inputs(weight=_weight(256, 256), already_quantized=True)},
    ),
)
def prepare_weight(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A weight of whole tiles, in float32 with the number that becomes 127, or in int8."""
    shape = draw(_tiled(spec.elements))
    if draw(st.booleans()):
        return inputs(weight=_weight(*shape), already_quantized=True)
    return inputs(weight=Draft(shape), maxabs=LARGEST)


def _picked(shape: Shape, count: int) -> Inputs:
    return inputs(weight=_weight(*shape), indices=tensor(count, dtype="int32"))


@quantization_rule(
    "_contrib_intgemm_take_weight",
    dtype="int8",
    canonical=sized(lambda _spec, shape: _picked(shape, shape[0] // 2), PLANES),
)
def take_weight(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A multiple of 8 rows of a weight of whole tiles."""
    shape = draw(_tiled(spec.elements))
    return _picked(shape, OUTER * draw(extents(1, max(1, spec.elements // (OUTER * shape[1])))))


def _layer(data: Draft, hidden: int, bias: bool = True, out: str = "float32", flatten: bool = False) -> Inputs:
    tensors = {"data": data, "weight": _weight(hidden, data.shape[-1])}
    if out == "float32":
        tensors["scaling"] = tensor(1, dtype="float32")
    if bias:
        tensors["bias"] = tensor(hidden, dtype=out)
    return Inputs(tensors, {"num_hidden": hidden, "no_bias": not bias, "out_type": out, "flatten": flatten})


@quantization_rule(
    "_contrib_intgemm_fully_connected",
    flops=dense_flops,
    canonical={
        "small": _layer(tensor(8, 64), 64),
        "common": _layer(tensor(64, 256), 256),
        "large": _layer(tensor(256, 1024), 1024),
        "skewed": _layer(tensor(1, 1024), 4096),
        "int8": _layer(_weight(64, 256), 256),
        "int32": _layer(_weight(64, 256), 256, bias=False, out="int32"),
    },
)
def fully_connected(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows in float32, which are quantized, or in int8, by a weight of whole tiles; flattened only if of rank 2."""
    hidden, columns = draw(_tiled(min(spec.elements, 2**16)))
    rows = draw(shapes(1, 2, max(1, min(spec.elements, 2**16) // max(hidden, columns))))
    shape = (*rows, columns)
    data = draw(st.sampled_from((Draft(shape), Draft(shape, "int8"))))
    flatten = len(shape) == 2 and draw(st.booleans())
    return _layer(data, hidden, draw(st.booleans()), draw(st.sampled_from(("float32", "int32"))), flatten)
