"""Elementwise functions of two tensors, which may broadcast, and of a tensor and a number on either side."""

from __future__ import annotations

from functools import partial

from autoperf.rules.arithmetic import LINEAR, NONLINEAR, nonlinear_except, of_operands
from autoperf.rules.operators.elementwise import (
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
    broadcasting,
    same_shape,
    with_scalar,
)
from autoperf.rules.table import Row, named, table

bitwise_row = partial(Row, category="bitwise", dtype="int32")
RULES = table(
    __name__,
    "broadcast",
    elementwise=Row(
        ("elemwise_add", "elemwise_sub", "elemwise_mul", "_grad_add", "_maximum", "_minimum", "_hypot"),
        same_shape(REAL),
        "Two tensors of one shape, with any numbers.",
        category="elementwise",
        backward=of_operands("elemwise_add", "elemwise_sub", "_grad_add"),
    ),
    elementwise_division=Row(
        ("elemwise_div", "_scatter_elemwise_div", "_mod"),
        same_shape(REAL, POSITIVE),
        "Two tensors of one shape; the divisor is positive.",
        category="elementwise",
        backward=of_operands(),
    ),
    elementwise_power=Row(
        ("_power",),
        same_shape(POSITIVE),
        "Positive, since a negative base has no real power and zero no finite gradient.",
        category="elementwise",
        backward=of_operands(),
    ),
    elementwise_comparison=Row(
        named("_*", *COMPARISONS),
        same_shape(FEW),
        "Two tensors of one shape; few distinct numbers, so that some are equal.",
        category="comparison",
    ),
    elementwise_logic=Row(
        named("_*", *LOGICAL), same_shape(TRUTH), "Two tensors of one shape, of zeros and ones.", category="logical"
    ),
    broadcast=Row(
        (
            *named("broadcast_*", "add", "sub", "mul", "maximum", "minimum", "hypot"),
            *named("_npi_*", "add", "subtract", "multiply", "hypot", "arctan2", "copysign"),
            *named("_npi_*", "fmax", "fmin", "logaddexp"),
        ),
        broadcasting(REAL),
        "Two tensors that broadcast, with any numbers.",
        backward=of_operands(*named("broadcast_*", "add", "sub"), *named("_npi_*", "add", "subtract")),
    ),
    broadcast_division=Row(
        (*named("broadcast_*", "div", "mod"), *named("_npi_*", "true_divide", "mod", "fmod", "floor_divide")),
        broadcasting(REAL, POSITIVE),
        "Two tensors that broadcast; the divisor is positive.",
        backward=of_operands(),
    ),
    broadcast_power=Row(
        ("broadcast_power", "_npi_power"),
        broadcasting(POSITIVE),
        "Two tensors that broadcast; positive, as for the elementwise power.",
        backward=of_operands(),
    ),
    ldexp=Row(
        ("_npi_ldexp",),
        broadcasting(REAL, EXPONENTS),
        "Any numbers, and small exponents of two, which have a gradient too and need not be whole.",
        backward=of_operands(),
    ),
    common_multiple_and_divisor=Row(
        named("_npi_*", "lcm", "gcd"),
        broadcasting(COUNTS, except_bool=True),
        "Positive whole numbers that broadcast, small enough for their multiples to fit int32.",
        dtype="int32",
    ),
    broadcast_comparison=Row(
        (*named("broadcast_*", *COMPARISONS), *named("_npi_*", *NUMPY_COMPARISONS)),
        broadcasting(FEW),
        "Two tensors that broadcast; few distinct numbers, so that some are equal.",
        category="comparison",
    ),
    broadcast_logic=Row(
        (*named("broadcast_*", *LOGICAL), *named("_npi_*", *LOGICAL)),
        broadcasting(TRUTH),
        "Two tensors that broadcast, of zeros and ones.",
        category="logical",
    ),
    bitwise=bitwise_row(
        named("_npi_bitwise_*", "and", "or", "xor"),
        broadcasting(COUNTS, except_bool=True),
        "Two tensors of whole numbers that broadcast.",
    ),
    shift=bitwise_row(
        named("_npi_bitwise_*_shift", "left", "right"),
        broadcasting(COUNTS, SHIFTS),
        "Whole numbers that broadcast; the second is a number of bits, fewer than any dtype has.",
    ),
)


SCALAR_RULES = table(
    __name__,
    "scalar",
    arithmetic=Row(
        (
            *named("_*_scalar", "plus", "minus", "rminus", "mul"),
            *named("_npi_*_scalar", "add", "subtract", "rsubtract", "multiply"),
            *named("_npi_*_scalar", "copysign", "rcopysign", "logaddexp"),
            *("_scatter_plus_scalar", "_scatter_minus_scalar"),
        ),
        with_scalar(REAL),
        "Any numbers.",
        backward=nonlinear_except(
            *named("_*_scalar", "plus", "minus", "rminus", "mul", "scatter_plus", "scatter_minus"),
            *named("_npi_*_scalar", "add", "subtract", "rsubtract", "multiply"),
        ),
    ),
    extremes=Row(
        (*named("_*_scalar", "maximum", "minimum"), *named("_npi_*_scalar", "maximum", "minimum", "fmax", "fmin")),
        with_scalar(REAL, middle=0.25),
        "Any numbers, some of them larger than the other number.",
        backward=NONLINEAR,
    ),
    divided_by_number=Row(
        (
            *named("_*_scalar", "div", "mod", "hypot"),
            *named("_npi_*_scalar", "true_divide", "mod", "arctan2", "rarctan2", "fmod", "floor_divide"),
        ),
        with_scalar(REAL, 1),
        "Any tensor and a number above zero: it divides, or keeps the gradient from 0 / 0.",
        backward=nonlinear_except(
            *named("_*_scalar", "div", "mod"), *named("_npi_*_scalar", "true_divide", "mod", "fmod", "floor_divide")
        ),
    ),
    number_divided=Row(
        (
            *named("_*_scalar", "rdiv", "rmod", "power"),
            *named("_npi_*_scalar", "rtrue_divide", "rmod", "power", "rfmod", "rfloor_divide"),
        ),
        with_scalar(POSITIVE),
        "A positive tensor, which divides or is the base of a power, and any number.",
        backward=NONLINEAR,
    ),
    number_to_power=Row(
        ("_rpower_scalar", "_npi_rpower_scalar"),
        with_scalar(POSITIVE, 1),
        "A positive number to the power of each element.",
        backward=NONLINEAR,
    ),
    scalar_ldexp=Row(
        ("_npi_ldexp_scalar",),
        with_scalar(REAL, whole=True),
        "Any tensor, and a small whole exponent of two.",
        backward=LINEAR,
    ),
    number_ldexp=Row(
        ("_npi_rldexp_scalar",),
        with_scalar(EXPONENTS),
        "Small exponents of two, which need not be whole, and any number.",
        backward=NONLINEAR,
    ),
    comparison=Row(
        (*named("_*_scalar", *COMPARISONS), *named("_npi_*_scalar", *NUMPY_COMPARISONS)),
        with_scalar(FEW, 0, 3, middle=1.0),
        "Few distinct numbers, so that some are equal.",
        category="comparison",
    ),
    logic=Row(
        (*named("_*_scalar", *LOGICAL), *named("_npi_*_scalar", *LOGICAL)),
        with_scalar(TRUTH, 0, 1, whole=True),
        "Zeros and ones.",
        category="logical",
    ),
    scalar_common_multiple_and_divisor=Row(
        named("_npi_*_scalar", "lcm", "gcd"),
        with_scalar(COUNTS, 1, 60, whole=True),
        "Positive whole numbers.",
        dtype="int32",
    ),
    scalar_bitwise=bitwise_row(
        named("_npi_bitwise_*_scalar", "and", "or", "xor"), with_scalar(COUNTS, 1, 60, whole=True), "Whole numbers."
    ),
    scalar_shift=bitwise_row(
        named("_npi_bitwise_*_shift_scalar", "left", "right"),
        with_scalar(COUNTS, 0, 7, whole=True, middle=2.0),
        "Whole numbers, shifted by fewer bits than any dtype has.",
    ),
    number_shifted=bitwise_row(
        named("_npi_rbitwise_*_shift_scalar", "left", "right"),
        with_scalar(SHIFTS, 1, 60, whole=True),
        "A number, shifted by each element of the tensor, which is below the bits of any dtype.",
    ),
)
