"""Optimizers: one step of each on a weight, with all that it does in Python around its operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Shape
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark
from autoperf.rules.rule import Draft

SHAPES: Mapping[str, Shape] = {"small": (32, 32), "common": (256, 256), "large": (1024, 1024)}
# So small that the weights stay as they are, however often a step is repeated; some optimizers refuse zero.
RATE = 1e-9
NAMES = (
    "SGD",
    "NAG",
    "Signum",
    "SGLD",
    "DCASGD",
    "FTML",
    "Ftrl",
    "Adam",
    "Adamax",
    "Nadam",
    "AdaGrad",
    "AdaDelta",
    "RMSProp",
    "LAMB",
    "LARS",
)
LIST_RELEASE = 2
"""From this release on a step takes lists of weights."""


def _tensors(shape: Shape) -> Mapping[str, Draft]:
    return {"weight": Draft(shape), "grad": Draft(shape)}


def _step(name: str, arguments: Mapping[str, object]) -> FrontEndBenchmark:
    def prepare(mx: Any, weight: Any, grad: Any) -> Callable[[], object]:
        optimizer = getattr(mx.optimizer, name)(learning_rate=RATE, **arguments)
        state = optimizer.create_state(0, weight)
        if int(mx.__version__.split(".")[0]) < LIST_RELEASE:
            return partial(optimizer.update, 0, weight, grad, state)
        return partial(optimizer.update, [0], [weight], [grad], [state])

    written = "".join(f", {key}={value}" for key, value in arguments.items())
    kind = "".join(f"_{key}" for key in arguments)
    call = f"mx.optimizer.{name}(learning_rate={RATE}{written}).update(0, weight, grad, state)"
    return benchmark(f"optimizer_{name}{kind}", call, prepare, _tensors, SHAPES)


BENCHMARKS = (*(_step(name, {}) for name in NAMES), _step("SGD", {"momentum": 0.9}))
