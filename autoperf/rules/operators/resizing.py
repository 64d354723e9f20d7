"""Images resized, upsampled, cropped, or sampled along grids; correlation of two images."""

from __future__ import annotations

import math
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Uniform
from autoperf.core.work import no_arithmetic
from autoperf.rules.arithmetic import LINEAR, Derivative, by_gradient, each_output, images, of_product
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import where_known
from autoperf.strategies import divisors, extents

image_rule = partial(rule, category="image")
pooling_rule = partial(rule, category="pooling")

RESIZE = {
    "small": inputs(data=tensor(1, 3, 16, 16), height=32, width=32),
    "common": inputs(data=tensor(1, 16, 32, 32), height=64, width=64),
    "large": inputs(data=tensor(1, 16, 112, 112), height=224, width=224),
    "skewed": inputs(data=tensor(1, 1, 10_000, 10), height=1000, width=10),
    "halved": inputs(data=tensor(1, 16, 112, 112), mode="odd_scale", scale_height=0.5, scale_width=0.5),
}
UPSAMPLING = {
    "small": inputs(data=[tensor(1, 3, 8, 8)], scale=2, sample_type="nearest", num_args=1),
    "common": inputs(data=[tensor(1, 16, 32, 32)], scale=2, sample_type="nearest", num_args=1),
    "large": inputs(data=[tensor(1, 16, 112, 112)], scale=2, sample_type="nearest", num_args=1),
    "skewed": inputs(data=[tensor(1, 1, 2000, 2)], scale=2, sample_type="nearest", num_args=1),
    "bilinear": inputs(
        data=[tensor(1, 16, 32, 32), tensor(16, 1, 4, 4)], scale=2, sample_type="bilinear", num_filter=16, num_args=2
    ),
}
CROP = {
    "small": inputs(data=[tensor(1, 3, 16, 16)], num_args=1, h_w=(8, 8), center_crop=True),
    "common": inputs(data=[tensor(1, 16, 64, 64)], num_args=1, h_w=(56, 56), center_crop=True),
    "large": inputs(data=[tensor(1, 16, 256, 256)], num_args=1, h_w=(224, 224), offset=(16, 16)),
    "skewed": inputs(data=[tensor(1, 1, 10_000, 10)], num_args=1, h_w=(5000, 10)),
    "like": inputs(data=[tensor(1, 16, 64, 64), tensor(1, 4, 32, 32)], num_args=2, center_crop=True),
}
PARITIES = ("to_even_down", "to_even_up", "to_odd_down", "to_odd_up")


@pooling_rule("_contrib_BilinearResize2D", canonical=RESIZE, backward=Derivative(zero=("like",)), unread=("like",))
def bilinear_resize(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) to a size, by factors, to another tensor's size, or to even or odd sides (never 0)."""
    image = draw(images(spec.elements // 4, dims=(2, 2)))
    data = Draft(image.shape)
    # MXNet holds a side in 16 bits.
    most = max(1, min(4096, int((spec.elements // (image.batch * image.channels)) ** 0.5)))
    mode = draw(st.sampled_from(("size", "like", "odd_scale", "parity")))
    corners = where_known(spec, align_corners=draw(st.booleans()))
    if mode == "parity" and min(image.spatial) > 1:
        return inputs(data=data, mode=draw(st.sampled_from(PARITIES)), **corners)
    if mode == "odd_scale":
        factors = [draw(st.sampled_from((0.5, 2.0) if extent > 1 else (1.0, 2.0))) for extent in image.spatial]
        return inputs(data=data, mode=mode, scale_height=factors[0], scale_width=factors[1], **corners)
    height, width = draw(extents(1, most)), draw(extents(1, most))
    if mode == "like":
        like = Draft((image.batch, image.channels, height, width))
        return inputs(data=data, like=like, mode=mode, **corners)
    return inputs(data=data, height=height, width=width, **corners)


def _multiplies(spec: InputSpec) -> bool:
    """Whether there are products of matrices of this dtype: on a CPU, "FP16 gemm" is "not implemented"."""
    return spec.dtype != "float16"


def _is_bilinear(case: Case) -> bool:
    return case.params["sample_type"] == "bilinear"


def upsampling_flops(case: Case) -> float:
    """2 taps for each element of the data, as a deconvolution of one filter a channel; else one for each result."""
    if _is_bilinear(case):
        return 2.0 * case.elements("data[0]") * math.prod(case.shape("data[1]")[1:])
    return float(case.outputs[0].elements)


OF_UPSAMPLING = of_product(upsampling_flops, "data[0]", "data[1]")


@pooling_rule(
    "UpSampling",
    canonical=lambda spec: {
        profile: call for profile, call in UPSAMPLING.items() if _multiplies(spec) or profile != "bilinear"
    },
    flops=upsampling_flops,
    # The derivative of a deconvolution; sums where elements are repeated.
    backward=lambda case, gradients: (OF_UPSAMPLING if _is_bilinear(case) else LINEAR)(case, gradients),
)
def upsampling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Nearest: images whose sides divide scale * the first one's; bilinear: one image and a square filter a channel."""
    scale = draw(st.integers(1, 4))
    image = draw(images(max(1, spec.elements // (scale * scale)), dims=(2, 2)))
    first = Draft(image.shape)
    if draw(st.booleans()) and _multiplies(spec):
        kernel = 2 * scale - scale % 2
        weight = Draft((image.channels, 1, kernel, kernel))
        filters = {"num_filter": image.channels, "num_args": 2}
        return inputs(data=[first, weight], scale=scale, sample_type="bilinear", **filters)
    mode = draw(st.sampled_from(("concat", "sum")))
    extra = draw(st.integers(0, 2)) if image.channels * 3 * image.pixels * scale**2 <= spec.elements else 0
    shrink = [draw(divisors(scale)) for _ in range(extra)]
    others = [Draft((*image.shape[:2], *(extent * part for extent in image.spatial))) for part in shrink]
    count: dict[str, Value] = {"multi_input_mode": mode, "num_args": 1 + extra}
    return inputs(data=[first, *others], scale=scale, sample_type="nearest", **count)


@pooling_rule("Crop", canonical=CROP, flops=no_arithmetic, backward=Derivative(zero=("data[1]",)), unread=("data[1]",))
def crop(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) cut to a size, or to a second image's, at the centre or at an offset that leaves room."""
    image = draw(images(spec.elements, dims=(2, 2)))
    size = tuple(draw(extents(1, extent)) for extent in image.spatial)
    offset = tuple(draw(st.integers(0, extent - kept)) for extent, kept in zip(image.spatial, size, strict=True))
    where: dict[str, Value] = {"center_crop": True} if draw(st.booleans()) else {"offset": offset}
    if draw(st.booleans()):
        return inputs(data=[Draft(image.shape), Draft((image.batch, 1, *size))], num_args=2, **where)
    return inputs(data=[Draft(image.shape)], num_args=1, h_w=size, **where)


GRIDS = {
    "small": inputs(data=tensor(1, 6), transform_type="affine", target_shape=(16, 16)),
    "common": inputs(data=tensor(4, 6), transform_type="affine", target_shape=(64, 64)),
    "large": inputs(data=tensor(8, 6), transform_type="affine", target_shape=(224, 224)),
    "skewed": inputs(data=tensor(1, 6), transform_type="affine", target_shape=(10_000, 2)),
    "warp": inputs(data=tensor(4, 2, 64, 64), transform_type="warp"),
}
AFFINE = {"transform_type": "affine", "sampler_type": "bilinear"}
TRANSFORMS = {
    "small": inputs(data=tensor(1, 3, 16, 16), loc=tensor(1, 6), target_shape=(16, 16), **AFFINE),
    "common": inputs(data=tensor(1, 16, 64, 64), loc=tensor(1, 6), target_shape=(64, 64), **AFFINE),
    "large": inputs(data=tensor(2, 16, 112, 112), loc=tensor(2, 6), target_shape=(112, 112), **AFFINE),
    "skewed": inputs(data=tensor(1, 1, 10_000, 10), loc=tensor(1, 6), target_shape=(10_000, 2), **AFFINE),
}


@image_rule("GridGenerator", canonical=GRIDS, backward=LINEAR)
def grid_generator(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Six numbers of an affine map to a grid of a size; or an optical flow (N, 2, height, width) to one of its own."""
    batch = draw(extents(1, max(1, min(8, spec.elements // 2))))
    side = max(1, int((spec.elements // (2 * batch)) ** 0.5))
    height, width = draw(extents(1, side)), draw(extents(1, side))
    if draw(st.booleans()) and min(height, width) > 1:
        return inputs(data=Draft((batch, 2, height, width)), transform_type="warp")
    size = (max(2, height), max(2, width))
    return inputs(data=Draft((batch, 6)), transform_type="affine", target_shape=size)


@image_rule(
    "BilinearSampler",
    canonical={
        "small": inputs(data=tensor(1, 3, 16, 16), grid=tensor(1, 2, 16, 16)),
        "common": inputs(data=tensor(1, 16, 64, 64), grid=tensor(1, 2, 64, 64)),
        "large": inputs(data=tensor(2, 16, 112, 112), grid=tensor(2, 2, 112, 112)),
        "skewed": inputs(data=tensor(1, 1, 10_000, 10), grid=tensor(1, 2, 10_000, 1)),
    },
    backward=Derivative(by_gradient(data=("grid",), grid=("grid", "data"))),
    contents={"grid": Uniform(-0.9, 0.9)},
)
def bilinear_sampler(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) at (N, 2, *) places between -1 and 1, of any height and width."""
    image = draw(images(spec.elements, dims=(2, 2)))
    side = max(1, int((spec.elements // (image.batch * max(2, image.channels))) ** 0.5))
    places = (image.batch, 2, draw(extents(1, side)), draw(extents(1, side)))
    return inputs(data=Draft(image.shape), grid=Draft(places))


@image_rule("SpatialTransformer", canonical=TRANSFORMS, backward=Derivative(by_gradient(loc=("data",))))
def spatial_transformer(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) through N affine maps to a size of at least 2 * 2."""
    image = draw(images(spec.elements, dims=(2, 2)))
    side = max(2, int((spec.elements // (image.batch * image.channels)) ** 0.5))
    size = (draw(extents(2, side)), draw(extents(2, side)))
    return inputs(data=Draft(image.shape), loc=Draft((image.batch, 6)), target_shape=size, **AFFINE)


@image_rule(
    "Correlation",
    canonical={
        "small": inputs(data1=tensor(1, 3, 16, 16), data2=tensor(1, 3, 16, 16), max_displacement=2, pad_size=2),
        "common": inputs(data1=tensor(1, 8, 32, 32), data2=tensor(1, 8, 32, 32), max_displacement=4, pad_size=4),
        "large": inputs(
            data1=tensor(1, 16, 64, 64), data2=tensor(1, 16, 64, 64), max_displacement=4, stride2=2, pad_size=4
        ),
        "skewed": inputs(data1=tensor(1, 1, 2000, 5), data2=tensor(1, 1, 2000, 5), pad_size=1),
    },
    # For each place and displacement, which are the output's elements: Dosovitskiy et al., "FlowNet", 2015, equation 1.
    flops=lambda case: each_output(case, case.shape("data1")[1] * case.number("kernel_size") ** 2),
    dims={"data1": "n c h w", "data2": "n c h w"},
)
def correlation(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two images of one shape; padding as wide as kernel radius and displacement, so that every place has neighbours.

    The kernel is odd. Each displacement is a channel of the output: (2 * (displacement // stride2) + 1) ** 2.
    """
    displacement, radius = draw(st.integers(1, 3)), draw(st.integers(0, 1))
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
