"""Metrics: one update of each by a batch of predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Integers, Probabilities, Shape
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark
from autoperf.rules.rule import Draft

CLASSES_SHAPES: Mapping[str, Shape] = {
    "small": (32, 10),
    "common": (128, 1000),
    "large": (1024, 1000),
    "skewed": (10_000, 2),
}
"""(batch, classes)."""
BINARY_SHAPES: Mapping[str, Shape] = {"small": (32, 2), "common": (1024, 2), "large": (65_536, 2)}


def _classes(shape: Shape) -> Mapping[str, Draft]:
    return {
        "label": Draft(shape[:1], content=Integers(0, shape[1])),
        "prediction": Draft(shape, content=Probabilities()),
    }


def _values(shape: Shape) -> Mapping[str, Draft]:
    return {"label": Draft(shape), "prediction": Draft(shape)}


def _update(name: str, arguments: Mapping[str, object]) -> Callable[..., Callable[[], object]]:
    def prepare(mx: Any, label: Any, prediction: Any) -> Callable[[], object]:
        # 2.0 has them in gluon.
        module = mx.metric if hasattr(mx, "metric") else mx.gluon.metric
        return partial(getattr(module, name)(**arguments).update, [label], [prediction])

    return prepare


def _metric(name: str, shapes: Mapping[str, Shape] | None = CLASSES_SHAPES, **arguments: object) -> FrontEndBenchmark:
    """A metric of classes; without shapes, one of numbers."""
    written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    call = f"mx.metric.{name}({written}).update([label], [prediction])"
    if shapes is None:
        return benchmark(f"metric_{name}", call, _update(name, arguments), _values)
    return benchmark(f"metric_{name}", call, _update(name, arguments), _classes, shapes)


BENCHMARKS = (
    _metric("Accuracy"),
    _metric("TopKAccuracy", top_k=5, shapes={**CLASSES_SHAPES, "skewed": (10_000, 6)}),
    _metric("CrossEntropy"),
    _metric("NegativeLogLikelihood"),
    _metric("Perplexity", ignore_label=None),
    _metric("F1", BINARY_SHAPES),
    _metric("MCC", BINARY_SHAPES),
    *(_metric(name, None) for name in ("MAE", "MSE", "RMSE", "PearsonCorrelation", "Loss")),
)
