"""Activation layers."""

from __future__ import annotations

from autoperf.rules.gluon_layers.layer import N, layer, of
from autoperf.rules.rule import tensor

IMAGES = {"data": tensor(N, 64, 28, 28)}
BATCH = 8

LAYERS = (
    layer(
        "Activation", "nn",
        of(IMAGES, batch=BATCH, activation="relu"),
        sigmoid=of(IMAGES, batch=BATCH, activation="sigmoid"),
        tanh=of(IMAGES, batch=BATCH, activation="tanh"),
    ),
    layer("LeakyReLU", "nn", of(IMAGES, batch=BATCH, alpha=0.1)),
    layer("PReLU", "nn", of(IMAGES, batch=BATCH)),
    layer("ELU", "nn", of(IMAGES, batch=BATCH)),
    layer("SELU", "nn", of(IMAGES, batch=BATCH)),
    layer("GELU", "nn", of(IMAGES, batch=BATCH)),
    layer("SiLU", "nn", of(IMAGES, batch=BATCH)),
    layer("Swish", "nn", of(IMAGES, batch=BATCH)),
)  # fmt: skip
