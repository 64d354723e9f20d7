"""Convolution, deconvolution, deformable convolution and the column forms, over 1, 2 and 3 spatial dimensions.

A CPU supports only the channel-first layouts: for NHWC and NDHWC, oneDNN "could not create a descriptor".
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape, Uniform
from autoperf.rules.arithmetic import (
    LINEAR,
    Derivative,
    Gradients,
    Image,
    SlidingWindow,
    arrays,
    each_output,
    filters,
    images,
    of_product,
    windows,
    with_bias,
)
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import sized, unpacked
from autoperf.strategies import divisors

convolution_rule = partial(rule, category="convolution")

LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
ANY = {
    "small": inputs(data=tensor(1, 3, 32, 32), kernel=(3, 3), pad=(1, 1), num_filter=16),
    "common": inputs(data=tensor(1, 64, 56, 56), kernel=(3, 3), pad=(1, 1), num_filter=64, no_bias=True),
    "large": inputs(data=tensor(2, 3, 224, 224), kernel=(7, 7), stride=(2, 2), pad=(3, 3), num_filter=64),
    "skewed": inputs(data=tensor(1, 512, 7, 7), kernel=(1, 1), num_filter=1024, no_bias=True),
    "depthwise": inputs(data=tensor(1, 64, 56, 56), kernel=(3, 3), pad=(1, 1), num_filter=64, num_group=64),
    "line": inputs(data=tensor(4, 32, 512), kernel=(5,), num_filter=32),
    "volume": inputs(data=tensor(1, 8, 16, 28, 28), kernel=(3, 3, 3), num_filter=16),
}
FIRST = {
    "small": inputs(data=tensor(1, 3, 32, 32), kernel=(3, 3), pad=(1, 1), num_filter=16),
    "common": inputs(data=tensor(1, 64, 28, 28), kernel=(3, 3), pad=(1, 1), num_filter=64, no_bias=True),
    "large": inputs(data=tensor(1, 3, 112, 112), kernel=(7, 7), stride=(2, 2), pad=(3, 3), num_filter=32),
    "skewed": inputs(data=tensor(1, 512, 7, 7), kernel=(1, 1), num_filter=1024, no_bias=True),
    "depthwise": inputs(data=tensor(1, 32, 28, 28), kernel=(3, 3), pad=(1, 1), num_filter=32, num_group=32),
}
TRANSPOSED = {
    "small": inputs(data=tensor(1, 16, 8, 8), kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=8),
    "common": inputs(data=tensor(1, 64, 28, 28), kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=32),
    "large": inputs(data=tensor(1, 32, 112, 112), kernel=(2, 2), stride=(2, 2), num_filter=16, no_bias=False),
    "skewed": inputs(data=tensor(8, 100, 1, 1), kernel=(4, 4), num_filter=256),
    "depthwise": inputs(
        data=tensor(1, 32, 32, 32), kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=32, num_group=32
    ),
    "line": inputs(data=tensor(4, 32, 256), kernel=(4,), stride=(2,), pad=(1,), num_filter=16),
    "volume": inputs(data=tensor(1, 8, 8, 14, 14), kernel=(2, 2, 2), stride=(2, 2, 2), num_filter=8),
}
COLUMNS = {
    "small": inputs(data=tensor(1, 3, 16, 16), kernel=(3, 3), pad=(1, 1)),
    "common": inputs(data=tensor(1, 16, 28, 28), kernel=(3, 3), pad=(1, 1)),
    "large": inputs(data=tensor(1, 16, 112, 112), kernel=(3, 3), pad=(1, 1)),
    "skewed": inputs(data=tensor(1, 512, 7, 7), kernel=(1, 1)),
}
IMAGES = {
    "small": inputs(data=tensor(1, 27, 256), output_size=(16, 16), kernel=(3, 3), pad=(1, 1)),
    "common": inputs(data=tensor(1, 144, 784), output_size=(28, 28), kernel=(3, 3), pad=(1, 1)),
    "large": inputs(data=tensor(1, 144, 12_544), output_size=(112, 112), kernel=(3, 3), pad=(1, 1)),
    "skewed": inputs(data=tensor(1, 512, 49), output_size=(7, 7), kernel=(1, 1)),
}


@st.composite
def convolutions(draw: st.DrawFn, image: Image, window: SlidingWindow, elements: int) -> Inputs:
    """A call of a convolution over `image`: groups divide the channels and the filters."""
    groups = draw(divisors(image.channels))
    pixels = image.batch * math.prod(window.places(image.spatial))
    return inputs(
        data=Draft(image.shape),
        num_filter=draw(filters(image, window, groups, pixels, elements=elements)),
        num_group=groups,
        no_bias=draw(st.booleans()),
        **window.params(),
    )


def convolution_products(case: Case) -> float:
    """2 channels / groups * taps for each element of the output, padding counted.

    The count is for the direct algorithm; Winograd's needs up to four times fewer multiplications for a 3 * 3 kernel
    (Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016).
    """
    return each_output(case, math.prod(case.shape("weight")[1:]))


convolution_flops = with_bias(convolution_products)
OF_CONVOLUTION = of_product(convolution_products, "data", "weight", added="bias")
"""A convolution is the product of the weight and the columns of the data (Chellapilla et al., "High performance
convolutional neural networks for document processing", 2006), so each gradient takes equally many operations."""


@convolution_rule("Convolution", "_npx_convolution", canonical=ANY, flops=convolution_flops, backward=OF_CONVOLUTION)
def convolution(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, *spatial) with a kernel no larger than the padded input; groups divide the channels and the filters."""
    image = draw(images(spec.elements))
    call = draw(convolutions(image, draw(windows(image.spatial)), spec.elements))
    layout = draw(st.sampled_from((None, LAYOUTS[len(image.spatial)])))
    return replace(call, params={**call.params, "layout": layout}) if layout else call


@convolution_rule("Convolution_v1", canonical=FIRST, flops=convolution_flops, backward=OF_CONVOLUTION)
def convolution_v1(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The first convolution: only (N, C, height, width), otherwise as `Convolution`."""
    image = draw(images(spec.elements, dims=(2, 2)))
    return draw(convolutions(image, draw(windows(image.spatial)), spec.elements))


def _most_dims(spec: InputSpec) -> int:
    """Only oneDNN has three, and only in float32: "only 1D or 2D Deconvolution is natively supported"."""
    return 3 if spec.dtype == "float32" else 2


def deconvolution_products(case: Case) -> float:
    """2 filters / groups * taps for each element of the data."""
    return 2.0 * case.elements("data") * math.prod(case.shape("weight")[1:])


@convolution_rule(
    "Deconvolution",
    "_npx_deconvolution",
    canonical=lambda spec: {
        profile: call for profile, call in TRANSPOSED.items() if profile != "volume" or _most_dims(spec) > 2
    },
    flops=with_bias(deconvolution_products),
    backward=of_product(deconvolution_products, "data", "weight", added="bias"),
)
def deconvolution(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, *spatial) to stride * (extent - 1) + span - 2 * pad + adj in each dimension, adj < stride.

    The input is small enough for the output to stay within the budget: stride, span and adj enlarge it 5 times at most.
    Three dimensions take no dilation.
    """
    dims = draw(st.integers(1, _most_dims(spec)))
    image = draw(images(max(1, spec.elements // 5**dims), dims=(dims, dims)))
    window, groups = draw(windows(image.spatial, dilated=dims < 3)), draw(divisors(image.channels))
    target = draw(st.booleans())
    # MXNet infers padding from a target shape, oneDNN takes it from `pad` and `adj`: a call that runs has both agree,
    # which they can where adj <= min(1, 2 * pad).
    steps = zip(window.stride, window.pad, strict=True)
    most = [min(step - 1, 1, 2 * edge) if target else step - 1 for step, edge in steps]
    adj = tuple(draw(st.integers(0, more)) for more in most)
    parts = zip(window.stride, image.spatial, window.span, window.pad, adj, strict=True)
    spatial = tuple(step * (extent - 1) + span - 2 * edge + more for step, extent, span, edge, more in parts)
    return inputs(
        data=Draft(image.shape),
        num_filter=draw(filters(image, window, groups, image.batch * math.prod(spatial), elements=spec.elements)),
        num_group=groups,
        no_bias=draw(st.booleans()),
        adj=adj,
        **({"target_shape": spatial} if target else {}),
        **window.params(),
    )


@st.composite
def _columns(draw: st.DrawFn, elements: int) -> tuple[Image, SlidingWindow, Shape]:
    """An image, a window over it, and the shape (N, C * taps, places) of its columns, all within the budget."""
    image = draw(images(max(1, elements // 9), dims=(2, 2)))
    window = draw(windows(image.spatial, largest=3))
    return image, window, (image.batch, image.channels * window.taps, math.prod(window.places(image.spatial)))


@convolution_rule("im2col", canonical=COLUMNS, backward=LINEAR)
def im2col(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) to one column for each place of a window; other ranks pass inference, then fail."""
    image, window, _ = draw(_columns(spec.elements))
    return inputs(data=Draft(image.shape), **window.params())


@convolution_rule("col2im", canonical=IMAGES, backward=LINEAR)
def col2im(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C * taps, places) back to images of `output_size`, with a window for each column."""
    image, window, shape = draw(_columns(spec.elements))
    return inputs(data=Draft(shape), output_size=image.spatial, **window.params())


SHIFTS = Uniform(-1.5, 1.5)
WEIGHTS = Uniform(0.0, 1.0)
SQUARE = SlidingWindow((3, 3), (1, 1), (1, 1), (1, 1))
POINT = SlidingWindow((1, 1), (1, 1), (0, 0), (1, 1))
SCENES = {
    "small": (Image(1, 4, (14, 14)), SQUARE, 8),
    "common": (Image(1, 32, (28, 28)), SQUARE, 32),
    "large": (Image(1, 32, (40, 40)), SQUARE, 32),
    "skewed": (Image(1, 256, (7, 7)), POINT, 512),
}


def _shifted(
    spec: InputSpec, image: Image, window: SlidingWindow, num_filter: int, parts: int, **params: Value
) -> Inputs:
    """The call: for each place of the window and each part of the channels, two numbers a tap, and one of the mask."""
    places = window.places(image.spatial)
    taps = parts * window.taps
    tensors = {"data": Draft(image.shape), "offset": Draft((image.batch, 2 * taps, *places))}
    options: dict[str, Value] = {**window.params(), "num_deformable_group": parts, "num_filter": num_filter, **params}
    if "modulated" not in spec.name.lower():
        return Inputs(tensors, options)
    return Inputs({**tensors, "mask": Draft((image.batch, taps, *places))}, options).inference()


INTERPOLATION = 7  # four products and three sums: Dai et al., "Deformable convolutional networks", 2017, equation 3


def deformable_flops(case: Case) -> float:
    """The operations of a convolution, and an interpolation between four pixels for each tap, channel and place."""
    taps = case.elements("offset") / 2 / case.number("num_deformable_group")
    return convolution_flops(case) + INTERPOLATION * taps * case.shape("data")[1]


def deformable_backward_flops(case: Case, gradients: Gradients) -> float:
    """The products of a convolution, once for the gradient of the weight and once for the gradient of its columns."""
    columns = any(name in gradients for name in ("data", "offset", "mask"))
    bias = case.outputs[0].elements if "bias" in gradients else 0
    return convolution_products(case) * (columns + ("weight" in gradients)) + bias


@convolution_rule(
    *("_contrib_DeformableConvolution", "_npx_deformable_convolution"),
    *("_contrib_ModulatedDeformableConvolution", "_npx_modulated_deformable_convolution"),
    canonical=sized(unpacked(partial(_shifted, parts=1)), SCENES),
    flops=deformable_flops,
    backward=Derivative(arrays("data", "offset", "mask", "weight"), deformable_backward_flops),
    dims={"data": "n _ _ _", "offset": "n _ _ _", "mask": "n _ _ _"},
    contents={"offset": SHIFTS, "mask": WEIGHTS},
)
def deformable_convolution(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """An offset of two numbers for each tap, place and deformable group; modulated, also a weight for each.

    (N, C, height, width); both kinds of groups divide channels and filters. The modulated one runs in inference, since
    its gradient is "only implemented in GPU".
    """
    image = draw(images(max(1, spec.elements // 32), dims=(2, 2)))
    window, groups = draw(windows(image.spatial, largest=3)), draw(divisors(image.channels))
    parts = draw(st.sampled_from([part for part in (1, 2, 4) if image.channels % part == 0]))
    count = draw(filters(image, window, math.lcm(groups, parts), image.pixels, elements=spec.elements))
    return _shifted(spec, image, window, count, parts, num_group=groups, no_bias=draw(st.booleans()))
