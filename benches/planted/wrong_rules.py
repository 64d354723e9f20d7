"""Inputs of the operators of wrong.cc: sizes, dtypes and contents of which each kind of fault needs one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from autoperf.core.tensors import Patterned, Uniform
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.strategies import shapes

KINDS = {
    "output": (
        *("early", "unfinished", "tail", "last_row", "vector_tail", "half", "accumulates", "last_channel", "constant"),
        *("zeros", "odd", "one_row", "tall", "large", "small", "float64_only", "float32_only", "half_precision"),
        *("bfloat16", "tensor_float", "scaled", "shifted", "rounded", "clipped", "negative", "moved", "swapped_rows"),
        *("reversed", "one_element", "nan", "infinity", "subnormal_nan", "flushed", "nan_dropped", "of_zero"),
        *("stale", "by_address", "one_call_late", "after_calls", "noise", "shape", "one_axis"),
    ),
    "updated data[0]": ("damages_data", "gradient_damages_data"),
    "updated data[1]": ("damages_weight",),
    "gradient of data[0]": (
        *("gradient_early", "gradient_of_data_sign", "gradient_without_sum", "gradient_of_ones", "gradients_swapped"),
    ),
    "gradient of data[1]": (
        *("gradient_of_weight_unwritten", "gradient_of_weight_zero", "gradient_last_row", "gradient_half_precision"),
    ),
}  # fmt: skip
"""The kinds of faults, by the result that shows them first."""
RIGHT = "none"


def _pair(*shape: int, dtype: str | None = None, pattern: str = "") -> Inputs:
    content = Patterned(Uniform(), pattern) if pattern else None  # type: ignore[arg-type]
    return inputs(data=[Draft(shape, dtype, content), Draft(shape, dtype)])


CANONICAL = {
    "small": _pair(10, 13),
    "common": _pair(48, 50),
    "large": _pair(400, 300),
    "row": _pair(1, 77),
    "tall": _pair(301, 2),
    "double": _pair(20, 20, dtype="float64"),
    "subnormal": _pair(16, 16, pattern="subnormal"),
    "nan": _pair(16, 16, pattern="nan"),
    "zeros": _pair(16, 16, pattern="zeros"),
}


@rule(
    "wrong_one_axis",
    category="broadcast",
    canonical={name: replace(_pair(16, 16), params={"axis": axis}) for axis, name in enumerate(("small", "common"))},
)
def with_axis(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors of one shape, and an axis that changes nothing."""
    return replace(_pair(*draw(shapes(2, 2, spec.elements))), params={"axis": draw(st.integers(0, 1))})


@rule(
    *(f"wrong_{kind}" for kinds in KINDS.values() for kind in kinds if kind != "one_axis"),
    f"wrong_{RIGHT}",
    category="broadcast",
    canonical=CANONICAL,
)
def pair(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors of one shape."""
    return _pair(*draw(shapes(2, 2, spec.elements)))
