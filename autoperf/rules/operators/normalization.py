"""Normalisation over the batch, a layer, an instance, groups of channels, a neighbourhood, or to unit length."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Uniform
from autoperf.rules.arithmetic import NORMALISED, OUTPUT, Derivative, Gradients, arrays, images
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import MATRIX_SHAPES, at_shapes, by_profile
from autoperf.strategies import axes, divisors, shapes

normalization_rule = partial(rule, category="normalization")

STATISTICS = {"moving_mean": Uniform(-0.5, 0.5), "moving_var": Uniform(0.5, 1.5), "gamma": Uniform(0.5, 1.5)}
SHAPES = by_profile((1, 4, 16, 16), (4, 16, 32, 32), (2, 64, 56, 56), (1, 2048, 7, 7))
IMAGES = {profile: inputs(data=Draft(shape)) for profile, shape in SHAPES.items()}
BATCH = {**IMAGES, "inference": inputs(data=tensor(4, 16, 32, 32)).inference()}
SYNCHRONISED = {name: inputs(data=call.tensors["data"], key=name) for name, call in IMAGES.items()}
LAYER = {
    "small": inputs(data=tensor(32, 32)),
    "common": inputs(data=tensor(128, 512)),
    "large": inputs(data=tensor(1024, 1024)),
    "skewed": inputs(data=tensor(10_000, 10)),
    "first_axis": inputs(data=tensor(512, 128), axis=0),
}
GROUPS = {
    profile: inputs(data=Draft(shape), num_groups=count)
    for (profile, shape), count in zip(SHAPES.items(), (2, 4, 32, 32), strict=True)
}
NEIGHBOURS = {
    "small": inputs(data=tensor(1, 4, 16, 16), nsize=3),
    "common": inputs(data=tensor(1, 64, 32, 32), nsize=5),
    "large": inputs(data=tensor(2, 64, 64, 64), nsize=5),
    "skewed": inputs(data=tensor(1, 2048, 7, 7), nsize=5),
}
UNIT_LENGTH = at_shapes(
    MATRIX_SHAPES, {mode: inputs(data=tensor(4, 64, 32, 32), mode=mode) for mode in ("channel", "spatial")}
)


@st.composite
def _switches(draw: st.DrawFn) -> dict[str, Value]:
    return {"fix_gamma": draw(st.booleans()), "use_global_stats": draw(st.sampled_from((False, False, True)))}


@st.composite
def _mode(draw: st.DrawFn, call: Inputs) -> Inputs:
    return call.inference() if draw(st.integers(0, 3)) == 0 else call


def _batch_reads(case: Case, gradients: Gradients) -> float:
    """The data and the scale; where both statistics and scale are fixed, the derivative is a constant."""
    fixed_scale = "fix_gamma" not in case.params or case.flag("fix_gamma")
    fixed_statistics = case.flag("use_global_stats") or not case.training
    return 0.0 if fixed_scale and fixed_statistics else arrays("data", "gamma")(case, gradients)


BY_BATCH = Derivative(_batch_reads, heads=1, zero=("moving_mean", "moving_var"))
batch_rule = partial(normalization_rule, contents=STATISTICS, backward=BY_BATCH)
instance_rule = partial(normalization_rule, backward=Derivative(arrays("data", "gamma"), heads=1))


@batch_rule("BatchNorm", "_npx_batch_norm", canonical=BATCH)
def batch_norm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor of rank 2 to 5, normalised for each index on one axis; the moving variance is positive."""
    shape = draw(shapes(2, 5, spec.elements))
    return draw(_mode(inputs(data=Draft(shape), axis=draw(axes(len(shape))), **draw(_switches()))))


@batch_rule("BatchNorm_v1", "_contrib_BatchNormWithReLU", canonical=BATCH)
def image_batch_norm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) by channel: the first version, and oneDNN's with a fused ReLU, take nothing else."""
    image = draw(images(spec.elements, dims=(2, 2)))
    return draw(_mode(inputs(data=Draft(image.shape), **draw(_switches()))))


@batch_rule("_contrib_SyncBatchNorm", canonical=SYNCHRONISED)
def synchronised_batch_norm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, *spatial) by channel on one device; `key` names the barrier that several would share."""
    image = draw(images(spec.elements))
    call = inputs(data=Draft(image.shape), key=f"barrier_{'x'.join(map(str, image.shape))}", **draw(_switches()))
    return draw(_mode(call))


@instance_rule("LayerNorm", "_npx_layer_norm", canonical=LAYER)
def layer_norm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, normalised along one axis."""
    shape = draw(shapes(1, 4, spec.elements))
    axis = draw(st.sampled_from((-1, draw(axes(len(shape))))))
    return inputs(data=Draft(shape), axis=axis)


@instance_rule("InstanceNorm", canonical=IMAGES)
def instance_norm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, *spatial), each channel of each instance by itself; at least one spatial dimension."""
    return inputs(data=Draft(draw(shapes(3, 5, spec.elements))))


@instance_rule("GroupNorm", canonical=GROUPS)
def group_norm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, *spatial) by groups of channels; the groups divide the channels."""
    image = draw(images(spec.elements))
    return inputs(data=Draft(image.shape), num_groups=draw(divisors(image.channels)))


def local_response_flops(case: Case) -> float:
    """x / (k + alpha / n * sum of n squares) ** beta: n squares and sums an element, and five operations more.

    Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep convolutional neural networks", 2012, 3.3.
    """
    channels = min(case.number("nsize"), case.shape("data")[1])
    return float(case.elements("data") * (2 * channels + 5))


@normalization_rule(
    "LRN", canonical=NEIGHBOURS, flops=local_response_flops, backward=Derivative(arrays("data", OUTPUT), heads=1)
)
def local_response(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) by an odd number of neighbouring channels, at most all channels."""
    image = draw(images(spec.elements, dims=(2, 2)))
    sizes = [size for size in (1, 3, 5, 7) if size <= image.channels]
    return inputs(data=Draft(image.shape), nsize=draw(st.sampled_from(sizes)))


@normalization_rule("L2Normalization", canonical=UNIT_LENGTH, backward=NORMALISED)
def unit_length(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Each instance to unit length; or each place's channels, or each channel's places, from rank 3 on."""
    shape = draw(shapes(1, 5, spec.elements))
    modes = ("instance", "channel", "spatial") if len(shape) >= 3 else ("instance",)
    return inputs(data=Draft(shape), mode=draw(st.sampled_from(modes)))
