"""Initializers: one call of each on a weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Shape
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark
from autoperf.rules.profiles import MATRIX_SHAPES

IMAGE_SHAPES: Mapping[str, Shape] = {"small": (8, 8, 3, 3), "common": (64, 64, 3, 3), "large": (512, 256, 3, 3)}
SQUARE_SHAPES: Mapping[str, Shape] = {"small": (32, 32), "common": (256, 256), "large": (512, 512)}
BIAS_SHAPES: Mapping[str, Shape] = {"small": (64,), "common": (1024,), "large": (65_536,)}


def _initializer(
    name: str, *arguments: float, shapes: Mapping[str, Shape] = MATRIX_SHAPES, of: str = "weight"
) -> FrontEndBenchmark:
    def prepare(mx: Any, x: Any) -> Callable[[], object]:
        initializer = getattr(mx.init, name)(*arguments)
        return partial(initializer, mx.init.InitDesc(of), x)

    written = ", ".join(map(str, arguments))
    return benchmark(f"init_{name}", f'mx.init.{name}({written})("{of}", x)', prepare, shapes=shapes)


BENCHMARKS = (
    _initializer("Zero"),
    _initializer("One"),
    _initializer("Constant", 0.5),
    _initializer("Uniform"),
    _initializer("Normal"),
    _initializer("Orthogonal", shapes=SQUARE_SHAPES),
    _initializer("Xavier", shapes=IMAGE_SHAPES),
    _initializer("MSRAPrelu", shapes=IMAGE_SHAPES),
    _initializer("Bilinear", shapes={"small": (8, 8, 3, 3), "common": (16, 16, 3, 3), "large": (64, 64, 3, 3)}),
    _initializer("LSTMBias", shapes=BIAS_SHAPES, of="bias"),
)
