"""Sampling images along grids: affine and optical-flow grids, bilinear sampling, spatial transformers, correlation."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.tensors import Uniform
from autoperf.rules.arithmetic import each_output, number, shape_of
from autoperf.rules.derivatives import LINEAR, Derivative, arrays
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.windows import images
from autoperf.strategies import extents

INSIDE = Uniform(-0.9, 0.9)
GRIDS = {
    "small": inputs(data=tensor(1, 6), transform_type="affine", target_shape=(16, 16)),
    "common": inputs(data=tensor(4, 6), transform_type="affine", target_shape=(64, 64)),
    "large": inputs(data=tensor(8, 6), transform_type="affine", target_shape=(224, 224)),
    "skewed": inputs(data=tensor(1, 6), transform_type="affine", target_shape=(10_000, 2)),
    "warp": inputs(data=tensor(4, 2, 64, 64), transform_type="warp"),
}
SAMPLES = {
    "small": inputs(data=tensor(1, 3, 16, 16), grid=tensor(1, 2, 16, 16, content=INSIDE)),
    "common": inputs(data=tensor(1, 16, 64, 64), grid=tensor(1, 2, 64, 64, content=INSIDE)),
    "large": inputs(data=tensor(2, 16, 112, 112), grid=tensor(2, 2, 112, 112, content=INSIDE)),
    "skewed": inputs(data=tensor(1, 1, 10_000, 10), grid=tensor(1, 2, 10_000, 1, content=INSIDE)),
}
AFFINE = {"transform_type": "affine", "sampler_type": "bilinear"}
TRANSFORMS = {
    "small": inputs(data=tensor(1, 3, 16, 16), loc=tensor(1, 6), target_shape=(16, 16), **AFFINE),
    "common": inputs(data=tensor(1, 16, 64, 64), loc=tensor(1, 6), target_shape=(64, 64), **AFFINE),
    "large": inputs(data=tensor(2, 16, 112, 112), loc=tensor(2, 6), target_shape=(112, 112), **AFFINE),
    "skewed": inputs(data=tensor(1, 1, 10_000, 10), loc=tensor(1, 6), target_shape=(10_000, 2), **AFFINE),
}
CORRELATIONS = {
    "small": inputs(data1=tensor(1, 3, 16, 16), data2=tensor(1, 3, 16, 16), max_displacement=2, pad_size=2),
    "common": inputs(data1=tensor(1, 8, 32, 32), data2=tensor(1, 8, 32, 32), max_displacement=4, pad_size=4),
    "large": inputs(
        data1=tensor(1, 16, 64, 64), data2=tensor(1, 16, 64, 64), max_displacement=4, stride2=2, pad_size=4
    ),
    "skewed": inputs(data1=tensor(1, 1, 2000, 5), data2=tensor(1, 1, 2000, 5), pad_size=1),
}


@rule("GridGenerator", category="image", canonical=GRIDS, backward=LINEAR)
def grid_generator(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Six numbers of an affine map to a grid of a size; or an optical flow (N, 2, height, width) to one of its own."""
    batch = draw(extents(1, max(1, min(8, spec.elements // 2))))
    side = max(1, int((spec.elements // (2 * batch)) ** 0.5))
    height, width = draw(extents(1, side)), draw(extents(1, side))
    if draw(st.booleans()) and min(height, width) > 1:
        return inputs(data=Draft((batch, 2, height, width)), transform_type="warp")
    size = (max(2, height), max(2, width))
    return inputs(data=Draft((batch, 6)), transform_type="affine", target_shape=size)


@rule("BilinearSampler", category="image", canonical=SAMPLES, backward=Derivative(arrays("grid")))
def bilinear_sampler(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) at (N, 2, *) places between -1 and 1, of any height and width."""
    image = draw(images(spec.elements, dims=(2, 2)))
    side = max(1, int((spec.elements // (image.batch * max(2, image.channels))) ** 0.5))
    places = (image.batch, 2, draw(extents(1, side)), draw(extents(1, side)))
    return inputs(data=Draft(image.shape), grid=Draft(places, content=INSIDE))


@rule("SpatialTransformer", category="image", canonical=TRANSFORMS, backward=LINEAR)
def spatial_transformer(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) through N affine maps to a size of at least 2 * 2."""
    image = draw(images(spec.elements, dims=(2, 2)))
    side = max(2, int((spec.elements // (image.batch * image.channels)) ** 0.5))
    size = (draw(extents(2, side)), draw(extents(2, side)))
    return inputs(data=Draft(image.shape), loc=Draft((image.batch, 6)), target_shape=size, **AFFINE)


def correlation_flops(case: Case) -> float:
    """2 channels * kernel^2 for each place and displacement, which are the elements of the output.

    Dosovitskiy et al., "FlowNet", 2015, equation 1.
    """
    return each_output(case, shape_of(case, "data1")[1] * number(case, "kernel_size") ** 2)


@rule("Correlation", category="image", canonical=CORRELATIONS, flops=correlation_flops)
def correlation(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two images of one shape; padding as wide as kernel radius and displacement, so that every place has neighbours.

    The kernel is odd. Each displacement is a channel of the output: (2 * (displacement // stride2) + 1) ** 2.
    """
    displacement = draw(st.integers(1, 3))
    radius = draw(st.integers(0, 1))
    wider = 2 * (displacement + radius) + 1
    image = draw(images(max(1, spec.elements // (8 * wider**2)), dims=(2, 2)))
    return inputs(
        data1=Draft(image.shape),
        data2=Draft(image.shape),
        kernel_size=2 * radius + 1,
        max_displacement=displacement,
        stride1=draw(st.integers(1, 2)),
        stride2=draw(st.integers(1, 2)),
        pad_size=displacement + radius,
        is_multiply=draw(st.booleans()),
    )
