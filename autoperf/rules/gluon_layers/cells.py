"""Recurrent cells, one step or over a sequence (batch, length, features), and modifiers of cells."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.operator import Value
from autoperf.rules.gluon_layers.blocks import both_directions, cell, modified_cell, stacked_cells
from autoperf.rules.gluon_layers.layer import Arrays, GluonLayer, LayerInputs, N, layer, of
from autoperf.rules.rule import Draft, tensor

SIZE = 256
SIZES: Mapping[str, Value] = {"hidden_size": SIZE, "input_size": SIZE}
# Cells of 2.0 need the size of their input to initialise their parameters.
PROJECTED = 128
LENGTH = 10
STEP = tensor(N, SIZE)
SEQUENCE: Arrays = {"data": tensor(N, LENGTH, SIZE)}
CHANNELS = 16
BATCH = 8
EXTENTS = {1: (64,), 2: (16, 16), 3: (8, 8, 8)}
"""The spatial extents of convolutional cells, by their number of dimensions."""


def _states(*states: Draft) -> Arrays:
    return {"data": STEP, "states": states}


def _cell(name: str, states: int) -> GluonLayer:
    """A cell of `SIZE`, with so many states."""
    step = LayerInputs(_states(*[STEP] * states), SIZES)
    return layer(name, "rnn", step, unrolled=_unrolled(**SIZES), build=cell)


def _unrolled(**arguments: Value) -> LayerInputs:
    return LayerInputs(SEQUENCE, {"unroll": LENGTH, **arguments})


def _convolutional(kind: str, dimensions: int, states: int) -> GluonLayer:
    """One step of a cell whose states are images, in so many dimensions."""
    extents = EXTENTS[dimensions]
    image = tensor(N, CHANNELS, *extents)
    arguments: dict[str, Value] = {
        "input_shape": (CHANNELS, *extents),
        "hidden_channels": CHANNELS,
        "i2h_kernel": (3,) * dimensions,
        "h2h_kernel": (3,) * dimensions,
        "i2h_pad": (1,) * dimensions,
    }
    arrays: Arrays = {"data": image, "states": (image,) * states}
    return layer(f"Conv{dimensions}D{kind}Cell", "rnn contrib.rnn", LayerInputs(arrays, arguments, BATCH), build=cell)


LAYERS = (
    _cell("RNNCell", 1),
    _cell("LSTMCell", 2),
    _cell("GRUCell", 1),
    layer(
        "LSTMPCell", "rnn contrib.rnn",
        LayerInputs(_states(tensor(N, PROJECTED), STEP), {**SIZES, "projection_size": PROJECTED}),
        unrolled=_unrolled(**SIZES, projection_size=PROJECTED),
        build=cell,
    ),
    *(_convolutional(kind, dimensions, states) for kind, states in (("RNN", 1), ("LSTM", 2), ("GRU", 1))
      for dimensions in EXTENTS),
    layer("SequentialRNNCell", "rnn", of(_states(*[STEP] * 4), hidden_size=SIZE, layers=2), build=stacked_cells),
    layer("HybridSequentialRNNCell", "rnn", of(_states(*[STEP] * 4), hidden_size=SIZE, layers=2), build=stacked_cells),
    layer("BidirectionalCell", "rnn", _unrolled(hidden_size=SIZE), build=both_directions),
    layer("DropoutCell", "rnn", _unrolled(rate=0.5), build=cell),
    layer("ResidualCell", "rnn", _unrolled(hidden_size=SIZE), build=modified_cell),
    layer(
        "ZoneoutCell", "rnn",
        _unrolled(hidden_size=SIZE, zoneout_outputs=0.2, zoneout_states=0.2),
        build=modified_cell,
    ),
    layer(
        "VariationalDropoutCell", "rnn contrib.rnn",
        _unrolled(hidden_size=SIZE, drop_inputs=0.2, drop_states=0.2, drop_outputs=0.2),
        build=modified_cell,
    ),
)  # fmt: skip
