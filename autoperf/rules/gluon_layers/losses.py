"""Losses."""

from __future__ import annotations

from autoperf.core.tensors import Integers, Probabilities, Uniform
from autoperf.rules.gluon_layers.layer import Arrays, N, layer, of
from autoperf.rules.rule import tensor

CLASSES = 1000
ALPHABET = 28
SCORES = tensor(N, CLASSES)
VECTORS = tensor(N, 256)
PAIRS: Arrays = {"pred": SCORES, "label": SCORES}
DISTRIBUTION = tensor(N, CLASSES, content=Probabilities())
SIGNS: Arrays = {"pred": SCORES, "label": tensor(N, CLASSES, content=Integers(0, 2))}
BATCH = 128
NEEDS_SHAPES = "it asks its arrays for their shapes, which the symbols of MXNet 1.x don't have"

LAYERS = (
    layer("L1Loss", "loss", of(PAIRS, batch=BATCH)),
    layer("L2Loss", "loss", of(PAIRS, batch=BATCH)),
    layer("HuberLoss", "loss", of(PAIRS, batch=BATCH)),
    layer("HingeLoss", "loss", of(PAIRS, batch=BATCH)),
    layer("SquaredHingeLoss", "loss", of(PAIRS, batch=BATCH)),
    layer("LogisticLoss", "loss", of(SIGNS, batch=BATCH, label_format="binary")),
    layer("SigmoidBinaryCrossEntropyLoss", "loss", of(SIGNS, batch=BATCH)),
    layer(
        "SoftmaxCrossEntropyLoss", "loss",
        of({"pred": SCORES, "label": tensor(N, content=Integers(0, CLASSES))}, batch=BATCH),
        dense=of({"pred": SCORES, "label": DISTRIBUTION}, batch=BATCH, sparse_label=False),
    ),
    layer(
        "KLDivLoss", "loss",
        of({"pred": SCORES, "label": DISTRIBUTION}, batch=BATCH, from_logits=False),
    ),
    layer(
        "PoissonNLLLoss", "loss",
        of({"pred": SCORES, "target": tensor(N, CLASSES, content=Uniform(0, 10))}, batch=BATCH),
    ),
    layer("TripletLoss", "loss", of({"pred": VECTORS, "positive": VECTORS, "negative": VECTORS}, batch=BATCH)),
    layer(
        "CosineEmbeddingLoss", "loss",
        of({"input1": VECTORS, "input2": VECTORS, "label": tensor(N)}, batch=BATCH),
    ),
    layer("SDMLLoss", "loss", of({"x1": VECTORS, "x2": VECTORS}, batch=BATCH), imperative_only=NEEDS_SHAPES),
    layer(
        "CTCLoss", "loss",
        of({"pred": tensor(N, 50, ALPHABET), "label": tensor(N, 10, content=Integers(0, ALPHABET - 1))}, batch=16),
    ),
)  # fmt: skip
