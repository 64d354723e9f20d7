"""Convolution whose taps are shifted by learnt offsets, and weighted by a learnt mask."""

from __future__ import annotations

import math
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Uniform
from autoperf.rules.arithmetic import elements_made, elements_of, number, shape_of
from autoperf.rules.derivatives import Derivative, Gradients, arrays
from autoperf.rules.operators.convolution import convolution_flops, convolution_products
from autoperf.rules.profiles import sized, unpacked
from autoperf.rules.rule import Draft, Inputs, InputSpec, rule
from autoperf.rules.windows import Image, SlidingWindow, filters, images, windows
from autoperf.strategies import divisors

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


def _shifted(image: Image, window: SlidingWindow, parts: int, masked: bool, **params: Value) -> Inputs:
    """The call: for each place of the window and each part of the channels, two numbers a tap, and one of the mask."""
    places = window.places(image.spatial)
    taps = parts * window.taps
    tensors = {"data": Draft(image.shape), "offset": Draft((image.batch, 2 * taps, *places), content=SHIFTS)}
    if masked:
        tensors["mask"] = Draft((image.batch, taps, *places), content=WEIGHTS)
    return Inputs(tensors, {**window.params(), "num_deformable_group": parts, **params})


def _scene(_spec: InputSpec, image: Image, window: SlidingWindow, count: int, masked: bool) -> Inputs:
    call = _shifted(image, window, 1, masked, num_filter=count)
    return call.inference() if masked else call


@st.composite
def _convolutions(draw: st.DrawFn, elements: int, masked: bool) -> Inputs:
    """(N, C, height, width); both kinds of groups divide channels and filters; offsets stay within the budget."""
    image = draw(images(max(1, elements // 32), dims=(2, 2)))
    window = draw(windows(image.spatial, largest=3))
    groups = draw(divisors(image.channels))
    parts = draw(st.sampled_from([part for part in (1, 2, 4) if image.channels % part == 0]))
    options: dict[str, Value] = {
        "num_filter": draw(filters(image, window, math.lcm(groups, parts), image.pixels, elements=elements)),
        "num_group": groups,
        "no_bias": draw(st.booleans()),
    }
    return _shifted(image, window, parts, masked, **options)


INTERPOLATION = 7  # four products and three sums: Dai et al., "Deformable convolutional networks", 2017, equation 3


def deformable_flops(case: Case) -> float:
    """A convolution's, and for each tap of each channel and place a value between four pixels."""
    taps = elements_of(case, "offset") / 2 / number(case, "num_deformable_group")
    return convolution_flops(case) + INTERPOLATION * taps * shape_of(case, "data")[1]


def deformable_backward_flops(case: Case, gradients: Gradients) -> float:
    """A convolution's products for the gradient of the weight, and again for that of its columns."""
    columns = any(name in gradients for name in ("data", "offset", "mask"))
    bias = elements_made(case) if "bias" in gradients else 0
    return convolution_products(case) * (columns + ("weight" in gradients)) + bias


OF_DEFORMABLE = Derivative(arrays("data", "offset", "mask", "weight"), deformable_backward_flops)


@rule(
    *("_contrib_DeformableConvolution", "_npx_deformable_convolution"),
    category="convolution",
    canonical=sized(unpacked(partial(_scene, masked=False)), SCENES),
    flops=deformable_flops,
    backward=OF_DEFORMABLE,
)
def deformable_convolution(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """An offset of two numbers for each tap, place and deformable group."""
    return draw(_convolutions(spec.elements, masked=False))


@rule(
    *("_contrib_ModulatedDeformableConvolution", "_npx_modulated_deformable_convolution"),
    category="convolution",
    canonical=sized(unpacked(partial(_scene, masked=True)), SCENES),
    flops=deformable_flops,
    backward=OF_DEFORMABLE,
)
def modulated_convolution(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """An offset and a weight for each tap, place and deformable group; a gradient is "only implemented in GPU"."""
    return draw(_convolutions(spec.elements, masked=True)).inference()
