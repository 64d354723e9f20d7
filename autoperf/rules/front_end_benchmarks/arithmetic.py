"""Arithmetic in place: what `x += y` and its like cost."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Constant, Shape
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark, one
from autoperf.rules.rule import Draft

# Every call changes x. With these operands it stays in range: x doesn't grow, and gets no denormal number, which
# processors compute slowly.
OPERANDS: Mapping[str, tuple[str, Callable[[Any, Any], Any], float]] = {
    "iadd": ("+=", operator.iadd, 0.0),
    "isub": ("-=", operator.isub, 0.0),
    "imul": ("*=", operator.imul, 1.0),
    "itruediv": ("/=", operator.itruediv, 1.0),
    "imod": ("%=", operator.imod, 2.0),
}


def _with_array(name: str) -> FrontEndBenchmark:
    sign, function, operand = OPERANDS[name]

    def tensors(shape: Shape) -> Mapping[str, Draft]:
        return {"x": Draft(shape), "y": Draft(shape, content=Constant(operand))}

    return benchmark(f"NDArray_{name}", f"x {sign} y", lambda mx, x, y: partial(function, x, y), tensors)


def _with_number(name: str) -> FrontEndBenchmark:
    sign, function, operand = OPERANDS[name]
    call = f"x {sign} {operand}"
    return benchmark(f"NDArray_{name}_number", call, lambda mx, x: partial(function, x, operand), one)


BENCHMARKS = (*map(_with_array, OPERANDS), *map(_with_number, OPERANDS))
