"""Layers and recurrent cells of Gluon: for each, the arrays of a call and the arguments of its constructor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autoperf.core.operator import Value
from autoperf.core.tensors import Integers, Probabilities, Uniform
from autoperf.rules.gluon_layers.layer import Arrays, GluonLayer, LayerInputs, N, layer, of
from autoperf.rules.rule import Draft, tensor

ROWS = {"data": tensor(N, 1024)}
SERIES = {"data": tensor(N, 64, 256)}
IMAGES = {"data": tensor(N, 64, 28, 28)}
VOLUMES = {"data": tensor(N, 16, 16, 16, 16)}
SEQUENCES = {"data": tensor(N, 128, 512)}
NO_GRAPH = "a block without a graph"
VOCABULARY = 10_000
TOKENS = {"data": tensor(N, 35, dtype="int32", content=Integers(0, VOCABULARY))}
BATCH = 8


def stacked(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """A container of `layers` dense layers with `units`."""
    units, layers = arguments.pop("units"), arguments.pop("layers")
    block: Any = layer_class(**arguments)
    block.add(*(package.gluon.nn.Dense(units) for _ in range(layers)))
    return block


def sparse(package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """A layer with row-sparse parameters, which need a trainer."""
    block: Any = layer_class(**arguments)
    block.initialize()
    package.gluon.Trainer(block.collect_params(), "sgd")
    return block


CONTAINERS = (("Sequential", "nn"), ("HybridSequential", "nn"), ("Concurrent", "contrib.nn"),
              ("HybridConcurrent", "contrib.nn"), ("Concatenate", "nn"), ("HybridConcatenate", "nn"))  # fmt: skip
BASIC = (
    layer(
        "Dense", "nn",
        of(ROWS, units=1024),
        relu=of(ROWS, units=1024, activation="relu"),
        sequence=of(SEQUENCES, batch=8, units=512, flatten=False),
        takes="use_bias in_units",
    ),
    layer("Dropout", "nn", of(ROWS, rate=0.5)),
    layer("Embedding", "nn", of(TOKENS, input_dim=VOCABULARY, output_dim=256)),
    layer(
        "SparseEmbedding", "contrib.nn",
        of(TOKENS, input_dim=VOCABULARY, output_dim=256),
        build=sparse, imperative_only=NO_GRAPH,
    ),
    layer("Flatten", "nn", of(IMAGES)),
    layer("Identity", "nn contrib.nn", of(ROWS)),
    layer("Lambda", "nn", of(ROWS, function="tanh"), imperative_only=NO_GRAPH),
    layer("HybridLambda", "nn", of(ROWS, function="tanh")),
    *(layer(name, module, of(ROWS, units=256, layers=3), build=stacked) for name, module in CONTAINERS),
    layer(
        "Activation", "nn",
        of(IMAGES, batch=BATCH, activation="relu"),
        sigmoid=of(IMAGES, batch=BATCH, activation="sigmoid"),
        tanh=of(IMAGES, batch=BATCH, activation="tanh"),
    ),
    layer("LeakyReLU", "nn", of(IMAGES, batch=BATCH, alpha=0.1)),
    *(layer(name, "nn", of(IMAGES, batch=BATCH)) for name in ("PReLU", "ELU", "SELU", "GELU", "SiLU", "Swish")),
    layer("BatchNorm", "nn", of(IMAGES, batch=BATCH)),
    layer("BatchNormReLU", "nn", of(IMAGES, batch=BATCH)),
    layer("SyncBatchNorm", "nn contrib.nn", of(IMAGES, batch=BATCH, in_channels=64, num_devices=1)),
    layer("LayerNorm", "nn", of({"data": tensor(N, 128, 768)}, batch=BATCH)),
    layer("GroupNorm", "nn", of(IMAGES, batch=BATCH, num_groups=8)),
    layer("InstanceNorm", "nn", of(IMAGES, batch=BATCH)),
    *(
        layer(
            name, "rnn",
            of({"data": tensor(35, N, 256)}, hidden_size=256),
            bidirectional=of({"data": tensor(35, N, 256)}, hidden_size=128, num_layers=2, bidirectional=True),
        )
        for name in ("RNN", "LSTM", "GRU")
    ),
)  # fmt: skip

FEW = 4
"""The batch size of convolutions."""
CONVOLVED = "channels kernel_size strides padding dilation groups layout activation use_bias in_channels"
TRANSPOSED = f"{CONVOLVED} output_padding"
UPSAMPLED = {"kernel_size": 4, "strides": 2, "padding": 1}
POOLED = {
    "1D": {"data": tensor(N, 64, 1024)},
    "2D": {"data": tensor(N, 64, 56, 56)},
    "3D": {"data": tensor(N, 16, 16, 28, 28)},
}
POOLING = "pool_size strides padding ceil_mode layout"
IMAGE_LAYERS = (
    layer("Conv1D", "nn", of(SERIES, batch=FEW, channels=64, kernel_size=3, padding=1), takes=CONVOLVED),
    layer(
        "Conv2D", "nn",
        of(IMAGES, batch=FEW, channels=64, kernel_size=3, padding=1),
        pointwise=of(IMAGES, batch=FEW, channels=128, kernel_size=1),
        depthwise=of(IMAGES, batch=FEW, channels=64, kernel_size=3, padding=1, groups=64),
        strided=of(IMAGES, batch=FEW, channels=128, kernel_size=3, strides=2, padding=1, activation="relu"),
        takes=CONVOLVED,
    ),
    layer("Conv3D", "nn", of(VOLUMES, batch=FEW, channels=16, kernel_size=3, padding=1), takes=CONVOLVED),
    layer("Conv1DTranspose", "nn", of(SERIES, batch=FEW, channels=64, **UPSAMPLED), takes=TRANSPOSED),
    layer("Conv2DTranspose", "nn", of(IMAGES, batch=FEW, channels=32, **UPSAMPLED), takes=TRANSPOSED),
    layer("Conv3DTranspose", "nn", of(VOLUMES, batch=FEW, channels=8, **UPSAMPLED), takes=TRANSPOSED),
    layer(
        "DeformableConvolution", "nn contrib.cnn",
        of(IMAGES, batch=FEW, channels=64, kernel_size=(3, 3), padding=(1, 1)), optional="kernel_size",
    ),
    layer("PixelShuffle1D", "nn contrib.nn", of(SERIES, batch=FEW, factor=2)),
    layer("PixelShuffle2D", "nn contrib.nn", of(IMAGES, batch=FEW, factor=2)),
    layer("PixelShuffle3D", "nn contrib.nn", of(VOLUMES, batch=FEW, factor=2)),
    layer("ReflectionPad2D", "nn", of(IMAGES, batch=FEW, padding=3)),
    *(
        layer(f"{kind}Pool{dimensions}", "nn", of(arrays, batch=BATCH), takes="" if "Global" in kind else POOLING)
        for kind in ("Max", "Avg", "GlobalMax", "GlobalAvg")
        for dimensions, arrays in POOLED.items()
    ),
)  # fmt: skip

CLASSES = 1000
ALPHABET = 28
MANY = 128
"""The batch size of losses."""
SCORES = tensor(N, CLASSES)
VECTORS = tensor(N, 256)
PAIRS: Arrays = {"pred": SCORES, "label": SCORES}
DISTRIBUTION = tensor(N, CLASSES, content=Probabilities())
SIGNS: Arrays = {"pred": SCORES, "label": tensor(N, CLASSES, content=Integers(0, 2))}
NEEDS_SHAPES = "it asks its arrays for their shapes, which the symbols of MXNet 1.x don't have"
LOSSES = (
    *(
        layer(f"{name}Loss", "loss", of(PAIRS, batch=MANY))
        for name in ("L1", "L2", "Huber", "Hinge", "SquaredHinge")
    ),
    layer("LogisticLoss", "loss", of(SIGNS, batch=MANY, label_format="binary")),
    layer("SigmoidBinaryCrossEntropyLoss", "loss", of(SIGNS, batch=MANY)),
    layer(
        "SoftmaxCrossEntropyLoss", "loss",
        of({"pred": SCORES, "label": tensor(N, content=Integers(0, CLASSES))}, batch=MANY),
        dense=of({"pred": SCORES, "label": DISTRIBUTION}, batch=MANY, sparse_label=False),
    ),
    layer("KLDivLoss", "loss", of({"pred": SCORES, "label": DISTRIBUTION}, batch=MANY, from_logits=False)),
    layer(
        "PoissonNLLLoss", "loss",
        of({"pred": SCORES, "target": tensor(N, CLASSES, content=Uniform(0, 10))}, batch=MANY),
    ),
    layer("TripletLoss", "loss", of({"pred": VECTORS, "positive": VECTORS, "negative": VECTORS}, batch=MANY)),
    layer("CosineEmbeddingLoss", "loss", of({"input1": VECTORS, "input2": VECTORS, "label": tensor(N)}, batch=MANY)),
    layer("SDMLLoss", "loss", of({"x1": VECTORS, "x2": VECTORS}, batch=MANY), imperative_only=NEEDS_SHAPES),
    layer(
        "CTCLoss", "loss",
        of({"pred": tensor(N, 50, ALPHABET), "label": tensor(N, 10, content=Integers(0, ALPHABET - 1))}, batch=16),
    ),
)  # fmt: skip

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
CHANNELS = 16
EXTENTS = {1: (64,), 2: (16, 16), 3: (8, 8, 8)}
"""The spatial extents of convolutional cells, by their number of dimensions."""


def _states(*states: Draft) -> Arrays:
    return {"data": STEP, "states": states}


def _cell(name: str, states: int) -> GluonLayer:
    return layer(name, "rnn", LayerInputs(_states(*[STEP] * states), SIZES), unrolled=_unrolled(**SIZES), build=cell)


def _unrolled(**arguments: Value) -> LayerInputs:
    return LayerInputs({"data": tensor(N, LENGTH, SIZE)}, {"unroll": LENGTH, **arguments})


def _convolutional(kind: str, dimensions: int, states: int) -> GluonLayer:
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
