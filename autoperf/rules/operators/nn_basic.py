"""Basic layers: fully connected, embedding, dropout, activations and the softmax family."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import RuleError
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Uniform
from autoperf.core.work import Work, no_arithmetic
from autoperf.rules.arithmetic import (
    DRAW_FLOPS,
    LINEAR,
    NONLINEAR,
    NORMALISED,
    Derivative,
    Gradients,
    arrays,
    nonlinear_except,
    of_product,
    with_bias,
)
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import ELEMENTWISE_SHAPES, at_shapes, below, extent, of_one, sized, unpacked, up_to
from autoperf.strategies import axes, axis_sets, extents, shapes

activation_rule = partial(rule, category="activation")
normalising_rule = partial(activation_rule, backward=NORMALISED)
nn_basic_rule = partial(rule, category="nn_basic")

DROPOUT = {
    **{profile: inputs(data=Draft(shape), p=0.5) for profile, shape in ELEMENTWISE_SHAPES.items()},
    "shared": inputs(data=tensor(64, 64, 64), p=0.2, axes=(1,)),
    "inference": inputs(data=tensor(256, 256), p=0.5).inference(),
}

EMBEDDINGS = sized(
    unpacked(
        lambda spec, rows, width, shape: inputs(
            data=tensor(*shape, dtype="int32"), input_dim=rows, output_dim=width, dtype=spec.dtype
        )
    ),
    {
        "small": (100, 16, (8, 8)),
        "common": (1000, 64, (32, 32)),
        "large": (10_000, 128, (64, 128)),
        "skewed": (10, 4, (10_000, 10)),
        "vocabulary": (50_000, 16, (32, 32)),
    },
)
"""Tables of so many rows, of a width, and in them the tokens of a shape; the table has the specification's dtype."""


def dense_products(case: Case) -> float:
    """2 elements of the data for each hidden unit, which are the weight's rows."""
    return 2.0 * case.elements("data") * case.shape("weight")[0]


dense_flops = with_bias(dense_products)


@nn_basic_rule(
    "FullyConnected",
    "_npx_fully_connected",
    canonical={
        "small": inputs(data=tensor(32, 32), num_hidden=32),
        "common": inputs(data=tensor(64, 512), num_hidden=256),
        "large": inputs(data=tensor(256, 1024), num_hidden=1024),
        "skewed": inputs(data=tensor(1, 10_000), num_hidden=100, no_bias=True),
        "tall": inputs(data=tensor(10_000, 10), num_hidden=10),
        "unflattened": inputs(data=tensor(16, 64, 128), num_hidden=256, flatten=False),
    },
    flops=dense_flops,
    backward=of_product(dense_products, "data", "weight", added="bias"),
)
def fully_connected(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(batch, *rest) by the flattened rest, or only by the last axis; the weight stays within the budget."""
    shape, flatten = draw(shapes(2, 4, spec.elements)), draw(st.booleans())
    inner = math.prod(shape[1:]) if flatten else shape[-1]
    outer = math.prod(shape) // inner
    hidden = draw(extents(1, max(1, min(1024, spec.elements // inner, spec.elements // outer))))
    return inputs(data=Draft(shape), num_hidden=hidden, flatten=flatten, no_bias=draw(st.booleans()))


@st.composite
def _tables(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Indices on [0, input_dim), whole numbers because they have no gradient, and a table of input_dim * output_dim."""
    width = draw(extents(1, max(1, min(512, spec.elements))))
    rows = draw(extents(1, max(1, spec.elements // width)))
    shape = draw(shapes(1, 3, max(1, spec.elements // width)))
    indices = Draft(shape, dtype=draw(st.sampled_from(("int32", "int64"))))
    return inputs(data=indices, input_dim=rows, output_dim=width, dtype=spec.dtype)


def embedding_backward(case: Case, gradients: Gradients) -> Work:
    """The gradient of the whole table, to which rows are added. Raises RuleError for a sparse gradient."""
    if case.flag("sparse_grad"):
        raise RuleError("how many rows a sparse gradient has depends on the indices")
    return Derivative(arrays("data"))(case, gradients)


@nn_basic_rule(
    "Embedding",
    "_npx_embedding",
    canonical=EMBEDDINGS,
    flops=no_arithmetic,
    backward=embedding_backward,
    contents=lambda case: {"data": below(case.number("input_dim"))},
)
def embedding(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows of a table by their indices; the table's gradient is dense or row-sparse."""
    call = draw(_tables(spec))
    return replace(call, params={**call.params, "sparse_grad": draw(st.booleans())})


@nn_basic_rule(
    "_contrib_SparseEmbedding",
    canonical=EMBEDDINGS,
    flops=no_arithmetic,
    contents=lambda case: {"data": below(case.number("input_dim"))},
)
def sparse_embedding(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows of a table by their indices; it documents `sparse_grad` and does not take it."""
    return draw(_tables(spec))


def dropout_flops(case: Case) -> float:
    """A multiplication for each element, and a random number for each element, or each slice along `axes`."""
    shape = case.shape("data")
    shared = {axis % len(shape) for axis in case.numbers("axes")}
    draws = math.prod(size for axis, size in enumerate(shape) if axis not in shared)
    is_drawn = (case.training or case.params.get("mode") == "always") and case.params.get("p") != 0
    return float(math.prod(shape) + (DRAW_FLOPS * draws if is_drawn else 0))


@nn_basic_rule("Dropout", "_npx_dropout", canonical=DROPOUT, flops=dropout_flops, backward=LINEAR)
def dropout(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor; each element, or each slice along `axes` as a whole, is zeroed with probability p below 1."""
    shape = draw(shapes(1, 4, spec.elements))
    axes, mode = draw(axis_sets(len(shape), min_axes=0)), draw(st.sampled_from(("training", "always")))
    chance = draw(st.sampled_from((0.0, 0.1, 0.25, 0.5, 0.9)))
    return inputs(data=Draft(shape), p=chance, mode=mode, **({"axes": axes} if axes else {}))


ACTIVATIONS = ("relu", "sigmoid", "softrelu", "softsign", "tanh")
LEAKY = ("leaky", "elu", "selu", "gelu", "prelu", "rrelu")
# The others take no slope, or one for each channel.
SLOPES = {"leaky": (0.01, 0.25), "elu": (0.25, 1.0)}
BLOCK = tensor(256, 256)
ACTIVATION = at_shapes(
    ELEMENTWISE_SHAPES, {kind: inputs(data=BLOCK, act_type=kind) for kind in ACTIVATIONS[1:]}, act_type="relu"
)
LEAKY_RELU = at_shapes(
    ELEMENTWISE_SHAPES,
    {
        **{kind: inputs(data=BLOCK, act_type=kind) for kind in LEAKY[1:-1]},
        "rrelu": inputs(data=BLOCK, act_type="rrelu").inference(),
    },
    act_type="leaky",
)
AXES = {
    "wide": inputs(data=tensor(1, 10_000)),
    "classes": inputs(data=tensor(1024, 10)),
    "first_axis": inputs(data=tensor(256, 256), axis=0),
}
LENGTHS = inputs(data=tensor(64, 8, 128), length=tensor(64, 8, dtype="int32"), use_length=True)
MASKED = sized(
    lambda _spec, shape: inputs(data=Draft(shape), mask=Draft(shape, "bool")),
    {**ELEMENTWISE_SHAPES, "large": (256, 512)},
    {"attention": inputs(data=tensor(2, 4, 64, 64), mask=tensor(2, 1, 64, 64, dtype="bool"))},
)
CHANNEL = {"channel": inputs(data=tensor(4, 16, 32, 32), mode="channel")}


@activation_rule(
    *("relu", "_npx_relu", "sigmoid", "_npx_sigmoid", "softsign", "_contrib_div_sqrt_dim", "log_sigmoid", "mish"),
    canonical=at_shapes(ELEMENTWISE_SHAPES),
    backward=nonlinear_except("_contrib_div_sqrt_dim"),
)
def plain(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor."""
    return of_one(spec, draw(shapes(1, 4, spec.elements)))


@activation_rule(
    "hard_sigmoid", canonical=at_shapes(ELEMENTWISE_SHAPES), contents={"data": Uniform(-8.0, 8.0)}, backward=NONLINEAR
)
def hard_sigmoid(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor; clips alpha * x + beta to [0, 1], at either end for some numbers."""
    data = Draft(draw(shapes(1, 4, spec.elements)))
    return inputs(data=data, alpha=draw(st.sampled_from((0.1, 0.2, 1.0))), beta=draw(st.sampled_from((0.0, 0.5))))


@activation_rule(
    "smooth_l1",
    "_npx_smooth_l1",
    canonical=at_shapes(ELEMENTWISE_SHAPES, scalar=1.0),
    contents={"data": Uniform(-2.0, 2.0)},
    backward=NONLINEAR,
)
def smooth_l1(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor; quadratic within 1 / scalar ** 2 of zero, linear beyond."""
    return inputs(data=Draft(draw(shapes(1, 4, spec.elements))), scalar=draw(st.sampled_from((0.75, 1.0, 3.0))))


@activation_rule("Activation", "_npx_activation", canonical=ACTIVATION, backward=NONLINEAR)
def activation(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, by one of five functions."""
    return inputs(data=Draft(draw(shapes(1, 4, spec.elements))), act_type=draw(st.sampled_from(ACTIVATIONS)))


@activation_rule(
    "LeakyReLU", "_npx_leaky_relu", canonical=LEAKY_RELU, backward=Derivative(arrays("data", "gamma"), heads=1)
)
def leaky_relu(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor of rank 2 or more; PReLU has a slope for each index on axis 1.

    RReLU runs only in inference: in training, MXNet 1.9.1 crashes on a CPU while it draws the slopes.
    """
    data, kind = Draft(draw(shapes(2, 4, spec.elements))), draw(st.sampled_from(LEAKY))
    slope = {"slope": draw(st.sampled_from(SLOPES[kind]))} if kind in SLOPES else {}
    call = inputs(data=data, act_type=kind, **slope)
    return call.inference() if kind == "rrelu" else call


@st.composite
def _along(draw: st.DrawFn, rank: int) -> dict[str, Value]:
    wide, heat = draw(st.integers(0, 7)) == 0, draw(st.sampled_from((None, None, 0.5, 2.0)))
    axis = draw(st.sampled_from((-1, draw(axes(rank)))))
    return {"axis": axis, **({"temperature": heat} if heat else {}), **({"dtype": "float64"} if wide else {})}


def lengths_along(case: Case) -> Mapping[str, AnyContent]:
    """A length of each vector that is normalised, if the call takes some."""
    return {"length": up_to(extent(case, "data", -1))} if case.has("length") else {}


@normalising_rule(
    "log_softmax", "_npx_log_softmax", "softmin", canonical=at_shapes(ELEMENTWISE_SHAPES, AXES), contents=lengths_along
)
def logarithmic_softmax(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, along one axis."""
    shape = draw(shapes(1, 4, spec.elements))
    return inputs(data=Draft(shape), **draw(_along(len(shape))))


@normalising_rule(
    "softmax",
    "_npx_softmax",
    canonical=at_shapes(ELEMENTWISE_SHAPES, {**AXES, "lengths": LENGTHS}),
    contents=lengths_along,
)
def softmax(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, along one axis; lengths on [1, extent of the axis], one for each vector that is normalised."""
    shape = draw(shapes(1, 4, spec.elements))
    options = draw(_along(len(shape)))
    if len(shape) == 1 or draw(st.integers(0, 2)):
        return inputs(data=Draft(shape), **options)
    axis = int(str(options["axis"])) % len(shape)
    rest = shape[:axis] + shape[axis + 1 :]
    length = Draft(rest, dtype=draw(st.sampled_from(("int32", "int64"))))
    return inputs(data=Draft(shape), length=length, use_length=True, **options)


@normalising_rule("masked_softmax", "masked_log_softmax", canonical=MASKED)
def masked_softmax(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, and a mask of the same rank that broadcasts to it; a masked logarithm is minus infinity."""
    shape = draw(shapes(1, 4, spec.elements))
    mask = tuple(extent if draw(st.booleans()) else 1 for extent in shape)
    heat = draw(st.sampled_from((None, None, 0.5, 2.0)))
    axis = draw(st.sampled_from((-1, draw(axes(len(shape))))))
    options: dict[str, Value] = {"axis": axis, **({"temperature": heat} if heat else {})}
    return inputs(data=Draft(shape), mask=Draft(mask, "bool"), **options)


@normalising_rule("SoftmaxActivation", canonical=at_shapes(ELEMENTWISE_SHAPES, CHANNEL))
def softmax_activation(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The deprecated softmax: over all of an instance, or over the channels of (N, C, *spatial)."""
    shape = draw(shapes(2, 4, spec.elements))
    mode = draw(st.sampled_from(("instance", "channel"))) if len(shape) >= 3 else "instance"
    return inputs(data=Draft(shape), mode=mode)
