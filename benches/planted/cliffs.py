"""What is known of the planted operators: their laws of time, their cliffs, and the simplest input that has it.

The laws are those of operators.cc, said once more, so that a search is judged by something that it can't see.
"Simplest" goes by the order in which a hunt simplifies: fewer parameters, fewer tensors, lower rank, fewer elements,
smaller and rounder dimensions, float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

ITEM_SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2}


@dataclass(frozen=True)
class Call:
    """Shapes and dtype of a call's tensors, and its parameters."""

    shapes: tuple[tuple[int, ...], ...]
    dtype: str = "float32"
    params: Mapping[str, object] = field(default_factory=dict)

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

    def axis(self, otherwise: int = -1) -> int:
        """The parameter, counted from the first axis; the last one where it isn't given, or another."""
        given = int(str(self.params.get("axis", otherwise)))
        return given + self.rank if given < 0 else given


Law = Callable[[Call], float]
"""Microseconds of a call."""


@dataclass(frozen=True)
class Cliff:
    """Where an operator is slow without a reason: in words, its pass, its factor, and its simplest input."""

    detail: str
    factor: float
    holds: Callable[[Call], bool]
    simplest: Call
    pass_: str = "forward"


@dataclass(frozen=True)
class Planted:
    """An operator: the laws of its passes without the cliff, and its cliff if it has one."""

    name: str
    forward: Law
    backward: Law
    cliff: Cliff | None = None

    def us(self, call: Call, pass_: str) -> float:
        """What a call takes, the cliff included."""
        honest = (self.forward if pass_ == "forward" else self.backward)(call)
        cliff = self.cliff
        return honest * (cliff.factor if cliff and cliff.pass_ == pass_ and cliff.holds(call) else 1.0)


def linear(constant: float, ns: float) -> Law:
    """A constant, and so many nanoseconds an element."""
    return lambda call: constant + ns / 1000 * call.elements


def _with_cliff(name: str, law: Law, cliff: Cliff, forward: Law | None = None) -> Planted:
    return Planted(name, forward or law, law, cliff)


def _alike(name: str, law: Law) -> Planted:
    return Planted(name, law, law)


def _bytes(call: Call) -> float:
    return 150 + 0.0003 * 2 * call.elements * ITEM_SIZES.get(call.dtype, 1)


def _sorted(call: Call) -> float:
    return 140 + 0.0002 * call.elements * math.log2(call.shape[-1] + 1)


def _reduced(call: Call) -> float:
    return 130 + 0.001 * (call.elements + call.elements / call.shape[call.axis()])


def _repeated(call: Call) -> float:
    return 150 + 0.001 * call.elements * int(str(call.params.get("k", 1)))


def _outer(call: Call) -> float:
    return 150 + 0.0015 * math.prod(map(math.prod, call.shapes))


CLIFFS = (
    _with_cliff(
        "planted_axis",
        linear(150, 1.0),
        Cliff(
            "axis is 0 of two or more",
            3.0,
            lambda call: call.rank >= 2 and call.axis() == 0,
            Call(((1, 1),), params={"axis": 0}),
        ),
    ),
    _with_cliff(
        "planted_multiple",
        linear(130, 0.8),
        Cliff("last is a multiple of 64", 3.0, lambda call: call.shape[-1] % 64 == 0, Call(((64,),))),
    ),
    _with_cliff(
        "planted_skew",
        linear(160, 1.2),
        Cliff(
            "last is 256 times first, or more",
            2.5,
            lambda call: call.shape[-1] >= 256 * call.shape[0],
            Call(((1, 256),)),
        ),
    ),
    _with_cliff(
        "planted_dtype",
        linear(140, 1.0),
        Cliff("float64", 3.0, lambda call: call.dtype == "float64", Call(((1,),), "float64")),
    ),
    _with_cliff(
        "planted_mode",
        linear(150, 0.9),
        Cliff("mode is 3", 2.5, lambda call: str(call.params.get("mode", 0)) == "3", Call(((1,),), params={"mode": 3})),
    ),
    _with_cliff(
        "planted_volume",
        linear(120, 1.1),
        Cliff("65,536 elements and more", 3.0, lambda call: call.elements >= 65536, Call(((65536,),))),
    ),
    _with_cliff(
        "planted_pair",
        linear(170, 1.0),
        Cliff(
            "axis is 1 (by default 0), and reverse",
            3.0,
            lambda call: call.rank >= 2 and call.axis(0) == 1 and str(call.params.get("reverse")) == "True",
            Call(((1, 1),), params={"axis": 1, "reverse": True}),
        ),
    ),
    _with_cliff(
        "planted_gradient",
        linear(160, 1.3),
        Cliff("backward, first is 512 or more", 3.0, lambda call: call.shape[0] >= 512, Call(((512,),)), "backward"),
        forward=linear(140, 1.0),
    ),
)
CLEAN = (
    Planted("planted_clean_linear", linear(120, 1.2), linear(140, 1.2)),
    _alike("planted_clean_bytes", _bytes),
    Planted("planted_clean_sort", _sorted, linear(140, 1.0)),
    Planted("planted_clean_reduce", _reduced, linear(130, 1.0)),
    _alike("planted_clean_repeat", _repeated),
    _alike("planted_clean_outer", _outer),
    _alike("planted_clean_noisy", linear(150, 1.0)),
    Planted("planted_clean_double", linear(130, 1.0), linear(260, 2.0)),
)
ALL = {planted.name: planted for planted in (*CLIFFS, *CLEAN)}
