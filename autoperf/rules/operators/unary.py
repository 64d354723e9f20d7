"""Elementwise functions of one tensor, each within its domain so that values and gradients stay finite."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Integers, Literal_, Uniform
from autoperf.rules.elementwise import OPEN_UNIT, POSITIVE, REAL, SHAPES, TRUTH, Alike, twins
from autoperf.rules.rule import Brief, Inputs, family, rule

real = Alike((REAL,))
positive = Alike((POSITIVE,))
open_unit = Alike((OPEN_UNIT,))
above_one = Alike((Uniform(1.1, 4.0),))
truth = Alike((TRUTH,))
spread = Alike((Uniform(-8.0, 8.0),))
whole = Alike((Integers(-100, 100),))
special = Alike((Literal_((0.5, float(2**20), -1.5, 0.0, -float(2**20), 3.0)),))


def with_params(alike: Alike, **params: Value) -> Callable[[Brief], Mapping[str, Inputs]]:
    """The four profiles, each with these parameters."""
    return lambda brief: {profile: alike.inputs(brief, shape, params) for profile, shape in SHAPES.items()}


@family(
    *twins("sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "degrees", "radians"),
    category="trigonometric",
    canonical=real.canonical,
)
def trigonometric(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Defined for every real number; kept within (-1, 1), away from the tangent's poles."""
    return real.drawn(draw, brief)


@family(*twins("arcsin", "arccos", "arctanh"), category="trigonometric", canonical=open_unit.canonical)
def inverse_trigonometric(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Within (-1, 1), away from the ends where the gradient is infinite."""
    return open_unit.drawn(draw, brief)


@family(*twins("arccosh"), category="trigonometric", canonical=above_one.canonical)
def inverse_hyperbolic_cosine(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Above 1, where the gradient is infinite."""
    return above_one.drawn(draw, brief)


@family(*twins("exp", "expm1"), category="exponential", canonical=real.canonical)
def exponential(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Defined for every real number; small ones don't overflow, in float16 either."""
    return real.drawn(draw, brief)


@family(*twins("log", "log10", "log1p", "log2"), category="exponential", canonical=positive.canonical)
def logarithm(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Positive."""
    return positive.drawn(draw, brief)


@family(
    *twins("sqrt", "cbrt", "square", "reciprocal"), "rsqrt", "rcbrt", category="power", canonical=positive.canonical
)
def powers_and_roots(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Positive: roots and reciprocals have no finite gradient at zero."""
    return positive.drawn(draw, brief)


@family(
    *twins("rint", "fix", "floor", "ceil", "trunc"),
    "round",
    "_contrib_round_ste",
    category="rounding",
    canonical=spread.canonical,
)
def rounding(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any real number; a range of several whole numbers, so that there is something to round."""
    return spread.drawn(draw, brief)


@rule("_npi_around", category="rounding", canonical=with_params(spread, decimals=0))
def around(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any real number, and how many decimals to keep."""
    return spread.drawn(draw, brief, {"decimals": draw(st.integers(0, 4))})


@family(
    *("abs", "_npi_absolute", "negative", "_npi_negative", "sign", "_npi_sign", "_contrib_sign_ste", "erf"),
    category="unary",
    canonical=real.canonical,
)
def sign_and_size(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any real number."""
    return real.drawn(draw, brief)


@rule("erfinv", category="unary", canonical=open_unit.canonical)
def inverse_error_function(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Within (-1, 1), at whose ends the function is infinite."""
    return open_unit.drawn(draw, brief)


@family("gamma", "gammaln", "digamma", category="unary", canonical=positive.canonical)
def gamma_functions(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Positive: zero and the negative whole numbers are poles."""
    return positive.drawn(draw, brief)


@family("logical_not", "_npi_logical_not", category="logical", canonical=truth.canonical)
def logical_not(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Zeros and ones."""
    return truth.drawn(draw, brief)


@family(
    *(f"_npi_{name}" for name in ("isnan", "isinf", "isposinf", "isneginf", "isfinite")),
    category="logical",
    canonical=special.canonical,
)
def classification(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any numbers; finite ones of very different sizes."""
    return special.drawn(draw, brief)


@rule("_npi_bitwise_not", category="bitwise", canonical=whole.canonical, dtype="int32")
def bitwise_not(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Whole numbers or booleans."""
    return whole.drawn(draw, brief)


@rule("clip", category="unary", canonical=with_params(real, a_min=-0.5, a_max=0.5))
def clip(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any numbers, and bounds with a_min <= a_max, inside or outside of the data's range."""
    low = draw(st.integers(-12, 8)) / 8
    return real.drawn(draw, brief, {"a_min": low, "a_max": low + draw(st.integers(0, 12)) / 8})


@rule("_npi_nan_to_num", category="unary", canonical=with_params(special))
def nan_to_num(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any numbers, and what replaces NaN and the infinities; None is the dtype's largest number."""
    replacement = st.sampled_from((None, 0.0, 1.0, 100.0))
    params: dict[str, Value] = {
        "copy": draw(st.booleans()),
        "nan": draw(st.sampled_from((0.0, 1.0))),
        "posinf": draw(replacement),
        "neginf": draw(replacement),
    }
    return special.drawn(draw, brief, params)


@rule("_contrib_quadratic", category="unary", canonical=with_params(real, a=1.0, b=2.0, c=3.0))
def quadratic(draw: st.DrawFn, brief: Brief) -> Inputs:
    """a * x**2 + b * x + c with any coefficients, zeros among them."""
    coefficient = st.integers(-4, 4).map(float)
    return real.drawn(draw, brief, {name: draw(coefficient) for name in ("a", "b", "c")})


@rule("_contrib_gradientmultiplier", category="unary", canonical=with_params(real, scalar=-0.5, is_int=False))
def gradient_multiplier(draw: st.DrawFn, brief: Brief) -> Inputs:
    """Any numbers; the gradient is multiplied by `scalar`, negative to reverse it."""
    return real.drawn(draw, brief, {"scalar": draw(st.integers(-8, 8)) / 4, "is_int": False})
