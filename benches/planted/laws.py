"""What a planted operator is: calls, laws of time, and cliffs; and the laws of those without a cliff."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from autoperf.core.tensors import Pattern

ITEM_SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2}


@dataclass(frozen=True)
class Call:
    """Shapes and dtype of a call's tensors, its parameters, and the pattern of the first tensor's contents."""

    shapes: tuple[tuple[int, ...], ...]
    dtype: str = "float32"
    params: Mapping[str, object] = field(default_factory=dict)
    pattern: Pattern = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """The first tensor's."""
        return self.shapes[0]

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def elements(self) -> int:
        """The first tensor's."""
        return math.prod(self.shape)

    @property
    def distinct(self) -> float:
        """How many of 1,024 numbers are distinct; about ten of those of a whole dtype."""
        few = {"constant": 1, "few": 4}.get(self.pattern, 10 if "int" in self.dtype else 1024)
        return min(few, self.elements)

    def numbers(self, name: str, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        """A parameter that is a tuple of numbers, or `otherwise` where it isn't given."""
        given = self.params.get(name, otherwise)
        return tuple(map(int, re.findall("[0-9]+", str(given))))

    def axis(self, otherwise: int = -1) -> int:
        """The parameter, counted from the first axis; the last one where it isn't given, or another."""
        given = int(str(self.params.get("axis", otherwise)))
        return given + self.rank if given < 0 else given


Law = Callable[[Call], float]
"""Microseconds of a call."""


@dataclass(frozen=True)
class Cliff:
    """Where an operator is slow without a reason: in words, its factor, its simplest input, and its passes.

    With an `equivalent` it is slow everywhere, against this operator that computes the like.
    """

    detail: str
    factor: float
    holds: Callable[[Call], bool]
    simplest: Call
    passes: tuple[str, ...] = ("forward",)
    equivalent: str = ""


@dataclass(frozen=True)
class Planted:
    """An operator: the laws of its passes without the cliffs, and its cliffs."""

    name: str
    forward: Law
    backward: Law
    cliffs: tuple[Cliff, ...] = ()

    def us(self, call: Call, pass_: str) -> float:
        """What a call takes, the cliffs included."""
        honest = (self.forward if pass_ == "forward" else self.backward)(call)
        return honest * math.prod(cliff.factor for cliff in self.cliffs if pass_ in cliff.passes and cliff.holds(call))


def linear(constant: float, ns: float) -> Law:
    """A constant plus some nanoseconds for each element."""
    return lambda call: constant + ns / 1000 * call.elements


def by_distinct(call: Call) -> float:
    return 150 + 0.0005 * call.elements * math.log2(1 + call.distinct)


def by_nonzeros(call: Call) -> float:
    return 150 + 0.003 * call.elements * {"zeros": 0.1}.get(call.pattern, 0.9 if "int" in call.dtype else 1.0)


def best_sorted(call: Call) -> float:
    is_sorted = call.pattern == "sorted" and call.elements >= 64
    return linear(150, 2.0)(call) / (2.5 if is_sorted else 1)


def best_constant(call: Call) -> float:
    return linear(400, 2.0)(call) / (4 if call.distinct == 1 else 1)


def by_bytes(call: Call) -> float:
    return 150 + 0.0003 * 2 * call.elements * ITEM_SIZES.get(call.dtype, 1)


def by_sorting(call: Call) -> float:
    return 140 + 0.0002 * call.elements * math.log2(call.shape[-1] + 1)


def by_reduction(call: Call) -> float:
    return 130 + 0.001 * (call.elements + call.elements / call.shape[call.axis()])


def by_repeats(call: Call) -> float:
    return 150 + 0.001 * call.elements * int(str(call.params.get("k", 1)))


def by_outer_product(call: Call) -> float:
    return 150 + 0.0015 * math.prod(map(math.prod, call.shapes))


def by_square(call: Call) -> float:
    return 150 + 6e-8 * call.elements**2


def by_power(call: Call) -> float:
    return 120 + 2e-5 * math.pow(call.elements, 1.5)


def by_logarithm(call: Call) -> float:
    return 20 + 0.0001 * call.elements * math.log2(call.elements + 1)


def by_product(call: Call) -> float:
    """Of two matrices."""
    return 100 + 0.0005 * call.elements * call.shapes[1][1]


def by_window(call: Call) -> float:
    return 120 + 0.0002 * call.elements * math.prod(call.numbers("kernel", (1,)))


def by_result(call: Call) -> float:
    """Elements that are written: of a shape that a parameter gives, or of tiles."""
    return 150 + 0.001 * (math.prod(call.numbers("shape", call.shape)) * math.prod(call.numbers("reps", (1,))))
