"""Elementwise functions of one and of two tensors, and the domains and inputs that they share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import chain, repeat

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Integers, Literal_, Mask, Shape, Uniform
from autoperf.rules.arithmetic import LINEAR, NONLINEAR, nonlinear_except, of_operands
from autoperf.rules.rule import Contents, Draft, Inputs, InputSpec, rule
from autoperf.rules.table import (
    ELEMENTWISE_SHAPES,
    Row,
    SampleInputs,
    at_shapes,
    by_profile,
    named,
    of_shape,
    sized,
    table,
)
from autoperf.strategies import broadcast_pairs, shapes

unary_rule = partial(rule, category="unary")

PAIRS: Mapping[str, tuple[Shape, Shape]] = by_profile(
    ((32, 32), (32, 32)), ((256, 256), (1, 256)), ((1024, 1024), (1024, 1)), ((10_000, 1), (10_000, 10))
)
REAL = Uniform(-1.0, 1.0)
POSITIVE = Uniform(0.1, 2.0)
OPEN_UNIT = Uniform(-0.9, 0.9)
SPREAD_OUT = Uniform(-8.0, 8.0)
DIFFERENT_SIZES = Literal_((0.5, float(2**20), -1.5, 0.0, -float(2**20), 3.0))
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


def in_order(*contents: AnyContent) -> Contents:
    """The contents of the tensors in their order, each in its tensor's dtype; the last one is of all that follow."""

    def stated(case: Case) -> Mapping[str, AnyContent]:
        pairs = zip(case.arguments, chain(contents, repeat(contents[-1])), strict=False)
        return {item.name: suited(content, item.tensor.dtype) for item, content in pairs}

    return stated


def alike(spec: InputSpec, shape: Shape, /, **params: Value) -> Inputs:
    """The call with all tensors of this shape, and these parameters."""
    return Inputs({**drafts(spec, shape)}, params)


def drawn_alike(draw: st.DrawFn, spec: InputSpec, /, **params: Value) -> Inputs:
    """The call with all tensors of any shape of one to four dimensions, and these parameters."""
    return alike(spec, draw(shapes(1, 4, spec.elements)), **params)


def same_shape(*contents: AnyContent) -> SampleInputs:
    """Tensors of one shape, with these contents in order."""
    return of_shape(alike, ELEMENTWISE_SHAPES, contents=in_order(*contents))


def broadcasting(*contents: AnyContent, except_bool: bool = False) -> SampleInputs:
    """Two tensors that broadcast; with `except_bool` they have one shape in bool, which 1.x doesn't broadcast there.

    Canonical are equal shapes, a row, a column, and a long column against a matrix. Every pattern is drawn; leading
    ones may be left out, as NumPy allows.
    """
    equal = same_shape(*contents)

    def build(spec: InputSpec, pair: tuple[Shape, Shape]) -> Inputs:
        return Inputs({**drafts(spec, *pair)})

    def canonical(spec: InputSpec) -> Mapping[str, Inputs]:
        return (equal.canonical if except_bool and spec.dtype == "bool" else sized(build, PAIRS))(spec)

    def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        if except_bool and spec.dtype == "bool":
            return equal.drawn(draw, spec)
        left, right = draw(broadcast_pairs(4, spec.elements))
        if draw(st.booleans()):
            # As NumPy's broadcasting reads it, of one dimension at least.
            right = right[next((axis for axis, extent in enumerate(right) if extent != 1), len(right) - 1) :]
        return build(spec, (left, right))

    return SampleInputs(canonical, drawn, equal.contents)


def with_scalar(
    content: AnyContent, low: int = -4, high: int = 4, *, whole: bool = False, middle: float | None = None
) -> SampleInputs:
    """A tensor with contents of one domain, and numbers on [low, high]; `whole` where a fraction means nothing.

    The canonical number is the largest, or `middle`, where a number above all contents leaves the result trivial. Drawn
    ones are whole or fractions of eighths, as the front end would pass them (`is_int`).
    """

    def canonical(spec: InputSpec) -> Mapping[str, Inputs]:
        fits = middle is not None and ("float" in spec.dtype or middle.is_integer())
        return sized(partial(alike, scalar=middle if fits else float(high), is_int=whole), ELEMENTWISE_SHAPES)(spec)

    def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        is_int = whole or draw(st.booleans())
        steps = 1 if is_int else 8
        return drawn_alike(draw, spec, scalar=draw(st.integers(low * steps, high * steps)) / steps, is_int=is_int)

    return SampleInputs(canonical, drawn, in_order(content))


nonlinear_row = partial(Row, backward=NONLINEAR)
operands_row = partial(Row, backward=of_operands())
RULES = table(
    __name__,
    "trigonometric",
    trigonometric=Row(
        in_both_namespaces("sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "degrees", "radians"),
        same_shape(REAL),
        "Defined for every real number; kept within (-1, 1), away from the tangent's poles.",
        backward=nonlinear_except(*in_both_namespaces("degrees", "radians")),
    ),
    inverse_trigonometric=nonlinear_row(
        in_both_namespaces("arcsin", "arccos", "arctanh"),
        same_shape(OPEN_UNIT),
        "Within (-1, 1), away from the ends where the gradient is infinite.",
    ),
    inverse_hyperbolic_cosine=nonlinear_row(
        in_both_namespaces("arccosh"), same_shape(Uniform(1.1, 4.0)), "Above 1, where the gradient is infinite."
    ),
    exponential=nonlinear_row(
        in_both_namespaces("exp", "expm1"),
        same_shape(REAL),
        "Defined for every real number; small ones don't overflow, in float16 either.",
        category="exponential",
    ),
    logarithm=nonlinear_row(
        in_both_namespaces("log", "log10", "log1p", "log2"), same_shape(POSITIVE), "Positive.", category="exponential"
    ),
    powers_and_roots=nonlinear_row(
        (*in_both_namespaces("sqrt", "cbrt", "square", "reciprocal"), "rsqrt", "rcbrt"),
        same_shape(POSITIVE),
        "Positive: roots and reciprocals have no finite gradient at zero.",
        category="power",
    ),
    rounding=Row(
        (*in_both_namespaces("rint", "fix", "floor", "ceil", "trunc"), "round", "_contrib_round_ste"),
        same_shape(SPREAD_OUT),
        "Any real number; a range of several whole numbers, so that there is something to round.",
        category="rounding",
    ),
    sign_and_size=Row(
        ("abs", "_npi_absolute", "negative", "_npi_negative", "sign", "_npi_sign", "_contrib_sign_ste", "erf"),
        same_shape(REAL),
        "Any real number.",
        category="unary",
        backward=nonlinear_except(*in_both_namespaces("negative", "sign"), "_contrib_sign_ste"),
    ),
    inverse_error_function=nonlinear_row(
        ("erfinv",), same_shape(OPEN_UNIT), "Within (-1, 1), at whose ends the function is infinite.", category="unary"
    ),
    gamma_functions=nonlinear_row(
        ("gamma", "gammaln", "digamma"),
        same_shape(POSITIVE),
        "Positive: zero and the negative whole numbers are poles.",
        category="unary",
    ),
    logical_not=Row(("logical_not", "_npi_logical_not"), same_shape(TRUTH), "Zeros and ones.", category="logical"),
    classification=Row(
        named("_npi_*", "isnan", "isinf", "isposinf", "isneginf", "isfinite"),
        same_shape(DIFFERENT_SIZES),
        "Any numbers; finite ones of very different sizes.",
        category="logical",
    ),
    bitwise_not=Row(
        ("_npi_bitwise_not",),
        same_shape(Integers(-100, 100)),
        "Whole numbers or booleans.",
        category="bitwise",
        dtype="int32",
    ),
)


@rule(
    "_npi_around",
    category="rounding",
    canonical=at_shapes(ELEMENTWISE_SHAPES, decimals=0),
    contents=in_order(SPREAD_OUT),
)
def around(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any real number, and how many decimals to keep."""
    return drawn_alike(draw, spec, decimals=draw(st.integers(0, 4)))


@unary_rule(
    "clip", canonical=at_shapes(ELEMENTWISE_SHAPES, a_min=-0.5, a_max=0.5), contents=in_order(REAL), backward=NONLINEAR
)
def clip(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers, and bounds with a_min <= a_max, inside or outside of the data's range."""
    low = draw(st.integers(-12, 8)) / 8
    return drawn_alike(draw, spec, a_min=low, a_max=low + draw(st.integers(0, 12)) / 8)


@unary_rule(
    "_npi_nan_to_num", canonical=at_shapes(ELEMENTWISE_SHAPES), contents=in_order(DIFFERENT_SIZES), backward=NONLINEAR
)
def nan_to_num(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers, and replacements for NaN and the infinities; None is the dtype's largest number."""
    replacement = st.sampled_from((None, 0.0, 1.0, 100.0))
    return drawn_alike(
        draw,
        spec,
        copy=draw(st.booleans()),
        nan=draw(st.sampled_from((0.0, 1.0))),
        posinf=draw(replacement),
        neginf=draw(replacement),
    )


@unary_rule(
    "_contrib_quadratic",
    canonical=at_shapes(ELEMENTWISE_SHAPES, a=1.0, b=2.0, c=3.0),
    contents=in_order(REAL),
    backward=NONLINEAR,
)
def quadratic(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """a * x**2 + b * x + c with any coefficients, zeros among them."""
    coefficient = st.integers(-4, 4).map(float)
    return drawn_alike(draw, spec, **{name: draw(coefficient) for name in ("a", "b", "c")})


@unary_rule(
    "_contrib_gradientmultiplier",
    canonical=at_shapes(ELEMENTWISE_SHAPES, scalar=-0.5, is_int=False),
    contents=in_order(REAL),
    backward=LINEAR,
)
def gradient_multiplier(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any numbers; the gradient is multiplied by `scalar`, negative to reverse it."""
    return drawn_alike(draw, spec, scalar=draw(st.integers(-8, 8)) / 4, is_int=False)


bitwise_row = partial(Row, category="bitwise", dtype="int32")
BINARY_RULES = table(
    __name__,
    "broadcast",
    elementwise=Row(
        ("elemwise_add", "elemwise_sub", "elemwise_mul", "_grad_add", "_maximum", "_minimum", "_hypot"),
        same_shape(REAL),
        "Two tensors of one shape, with any numbers.",
        category="elementwise",
        backward=of_operands("elemwise_add", "elemwise_sub", "_grad_add"),
    ),
    elementwise_division=operands_row(
        ("elemwise_div", "_scatter_elemwise_div", "_mod"),
        same_shape(REAL, POSITIVE),
        "Two tensors of one shape; the divisor is positive.",
        category="elementwise",
    ),
    elementwise_power=operands_row(
        ("_power",),
        same_shape(POSITIVE),
        "Positive, since a negative base has no real power and zero no finite gradient.",
        category="elementwise",
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
    broadcast_division=operands_row(
        (*named("broadcast_*", "div", "mod"), *named("_npi_*", "true_divide", "mod", "fmod", "floor_divide")),
        broadcasting(REAL, POSITIVE),
        "Two tensors that broadcast; the divisor is positive.",
    ),
    broadcast_power=operands_row(
        ("broadcast_power", "_npi_power"),
        broadcasting(POSITIVE),
        "Two tensors that broadcast; positive, as for the elementwise power.",
    ),
    ldexp=operands_row(
        ("_npi_ldexp",),
        broadcasting(REAL, EXPONENTS),
        "Any numbers, and small exponents of two, which have a gradient too and need not be whole.",
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
    extremes=nonlinear_row(
        (*named("_*_scalar", "maximum", "minimum"), *named("_npi_*_scalar", "maximum", "minimum", "fmax", "fmin")),
        with_scalar(REAL, middle=0.25),
        "Any numbers, some of them larger than the other number.",
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
    number_divided=nonlinear_row(
        (
            *named("_*_scalar", "rdiv", "rmod", "power"),
            *named("_npi_*_scalar", "rtrue_divide", "rmod", "power", "rfmod", "rfloor_divide"),
        ),
        with_scalar(POSITIVE),
        "A positive tensor, which divides or is the base of a power, and any number.",
    ),
    number_to_power=nonlinear_row(
        ("_rpower_scalar", "_npi_rpower_scalar"),
        with_scalar(POSITIVE, 1),
        "A positive number to the power of each element.",
    ),
    scalar_ldexp=Row(
        ("_npi_ldexp_scalar",),
        with_scalar(REAL, whole=True),
        "Any tensor, and a small whole exponent of two.",
        backward=LINEAR,
    ),
    number_ldexp=nonlinear_row(
        ("_npi_rldexp_scalar",),
        with_scalar(EXPONENTS),
        "Small exponents of two, which need not be whole, and any number.",
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
