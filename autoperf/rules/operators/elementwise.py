"""Elementwise functions: the domains and inputs that all share, and the functions of one tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Integers, Literal_, Mask, Shape, Uniform
from autoperf.rules.arithmetic import LINEAR, NONLINEAR, nonlinear_except
from autoperf.rules.rule import Canonical, Draft, Inputs, InputSpec, rule
from autoperf.rules.table import ELEMENTWISE_SHAPES, Row, by_profile, named, sized, table
from autoperf.strategies import broadcast_pairs, shapes

unary_rule = partial(rule, category="unary")

PAIRS: Mapping[str, tuple[Shape, Shape]] = by_profile(
    ((32, 32), (32, 32)), ((256, 256), (1, 256)), ((1024, 1024), (1024, 1)), ((10_000, 1), (10_000, 10))
)
REAL = Uniform(-1.0, 1.0)
POSITIVE = Uniform(0.1, 2.0)
OPEN_UNIT = Uniform(-0.9, 0.9)
TRUTH = Mask()
FEW = Integers(0, 4)
"""Few distinct numbers, so that some are equal."""
COUNTS = Integers(1, 100)
SHIFTS = Integers(0, 8)
"""Fewer bits than any dtype has."""
EXPONENTS = Uniform(-4.0, 4.0)
"""Exponents of two."""

LOGICAL = ("logical_and", "logical_or", "logical_xor")
_ORDERS = ("equal", "not_equal", "greater", "greater_equal")
COMPARISONS = (*_ORDERS, "lesser", "lesser_equal")
NUMPY_COMPARISONS = (*_ORDERS, "less", "less_equal")


def in_both_namespaces(*names: str) -> tuple[str, ...]:
    """The names in nd, and in the NumPy namespace."""
    return (*names, *(f"_npi_{name}" for name in names))


def suited(content: AnyContent, dtype: str) -> AnyContent:
    """`content`, or whole numbers from 1 on where a range of fractions would collapse to zeros in an integer dtype."""
    if isinstance(content, Uniform) and not dtype.startswith(("float", "bfloat")):
        return Mask(1.0) if dtype == "bool" else Integers(1, 8)
    return content


def drafts(spec: InputSpec, *shapes_: Shape) -> dict[str, Draft]:
    """A draft for each tensor of the operator, by its name; the last shape repeats."""
    names = [argument.name for argument in spec.operator.tensors]
    return {name: Draft(shapes_[min(index, len(shapes_) - 1)]) for index, name in enumerate(names)}


@dataclass(frozen=True)
class InOrder:
    """The contents of the tensors in their order; the last one is of all that follow."""

    contents: tuple[AnyContent, ...]

    def stated(self, case: Case, /) -> Mapping[str, AnyContent]:
        """The contents of each tensor, in its dtype."""
        last = len(self.contents) - 1
        return {
            item.name: suited(self.contents[min(index, last)], item.tensor.dtype)
            for index, item in enumerate(case.arguments)
        }


@dataclass(frozen=True)
class SameShape(InOrder):
    """Tensors of one shape."""

    def inputs(self, spec: InputSpec, shape: Shape, params: Mapping[str, Value] | None = None) -> Inputs:
        """One call with tensors of this shape."""
        tensors: dict[str, Draft | tuple[Draft, ...]] = {**drafts(spec, shape)}
        return Inputs(tensors, dict(params or {}))

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The four profiles, without parameters."""
        return sized(self.inputs, ELEMENTWISE_SHAPES)(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /, params: Mapping[str, Value] | None = None) -> Inputs:
        """Any shape of one to four dimensions."""
        return self.inputs(spec, draw(shapes(1, 4, spec.elements)), params)

    def with_params(self, **params: Value) -> Canonical:
        """The four profiles, each with these parameters."""
        return sized(lambda spec, shape: self.inputs(spec, shape, params), ELEMENTWISE_SHAPES)


@dataclass(frozen=True)
class Broadcast(InOrder):
    """Two tensors that broadcast; with `except_bool` they have one shape in bool, which 1.x doesn't broadcast there."""

    except_bool: bool = False

    def inputs(self, spec: InputSpec, pair: tuple[Shape, Shape]) -> Inputs:
        """One call with tensors of these shapes."""
        return Inputs({**drafts(spec, *pair)})

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The four profiles: equal shapes, a row, a column, and a long column against a matrix."""
        if self.except_bool and spec.dtype == "bool":
            return SameShape(self.contents).canonical(spec)
        return sized(self.inputs, PAIRS)(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /) -> Inputs:
        """Every pattern of broadcasting; leading ones may be left out, as NumPy allows."""
        if self.except_bool and spec.dtype == "bool":
            return SameShape(self.contents).drawn(draw, spec)
        left, right = draw(broadcast_pairs(4, spec.elements))
        if draw(st.booleans()):
            right = without_leading_ones(right)
        return self.inputs(spec, (left, right))


@dataclass(frozen=True)
class WithScalar:
    """A tensor with contents of one domain, and numbers on [low, high]; `whole` where a fraction means nothing.

    `middle` is among the contents where a number above all of them leaves the result trivial.
    """

    content: AnyContent
    low: int = -4
    high: int = 4
    whole: bool = False
    middle: float | None = None

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The four profiles, with the number in the middle, or else the largest."""
        number = float(self.high)
        if self.middle is not None and ("float" in spec.dtype or self.middle.is_integer()):
            number = self.middle
        return self._data.with_params(**self._params(number, self.whole))(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /) -> Inputs:
        """Any shape; a whole number or a fraction of eighths, as the front end would pass it (`is_int`)."""
        is_int = self.whole or draw(st.booleans())
        steps = 1 if is_int else 8
        number = draw(st.integers(self.low * steps, self.high * steps)) / steps
        return self._data.drawn(draw, spec, self._params(number, is_int))

    def stated(self, case: Case, /) -> Mapping[str, AnyContent]:
        """The contents of the tensor, in its dtype."""
        return self._data.stated(case)

    @property
    def _data(self) -> SameShape:
        return SameShape((self.content,))

    @staticmethod
    def _params(number: float, is_int: bool) -> dict[str, Value]:
        return {"scalar": number, "is_int": is_int}


def without_leading_ones(shape: Shape) -> Shape:
    """The shape as NumPy's broadcasting reads it, of one dimension at least."""
    start = next((index for index, extent in enumerate(shape) if extent != 1), len(shape) - 1)
    return shape[start:]


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
    "trigonometric",
    trigonometric=Row(
        in_both_namespaces("sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "degrees", "radians"),
        ANY_NUMBERS,
        "Defined for every real number; kept within (-1, 1), away from the tangent's poles.",
        backward=nonlinear_except(*in_both_namespaces("degrees", "radians")),
    ),
    inverse_trigonometric=Row(
        in_both_namespaces("arcsin", "arccos", "arctanh"),
        WITHIN_ONE,
        "Within (-1, 1), away from the ends where the gradient is infinite.",
        backward=NONLINEAR,
    ),
    inverse_hyperbolic_cosine=Row(
        in_both_namespaces("arccosh"), ABOVE_ONE, "Above 1, where the gradient is infinite.", backward=NONLINEAR
    ),
    exponential=Row(
        in_both_namespaces("exp", "expm1"),
        ANY_NUMBERS,
        "Defined for every real number; small ones don't overflow, in float16 either.",
        category="exponential",
        backward=NONLINEAR,
    ),
    logarithm=Row(
        in_both_namespaces("log", "log10", "log1p", "log2"),
        POSITIVE_NUMBERS,
        "Positive.",
        category="exponential",
        backward=NONLINEAR,
    ),
    powers_and_roots=Row(
        (*in_both_namespaces("sqrt", "cbrt", "square", "reciprocal"), "rsqrt", "rcbrt"),
        POSITIVE_NUMBERS,
        "Positive: roots and reciprocals have no finite gradient at zero.",
        category="power",
        backward=NONLINEAR,
    ),
    rounding=Row(
        (*in_both_namespaces("rint", "fix", "floor", "ceil", "trunc"), "round", "_contrib_round_ste"),
        SPREAD_OUT,
        "Any real number; a range of several whole numbers, so that there is something to round.",
        category="rounding",
    ),
    sign_and_size=Row(
        ("abs", "_npi_absolute", "negative", "_npi_negative", "sign", "_npi_sign", "_contrib_sign_ste", "erf"),
        ANY_NUMBERS,
        "Any real number.",
        category="unary",
        backward=nonlinear_except(*in_both_namespaces("negative", "sign"), "_contrib_sign_ste"),
    ),
    inverse_error_function=Row(
        ("erfinv",),
        WITHIN_ONE,
        "Within (-1, 1), at whose ends the function is infinite.",
        category="unary",
        backward=NONLINEAR,
    ),
    gamma_functions=Row(
        ("gamma", "gammaln", "digamma"),
        POSITIVE_NUMBERS,
        "Positive: zero and the negative whole numbers are poles.",
        category="unary",
        backward=NONLINEAR,
    ),
    logical_not=Row(("logical_not", "_npi_logical_not"), ZEROS_AND_ONES, "Zeros and ones.", category="logical"),
    classification=Row(
        named("_npi_*", "isnan", "isinf", "isposinf", "isneginf", "isfinite"),
        DIFFERENT_SIZES,
        "Any numbers; finite ones of very different sizes.",
        category="logical",
    ),
    bitwise_not=Row(
        ("_npi_bitwise_not",), WHOLE_NUMBERS, "Whole numbers or booleans.", category="bitwise", dtype="int32"
    ),
)


@rule("_npi_around", category="rounding", canonical=SPREAD_OUT.with_params(decimals=0), contents=SPREAD_OUT.stated)
def around(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any real number, and how many decimals to keep."""
    return SPREAD_OUT.drawn(draw, spec, {"decimals": draw(st.integers(0, 4))})


@unary_rule(
    "clip", canonical=ANY_NUMBERS.with_params(a_min=-0.5, a_max=0.5), contents=ANY_NUMBERS.stated, backward=NONLINEAR
)
def clip(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers, and bounds with a_min <= a_max, inside or outside of the data's range."""
    low = draw(st.integers(-12, 8)) / 8
    return ANY_NUMBERS.drawn(draw, spec, {"a_min": low, "a_max": low + draw(st.integers(0, 12)) / 8})


@unary_rule(
    "_npi_nan_to_num", canonical=DIFFERENT_SIZES.with_params(), contents=DIFFERENT_SIZES.stated, backward=NONLINEAR
)
def nan_to_num(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers, and replacements for NaN and the infinities; None is the dtype's largest number."""
    replacement = st.sampled_from((None, 0.0, 1.0, 100.0))
    params: dict[str, Value] = {
        "copy": draw(st.booleans()),
        "nan": draw(st.sampled_from((0.0, 1.0))),
        "posinf": draw(replacement),
        "neginf": draw(replacement),
    }
    return DIFFERENT_SIZES.drawn(draw, spec, params)


@unary_rule(
    "_contrib_quadratic",
    canonical=ANY_NUMBERS.with_params(a=1.0, b=2.0, c=3.0),
    contents=ANY_NUMBERS.stated,
    backward=NONLINEAR,
)
def quadratic(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """a * x**2 + b * x + c with any coefficients, zeros among them."""
    coefficient = st.integers(-4, 4).map(float)
    return ANY_NUMBERS.drawn(draw, spec, {name: draw(coefficient) for name in ("a", "b", "c")})


@unary_rule(
    "_contrib_gradientmultiplier",
    canonical=ANY_NUMBERS.with_params(scalar=-0.5, is_int=False),
    contents=ANY_NUMBERS.stated,
    backward=LINEAR,
)
def gradient_multiplier(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers; the gradient is multiplied by `scalar`, negative to reverse it."""
    return ANY_NUMBERS.drawn(draw, spec, {"scalar": draw(st.integers(-8, 8)) / 4, "is_int": False})
