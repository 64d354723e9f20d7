"""Elementwise functions of a tensor and a number, in every spelling: nd, NumPy, and with the number on the left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Integers, Uniform
from autoperf.rules.elementwise import COUNTS, FEW, POSITIVE, REAL, SHAPES, TRUTH, Alike
from autoperf.rules.rule import Brief, Inputs, family

ORDERS = ("equal", "not_equal", "greater", "greater_equal")


@dataclass(frozen=True)
class WithNumber:
    """A tensor with contents of one domain, and numbers on [low, high]; `whole` where a fraction means nothing."""

    content: AnyContent
    low: int = -4
    high: int = 4
    whole: bool = False

    def canonical(self, brief: Brief) -> Mapping[str, Inputs]:
        """The four profiles, with the largest number."""
        params = self._params(float(self.high), self.whole)
        return {profile: Alike((self.content,)).inputs(brief, shape, params) for profile, shape in SHAPES.items()}

    def drawn(self, draw: st.DrawFn, brief: Brief) -> Inputs:
        """Any shape; a whole number or a fraction of eighths, as the front end would pass it (`is_int`)."""
        is_int = self.whole or draw(st.booleans())
        steps = 1 if is_int else 8
        number = draw(st.integers(self.low * steps, self.high * steps)) / steps
        return Alike((self.content,)).drawn(draw, brief, self._params(number, is_int))

    @staticmethod
    def _params(number: float, is_int: bool) -> dict[str, Value]:
        return {"scalar": number, "is_int": is_int}


any_number = WithNumber(REAL)
positive_number = WithNumber(REAL, 1)
positive_data = WithNumber(POSITIVE)
both_positive = WithNumber(POSITIVE, 1)
order = WithNumber(FEW, 0, 3)
truth = WithNumber(TRUTH, 0, 1, whole=True)
counts = WithNumber(COUNTS, 1, 60, whole=True)
shifted_by = WithNumber(COUNTS, 0, 7, whole=True)
shifts = WithNumber(Integers(0, 8), 1, 60, whole=True)
exponent = WithNumber(REAL, -4, 4, whole=True)
exponents = WithNumber(Uniform(-4.0, 4.0))


@family(
    *(f"_{name}_scalar" for name in ("plus", "minus", "rminus", "mul", "maximum", "minimum")),
    *(f"_npi_{name}_scalar" for name in ("add", "subtract", "rsubtract", "multiply")),
    *(f"_npi_{name}_scalar" for name in ("maximum", "minimum", "copysign", "rcopysign")),
    *(f"_npi_{name}_scalar" for name in ("fmax", "fmin", "logaddexp")),
    *("_scatter_plus_scalar", "_scatter_minus_scalar"),
    category="scalar",
    canonical=any_number.canonical,
)
def arithmetic(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any numbers."""
    return any_number.drawn(draw, brief)


@family(
    *("_div_scalar", "_mod_scalar", "_npi_true_divide_scalar", "_npi_mod_scalar", "_hypot_scalar"),
    *("_npi_arctan2_scalar", "_npi_rarctan2_scalar", "_npi_fmod_scalar", "_npi_floor_divide_scalar"),
    category="scalar",
    canonical=positive_number.canonical,
)
def divided_by_number(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any tensor and a number above zero: it divides, or keeps the gradient from 0 / 0."""
    return positive_number.drawn(draw, brief)


@family(
    *("_rdiv_scalar", "_rmod_scalar", "_power_scalar"),
    *("_npi_rtrue_divide_scalar", "_npi_rmod_scalar", "_npi_power_scalar", "_npi_rfmod_scalar"),
    "_npi_rfloor_divide_scalar",
    category="scalar",
    canonical=positive_data.canonical,
)
def number_divided(draw: st.DrawFn, brief: Brief) -> Inputs:
    """A positive tensor, which divides or is the base of a power, and any number."""
    return positive_data.drawn(draw, brief)


@family("_rpower_scalar", "_npi_rpower_scalar", category="scalar", canonical=both_positive.canonical)
def number_to_power(draw: st.DrawFn, brief: Brief) -> Inputs:
    """A positive number to the power of each element."""
    return both_positive.drawn(draw, brief)


@family("_npi_ldexp_scalar", category="scalar", canonical=exponent.canonical)
def ldexp(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any tensor, and a small whole exponent of two."""
    return exponent.drawn(draw, brief)


@family("_npi_rldexp_scalar", category="scalar", canonical=exponents.canonical)
def number_ldexp(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Small exponents of two, which need not be whole, and any number."""
    return exponents.drawn(draw, brief)


@family(
    *(f"_{name}_scalar" for name in (*ORDERS, "lesser", "lesser_equal")),
    *(f"_npi_{name}_scalar" for name in (*ORDERS, "less", "less_equal")),
    category="comparison",
    canonical=order.canonical,
)
def comparison(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Few distinct numbers, so that some are equal."""
    return order.drawn(draw, brief)


@family(
    *(f"{prefix}logical_{name}_scalar" for prefix in ("_", "_npi_") for name in ("and", "or", "xor")),
    category="logical",
    canonical=truth.canonical,
)
def logic(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Zeros and ones."""
    return truth.drawn(draw, brief)


@family("_npi_lcm_scalar", "_npi_gcd_scalar", category="scalar", canonical=counts.canonical, dtype="int32")
def common_multiple_and_divisor(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Positive whole numbers."""
    return counts.drawn(draw, brief)


@family(
    *(f"_npi_bitwise_{name}_scalar" for name in ("and", "or", "xor")),
    category="bitwise",
    canonical=counts.canonical,
    dtype="int32",
)
def bitwise(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Whole numbers."""
    return counts.drawn(draw, brief)


@family(
    *(f"_npi_bitwise_{way}_shift_scalar" for way in ("left", "right")),
    category="bitwise",
    canonical=shifted_by.canonical,
    dtype="int32",
)
def shift(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Whole numbers, shifted by fewer bits than any dtype has."""
    return shifted_by.drawn(draw, brief)


@family(
    *(f"_npi_rbitwise_{way}_shift_scalar" for way in ("left", "right")),
    category="bitwise",
    canonical=shifts.canonical,
    dtype="int32",
)
def number_shifted(draw: st.DrawFn, brief: Brief) -> Inputs:
    """A number, shifted by each element of the tensor, which is below the bits of any dtype."""
    return shifts.drawn(draw, brief)
