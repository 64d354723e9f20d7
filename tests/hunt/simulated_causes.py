"""The simulated corpus: operators with known causes, and operators whose times are steep but honest."""

from __future__ import annotations

import math

from tests.hunt.hunt_values import counted, plain, shape, with_axis
from tests.hunt.simulated_operators import (
    Simulated,
    SimulatedCause,
    accelerated,
    axis,
    broadcast_pair,
    by_distinct,
    costly,
    distinct,
    dtype,
    elements,
    gathered,
    linear,
    matrices,
    not_last,
    pattern,
    possible,
    sorting,
    temperature,
    with_indices,
    with_repeats,
    with_reps,
    with_shape,
    with_temperature,
    with_two_choices,
    written,
)

FLOAT16 = SimulatedCause("float16", lambda case: dtype(case) == "float16", 5.0)
NOT_LAST = SimulatedCause("axis is not the last", not_last)
NARROW = SimulatedCause("the last dimension is 1 or 2", lambda case: shape(case)[-1] <= 2 and elements(case) > 64)
TEMPERATURE = SimulatedCause("temperature", lambda case: temperature(case) != 1)
# Each single departure from the special path is a cause.
ONLY_NOT_LAST = SimulatedCause(
    "axis", lambda case: not_last(case) and dtype(case) == "float32" and temperature(case) == 1, 1.0
)
ONLY_TEMPERATURE = SimulatedCause(
    "temperature", lambda case: temperature(case) != 1 and dtype(case) == "float32" and not not_last(case), 1.0
)
ONLY_DTYPE = SimulatedCause(
    "dtype", lambda case: dtype(case) != "float32" and temperature(case) == 1 and not not_last(case), 1.0
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
SKEW = SimulatedCause("256 times as long", lambda case: shape(case)[-1] >= 256 * shape(case)[0])
PAIR = SimulatedCause(
    "axis 0, kept", lambda case: len(shape(case)) > 1 and axis(case) == 0 and str(case.params.get("keepdims")) == "True"
)
HUGE = SimulatedCause("1,048,576 elements", lambda case: elements(case) >= 2**20)
ALWAYS = SimulatedCause("always", lambda case: case.operator == "exp")

SORTED = SimulatedCause("sorted data", lambda case: pattern(case) == "sorted")
REPEATED = SimulatedCause(
    "constant data or data of few distinct values", lambda case: distinct(case) <= 4 < elements(case)
)
TEN = SimulatedCause("at most ten distinct numbers", lambda case: possible(case) <= 10)
SUBNORMAL = SimulatedCause("subnormal data", lambda case: pattern(case) == "subnormal", 5.0)
NARROW_ROWS = SimulatedCause(
    "narrow rows along the last axis", lambda case: shape(case)[-1] <= 2 and not not_last(case), 6.0
)
LAST_TAKEN = SimulatedCause("axis is the last", lambda case: case.params.get("axis") == 1, 8.0)

CORPUS = (
    Simulated("half precision", "exp", plain, linear, (FLOAT16,)),
    Simulated("half precision, little overhead", "exp", plain, lambda case: 15 + 0.004 * elements(case), (FLOAT16,)),
    Simulated("an axis", "softmax", with_axis, linear, (NOT_LAST,)),
    Simulated("an axis and half precision", "softmax", with_axis, linear, (NOT_LAST, FLOAT16)),
    Simulated("an axis and a flag", "sum", with_two_choices, linear, (PAIR,)),
    Simulated("a temperature", "softmax", with_temperature, linear, (TEMPERATURE,)),
    Simulated("a temperature and half precision", "softmax", with_temperature, linear, (TEMPERATURE, FLOAT16)),
    Simulated(
        "a special path", "softmax", with_temperature, accelerated, (ONLY_NOT_LAST, ONLY_TEMPERATURE, ONLY_DTYPE)
    ),
    Simulated("half precision of tiles", "tile", with_reps, written, (FLOAT16,)),
    Simulated("half precision of broadcasts", "broadcast_to", with_shape, written, (FLOAT16,)),
    Simulated("narrow rows", "exp", plain, linear, (NARROW,), seconds=6.0),
    Simulated("a length", "exp", plain, linear, (LONG,)),
    Simulated("a length backward", "exp", plain, linear, (BACKWARD,)),
    Simulated("a multiple", "relu", plain, linear, (MULTIPLE,)),
    Simulated("a multiple, and double precision backward", "relu", plain, linear, (MULTIPLE, DOUBLE)),
    Simulated("a ratio of lengths", "relu", plain, linear, (SKEW,)),
    Simulated("a volume", "exp", plain, linear, (BIG,)),
    Simulated("beyond the caches", "exp", plain, linear, (HUGE,), grows=True, seconds=20.0),
    Simulated("a number", "topk", counted, linear, (K3,)),
    Simulated("a broadcast operand", "broadcast_add", broadcast_pair, linear, (BROADCAST,)),
    Simulated("sorted data", "exp", plain, linear, (SORTED,)),
    Simulated("repeated data", "exp", plain, linear, (REPEATED,)),
    Simulated("subnormal data and an axis", "softmax", with_axis, linear, (SUBNORMAL, NOT_LAST)),
    Simulated("half precision beside contents", "exp", plain, by_distinct, (FLOAT16,)),
    Simulated("an equivalent operator", "exp", plain, linear, (ALWAYS,), equivalent="expm1"),
)
# Operators that take long for few elements or for their output: a search has time for few inputs.
COSTLY = (
    Simulated("costly, three causes", "softmax", with_axis, costly, (NOT_LAST, FLOAT16, NARROW_ROWS)),
    Simulated("costly, a temperature", "softmax", with_temperature, costly, (TEMPERATURE, FLOAT16)),
    Simulated("costly, an axis and a flag", "sum", with_two_choices, costly, (PAIR, FLOAT16)),
    Simulated("large outputs", "take", with_indices, gathered, (LAST_TAKEN, FLOAT16)),
)
FLAT = (
    Simulated("linear", "softmax", with_axis, linear),
    Simulated("constant", "exp", plain, lambda case: 400.0),
    Simulated("bytes", "exp", plain, lambda case: 150 + 0.0005 * case.input_bytes),
    Simulated("sorting", "softmax", with_axis, sorting),
    Simulated("tiles", "tile", with_reps, written),
    Simulated("broadcasts", "broadcast_to", with_shape, written),
    Simulated("repeats", "repeat", with_repeats, written),
    Simulated("pairs", "broadcast_add", broadcast_pair, written),
    Simulated("the square of the elements", "exp", plain, lambda case: 150 + 1e-7 * elements(case) ** 2),
    Simulated("a power of the elements", "softmax", with_axis, lambda case: 120 + 1e-4 * elements(case) ** 1.5),
    Simulated("logarithms", "exp", plain, lambda case: 20 + 0.002 * elements(case) * math.log(1 + elements(case))),
    Simulated("matrices", "dot", matrices, lambda case: 30 + 0.01 * elements(case) * case.inputs[1].tensor.shape[1]),
    Simulated("counts", "topk", counted, lambda case: 100 + 0.001 * elements(case) * int(str(case.params.get("k", 1)))),
    Simulated("a steep backward pass", "exp", plain, linear, backward=8.0),
    Simulated("little overhead", "sum", with_two_choices, lambda case: 10 + 0.02 * elements(case)),
    Simulated("distinct numbers", "exp", plain, by_distinct),
    Simulated("sorted data in a quarter", "exp", plain, lambda case: linear(case) / (4 if SORTED.holds(case) else 1)),
    Simulated("zeros in a quarter", "relu", plain, lambda case: linear(case) / (4 if pattern(case) == "zeros" else 1)),
    Simulated("ten numbers in a quarter", "exp", plain, lambda case: linear(case) / (4 if TEN.holds(case) else 1)),
    Simulated("bytes of pairs", "broadcast_add", broadcast_pair, lambda case: 20 + 0.002 * case.output_bytes),
)
