"""Elementwise functions of a tensor and a number, in every spelling: nd, NumPy, and with the number on the left."""

from __future__ import annotations

from autoperf.rules.derivatives import LINEAR, NONLINEAR, nonlinear_except
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
    WithScalar,
)
from autoperf.rules.table import Row, named, table

RULES = table(
    __name__,
    arithmetic=Row(
        (
            *named("_*_scalar", "plus", "minus", "rminus", "mul", "maximum", "minimum"),
            *named("_npi_*_scalar", "add", "subtract", "rsubtract", "multiply", "maximum", "minimum"),
            *named("_npi_*_scalar", "copysign", "rcopysign", "fmax", "fmin", "logaddexp"),
            *("_scatter_plus_scalar", "_scatter_minus_scalar"),
        ),
        WithScalar(REAL),
        "scalar",
        "Any numbers.",
        backward=nonlinear_except(
            *named("_*_scalar", "plus", "minus", "rminus", "mul", "scatter_plus", "scatter_minus"),
            *named("_npi_*_scalar", "add", "subtract", "rsubtract", "multiply"),
        ),
    ),
    divided_by_number=Row(
        (
            *named("_*_scalar", "div", "mod", "hypot"),
            *named("_npi_*_scalar", "true_divide", "mod", "arctan2", "rarctan2", "fmod", "floor_divide"),
        ),
        WithScalar(REAL, 1),
        "scalar",
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
        WithScalar(POSITIVE),
        "scalar",
        "A positive tensor, which divides or is the base of a power, and any number.",
        backward=NONLINEAR,
    ),
    number_to_power=Row(
        ("_rpower_scalar", "_npi_rpower_scalar"),
        WithScalar(POSITIVE, 1),
        "scalar",
        "A positive number to the power of each element.",
        backward=NONLINEAR,
    ),
    ldexp=Row(
        ("_npi_ldexp_scalar",),
        WithScalar(REAL, whole=True),
        "scalar",
        "Any tensor, and a small whole exponent of two.",
        backward=LINEAR,
    ),
    number_ldexp=Row(
        ("_npi_rldexp_scalar",),
        WithScalar(EXPONENTS),
        "scalar",
        "Small exponents of two, which need not be whole, and any number.",
        backward=NONLINEAR,
    ),
    comparison=Row(
        (*named("_*_scalar", *COMPARISONS), *named("_npi_*_scalar", *NUMPY_COMPARISONS)),
        WithScalar(FEW, 0, 3),
        "comparison",
        "Few distinct numbers, so that some are equal.",
    ),
    logic=Row(
        (*named("_*_scalar", *LOGICAL), *named("_npi_*_scalar", *LOGICAL)),
        WithScalar(TRUTH, 0, 1, whole=True),
        "logical",
        "Zeros and ones.",
    ),
    common_multiple_and_divisor=Row(
        named("_npi_*_scalar", "lcm", "gcd"),
        WithScalar(COUNTS, 1, 60, whole=True),
        "scalar",
        "Positive whole numbers.",
        dtype="int32",
    ),
    bitwise=Row(
        named("_npi_bitwise_*_scalar", "and", "or", "xor"),
        WithScalar(COUNTS, 1, 60, whole=True),
        "bitwise",
        "Whole numbers.",
        dtype="int32",
    ),
    shift=Row(
        named("_npi_bitwise_*_shift_scalar", "left", "right"),
        WithScalar(COUNTS, 0, 7, whole=True),
        "bitwise",
        "Whole numbers, shifted by fewer bits than any dtype has.",
        dtype="int32",
    ),
    number_shifted=Row(
        named("_npi_rbitwise_*_shift_scalar", "left", "right"),
        WithScalar(SHIFTS, 1, 60, whole=True),
        "bitwise",
        "A number, shifted by each element of the tensor, which is below the bits of any dtype.",
        dtype="int32",
    ),
)
