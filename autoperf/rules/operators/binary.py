"""Elementwise functions of two tensors: of one shape (nd), and of shapes that broadcast (nd and NumPy)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.tensors import AnyContent
from autoperf.rules.derivatives import of_operands
from autoperf.rules.elementwise import (
    COMPARISONS,
    COUNTS,
    EXPONENTS,
    FEW,
    LOGICAL,
    NUMPY_COMPARISONS,
    POSITIVE,
    REAL,
    SHIFTS,
    TRUTH,
    Broadcast,
    SameShape,
)
from autoperf.rules.rule import Inputs, InputSpec
from autoperf.rules.table import Row, SampleInputs, named, table


@dataclass(frozen=True)
class BroadcastExceptBool:
    """Two tensors that broadcast, or of one shape in bool, which 1.x doesn't broadcast here."""

    content: AnyContent

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The four profiles."""
        return self._of(spec).canonical(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /) -> Inputs:
        """Every pattern of broadcasting, or any shape."""
        return self._of(spec).drawn(draw, spec)

    def _of(self, spec: InputSpec) -> SampleInputs:
        return SameShape((self.content,)) if spec.dtype == "bool" else Broadcast((self.content,))


RULES = table(
    __name__,
    elementwise=Row(
        ("elemwise_add", "elemwise_sub", "elemwise_mul", "_grad_add", "_maximum", "_minimum", "_hypot"),
        SameShape((REAL,)),
        "elementwise",
        "Two tensors of one shape, with any numbers.",
        backward=of_operands("elemwise_add", "elemwise_sub", "_grad_add"),
    ),
    elementwise_division=Row(
        ("elemwise_div", "_scatter_elemwise_div", "_mod"),
        SameShape((REAL, POSITIVE)),
        "elementwise",
        "Two tensors of one shape; the divisor is positive.",
        backward=of_operands(),
    ),
    elementwise_power=Row(
        ("_power",),
        SameShape((POSITIVE,)),
        "elementwise",
        "Positive, since a negative base has no real power and zero no finite gradient.",
        backward=of_operands(),
    ),
    elementwise_comparison=Row(
        named("_*", *COMPARISONS),
        SameShape((FEW,)),
        "comparison",
        "Two tensors of one shape; few distinct numbers, so that some are equal.",
    ),
    elementwise_logic=Row(
        named("_*", *LOGICAL), SameShape((TRUTH,)), "logical", "Two tensors of one shape, of zeros and ones."
    ),
    broadcast=Row(
        (
            *named("broadcast_*", "add", "sub", "mul", "maximum", "minimum", "hypot"),
            *named("_npi_*", "add", "subtract", "multiply", "hypot", "arctan2", "copysign"),
            *named("_npi_*", "fmax", "fmin", "logaddexp"),
        ),
        Broadcast((REAL,)),
        "broadcast",
        "Two tensors that broadcast, with any numbers.",
        backward=of_operands(*named("broadcast_*", "add", "sub"), *named("_npi_*", "add", "subtract")),
    ),
    broadcast_division=Row(
        (
            *named("broadcast_*", "div", "mod"),
            *named("_npi_*", "true_divide", "mod", "fmod", "floor_divide"),
        ),
        Broadcast((REAL, POSITIVE)),
        "broadcast",
        "Two tensors that broadcast; the divisor is positive.",
        backward=of_operands(),
    ),
    broadcast_power=Row(
        ("broadcast_power", "_npi_power"),
        Broadcast((POSITIVE,)),
        "broadcast",
        "Two tensors that broadcast; positive, as for the elementwise power.",
        backward=of_operands(),
    ),
    ldexp=Row(
        ("_npi_ldexp",),
        Broadcast((REAL, EXPONENTS)),
        "broadcast",
        "Any numbers, and small exponents of two, which have a gradient too and need not be whole.",
        backward=of_operands(),
    ),
    common_multiple_and_divisor=Row(
        named("_npi_*", "lcm", "gcd"),
        BroadcastExceptBool(COUNTS),
        "broadcast",
        "Positive whole numbers that broadcast, small enough for their multiples to fit int32.",
        dtype="int32",
    ),
    broadcast_comparison=Row(
        (*named("broadcast_*", *COMPARISONS), *named("_npi_*", *NUMPY_COMPARISONS)),
        Broadcast((FEW,)),
        "comparison",
        "Two tensors that broadcast; few distinct numbers, so that some are equal.",
    ),
    broadcast_logic=Row(
        (*named("broadcast_*", *LOGICAL), *named("_npi_*", *LOGICAL)),
        Broadcast((TRUTH,)),
        "logical",
        "Two tensors that broadcast, of zeros and ones.",
    ),
    bitwise=Row(
        named("_npi_bitwise_*", "and", "or", "xor"),
        BroadcastExceptBool(COUNTS),
        "bitwise",
        "Two tensors of whole numbers that broadcast.",
        dtype="int32",
    ),
    shift=Row(
        named("_npi_bitwise_*_shift", "left", "right"),
        Broadcast((COUNTS, SHIFTS)),
        "bitwise",
        "Whole numbers that broadcast; the second says by how many bits, fewer than any dtype has.",
        dtype="int32",
    ),
)
