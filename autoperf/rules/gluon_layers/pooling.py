"""Pooling layers in one to three dimensions."""

from __future__ import annotations

from autoperf.rules.gluon_layers.layer import N, layer, of
from autoperf.rules.rule import tensor

ARRAYS = {
    "1D": {"data": tensor(N, 64, 1024)},
    "2D": {"data": tensor(N, 64, 56, 56)},
    "3D": {"data": tensor(N, 16, 16, 28, 28)},
}
BATCH = 8
ARGUMENTS = "pool_size strides padding ceil_mode layout"

LAYERS = tuple(
    layer(f"{kind}Pool{dimensions}", "nn", of(arrays, batch=BATCH), takes="" if "Global" in kind else ARGUMENTS)
    for kind in ("Max", "Avg", "GlobalMax", "GlobalAvg")
    for dimensions, arrays in ARRAYS.items()
)
