"""Activations, and the softmax family along an axis."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Integers
from autoperf.rules.derivatives import NONLINEAR, NORMALISED, Derivative, arrays, nonlinear_except
from autoperf.rules.profiles import ELEMENTWISE_SHAPES, of_one, sized
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import Row, of_shape, table
from autoperf.strategies import axes, shapes

ACTIVATIONS = ("relu", "sigmoid", "softrelu", "softsign", "tanh")
LEAKY = ("leaky", "elu", "selu", "gelu", "prelu", "rrelu")
BLOCK = tensor(256, 256)
ACTIVATION = sized(
    lambda _spec, shape: inputs(data=Draft(shape), act_type="relu"),
    ELEMENTWISE_SHAPES,
    {kind: inputs(data=BLOCK, act_type=kind) for kind in ACTIVATIONS[1:]},
)
LEAKY_RELU = sized(
    lambda _spec, shape: inputs(data=Draft(shape), act_type="leaky"),
    ELEMENTWISE_SHAPES,
    {
        **{kind: inputs(data=BLOCK, act_type=kind) for kind in LEAKY[1:-1]},
        "rrelu": inputs(data=BLOCK, act_type="rrelu").inference(),
    },
)
AXES = {
    "wide": inputs(data=tensor(1, 10_000)),
    "classes": inputs(data=tensor(1024, 10)),
    "first_axis": inputs(data=tensor(256, 256), axis=0),
}
LENGTHS = inputs(
    data=tensor(64, 8, 128), length=tensor(64, 8, dtype="int32", content=Integers(1, 129)), use_length=True
)
MASKED = sized(
    lambda _spec, shape: inputs(data=Draft(shape), mask=Draft(shape, "bool")),
    {**ELEMENTWISE_SHAPES, "large": (256, 512)},
    {"attention": inputs(data=tensor(2, 4, 64, 64), mask=tensor(2, 1, 64, 64, dtype="bool"))},
)
CHANNEL = {"channel": inputs(data=tensor(4, 16, 32, 32), mode="channel")}
RULES = table(
    __name__,
    plain=Row(
        (
            *("relu", "_npx_relu", "sigmoid", "_npx_sigmoid", "softsign", "_contrib_div_sqrt_dim"),
            *("log_sigmoid", "mish"),
        ),
        of_shape(of_one, ELEMENTWISE_SHAPES),
        "activation",
        "Any tensor.",
        backward=nonlinear_except("_contrib_div_sqrt_dim"),
    ),
)


@rule("hard_sigmoid", category="activation", canonical=sized(of_one, ELEMENTWISE_SHAPES), backward=NONLINEAR)
def hard_sigmoid(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor; clips alpha * x + beta to [0, 1]."""
    data = Draft(draw(shapes(1, 4, spec.elements)))
    return inputs(data=data, alpha=draw(st.sampled_from((0.1, 0.2, 1.0))), beta=draw(st.sampled_from((0.0, 0.5))))


@rule(
    *("smooth_l1", "_npx_smooth_l1"),
    category="activation",
    canonical=sized(lambda spec, shape: of_one(spec, shape, scalar=1.0), ELEMENTWISE_SHAPES),
    backward=NONLINEAR,
)
def smooth_l1(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor; quadratic within 1 / scalar ** 2 of zero, linear beyond."""
    return inputs(data=Draft(draw(shapes(1, 4, spec.elements))), scalar=draw(st.sampled_from((0.5, 1.0, 3.0))))


@rule("Activation", "_npx_activation", category="activation", canonical=ACTIVATION, backward=NONLINEAR)
def activation(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, by one of five functions."""
    return inputs(data=Draft(draw(shapes(1, 4, spec.elements))), act_type=draw(st.sampled_from(ACTIVATIONS)))


@rule(
    *("LeakyReLU", "_npx_leaky_relu"),
    category="activation",
    canonical=LEAKY_RELU,
    backward=Derivative(arrays("data", "gamma"), heads=1),
)
def leaky_relu(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor of rank 2 or more; PReLU has a slope for each index on axis 1.

    RReLU runs in inference alone: in training, MXNet 1.9.1 crashes on a CPU while it draws the slopes.
    """
    shape = draw(shapes(2, 4, spec.elements))
    slope = draw(st.sampled_from((0.01, 0.25, 1.0)))
    kind = draw(st.sampled_from(LEAKY))
    call = inputs(data=Draft(shape), act_type=kind, slope=slope)
    return call.inference() if kind == "rrelu" else call


@st.composite
def _along(draw: st.DrawFn, rank: int) -> dict[str, Value]:
    """An axis, spelled from the front or as the last; now and then a temperature, or a wider result."""
    wide = draw(st.integers(0, 7)) == 0
    heat = draw(st.sampled_from((None, None, 0.5, 2.0)))
    axis = draw(st.sampled_from((-1, draw(axes(rank)))))
    return {"axis": axis, **({"temperature": heat} if heat else {}), **({"dtype": "float64"} if wide else {})}


@rule(
    "log_softmax",
    "_npx_log_softmax",
    "softmin",
    category="activation",
    canonical=sized(of_one, ELEMENTWISE_SHAPES, AXES),
    backward=NORMALISED,
)
def logarithmic_softmax(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, along one axis."""
    shape = draw(shapes(1, 4, spec.elements))
    return inputs(data=Draft(shape), **draw(_along(len(shape))))


@rule(
    "softmax",
    "_npx_softmax",
    category="activation",
    canonical=sized(of_one, ELEMENTWISE_SHAPES, {**AXES, "lengths": LENGTHS}),
    backward=NORMALISED,
)
def softmax(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, along one axis; lengths on [1, extent of the axis], one for each vector that is normalised."""
    shape = draw(shapes(1, 4, spec.elements))
    options = draw(_along(len(shape)))
    if len(shape) == 1 or draw(st.integers(0, 2)):
        return inputs(data=Draft(shape), **options)
    axis = int(str(options["axis"])) % len(shape)
    rest = shape[:axis] + shape[axis + 1 :]
    length = Draft(rest, dtype=draw(st.sampled_from(("int32", "int64"))), content=Integers(1, shape[axis] + 1))
    return inputs(data=Draft(shape), length=length, use_length=True, **options)


@rule("masked_softmax", "masked_log_softmax", category="activation", canonical=MASKED, backward=NORMALISED)
def masked_softmax(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, and a mask of the same rank that broadcasts to it; a masked logarithm is minus infinity."""
    shape = draw(shapes(1, 4, spec.elements))
    mask = tuple(extent if draw(st.booleans()) else 1 for extent in shape)
    heat = draw(st.sampled_from((None, None, 0.5, 2.0)))
    axis = draw(st.sampled_from((-1, draw(axes(len(shape))))))
    options: dict[str, Value] = {"axis": axis, **({"temperature": heat} if heat else {})}
    return inputs(data=Draft(shape), mask=Draft(mask, "bool"), **options)


@rule(
    "SoftmaxActivation",
    category="activation",
    canonical=sized(of_one, ELEMENTWISE_SHAPES, CHANNEL),
    backward=NORMALISED,
)
def softmax_activation(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The deprecated softmax: over all of an instance, or over the channels of (N, C, *spatial)."""
    shape = draw(shapes(2, 4, spec.elements))
    mode = draw(st.sampled_from(("instance", "channel"))) if len(shape) >= 3 else "instance"
    return inputs(data=Draft(shape), mode=mode)
