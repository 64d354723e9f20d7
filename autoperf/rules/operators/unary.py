"""Elementwise functions of one tensor, each within its domain so that values and gradients stay finite."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Integers, Literal_, Uniform
from autoperf.rules.derivatives import LINEAR, NONLINEAR, nonlinear_except
from autoperf.rules.elementwise import OPEN_UNIT, POSITIVE, REAL, TRUTH, SameShape, in_both_namespaces
from autoperf.rules.rule import Inputs, InputSpec, rule
from autoperf.rules.table import Row, named, table

ANY_NUMBERS = SameShape((REAL,))
POSITIVE_NUMBERS = SameShape((POSITIVE,))
WITHIN_ONE = SameShape((OPEN_UNIT,))
ABOVE_ONE = SameShape((Uniform(1.1, 4.0),))
ZEROS_AND_ONES = SameShape((TRUTH,))
SPREAD_OUT = SameShape((Uniform(-8.0, 8.0),))
WHOLE_NUMBERS = SameShape((Integers(-100, 100),))
DIFFERENT_SIZES = SameShape((Literal_((0.5, float(2**20), -1.5, 0.0, -float(2**20), 3.0)),))

RULES = table(
    __name__,
    trigonometric=Row(
        in_both_namespaces("sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "degrees", "radians"),
        ANY_NUMBERS,
        "trigonometric",
        "Defined for every real number; kept within (-1, 1), away from the tangent's poles.",
        backward=nonlinear_except(*in_both_namespaces("degrees", "radians")),
    ),
    inverse_trigonometric=Row(
        in_both_namespaces("arcsin", "arccos", "arctanh"),
        WITHIN_ONE,
        "trigonometric",
        "Within (-1, 1), away from the ends where the gradient is infinite.",
        backward=NONLINEAR,
    ),
    inverse_hyperbolic_cosine=Row(
        in_both_namespaces("arccosh"),
        ABOVE_ONE,
        "trigonometric",
        "Above 1, where the gradient is infinite.",
        backward=NONLINEAR,
    ),
    exponential=Row(
        in_both_namespaces("exp", "expm1"),
        ANY_NUMBERS,
        "exponential",
        "Defined for every real number; small ones don't overflow, in float16 either.",
        backward=NONLINEAR,
    ),
    logarithm=Row(
        in_both_namespaces("log", "log10", "log1p", "log2"),
        POSITIVE_NUMBERS,
        "exponential",
        "Positive.",
        backward=NONLINEAR,
    ),
    powers_and_roots=Row(
        (*in_both_namespaces("sqrt", "cbrt", "square", "reciprocal"), "rsqrt", "rcbrt"),
        POSITIVE_NUMBERS,
        "power",
        "Positive: roots and reciprocals have no finite gradient at zero.",
        backward=NONLINEAR,
    ),
    rounding=Row(
        (*in_both_namespaces("rint", "fix", "floor", "ceil", "trunc"), "round", "_contrib_round_ste"),
        SPREAD_OUT,
        "rounding",
        "Any real number; a range of several whole numbers, so that there is something to round.",
    ),
    sign_and_size=Row(
        ("abs", "_npi_absolute", "negative", "_npi_negative", "sign", "_npi_sign", "_contrib_sign_ste", "erf"),
        ANY_NUMBERS,
        "unary",
        "Any real number.",
        backward=nonlinear_except(*in_both_namespaces("negative", "sign"), "_contrib_sign_ste"),
    ),
    inverse_error_function=Row(
        ("erfinv",),
        WITHIN_ONE,
        "unary",
        "Within (-1, 1), at whose ends the function is infinite.",
        backward=NONLINEAR,
    ),
    gamma_functions=Row(
        ("gamma", "gammaln", "digamma"),
        POSITIVE_NUMBERS,
        "unary",
        "Positive: zero and the negative whole numbers are poles.",
        backward=NONLINEAR,
    ),
    logical_not=Row(("logical_not", "_npi_logical_not"), ZEROS_AND_ONES, "logical", "Zeros and ones."),
    classification=Row(
        named("_npi_*", "isnan", "isinf", "isposinf", "isneginf", "isfinite"),
        DIFFERENT_SIZES,
        "logical",
        "Any numbers; finite ones of very different sizes.",
    ),
    bitwise_not=Row(("_npi_bitwise_not",), WHOLE_NUMBERS, "bitwise", "Whole numbers or booleans.", dtype="int32"),
)


@rule("_npi_around", category="rounding", canonical=SPREAD_OUT.with_params(decimals=0))
def around(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any real number, and how many decimals to keep."""
    return SPREAD_OUT.drawn(draw, spec, {"decimals": draw(st.integers(0, 4))})


@rule("clip", category="unary", canonical=ANY_NUMBERS.with_params(a_min=-0.5, a_max=0.5), backward=NONLINEAR)
def clip(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers, and bounds with a_min <= a_max, inside or outside of the data's range."""
    low = draw(st.integers(-12, 8)) / 8
    return ANY_NUMBERS.drawn(draw, spec, {"a_min": low, "a_max": low + draw(st.integers(0, 12)) / 8})


@rule("_npi_nan_to_num", category="unary", canonical=DIFFERENT_SIZES.with_params(), backward=NONLINEAR)
def nan_to_num(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers, and what replaces NaN and the infinities; None is the dtype's largest number."""
    replacement = st.sampled_from((None, 0.0, 1.0, 100.0))
    params: dict[str, Value] = {
        "copy": draw(st.booleans()),
        "nan": draw(st.sampled_from((0.0, 1.0))),
        "posinf": draw(replacement),
        "neginf": draw(replacement),
    }
    return DIFFERENT_SIZES.drawn(draw, spec, params)


@rule(
    "_contrib_quadratic",
    category="unary",
    canonical=ANY_NUMBERS.with_params(a=1.0, b=2.0, c=3.0),
    backward=NONLINEAR,
)
def quadratic(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """a * x**2 + b * x + c with any coefficients, zeros among them."""
    coefficient = st.integers(-4, 4).map(float)
    return ANY_NUMBERS.drawn(draw, spec, {name: draw(coefficient) for name in ("a", "b", "c")})


@rule(
    "_contrib_gradientmultiplier",
    category="unary",
    canonical=ANY_NUMBERS.with_params(scalar=-0.5, is_int=False),
    backward=LINEAR,
)
def gradient_multiplier(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers; the gradient is multiplied by `scalar`, negative to reverse it."""
    return ANY_NUMBERS.drawn(draw, spec, {"scalar": draw(st.integers(-8, 8)) / 4, "is_int": False})
