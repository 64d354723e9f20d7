"""Histograms, percentiles and counts, cumulative sums and differences, and likelihoods."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Ascending, Constant, Shape, Uniform
from autoperf.rules.arithmetic import LINEAR, sorted_elements
from autoperf.rules.operators.reduction import Reduced, reduce_over, reduced
from autoperf.rules.rule import Canonical, Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import MATRIX_SHAPES, below, by_profile, sized, unpacked, up_to
from autoperf.strategies import axes, extents, shapes

cumulative_rule = partial(rule, category="cumulative")
statistics_rule = partial(rule, category="statistics")

INTERVAL = (-1.0, 1.0)
EDGES = Ascending(*INTERVAL)


@statistics_rule(
    *("_histogram", "_npi_histogram"),
    canonical={
        **{profile: inputs(data=Draft(shape), bin_cnt=10, range=INTERVAL) for profile, shape in MATRIX_SHAPES.items()},
        "skewed": inputs(data=tensor(10_000, 1), bin_cnt=1000, range=INTERVAL),
        "edges": inputs(data=tensor(256, 256), bins=tensor(11)),
    },
    contents={"bins": EDGES},
)
def histogram(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Equal bins over a range, or at least two ascending edges; each element is looked up among the edges in turn."""
    data = Draft(draw(shapes(1, 3, spec.elements)))
    if draw(st.booleans()):
        low = draw(st.sampled_from((-1.0, -0.5, 0.0)))
        return inputs(data=data, bin_cnt=draw(extents(1, 10_000)), range=(low, 1.0))
    return inputs(data=data, bins=tensor(draw(extents(2, min(64, spec.elements)))))


PERCENTILES: Mapping[str, Reduced] = {
    "small": ((32, 32), (1,)),
    "common": ((128, 256), (1,)),
    "large": ((256, 512), (1,)),
    "skewed": ((10_000, 10), (0,)),
    "skewed_rows": ((10_000, 10), (1,)),
    "whole": ((256, 512), None),
}


def percentile_flops(case: Case) -> float:
    """Sorting each reduced list, once for all percentages."""
    count = case.elements("a")
    return sorted_elements(count, count * (case.elements("q") if case.has("q") else 1) // case.outputs[0].elements)


@statistics_rule(
    "_npi_percentile",
    canonical=lambda spec: {
        **sized(unpacked(lambda spec, shape, over: reduce_over(spec, Draft(shape), over, q_scalar=50.0)), PERCENTILES)(
            spec
        ),
        "several": reduce_over(spec, tensor(256, 512), (1,), q=tensor(10)),
    },
    flops=percentile_flops,
    contents={"q": Uniform(0.0, 100.0)},
)
def percentile(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One percentage or a vector of them, in [0, 100], over some axes or all, with every kind of interpolation."""
    shape, over = draw(reduced(spec.elements))
    modes: dict[str, Value] = {
        "interpolation": draw(st.sampled_from(("linear", "lower", "higher", "midpoint", "nearest"))),
        "keepdims": draw(st.booleans()),
    }
    if draw(st.booleans()):
        return reduce_over(spec, Draft(shape), over, q_scalar=float(draw(st.integers(0, 100))), **modes)
    return reduce_over(spec, Draft(shape), over, q=tensor(draw(st.integers(1, 4))), **modes)


BINS = 256


def counted(length: int, bins: int, *, weights: bool = False, minlength: int = 0) -> Inputs:
    """Whole numbers below `bins` to count, each as one or by its weight."""
    vectors = {"data": tensor(length, content=None if bins == BINS else below(bins))}
    if weights:
        vectors["weights"] = tensor(length, dtype="float32")
    return inputs(**vectors, has_weights=weights, minlength=minlength)


@statistics_rule(
    "_npi_bincount",
    dtype="int32",
    canonical={
        "small": counted(1024, 16),
        "common": counted(65_536, 256),
        "large": counted(1_048_576, 1024),
        "skewed": counted(10_000, 100_000),
        "one_bin": counted(65_536, 1),
        "weights": counted(65_536, 256, weights=True),
    },
    contents={"data": below(BINS)},
    varied={"data": "the number of bins is no size of the call"},
)
def bincount(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A vector of whole numbers that are not negative; the length of the result depends on the largest."""
    length, bins = draw(extents(1, spec.elements)), draw(extents(1, 10_000))
    return counted(length, bins, weights=draw(st.booleans()), minlength=draw(st.sampled_from((0, 0, 100))))


def _curve(points: int, shape: Shape, **params: Value) -> Inputs:
    return inputs(xp=tensor(points), fp=tensor(points), x=Draft(shape), **params)


@statistics_rule(
    "_npi_interp",
    dtype="float64",
    canonical={
        "small": _curve(32, (32, 32)),
        "common": _curve(64, (256, 256)),
        "large": _curve(256, (512, 512)),
        "skewed": _curve(10_000, (10,)),
        "periodic": _curve(256, (256, 256), period=1.5),
    },
    contents={"xp": EDGES},
)
def interp(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Ascending places with their values, and the places to interpolate at: points or one number; only float64."""
    points = draw(extents(1, min(10_000, spec.elements)))
    beyond = st.sampled_from((None, 0.0, 2.0))
    params: dict[str, Value] = {"left": draw(beyond), "right": draw(beyond)}
    if draw(st.booleans()):
        params = {"period": draw(st.sampled_from((0.75, 1.5, 4.0)))}
    call = _curve(points, draw(shapes(1, 3, spec.elements)), **params)
    if draw(st.integers(0, 3)):
        return call
    tensors = {name: call.tensors[name] for name in ("xp", "fp")}
    return Inputs(tensors, {**call.params, "x_scalar": draw(st.sampled_from((-0.5, 0.25))), "x_is_scalar": True})


ALONG: Mapping[str, tuple[Shape, int]] = {
    "small": ((32, 32), 1),
    "common": ((256, 256), 1),
    "large": ((1024, 1024), 1),
    "skewed": ((10_000, 10), 0),
    "skewed_rows": ((10_000, 10), 1),
    "columns": ((1024, 1024), 0),
}


def _along(also: Mapping[str, Inputs]) -> Canonical:
    return sized(unpacked(lambda _spec, shape, axis: inputs(a=Draft(shape), axis=axis)), ALONG, also)


FLAT = {"flat": inputs(a=tensor(1024, 1024))}


def cumulated(case: Case) -> float:
    """One addition for each element but the first ones along the axis."""
    shape, axis = case.shape("a"), case.params.get("axis")
    rows = 1 if axis is None else math.prod(shape) // max(1, shape[case.number("axis") % len(shape)])
    return float(math.prod(shape) - rows)


@cumulative_rule("_np_cumsum", "_npi_cumsum", canonical=_along(FLAT), flops=cumulated, backward=LINEAR)
def cumsum(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Along one axis, or over the flattened tensor; maybe accumulated in another dtype.

    The axis is counted from the front, since a negative one fails ("index = -1 must be in range").
    """
    shape = draw(shapes(1, 4, spec.elements))
    modes: dict[str, Value] = {}
    if draw(st.booleans()):
        modes["axis"] = draw(axes(len(shape)))
    if dtype := draw(st.sampled_from((None, None, "float32", "float64"))):
        modes["dtype"] = dtype
    return inputs(a=Draft(shape), **modes)


@cumulative_rule("_npi_diff", canonical=_along({"third": inputs(a=tensor(512, 512), n=3)}), backward=LINEAR)
def diff(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The n-th difference, n below the axis's length so that something is left."""
    shape = draw(shapes(1, 4, spec.elements, smallest=2))
    axis = draw(axes(len(shape)))
    return inputs(a=Draft(shape), axis=axis, n=draw(st.integers(1, min(4, shape[axis] - 1))))


@cumulative_rule(
    "_npi_ediff1d",
    canonical=sized(
        lambda _spec, length: inputs(input1=tensor(length)),
        {"small": 1024, "common": 65_536, "large": 1_048_576},
        {
            "skewed": inputs(input1=tensor(10_000, 1)),
            "framed": inputs(
                input1=tensor(65_536),
                input2=tensor(100),
                input3=tensor(100),
                to_begin_arr_given=True,
                to_end_arr_given=True,
            ),
        },
    ),
    backward=LINEAR,
)
def ediff1d(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Differences of the flattened tensor, with nothing, a number or a vector before and after them."""
    modes: dict[str, Value] = {}
    vectors: list[Draft] = []
    for end in ("begin", "end"):
        kind = draw(st.sampled_from(("nothing", "number", "vector")))
        if kind == "number":
            modes[f"to_{end}_scalar"] = draw(st.integers(-9, 9)) / 2
        elif kind == "vector":
            modes[f"to_{end}_arr_given"] = True
            vectors.append(Draft((draw(extents(1, min(1024, spec.elements))),)))
    named = {f"input{number}": vector for number, vector in enumerate(vectors, 2)}
    return inputs(input1=Draft(draw(shapes(1, 3, spec.elements, smallest=2))), **named, **modes)


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
        a=Draft(shape), b=Draft(shape), rtol=draw(tolerance), atol=draw(tolerance), equal_nan=draw(st.booleans())
    )


def _calibration(bins: int, quantized: int) -> Inputs:
    return inputs(hist=tensor(bins), hist_edges=tensor(bins + 1), num_quantized_bins=quantized)


def calibration_flops(case: Case) -> float:
    """For each threshold from half of the quantized bins to half of the bins, one operation a bin.

    Migacz, "8-bit inference with TensorRT", 2017.
    """
    bins = case.elements("hist")
    return float((bins // 2 + 1 - case.number("num_quantized_bins", 255) // 2) * bins)


@rule(
    "_contrib_calibrate_entropy",
    category="quantization",
    flops=calibration_flops,
    canonical=by_profile(_calibration(401, 31), _calibration(601, 63), _calibration(1001, 127), _calibration(257, 255)),
    contents={"hist": up_to(99), "hist_edges": EDGES},
)
def calibrate_entropy(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A histogram with an odd number of bins, more than the quantized ones, and one edge more than bins."""
    quantized = draw(st.sampled_from((15, 31, 63, 127, 255)))
    most = max(1, min(2000, spec.elements) - quantized) // 2
    return _calibration(quantized + 2 * draw(extents(1, max(1, most))), quantized)


def _hawkes(batch: int, length: int, marks: int) -> Inputs:
    return inputs(
        lda=tensor(batch, marks),
        alpha=tensor(marks),
        beta=tensor(marks),
        state=tensor(batch, marks),
        lags=tensor(batch, length),
        marks=tensor(batch, length, dtype="int32"),
        valid_length=tensor(batch),
        max_time=tensor(batch),
    )


@rule(
    "_contrib_hawkesll",
    category="misc",
    canonical=by_profile(_hawkes(8, 16, 4), _hawkes(64, 64, 16), _hawkes(256, 256, 32), _hawkes(1, 10_000, 4)),
    contents=lambda case: {
        "lda": Uniform(0.5, 3.0),
        "alpha": Uniform(0.1, 0.5),
        "beta": Uniform(0.5, 2.0),
        "state": Constant(0.0),
        "lags": Uniform(0.1, 1.0),
        "marks": below(case.shape("alpha")[0]),
        "valid_length": up_to(case.shape("lags")[1]),
        "max_time": Constant(float(case.shape("lags")[1])),
    },
)
def hawkes_likelihood(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Marks below their number, valid lengths from 1 to T, and an end of time that no sequence passes."""
    batch = draw(extents(1, min(64, spec.elements)))
    length = draw(extents(1, max(1, min(256, spec.elements // batch))))
    return _hawkes(batch, length, draw(extents(1, max(1, min(32, spec.elements // batch)))))
