"""Basic layers: dense, embeddings, dropout, functions as layers, and containers."""

from __future__ import annotations

from autoperf.core.tensors import Integers
from autoperf.rules.gluon_layers.blocks import sparse, stacked
from autoperf.rules.gluon_layers.layer import N, layer, of
from autoperf.rules.rule import tensor

ROWS = {"data": tensor(N, 1024)}
IMAGES = {"data": tensor(N, 64, 28, 28)}
SEQUENCES = {"data": tensor(N, 128, 512)}
NO_GRAPH = "a block without a graph"
VOCABULARY = 10_000
TOKENS = {"data": tensor(N, 35, dtype="int32", content=Integers(0, VOCABULARY))}

LAYERS = (
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
    layer("Sequential", "nn", of(ROWS, units=256, layers=3), build=stacked),
    layer("HybridSequential", "nn", of(ROWS, units=256, layers=3), build=stacked),
    layer("Concurrent", "contrib.nn", of(ROWS, units=256, layers=3), build=stacked),
    layer("HybridConcurrent", "contrib.nn", of(ROWS, units=256, layers=3), build=stacked),
    layer("Concatenate", "nn", of(ROWS, units=256, layers=3), build=stacked),
    layer("HybridConcatenate", "nn", of(ROWS, units=256, layers=3), build=stacked),
)  # fmt: skip
