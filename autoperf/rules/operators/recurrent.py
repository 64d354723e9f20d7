"""Recurrent layers (vanilla, LSTM, GRU), and operators on padded batches of sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Constant, Integers, Shape, Uniform
from autoperf.rules.arithmetic import LINEAR, OUTPUT, WRITTEN, Derivative, arrays
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import by_profile, extent, sized, up_to
from autoperf.strategies import extents, shapes

sequence_rule = partial(rule, category="sequence")

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
WEIGHTS = Uniform(-0.05, 0.05)  # a spectral radius below 1 up to 512 units: a ReLU's states must not explode
MODERATE = tensor(32, 16, 64)
RNN = {
    "small": inputs(data=tensor(8, 4, 32), mode="lstm", state_size=32, num_layers=1),
    "common": inputs(data=MODERATE, mode="lstm", state_size=64, num_layers=1),
    "large": inputs(data=tensor(16, 32, 256), mode="lstm", state_size=256, num_layers=1, state_outputs=True),
    "skewed": inputs(data=tensor(1000, 1, 10), mode="lstm", state_size=10, num_layers=1),
    "gru": inputs(data=MODERATE, mode="gru", state_size=64, num_layers=1),
    "rnn_tanh": inputs(data=MODERATE, mode="rnn_tanh", state_size=64, num_layers=1),
    "rnn_relu": inputs(data=MODERATE, mode="rnn_relu", state_size=64, num_layers=1),
    "bidirectional": inputs(data=MODERATE, mode="lstm", state_size=64, num_layers=1, bidirectional=True),
    "stacked": inputs(data=MODERATE, mode="lstm", state_size=64, num_layers=3, state_outputs=True),
}

SCALE, SHIFT = 127.5, 128.0
"""The scale, and the position of zero, when data on [-1, 1) becomes uint8."""

NO_8_BIT_WEIGHTS = (
    "the oneDNN of MXNet 1.9.1 can't pack the 8-bit weights of recurrent layers on processors with VNNI; "
    "with DNNL_MAX_CPU_ISA=AVX512_CORE in the environment they are measured"
)


def _quantized(steps: int, batch: int, wide: int, units: int, **params: Value) -> Inputs:
    options: dict[str, Value] = {"mode": "lstm", "state_size": units, "num_layers": 1, **params}
    return inputs(
        data=tensor(steps, batch, wide, dtype="uint8"),
        data_scale=tensor(1, dtype="float32"),
        data_shift=tensor(1, dtype="float32"),
        **options,
    ).inference()


@st.composite
def _layers(draw: st.DrawFn, elements: int) -> tuple[dict[str, Value], tuple[int, int, int]]:
    """Layers, directions and units whose packed parameters stay within the budget; and (steps, batch, inputs)."""
    layers, directions = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    side = max(1, min(128, int((elements / (20 * layers * directions)) ** 0.5)))
    units, wide = draw(extents(1, side)), draw(extents(1, side))
    rows = max(1, elements // max(wide, units * directions))
    steps = draw(extents(1, min(256, rows)))
    batch = draw(extents(1, max(1, min(64, rows // steps))))
    return {"num_layers": layers, "bidirectional": directions == 2, "state_size": units}, (steps, batch, wide)


def recurrent_flops(case: Case) -> float:
    """2 gates * units * (inputs + state) for each step, sequence, layer and direction: only the matrix products.

    Gates: Hochreiter and Schmidhuber, "Long short-term memory", 1997, with Gers's forget gate (4); Cho et al., 2014
    (GRU, 3). A projection (Sak et al., 2014) makes the state narrower, by one more product.
    """
    steps, batch, wide = case.shape("data")
    units, directions = case.number("state_size"), 2 if case.flag("bidirectional") else 1
    state = case.number("projection_size", units)
    gates = GATES[str(case.params["mode"])] * units
    further = case.number("num_layers") - 1
    first, later = gates * (wide + state), further * gates * (directions * state + state)
    projected = (1 + further) * units * state if state != units else 0
    return 2.0 * steps * batch * directions * (first + later + projected)


def _without_states(case: Case) -> str:
    """An LSTM with a projection writes its last states, whether or not there are outputs for them."""
    if not case.number("projection_size", 0) or case.flag("state_outputs"):
        return ""
    return "an LSTM with projection_size writes its last states beyond its output unless state_outputs is true"


@rule(
    "RNN",
    "_npx_rnn",
    category="recurrent",
    canonical=RNN,
    contents=lambda case: {"parameters": WEIGHTS, "sequence_length": up_to(extent(case, "data", 0))},
    unsafe=_without_states,
    flops=recurrent_flops,
    backward=Derivative(
        arrays("data", "parameters", OUTPUT),
        lambda case, gradients: recurrent_flops(case) * sum(name in gradients for name in ("data", "parameters")),
    ),
)
def recurrent(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(steps, batch, inputs) through 1 to 3 layers in one or both directions.

    Not drawn: an LSTM's projection, which on a CPU has no gradient ("No training support for LSTM with projection on
    CPU currently") and corrupts the heap; and lengths, which oneDNN ignores on 1.9.1, and which 2.0
    refuses on a CPU ("only available for cuDNN version >= 7.2").
    """
    sizes, shape = draw(_layers(spec.elements))
    mode = draw(st.sampled_from(MODES))
    dropout: dict[str, Value] = {"p": 0.25} if draw(st.integers(0, 3)) == 0 else {}
    return inputs(data=Draft(shape), **sizes, mode=mode, state_outputs=draw(st.booleans()), **dropout)


@rule(
    "_contrib_quantized_rnn",
    category="quantization",
    flops=recurrent_flops,
    dtype="uint8",
    canonical={
        "small": _quantized(8, 4, 32, 32),
        "common": _quantized(32, 16, 64, 64),
        "large": _quantized(16, 32, 256, 256, state_outputs=True),
        "skewed": _quantized(1000, 1, 10, 10),
    },
    contents={
        "parameters": WEIGHTS,
        "data": Integers(0, 256),
        "data_scale": Constant(SCALE),
        "data_shift": Constant(SHIFT),
    },
    limits={"could not create a primitive descriptor for a reorder primitive": NO_8_BIT_WEIGHTS},
)
def quantized_recurrent(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """An LSTM on uint8 data of (steps, batch, inputs), only for inference; the operator quantizes its weights."""
    sizes, (steps, batch, wide) = draw(_layers(spec.elements))
    return _quantized(steps, batch, wide, 1, **{**sizes, "state_outputs": draw(st.booleans())})


SEQUENCES: dict[str, Shape] = by_profile((8, 8, 16), (32, 16, 128), (128, 32, 256), (10_000, 1, 10))


def _up_to_lengths(shape: Shape, axis: int = 0) -> Inputs:
    return inputs(data=Draft(shape), sequence_length=Draft((shape[1 - axis],)), use_sequence_length=True, axis=axis)


def lengths(case: Case) -> Mapping[str, AnyContent]:
    """Lengths on [1, steps]; one outside kills the process."""
    return {"sequence_length": up_to(extent(case, "data", 0))}


padded_rule = partial(
    sequence_rule, contents=lengths, canonical=sized(lambda _spec, shape: _up_to_lengths(shape), SEQUENCES)
)


@st.composite
def _sequences(draw: st.DrawFn, elements: int, axis: int) -> Inputs:
    """A batch of rank 2 or more, steps on `axis` and sequences on the other of the first two; maybe lengths."""
    shape = draw(shapes(2, 4, elements))
    return _up_to_lengths(shape, axis) if draw(st.integers(0, 3)) else inputs(data=Draft(shape), axis=axis)


@padded_rule("SequenceMask", "_npx_sequence_mask", backward=WRITTEN)
def sequence_mask(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Steps on axis 0 or 1; the steps past the length become `value`."""
    call = draw(_sequences(spec.elements, draw(st.integers(0, 1))))
    return replace(call, params={**call.params, "value": draw(st.sampled_from((0.0, -1.0)))})


@padded_rule("SequenceLast", backward=LINEAR)
def sequence_last(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Steps on axis 0 or 1; the one at the length is kept. Without lengths its backward pass kills the process."""
    return _up_to_lengths(draw(shapes(2, 4, spec.elements)), draw(st.integers(0, 1)))


@padded_rule("SequenceReverse", backward=LINEAR)
def sequence_reverse(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Steps only on axis 0; the steps up to the length are reversed."""
    return draw(_sequences(spec.elements, axis=0))
