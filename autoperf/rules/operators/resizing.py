"""Images made larger, smaller, or cut to size: bilinear resizing, upsampling, cropping."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.rules.derivatives import LINEAR, Derivative
from autoperf.rules.profiles import where_known
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.windows import Image, images
from autoperf.strategies import divisors, extents

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


def _side(image: Image, elements: int) -> int:
    """The longest side that keeps (N, C, side, side) within the budget; MXNet holds it in 16 bits."""
    return max(1, min(4096, int((elements // (image.batch * image.channels)) ** 0.5)))


@rule("_contrib_BilinearResize2D", category="pooling", canonical=RESIZE, backward=Derivative(zero=("like",)))
def bilinear_resize(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) to a size, by factors, to another tensor's size, or to even or odd sides (never 0)."""
    image = draw(images(spec.elements // 4, dims=(2, 2)))
    data = Draft(image.shape)
    most = _side(image, spec.elements)
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


def _upsampling(spec: InputSpec) -> Mapping[str, Inputs]:
    return {profile: call for profile, call in UPSAMPLING.items() if _multiplies(spec) or profile != "bilinear"}


def _multiplies(spec: InputSpec) -> bool:
    """Whether there are products of matrices of this dtype: on a CPU, "FP16 gemm" is "not implemented"."""
    return spec.dtype != "float16"


@rule("UpSampling", category="pooling", canonical=_upsampling, backward=LINEAR)
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


@rule("Crop", category="pooling", canonical=CROP, backward=Derivative(zero=("data[1]",)))
def crop(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) cut to a size, or to a second image's, at the centre or at an offset that leaves room."""
    image = draw(images(spec.elements, dims=(2, 2)))
    size = tuple(draw(extents(1, extent)) for extent in image.spatial)
    offset = tuple(draw(st.integers(0, extent - kept)) for extent, kept in zip(image.spatial, size, strict=True))
    where: dict[str, Value] = {"center_crop": True} if draw(st.booleans()) else {"offset": offset}
    if draw(st.booleans()):
        return inputs(data=[Draft(image.shape), Draft((image.batch, 1, *size))], num_args=2, **where)
    return inputs(data=[Draft(image.shape)], num_args=1, h_w=size, **where)
