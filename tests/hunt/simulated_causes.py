"""Simulated operators with known causes: their times are laws, their inputs and inference are MXNet's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hunt_values import counted, plain, shape, with_axis
from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule, inputs, rule
from autoperf.strategies import axes, shapes

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

    def us(self, case: Case, pass_: PassName) -> float:
        """What a pass takes, all causes included."""
        factors = (cause.factor for cause in self.causes if pass_ in cause.passes and cause.holds(case))
        return self.law(case) * math.prod(factors)


@rule("softmax", category="activation", canonical={"small": inputs(data=Draft((10, 10)))})
def with_temperature(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, one of its axes, and perhaps a temperature."""
    drawn = draw(shapes(1, 3, spec.elements))
    params = draw(st.sampled_from([{}, {}, {"temperature": 0.5}, {"temperature": 2.0}]))
    return inputs(data=Draft(drawn), axis=draw(axes(len(drawn))), **params)


@rule("tile", category="array", canonical={"small": inputs(data=Draft((10, 10)), reps=(1, 2))})
def with_reps(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, and how often each axis is repeated."""
    drawn = draw(shapes(1, 3, max(1, spec.elements // 64)))
    return inputs(data=Draft(drawn), reps=tuple(draw(st.integers(1, 4)) for _ in drawn))


@rule("broadcast_to", category="array", canonical={"small": inputs(data=Draft((10, 1)), shape=(10, 10))})
def with_shape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, some of whose dimensions are 1, and the shape that it gets."""
    wide = draw(shapes(1, 3, spec.elements))
    return inputs(data=Draft(tuple(draw(st.sampled_from([1, size])) for size in wide)), shape=wide)


@rule("broadcast_add", category="broadcast", canonical={"small": inputs(lhs=Draft((10, 10)), rhs=Draft((10, 10)))})
def broadcast_pair(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Two tensors, of which the second may be broadcast."""
    wide = draw(shapes(2, 3, spec.elements))
    return inputs(lhs=Draft(wide), rhs=Draft(tuple(draw(st.sampled_from([1, size, size])) for size in wide)))


@rule("repeat", category="array", canonical={"small": inputs(data=Draft((10, 10)), repeats=2)})
def with_repeats(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, and how often each element is repeated."""
    return inputs(data=Draft(draw(shapes(1, 3, max(1, spec.elements // 16)))), repeats=draw(st.integers(1, 8)))


def elements(case: Case) -> int:
    """The largest number of elements of an input."""
    return max(math.prod(entry.tensor.shape) for entry in case.inputs)


def outputs(case: Case) -> int:
    """The number of elements of the outputs."""
    return sum(math.prod(entry.shape) for entry in case.outputs)


def dtype(case: Case) -> str:
    """The first input's."""
    return case.inputs[0].tensor.dtype


def axis(case: Case) -> int:
    """The axis, counted from the front."""
    return int(case.params.get("axis", -1)) % len(shape(case))  # type: ignore[arg-type]


def linear(case: Case) -> float:
    """A constant, and some nanoseconds for each element."""
    return 150 + 0.002 * elements(case)


def written(case: Case) -> float:
    """By the elements that are written."""
    return 150 + 0.002 * outputs(case)


def sorting(case: Case) -> float:
    """By the elements and the logarithm of the last dimension."""
    return 140 + 0.0002 * elements(case) * math.log2(1 + shape(case)[-1])


def _not_last(case: Case) -> bool:
    return len(shape(case)) > 1 and axis(case) != len(shape(case)) - 1


def temperature(case: Case) -> float:
    """The temperature, 1 where it isn't given."""
    return float(str(case.params.get("temperature", 1)))


def accelerated(case: Case) -> float:
    """A special path for float32, the last axis and no temperature; all else takes the general one."""
    departures = dtype(case) != "float32", _not_last(case), temperature(case) != 1
    return 20 + (0.016 if any(departures) else 0.002) * elements(case)


FLOAT16 = SimulatedCause("float16", lambda case: dtype(case) == "float16", 5.0)
NOT_LAST = SimulatedCause("axis is not the last", _not_last)
NARROW = SimulatedCause("the last dimension is 1 or 2", lambda case: shape(case)[-1] <= 2 and elements(case) > 64)
TEMPERATURE = SimulatedCause("temperature", lambda case: temperature(case) != 1)
# Of the departures from the special path each is a cause where it is the only one.
ONLY_NOT_LAST = SimulatedCause(
    "axis", lambda case: _not_last(case) and dtype(case) == "float32" and temperature(case) == 1, 1.0
)
ONLY_TEMPERATURE = SimulatedCause(
    "temperature", lambda case: temperature(case) != 1 and dtype(case) == "float32" and not _not_last(case), 1.0
)
ONLY_DTYPE = SimulatedCause(
    "dtype", lambda case: dtype(case) != "float32" and temperature(case) == 1 and not _not_last(case), 1.0
)
LONG = SimulatedCause("the first dimension is 512 or more", lambda case: shape(case)[0] >= 512)
MULTIPLE = SimulatedCause("the last dimension is a multiple of 64", lambda case: shape(case)[-1] % 64 == 0)
BIG = SimulatedCause("32,768 elements", lambda case: elements(case) >= 32768)
K3 = SimulatedCause("k=3", lambda case: case.params.get("k") == 3)
BROADCAST = SimulatedCause(
    "rhs is broadcast over rows", lambda case: case.inputs[1].tensor.shape[-1] == 1 != shape(case)[-1]
)
BACKWARD = SimulatedCause("the first dimension is 512 or more", LONG.holds, 3.0, ("backward",))
DOUBLE = SimulatedCause("float64, backward", lambda case: dtype(case) == "float64", 4.0, ("backward",))

CORPUS = (
    Simulated("half precision", "exp", plain, linear, (FLOAT16,)),
    Simulated("an axis", "softmax", with_axis, linear, (NOT_LAST,)),
    Simulated("an axis and half precision", "softmax", with_axis, linear, (NOT_LAST, FLOAT16)),
    Simulated("a temperature", "softmax", with_temperature, linear, (TEMPERATURE,)),
    Simulated("a temperature and half precision", "softmax", with_temperature, linear, (TEMPERATURE, FLOAT16)),
    Simulated(
        "a special path", "softmax", with_temperature, accelerated, (ONLY_NOT_LAST, ONLY_TEMPERATURE, ONLY_DTYPE)
    ),
    Simulated("half precision of tiles", "tile", with_reps, written, (FLOAT16,)),
    Simulated("half precision of broadcasts", "broadcast_to", with_shape, written, (FLOAT16,)),
    Simulated("narrow rows", "exp", plain, linear, (NARROW,)),
    Simulated("a length", "exp", plain, linear, (LONG,)),
    Simulated("a length backward", "exp", plain, linear, (BACKWARD,)),
    Simulated("a multiple", "relu", plain, linear, (MULTIPLE,)),
    Simulated("a multiple, and double precision backward", "relu", plain, linear, (MULTIPLE, DOUBLE)),
    Simulated("a volume", "exp", plain, linear, (BIG,)),
    Simulated("a number", "topk", counted, linear, (K3,)),
    Simulated("a broadcast operand", "broadcast_add", broadcast_pair, linear, (BROADCAST,)),
)
FLAT = (
    Simulated("linear", "softmax", with_axis, linear),
    Simulated("constant", "exp", plain, lambda case: 400.0),
    Simulated("bytes", "exp", plain, lambda case: 150 + 0.0005 * case.input_bytes),
    Simulated(
        "sorting", "softmax", with_axis, lambda case: 140 + 0.0002 * elements(case) * math.log2(1 + shape(case)[-1])
    ),
    Simulated("tiles", "tile", with_reps, written),
    Simulated("broadcasts", "broadcast_to", with_shape, written),
    Simulated("repeats", "repeat", with_repeats, written),
    Simulated("pairs", "broadcast_add", broadcast_pair, written),
)
