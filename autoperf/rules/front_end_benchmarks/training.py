"""Initializers, optimizer steps and metric updates, with the Python code around their operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Integers, Probabilities, Shape
from autoperf.rules.front_end_benchmarks.benchmark import Benchmark, is_before_numpy, of_release
from autoperf.rules.rule import Draft
from autoperf.rules.table import MATRIX_SHAPES, by_profile

IMAGE_SHAPES: Mapping[str, Shape] = {"small": (8, 8, 3, 3), "common": (64, 64, 3, 3), "large": (512, 256, 3, 3)}
SQUARE_SHAPES: Mapping[str, Shape] = {"small": (32, 32), "common": (256, 256), "large": (512, 512)}
BIAS_SHAPES: Mapping[str, Shape] = {"small": (64,), "common": (1024,), "large": (65_536,)}


def _initializer(
    name: str, *arguments: float, shapes: Mapping[str, Shape] = MATRIX_SHAPES, of: str = "weight"
) -> Benchmark:
    def prepare(mx: Any, x: Any) -> Callable[[], object]:
        initializer = getattr(mx.init, name)(*arguments)
        return partial(initializer, mx.init.InitDesc(of), x)

    written = ", ".join(map(str, arguments))
    return Benchmark(f"init_{name}", f'mx.init.{name}({written})("{of}", x)', prepare, shapes=shapes)


INITIALIZERS = (
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


WEIGHT_SHAPES: Mapping[str, Shape] = {"small": (32, 32), "common": (256, 256), "large": (1024, 1024)}
# So small that the weights stay as they are, however often a step is repeated; some optimizers refuse zero.
RATE = 1e-9
NAMES = (
    *("SGD", "NAG", "Signum", "SGLD", "DCASGD", "FTML", "Ftrl", "Adam", "Adamax", "Nadam", "AdaGrad", "AdaDelta"),
    *("RMSProp", "LAMB", "LARS"),
)


def _tensors(shape: Shape) -> Mapping[str, Draft]:
    return {"weight": Draft(shape), "grad": Draft(shape)}


def _step(name: str, arguments: Mapping[str, object]) -> Benchmark:
    def prepare(mx: Any, weight: Any, grad: Any) -> Callable[[], object]:
        optimizer = getattr(mx.optimizer, name)(learning_rate=RATE, **arguments)
        state = optimizer.create_state(0, weight)
        if is_before_numpy(mx):
            return partial(optimizer.update, 0, weight, grad, state)
        return partial(optimizer.update, [0], [weight], [grad], [state])

    written = "".join(f", {key}={value}" for key, value in arguments.items())
    kind = "".join(f"_{key}" for key in arguments)
    call = f"mx.optimizer.{name}(learning_rate={RATE}{written}).update(0, weight, grad, state)"
    return Benchmark(f"optimizer_{name}{kind}", call, prepare, _tensors, WEIGHT_SHAPES)


OPTIMIZERS = (*(_step(name, {}) for name in NAMES), _step("SGD", {"momentum": 0.9}))


CLASSES_SHAPES: Mapping[str, Shape] = by_profile((32, 10), (128, 1000), (1024, 1000), (10_000, 2))
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
        update = getattr(module, name)(**arguments).update
        return partial(update, [of_release(mx, label)], [of_release(mx, prediction)])

    return prepare


def _metric(name: str, shapes: Mapping[str, Shape] | None = CLASSES_SHAPES, **arguments: object) -> Benchmark:
    """A metric of classes; without shapes, one of numbers."""
    written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    call = f"mx.metric.{name}({written}).update([label], [prediction])"
    if shapes is None:
        return Benchmark(f"metric_{name}", call, _update(name, arguments), _values)
    return Benchmark(f"metric_{name}", call, _update(name, arguments), _classes, shapes)


METRICS = (
    _metric("Accuracy"),
    _metric("TopKAccuracy", top_k=5, shapes={**CLASSES_SHAPES, "skewed": (10_000, 6)}),
    _metric("CrossEntropy"),
    _metric("NegativeLogLikelihood"),
    _metric("Perplexity", ignore_label=None),
    _metric("F1", BINARY_SHAPES),
    _metric("MCC", BINARY_SHAPES),
    *(_metric(name, None) for name in ("MAE", "MSE", "RMSE", "PearsonCorrelation", "Loss")),
)
