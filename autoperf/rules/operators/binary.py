"""Elementwise functions of two tensors: of one shape (nd), and of shapes that broadcast (nd and NumPy)."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from autoperf.core.tensors import Integers, Uniform
from autoperf.rules.elementwise import COUNTS, FEW, POSITIVE, REAL, TRUTH, Alike, Broadcast
from autoperf.rules.rule import Brief, Inputs, family, rule

ORDERS = ("equal", "not_equal", "greater", "greater_equal")
LOGICAL = ("logical_and", "logical_or", "logical_xor")

alike = Alike((REAL,))
alike_divided = Alike((REAL, POSITIVE))
alike_positive = Alike((POSITIVE,))
alike_few = Alike((FEW,))
alike_truth = Alike((TRUTH,))
anything = Broadcast((REAL,))
divided = Broadcast((REAL, POSITIVE))
positive = Broadcast((POSITIVE,))
few = Broadcast((FEW,))
truth = Broadcast((TRUTH,))
counts = Broadcast((COUNTS,))
alike_counts = Alike((COUNTS,))
shifted = Broadcast((COUNTS, Integers(0, 8)))
scaled = Broadcast((REAL, Uniform(-4.0, 4.0)))


@family(
    *("elemwise_add", "elemwise_sub", "elemwise_mul", "_grad_add", "_maximum", "_minimum", "_hypot"),
    category="elementwise",
    canonical=alike.canonical,
)
def elementwise(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors of one shape, with any numbers."""
    return alike.drawn(draw, brief)


@family("elemwise_div", "_scatter_elemwise_div", "_mod", category="elementwise", canonical=alike_divided.canonical)
def elementwise_division(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors of one shape; the divisor is positive."""
    return alike_divided.drawn(draw, brief)


@rule("_power", category="elementwise", canonical=alike_positive.canonical)
def elementwise_power(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors of one shape; positive, since a negative base has no real power and zero no finite gradient."""
    return alike_positive.drawn(draw, brief)


@family(
    *(f"_{name}" for name in (*ORDERS, "lesser", "lesser_equal")), category="comparison", canonical=alike_few.canonical
)
def elementwise_comparison(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors of one shape; few distinct numbers, so that some are equal."""
    return alike_few.drawn(draw, brief)


@family(*(f"_{name}" for name in LOGICAL), category="logical", canonical=alike_truth.canonical)
def elementwise_logic(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors of one shape, of zeros and ones."""
    return alike_truth.drawn(draw, brief)


@family(
    *(f"broadcast_{name}" for name in ("add", "sub", "mul", "maximum", "minimum", "hypot")),
    *(f"_npi_{name}" for name in ("add", "subtract", "multiply", "hypot", "arctan2", "copysign")),
    *(f"_npi_{name}" for name in ("fmax", "fmin", "logaddexp")),
    category="broadcast",
    canonical=anything.canonical,
)
def broadcast(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors that broadcast, with any numbers."""
    return anything.drawn(draw, brief)


@family(
    *("broadcast_div", "broadcast_mod", "_npi_true_divide", "_npi_mod", "_npi_fmod", "_npi_floor_divide"),
    category="broadcast",
    canonical=divided.canonical,
)
def broadcast_division(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors that broadcast; the divisor is positive."""
    return divided.drawn(draw, brief)


@family("broadcast_power", "_npi_power", category="broadcast", canonical=positive.canonical)
def broadcast_power(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors that broadcast; positive, as for the elementwise power."""
    return positive.drawn(draw, brief)


@rule("_npi_ldexp", category="broadcast", canonical=scaled.canonical)
def ldexp(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any numbers, and small exponents of two, which have a gradient too and need not be whole."""
    return scaled.drawn(draw, brief)


def _counts(brief: Brief) -> Alike | Broadcast:
    """Two tensors that broadcast, or of one shape in bool, which 1.x doesn't broadcast here."""
    return alike_counts if brief.dtype == "bool" else counts


def _counted(brief: Brief) -> Mapping[str, Inputs]:
    return _counts(brief).canonical(brief)


@family("_npi_lcm", "_npi_gcd", category="broadcast", canonical=_counted, dtype="int32")
def common_multiple_and_divisor(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Positive whole numbers that broadcast, small enough for their multiples to fit int32."""
    return _counts(brief).drawn(draw, brief)


@family(
    *(f"broadcast_{name}" for name in (*ORDERS, "lesser", "lesser_equal")),
    *(f"_npi_{name}" for name in (*ORDERS, "less", "less_equal")),
    category="comparison",
    canonical=few.canonical,
)
def broadcast_comparison(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors that broadcast; few distinct numbers, so that some are equal."""
    return few.drawn(draw, brief)


@family(
    *(f"{prefix}{name}" for prefix in ("broadcast_", "_npi_") for name in LOGICAL),
    category="logical",
    canonical=truth.canonical,
)
def broadcast_logic(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors that broadcast, of zeros and ones."""
    return truth.drawn(draw, brief)


@family(
    *(f"_npi_bitwise_{name}" for name in ("and", "or", "xor")),
    category="bitwise",
    canonical=_counted,
    dtype="int32",
)
def bitwise(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors of whole numbers that broadcast."""
    return _counts(brief).drawn(draw, brief)


@family(
    "_npi_bitwise_left_shift",
    "_npi_bitwise_right_shift",
    category="bitwise",
    canonical=shifted.canonical,
    dtype="int32",
)
def shift(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Two tensors of whole numbers that broadcast; the second says by how many bits, fewer than any dtype has."""
    return shifted.drawn(draw, brief)
