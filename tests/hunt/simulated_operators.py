"""Simulated operators: draws of their inputs, and laws of their times; MXNet infers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.core.tensors import Integers, Patterned
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule, inputs, rule
from autoperf.strategies import axes, shapes
from tests.hunt.hunt_values import shape

Test = Callable[[Case], bool]


@dataclass(frozen=True)
class SimulatedCause:
    """Where an operator is slow, by what factor, and in which passes."""

    name: str
    holds: Test
    factor: float = 3.0
    passes: tuple[PassName, ...] = ("forward", "backward")


@dataclass(frozen=True)
class Simulated:
    """An operator with its honest law in microseconds, and its causes."""

    name: str
    operator: str
    rule: Rule
    law: Callable[[Case], float]
    causes: tuple[SimulatedCause, ...] = ()
    # The name of an equivalent operator, with the same law but without the causes.
    equivalent: str = ""
    # Whether inputs may be larger than draws.
    grows: bool = False
    # The ratio of the backward pass's time to the forward pass's.
    backward: float = 1.0
    # The seconds of its search, on the simulated clock.
    seconds: float = 4.0

    def us(self, case: Case, pass_: PassName) -> float:
        """The time of a pass, including all causes."""
        honest = self.law(case) * (self.backward if pass_ == "backward" else 1.0)
        if case.operator == self.equivalent:
            return honest
        factors = (cause.factor for cause in self.causes if pass_ in cause.passes and cause.holds(case))
        return honest * math.prod(factors)


@rule("softmax", category="activation", canonical={"small": inputs(data=Draft((10, 10)))})
def with_temperature(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, one of its axes, and perhaps a temperature."""
    drawn = draw(shapes(1, 3, spec.elements))
    params = draw(st.sampled_from([{}, {}, {"temperature": 0.5}, {"temperature": 2.0}]))
    return inputs(data=Draft(drawn), axis=draw(axes(len(drawn))), **params)


@rule("tile", category="array", canonical={"small": inputs(data=Draft((10, 10)), reps=(1, 2))})
def with_reps(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, and the repetitions of each axis."""
    drawn = draw(shapes(1, 3, max(1, spec.elements // 64)))
    return inputs(data=Draft(drawn), reps=tuple(draw(st.integers(1, 4)) for _ in drawn))


@rule("broadcast_to", category="array", canonical={"small": inputs(data=Draft((10, 1)), shape=(10, 10))})
def with_shape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor with some dimensions of 1, and its broadcast shape."""
    wide = draw(shapes(1, 3, spec.elements))
    return inputs(data=Draft(tuple(draw(st.sampled_from([1, size])) for size in wide)), shape=wide)


@rule("broadcast_add", category="broadcast", canonical={"small": inputs(lhs=Draft((10, 10)), rhs=Draft((10, 10)))})
def broadcast_pair(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors, of which the second may be broadcast."""
    wide = draw(shapes(2, 3, spec.elements))
    return inputs(lhs=Draft(wide), rhs=Draft(tuple(draw(st.sampled_from([1, size, size])) for size in wide)))


@rule("repeat", category="array", canonical={"small": inputs(data=Draft((10, 10)), repeats=2)})
def with_repeats(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, and the repetitions of each element."""
    return inputs(data=Draft(draw(shapes(1, 3, max(1, spec.elements // 16)))), repeats=draw(st.integers(1, 8)))


@rule("sum", category="reduction", canonical={"small": inputs(data=Draft((10, 10)), axis=1)})
def with_two_choices(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, one of its axes, and whether the axis is kept."""
    drawn = draw(shapes(1, 3, spec.elements))
    return inputs(data=Draft(drawn), axis=draw(axes(len(drawn))), keepdims=draw(st.booleans()))


@rule(
    "dot",
    category="gemm",
    canonical={"small": inputs(lhs=Draft((10, 10)), rhs=Draft((10, 10)))},
    flops=lambda case: 2.0 * elements(case) * case.inputs[1].tensor.shape[1],
)
def matrices(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two matrices that can be multiplied."""
    rows, inner, columns = (draw(st.integers(1, 64)) for _ in range(3))
    return inputs(lhs=Draft((rows, inner)), rhs=Draft((inner, columns)))


@rule(
    "take",
    category="indexing",
    canonical={
        "small": inputs(a=Draft((10, 10)), indices=Draft((10,), "int32")),
        "common": inputs(a=Draft((1000, 64)), indices=Draft((1024,), "int32")),
        "large": inputs(a=Draft((10000, 128)), indices=Draft((8192,), "int32")),
    },
)
def with_indices(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A matrix, and the selected rows or columns: an output may be far larger than both."""
    drawn = draw(shapes(2, 2, spec.elements))
    indices = Draft((draw(st.integers(1, 1024)),), "int32")
    return inputs(a=Draft(drawn), indices=indices, axis=draw(st.sampled_from([0, 1])))


def elements(case: Case) -> int:
    """The largest number of elements of an input."""
    return max(math.prod(entry.tensor.shape) for entry in case.inputs)


def outputs(case: Case) -> int:
    """The number of elements of the outputs."""
    return sum(math.prod(entry.shape) for entry in case.outputs)


def dtype(case: Case) -> str:
    """The first input's."""
    return case.inputs[0].tensor.dtype


def pattern(case: Case) -> str:
    """The pattern of the first input's contents; empty without one."""
    content = case.inputs[0].tensor.content
    return content.pattern if isinstance(content, Patterned) else ""


def distinct(case: Case) -> int:
    """About how many numbers of the first input are distinct."""
    return min(possible(case), elements(case))


def possible(case: Case) -> int:
    """How many numbers the contents of the first input allow; a million fractions."""
    content = case.inputs[0].tensor.content
    plain = content.content if isinstance(content, Patterned) else content
    few = {"constant": 1, "few": 4}.get(pattern(case), 10**6)
    return min(few, plain.high - plain.low) if isinstance(plain, Integers) else few


def by_distinct(case: Case) -> float:
    """By the elements and the logarithm of their distinct numbers."""
    return 150 + 0.002 * elements(case) * math.log2(1 + distinct(case))


def axis(case: Case) -> int:
    """The axis, counted from the front."""
    return int(case.params.get("axis", -1)) % len(shape(case))  # type: ignore[arg-type]


def linear(case: Case) -> float:
    """A constant plus some nanoseconds for each element."""
    return 150 + 0.002 * elements(case)


def written(case: Case) -> float:
    """By the number of elements written."""
    return 150 + 0.002 * outputs(case)


def costly(case: Case) -> float:
    """A hundred times the time for each element."""
    return 300 + 0.2 * elements(case)


def gathered(case: Case) -> float:
    """By the number of elements written, including their memory."""
    return 60 + 0.004 * outputs(case)


def sorting(case: Case) -> float:
    """By the elements and the logarithm of the last dimension."""
    return 140 + 0.0002 * elements(case) * math.log2(1 + shape(case)[-1])


def not_last(case: Case) -> bool:
    return len(shape(case)) > 1 and axis(case) != len(shape(case)) - 1


def temperature(case: Case) -> float:
    """The temperature, 1 where it isn't given."""
    return float(str(case.params.get("temperature", 1)))


def accelerated(case: Case) -> float:
    """A special path for float32, the last axis and no temperature; other inputs take the general path."""
    departures = dtype(case) != "float32", not_last(case), temperature(case) != 1
    return 20 + (0.016 if any(departures) else 0.002) * elements(case)
