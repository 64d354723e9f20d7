"""Convolutions, transposed and deformable ones, and layers that rearrange images."""

from __future__ import annotations

from autoperf.rules.gluon_layers.layer import N, layer, of
from autoperf.rules.rule import tensor

SERIES = {"data": tensor(N, 64, 256)}
IMAGES = {"data": tensor(N, 64, 28, 28)}
VOLUMES = {"data": tensor(N, 16, 16, 16, 16)}
BATCH = 4
ARGUMENTS = "channels kernel_size strides padding dilation groups layout activation use_bias in_channels"
TRANSPOSED = f"{ARGUMENTS} output_padding"

LAYERS = (
    layer("Conv1D", "nn", of(SERIES, batch=BATCH, channels=64, kernel_size=3, padding=1), takes=ARGUMENTS),
    layer(
        "Conv2D", "nn",
        of(IMAGES, batch=BATCH, channels=64, kernel_size=3, padding=1),
        pointwise=of(IMAGES, batch=BATCH, channels=128, kernel_size=1),
        depthwise=of(IMAGES, batch=BATCH, channels=64, kernel_size=3, padding=1, groups=64),
        strided=of(IMAGES, batch=BATCH, channels=128, kernel_size=3, strides=2, padding=1, activation="relu"),
        takes=ARGUMENTS,
    ),
    layer("Conv3D", "nn", of(VOLUMES, batch=BATCH, channels=16, kernel_size=3, padding=1), takes=ARGUMENTS),
    layer(
        "Conv1DTranspose", "nn",
        of(SERIES, batch=BATCH, channels=64, kernel_size=4, strides=2, padding=1),
        takes=TRANSPOSED,
    ),
    layer(
        "Conv2DTranspose", "nn",
        of(IMAGES, batch=BATCH, channels=32, kernel_size=4, strides=2, padding=1),
        takes=TRANSPOSED,
    ),
    layer(
        "Conv3DTranspose", "nn",
        of(VOLUMES, batch=BATCH, channels=8, kernel_size=4, strides=2, padding=1),
        takes=TRANSPOSED,
    ),
    layer(
        "DeformableConvolution", "nn contrib.cnn",
        of(IMAGES, batch=BATCH, channels=64, kernel_size=(3, 3), padding=(1, 1)), optional="kernel_size",
    ),
    layer("PixelShuffle1D", "nn contrib.nn", of(SERIES, batch=BATCH, factor=2)),
    layer("PixelShuffle2D", "nn contrib.nn", of(IMAGES, batch=BATCH, factor=2)),
    layer("PixelShuffle3D", "nn contrib.nn", of(VOLUMES, batch=BATCH, factor=2)),
    layer("ReflectionPad2D", "nn", of(IMAGES, batch=BATCH, padding=3)),
)  # fmt: skip
