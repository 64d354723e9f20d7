"""What fits no family: comparison within a tolerance, calibration by entropy, the likelihood of a Hawkes process."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.tensors import Ascending, Constant, Integers, Uniform
from autoperf.rules.arithmetic import elements_of, number
from autoperf.rules.profiles import MATRIX_SHAPES, sized
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.strategies import extents, shapes


@rule(
    "_contrib_allclose",
    category="comparison",
    canonical=sized(lambda _spec, shape: inputs(a=Draft(shape), b=Draft(shape)), MATRIX_SHAPES),
)
def allclose(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors of one shape, tolerances, and whether NaN equals NaN."""
    shape = draw(shapes(1, 4, spec.elements))
    tolerance = st.sampled_from((1e-8, 1e-5, 1e-2, 1.0))
    return inputs(
        a=Draft(shape),
        b=Draft(shape),
        rtol=draw(tolerance),
        atol=draw(tolerance),
        equal_nan=draw(st.booleans()),
    )


def _calibration(bins: int, quantized: int) -> Inputs:
    return inputs(
        hist=tensor(bins, content=Integers(1, 100)),
        hist_edges=tensor(bins + 1, content=Ascending(-1.0, 1.0)),
        num_quantized_bins=quantized,
    )


def calibration_flops(case: Case) -> float:
    """Each threshold from half of the quantized bins to half of the bins looks at every bin.

    Migacz, "8-bit inference with TensorRT", 2017.
    """
    bins = elements_of(case, "hist")
    return float((bins // 2 + 1 - number(case, "num_quantized_bins", 255) // 2) * bins)


@rule(
    "_contrib_calibrate_entropy",
    category="quantization",
    flops=calibration_flops,
    canonical={
        "small": _calibration(401, 31),
        "common": _calibration(601, 63),
        "large": _calibration(1001, 127),
        "skewed": _calibration(257, 255),
    },
)
def calibrate_entropy(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A histogram with an odd number of bins, more than the quantized ones, and one edge more than bins."""
    quantized = draw(st.sampled_from((15, 31, 63, 127, 255)))
    most = max(1, min(2000, spec.elements) - quantized) // 2
    return _calibration(quantized + 2 * draw(extents(1, max(1, most))), quantized)


def _hawkes(batch: int, length: int, marks: int) -> Inputs:
    return inputs(
        lda=tensor(batch, marks, content=Uniform(0.5, 3.0)),
        alpha=tensor(marks, content=Uniform(0.1, 0.5)),
        beta=tensor(marks, content=Uniform(0.5, 2.0)),
        state=tensor(batch, marks, content=Constant(0.0)),
        lags=tensor(batch, length, content=Uniform(0.1, 1.0)),
        marks=tensor(batch, length, dtype="int32", content=Integers(0, marks)),
        valid_length=tensor(batch, content=Integers(1, length + 1)),
        max_time=tensor(batch, content=Constant(float(length))),
    )


@rule(
    "_contrib_hawkesll",
    category="misc",
    canonical={
        "small": _hawkes(8, 16, 4),
        "common": _hawkes(64, 64, 16),
        "large": _hawkes(256, 256, 32),
        "skewed": _hawkes(1, 10_000, 4),
    },
)
def hawkes_likelihood(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Marks below their number, valid lengths from 1 to T, and an end of time that no sequence passes."""
    batch = draw(extents(1, min(64, spec.elements)))
    length = draw(extents(1, max(1, min(256, spec.elements // batch))))
    return _hawkes(batch, length, draw(extents(1, max(1, min(32, spec.elements // batch)))))
