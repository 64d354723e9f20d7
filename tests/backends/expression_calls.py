"""Calls of a framework that is imported in this process: `python -m tests.backends.expression_calls FRAMEWORK`."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from autoperf.backends.contents import materialise
from autoperf.backends.lookup import backend_of
from autoperf.backends.passes import backward, forward, release
from autoperf.backends.protocol import BackwardRequest, CallOptions, Engine, Program
from autoperf.core.case import Case, Input
from autoperf.core.tensors import ArrayType, TensorSpec, Uniform
from autoperf.implementations.graphs import GraphNode, GraphProgram
from autoperf.implementations.implementation import Implementation

DATA = Input("data", TensorSpec((32, 32), "float32", Uniform(-1.0, 1.0)))
SQUARE = Case(
    operator="square", category="unary", profile="small", inputs=(DATA,), outputs=(ArrayType((32, 32), "float32"),)
)
DIFFERENTIABLE = ("torch", "jax", "jax:jit")
BY_EXPRESSION = Implementation("square", "data * data", "hand")


def program(*, of_graph: bool) -> Program:
    """A square by an expression, or by lines."""
    if not of_graph:
        return Program(BY_EXPRESSION)
    node = GraphNode("only", BY_EXPRESSION, {"data": "data"}, {}, SQUARE.outputs)
    return Program(BY_EXPRESSION, graph=GraphProgram({"data": "data"}, (node,), ("only",)))


def arrays_after(engine: Engine, used: Program, *, with_gradient: bool) -> int:
    """The arrays that are left, without garbage collection, of a call that was freed."""
    call: Any = engine.prepare(SQUARE, CallOptions(), used)
    if with_gradient:
        call.request_gradients(BackwardRequest(("data",)))
    outputs = forward(call)
    if with_gradient:
        call.make_heads(call.describe(outputs))
        backward(call, outputs)
    left = [weakref.ref(array) for array in (*call.arrays.values(), *call.heads)]
    release(call, outputs)
    call.free()
    del call, outputs
    return sum(array() is not None for array in left)


def check_gradient_given_up(engine: Engine) -> None:
    """A call that had gradients, and has none any more, computes what it did before."""
    call: Any = engine.prepare(SQUARE, CallOptions(), program(of_graph=False))
    call.request_gradients(BackwardRequest(("data",)))
    release(call, forward(call))
    call.request_gradients(BackwardRequest(()))
    (result,) = call.values(forward(call))
    np.testing.assert_allclose(result, materialise(DATA.tensor, SQUARE.digest, DATA.name) ** 2, rtol=1e-6)


def main(framework: str) -> None:
    """Raises AssertionError where a call isn't as it should be."""
    engine = backend_of(framework).open(Path(sys.executable))
    gc.disable()
    for with_gradient in (False, True) if framework in DIFFERENTIABLE else (False,):
        for of_graph in (False, True):
            used = program(of_graph=of_graph)
            left = arrays_after(engine, used, with_gradient=with_gradient)
            assert left == 0, f"{left} arrays are left, {with_gradient=}, {of_graph=}"
    if framework in DIFFERENTIABLE:
        check_gradient_given_up(engine)


if __name__ == "__main__":
    main(sys.argv[1])
