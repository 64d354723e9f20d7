"""Histograms, percentiles and counts."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Ascending, Integers, Shape, Uniform
from autoperf.rules.arithmetic import elements_made, elements_of, has, sorted_elements
from autoperf.rules.operators.reduction import Reduced, reduce_over, reduced
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.strategies import extents, shapes

INTERVAL = (-1.0, 1.0)


@rule(
    *("_histogram", "_npi_histogram"),
    category="statistics",
    canonical={
        "small": inputs(data=tensor(32, 32), bin_cnt=10, range=INTERVAL),
        "common": inputs(data=tensor(256, 256), bin_cnt=10, range=INTERVAL),
        "large": inputs(data=tensor(1024, 1024), bin_cnt=10, range=INTERVAL),
        "skewed": inputs(data=tensor(10_000, 1), bin_cnt=1000, range=INTERVAL),
        "edges": inputs(data=tensor(256, 256), bins=tensor(11, content=Ascending(*INTERVAL))),
    },
)
def histogram(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Equal bins over a range, or at least two ascending edges; each element is looked up among the edges in turn."""
    data = Draft(draw(shapes(1, 3, spec.elements)))
    if draw(st.booleans()):
        low = draw(st.sampled_from((-1.0, -0.5, 0.0)))
        return inputs(data=data, bin_cnt=draw(extents(1, 10_000)), range=(low, 1.0))
    return inputs(data=data, bins=tensor(draw(extents(2, min(64, spec.elements))), content=Ascending(*INTERVAL)))


PERCENTILES: Mapping[str, Reduced] = {
    "small": ((32, 32), (1,)),
    "common": ((128, 256), (1,)),
    "large": ((256, 512), (1,)),
    "skewed": ((10_000, 10), (0,)),
    "skewed_rows": ((10_000, 10), (1,)),
    "whole": ((256, 512), None),
}
PERCENTAGES = Uniform(0.0, 100.0)


def percentile_canonical(spec: InputSpec) -> Mapping[str, Inputs]:
    """The median over each profile's axes; "several" asks for ten percentiles at once."""
    medians = {
        profile: reduce_over(spec, Draft(shape), over, q_scalar=50.0) for profile, (shape, over) in PERCENTILES.items()
    }
    several = reduce_over(spec, tensor(256, 512), (1,), q=tensor(10, content=PERCENTAGES))
    return {**medians, "several": several}


def percentile_flops(case: Case) -> float:
    """Sorting what is reduced, once for all percentages: as many lists as there are results of one of them."""
    count = elements_of(case, "a")
    asked = elements_of(case, "q") if has(case, "q") else 1
    return sorted_elements(count, count * asked // elements_made(case))


@rule("_npi_percentile", category="statistics", canonical=percentile_canonical, flops=percentile_flops)
def percentile(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One percentage or a vector of them, in [0, 100], over some axes or all; every way to interpolate."""
    shape, over = draw(reduced(spec.elements))
    modes: dict[str, Value] = {
        "interpolation": draw(st.sampled_from(("linear", "lower", "higher", "midpoint", "nearest"))),
        "keepdims": draw(st.booleans()),
    }
    if draw(st.booleans()):
        return reduce_over(spec, Draft(shape), over, q_scalar=float(draw(st.integers(0, 100))), **modes)
    return reduce_over(spec, Draft(shape), over, q=tensor(draw(st.integers(1, 4)), content=PERCENTAGES), **modes)


def counted(length: int, bins: int, *, weights: bool = False, minlength: int = 0) -> Inputs:
    """Whole numbers below `bins` to count, each as one or by its weight."""
    vectors = {"data": tensor(length, content=Integers(0, bins))}
    if weights:
        vectors["weights"] = tensor(length, dtype="float32")
    return inputs(**vectors, has_weights=weights, minlength=minlength)


@rule(
    "_npi_bincount",
    category="statistics",
    dtype="int32",
    canonical={
        "small": counted(1024, 16),
        "common": counted(65_536, 256),
        "large": counted(1_048_576, 1024),
        "skewed": counted(10_000, 100_000),
        "one_bin": counted(65_536, 1),
        "weights": counted(65_536, 256, weights=True),
    },
)
def bincount(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A vector of whole numbers that are not negative; the length of the result depends on the largest."""
    length, bins = draw(extents(1, spec.elements)), draw(extents(1, 10_000))
    return counted(length, bins, weights=draw(st.booleans()), minlength=draw(st.sampled_from((0, 0, 100))))


def _curve(points: int, shape: Shape, **params: Value) -> Inputs:
    known = {"xp": tensor(points, content=Ascending(*INTERVAL)), "fp": tensor(points)}
    return inputs(**known, x=Draft(shape), **params)


@rule(
    "_npi_interp",
    category="statistics",
    dtype="float64",
    canonical={
        "small": _curve(32, (32, 32)),
        "common": _curve(64, (256, 256)),
        "large": _curve(256, (512, 512)),
        "skewed": _curve(10_000, (10,)),
        "periodic": _curve(256, (256, 256), period=1.5),
    },
)
def interp(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Ascending places with their values, and where to read between them, by points or one number; float64 alone."""
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
