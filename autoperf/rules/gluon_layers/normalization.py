"""Normalisation layers."""

from __future__ import annotations

from autoperf.rules.gluon_layers.layer import N, layer, of
from autoperf.rules.rule import tensor

IMAGES = {"data": tensor(N, 64, 28, 28)}
SEQUENCES = {"data": tensor(N, 128, 768)}
BATCH = 8

LAYERS = (
    layer("BatchNorm", "nn", of(IMAGES, batch=BATCH)),
    layer("BatchNormReLU", "nn", of(IMAGES, batch=BATCH)),
    layer("SyncBatchNorm", "nn contrib.nn", of(IMAGES, batch=BATCH, in_channels=64, num_devices=1)),
    layer("LayerNorm", "nn", of(SEQUENCES, batch=BATCH)),
    layer("GroupNorm", "nn", of(IMAGES, batch=BATCH, num_groups=8)),
    layer("InstanceNorm", "nn", of(IMAGES, batch=BATCH)),
)
