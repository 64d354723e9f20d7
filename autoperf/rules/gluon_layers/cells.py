"""Recurrent cells, one step or over a sequence (batch, length, features), and modifiers of cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autoperf.core.operator import Value
from autoperf.rules.gluon_layers.layer import Arrays, GluonLayer, LayerInputs, N, layer, of
from autoperf.rules.rule import Draft, tensor

UNROLL = "unroll"
"""The length of the sequence over which a cell is called; without it a cell is called once."""


def cell(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """A recurrent cell; with `unroll` a block that calls it over a sequence (batch, length, features)."""
    length = arguments.pop(UNROLL, None)
    block = layer_class(**arguments)
    return block if length is None else _over_sequence(package, block, length)


def stacked_cells(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """`layers` LSTM cells of `hidden_size`, one on the other."""
    size, layers = arguments.pop("hidden_size"), arguments.pop("layers")
    block: Any = layer_class(**arguments)
    for _ in range(layers):
        block.add(_lstm_cell(package, size))
    return block


def modified_cell(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """A modifier of an LSTM cell of `hidden_size`, over a sequence."""
    base = _lstm_cell(package, arguments.pop("hidden_size"))
    length = arguments.pop(UNROLL)
    return _over_sequence(package, layer_class(base, **arguments), length)


def both_directions(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """An LSTM cell of `hidden_size` in each direction of a sequence."""
    cells = [_lstm_cell(package, arguments["hidden_size"]) for _ in range(2)]
    return _over_sequence(package, layer_class(*cells), arguments[UNROLL])


def _lstm_cell(package: Any, size: int) -> Any:
    """A cell whose input has as many features as its state."""
    return package.gluon.rnn.LSTMCell(size, input_size=size)


def _over_sequence(package: Any, block: Any, length: int) -> Any:
    """A block that calls a cell over a sequence; it hybridizes if the cell does."""
    gluon = package.gluon
    base = gluon.HybridBlock if isinstance(block, gluon.HybridBlock) else gluon.Block

    def run(self: Any, *arguments: Any) -> Any:
        # MXNet 1.x passes the namespace of the arrays first.
        return self.cell.unroll(length, arguments[-1], layout="NTC", merge_outputs=True)[0]

    method = "hybrid_forward" if hasattr(base, "hybrid_forward") else "forward"
    unrolled: Any = type("Unrolled", (base,), {method: run})()
    unrolled.cell = block
    return unrolled


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
    step = LayerInputs(_states(*[STEP] * states), SIZES)
    return layer(name, "rnn", step, unrolled=_unrolled(**SIZES), build=cell)


def _unrolled(**arguments: Value) -> LayerInputs:
    return LayerInputs(SEQUENCE, {"unroll": LENGTH, **arguments})


def _convolutional(kind: str, dimensions: int, states: int) -> GluonLayer:
    """One step of a cell whose states are images, of this number of dimensions."""
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


CELLS = (
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
    *(layer(name, "rnn", of(_states(*[STEP] * 4), hidden_size=SIZE, layers=2), build=stacked_cells)
      for name in ("SequentialRNNCell", "HybridSequentialRNNCell")),
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
