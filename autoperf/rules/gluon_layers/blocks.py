"""Blocks of layers that hold others: containers, stacks of cells, modifiers of a cell, and cells over a sequence."""

from __future__ import annotations

from typing import Any

UNROLL = "unroll"
"""The length of the sequence over which a cell is called; without it a cell is called once."""


def stacked(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """A container of `layers` dense layers with `units`."""
    units, layers = arguments.pop("units"), arguments.pop("layers")
    block: Any = layer_class(**arguments)
    block.add(*(package.gluon.nn.Dense(units) for _ in range(layers)))
    return block


def sparse(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """A layer with row-sparse parameters, which a trainer keeps."""
    block: Any = layer_class(**arguments)
    block.initialize()
    package.gluon.Trainer(block.collect_params(), "sgd")
    return block


def cell(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """A recurrent cell; with `unroll` a block that calls it over a sequence (batch, length, features)."""
    length = arguments.pop(UNROLL, None)
    block = layer_class(**arguments)
    return block if length is None else _unrolled(package, block, length)


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
    return _unrolled(package, layer_class(base, **arguments), length)


def both_directions(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """An LSTM cell of `hidden_size` in each direction of a sequence."""
    cells = [_lstm_cell(package, arguments["hidden_size"]) for _ in range(2)]
    return _unrolled(package, layer_class(*cells), arguments[UNROLL])


def _lstm_cell(package: Any, size: int) -> Any:
    """A cell whose input has as many features as its state."""
    return package.gluon.rnn.LSTMCell(size, input_size=size)


def _unrolled(package: Any, block: Any, length: int) -> Any:
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
