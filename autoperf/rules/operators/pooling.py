"""Pooling over sliding windows, the whole image or an output size."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.tensors import Uniform
from autoperf.rules.arithmetic import OUTPUT, Derivative, Gradients, arrays
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.windows import Image, SlidingWindow, images, windows
from autoperf.strategies import extents

pooling_rule = partial(rule, category="pooling")

LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
POSITIVE = Uniform(0.1, 1.0)
POOLING_V1 = {
    "small": inputs(data=tensor(1, 3, 16, 16), kernel=(2, 2), stride=(2, 2), pool_type="max"),
    "common": inputs(data=tensor(1, 64, 32, 32), kernel=(2, 2), stride=(2, 2), pool_type="max"),
    "large": inputs(data=tensor(1, 16, 112, 112), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max"),
    "skewed": inputs(data=tensor(1, 1, 1000, 10), kernel=(7, 1), stride=(2, 1), pool_type="avg"),
    "global": inputs(data=tensor(1, 64, 14, 14), kernel=(1, 1), global_pool=True, pool_type="avg"),
}
POOLING = {
    "small": inputs(data=tensor(1, 3, 16, 16), kernel=(2, 2), stride=(2, 2), pool_type="max"),
    "common": inputs(data=tensor(1, 64, 32, 32), kernel=(2, 2), stride=(2, 2), pool_type="max"),
    "large": inputs(data=tensor(1, 64, 112, 112), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max"),
    "skewed": inputs(data=tensor(1, 1, 10_000, 10), kernel=(7, 1), stride=(2, 1), pool_type="avg"),
    "average": inputs(data=tensor(1, 64, 56, 56), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg"),
    "global": inputs(data=tensor(1, 512, 14, 14), global_pool=True, pool_type="avg"),
    "channels_last": inputs(data=tensor(1, 56, 56, 64), kernel=(2, 2), stride=(2, 2), layout="NHWC"),
    "line": inputs(data=tensor(4, 32, 512), kernel=(3,), stride=(2,), pool_type="max"),
    "volume": inputs(data=tensor(1, 8, 16, 28, 28), kernel=(2, 2, 2), stride=(2, 2, 2), pool_type="max"),
}
ADAPTIVE = {
    "small": inputs(data=tensor(1, 3, 16, 16), output_size=(4, 4)),
    "common": inputs(data=tensor(1, 64, 32, 32), output_size=(7, 7)),
    "large": inputs(data=tensor(1, 64, 112, 112), output_size=(7, 7)),
    "skewed": inputs(data=tensor(1, 1, 10_000, 10), output_size=(100, 1)),
    "global": inputs(data=tensor(1, 512, 14, 14), output_size=(1,)),
}


def _overlapping(window: SlidingWindow) -> SlidingWindow:
    """The window with strides of at most kernel - pad, so that even a last, incomplete one has an element."""
    parts = zip(window.stride, window.kernel, window.pad, strict=True)
    return replace(window, stride=tuple(min(step, size - edge) for step, size, edge in parts))


@st.composite
def _sliding(draw: st.DrawFn, image: Image, kinds: tuple[str, ...]) -> Inputs:
    """A call that pools by one of `kinds` over windows; lp takes a power, and takes roots."""
    kind = draw(st.sampled_from(kinds))
    window = draw(windows(image.spatial, dilated=False))
    convention = draw(st.sampled_from(("valid", "full")))
    window = _overlapping(window) if convention == "full" else window
    options = window.params(dilation=False)
    if kind == "lp":
        options["p_value"] = draw(st.integers(1, 3))
    if kind == "avg" and "lp" in kinds:
        options["count_include_pad"] = draw(st.booleans())
    return inputs(data=Draft(image.shape), pool_type=kind, pooling_convention=convention, **options)


@st.composite
def _same(draw: st.DrawFn, image: Image) -> Inputs:
    """The convention "same": one dimension, no padding (spelled with three zeros), and a sum, which oneDNN lacks."""
    window = draw(windows(image.spatial, dilated=False))
    return inputs(
        data=Draft(image.shape),
        pool_type="sum",
        pooling_convention="same",
        kernel=window.kernel,
        stride=window.stride,
        pad=(0, 0, 0),
    )


@st.composite
def _global(draw: st.DrawFn, image: Image) -> Inputs:
    """One window over all spatial dimensions; it needs no kernel."""
    kind = draw(st.sampled_from(("max", "avg", "sum", "lp")))
    power = {"p_value": draw(st.integers(1, 3))} if kind == "lp" else {}
    return inputs(data=Draft(image.shape), pool_type=kind, global_pool=True, **power)


def pooling_flops(case: Case) -> float:
    """One operation for each element of each window, padding counted: outputs times window.

    The number of outputs reflects conventions and padding. A global window is the image, for every kernel.
    """
    if case.flag("global_pool"):
        return float(case.elements("data"))
    return float(case.outputs[0].elements * math.prod(case.numbers("kernel")))


def pooling_backward_flops(case: Case, _gradients: Gradients) -> float:
    """One operation for each element of each window; of a maximum's window, one element gets a gradient."""
    is_maximum = case.params.get("pool_type", "max") == "max"
    return float(case.outputs[0].elements) if is_maximum else pooling_flops(case)


def powers_read(case: Case, gradients: Gradients) -> float:
    """The bytes of data and output, by which the derivative of a root of powers follows; places of maxima are saved."""
    is_root = case.params.get("pool_type") == "lp" and case.number("p_value") > 1
    return arrays("data", OUTPUT)(case, gradients) if is_root else 0.0


@pooling_rule(
    "Pooling",
    "_npx_pooling",
    canonical=POOLING,
    flops=pooling_flops,
    backward=Derivative(powers_read, pooling_backward_flops),
    contents=lambda case: {"data": POSITIVE} if case.params.get("pool_type") == "lp" else {},
)
def pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Windows no larger than the padded image, with padding below their size, so that each contains an element.

    All four layouts' kinds run on a CPU: channels first or last, 1 to 3 dimensions.
    """
    image = draw(images(spec.elements))
    way = draw(st.sampled_from(("sliding", "sliding", "sliding", "global", "same")))
    if way == "same" and len(image.spatial) == 1:
        return draw(_same(image))
    call = draw(_global(image) if way == "global" else _sliding(image, ("max", "avg", "sum", "lp")))
    layout = draw(st.sampled_from(LAYOUTS[len(image.spatial)]))
    shape = image.channels_last if layout.endswith("C") else image.shape
    return Inputs({"data": Draft(shape)}, {**call.params, "layout": layout})


@pooling_rule(
    "Pooling_v1", canonical=POOLING_V1, flops=pooling_flops, backward=Derivative(flops=pooling_backward_flops)
)
def pooling_v1(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The first pooling: only (N, C, height, width); even global pooling needs a kernel."""
    image = draw(images(spec.elements, dims=(2, 2)))
    call = draw(_sliding(image, ("max", "avg", "sum")))
    return replace(call, params={**call.params, "global_pool": draw(st.booleans())})


def adaptive_flops(case: Case) -> float:
    """One operation for each element of each window, of about ceil(extent / outputs) in each dimension."""
    parts = zip(case.shape("data")[2:], case.outputs[0].shape[2:], strict=True)
    return float(case.outputs[0].elements * math.prod(-(-extent // count) for extent, count in parts))


@pooling_rule(
    "_contrib_AdaptiveAvgPooling2D",
    canonical=ADAPTIVE,
    flops=adaptive_flops,
    backward=Derivative(flops=lambda case, _gradients: adaptive_flops(case)),
)
def adaptive_average_pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) to any height and width, also larger ones; one number is both, none fails on 2.0."""
    image = draw(images(spec.elements, dims=(2, 2)))
    room = int((spec.elements // (image.batch * image.channels)) ** 0.5)
    sides = draw(st.integers(1, 2))
    size = tuple(draw(extents(1, max(1, min(room, 2 * max(image.spatial))))) for _ in range(sides))
    return inputs(data=Draft(image.shape), output_size=size)
