"""Elementwise operators of one tensor, of two tensors of one shape, of two that broadcast, and of a tensor and a number."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from autoperf.core.tensors import AnyContent, Integers, Mask, Uniform
from autoperf.rules.rule import PROFILES, Brief, Draft, Inputs, Rule, family, inputs
from autoperf.strategies import broadcast_pairs, shapes

SHAPES = dict(zip(PROFILES, ((32, 32), (256, 256), (1024, 1024), (10_000, 1)), strict=True))
PAIRS = dict(
    zip(
        PROFILES,
        (((32, 32), (32, 32)), ((256, 256), (1, 256)), ((1024, 1024), (1024, 1)), ((10_000, 1), (10_000, 100))),
        strict=True,
    )
)
POSITIVE = Uniform(0.1, 2.0)
UNIT = Uniform(-0.9, 0.9)


def tensor_names(brief: Brief) -> list[str]:
    """What the operator calls its tensors: data, x, (lhs, rhs), (x1, x2), ..."""
    return [argument.name for argument in brief.operator.tensors]


def same_shape(*names: str, category: str, content: AnyContent | None = None, dtype: str = "float32") -> Rule:
    """The rule of operators whose tensors all have one shape and contents of one domain."""

    def build(brief: Brief, shape: tuple[int, ...]) -> Inputs:
        return inputs(**{name: Draft(shape, content=content) for name in tensor_names(brief)})

    def canonical(brief: Brief) -> Mapping[str, Inputs]:
        return {profile: build(brief, shape) for profile, shape in SHAPES.items()}

    @family(*names, category=category, canonical=canonical, dtype=dtype)
    def elementwise(draw: st.DrawFn, brief: Brief) -> Inputs:
        return build(brief, draw(shapes(1, 4, brief.elements)))

    return elementwise


def broadcasting(*names: str, category: str, content: AnyContent | None = None, dtype: str = "float32") -> Rule:
    """The rule of binary operators that broadcast; the result stays within the element budget."""

    def build(brief: Brief, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> Inputs:
        left, right = tensor_names(brief)
        return inputs(**{left: Draft(pair[0], content=content), right: Draft(pair[1], content=content)})

    def canonical(brief: Brief) -> Mapping[str, Inputs]:
        return {profile: build(brief, pair) for profile, pair in PAIRS.items()}

    @family(*names, category=category, canonical=canonical, dtype=dtype)
    def broadcast(draw: st.DrawFn, brief: Brief) -> Inputs:
        return build(brief, draw(broadcast_pairs(4, brief.elements)))

    return broadcast


trigonometric = same_shape(
    *("sin", "cos", "sinh", "cosh", "tanh", "arctan", "arcsinh", "degrees", "radians"),
    *("_npi_sin", "_npi_cos", "_npi_sinh", "_npi_cosh", "_npi_tanh", "_npi_arctan", "_npi_arcsinh"),
    *("_npi_degrees", "_npi_radians", "tan", "_npi_tan"),
    category="trigonometric",
)
inverse_trigonometric = same_shape(
    *("arcsin", "arccos", "arctanh", "_npi_arcsin", "_npi_arccos", "_npi_arctanh"),
    category="trigonometric",
    content=UNIT,
)
inverse_cosine = same_shape("arccosh", "_npi_arccosh", category="trigonometric", content=Uniform(1.1, 4.0))
broadcast_arithmetic = broadcasting(
    *("broadcast_add", "broadcast_sub", "broadcast_mul", "broadcast_hypot", "broadcast_maximum", "broadcast_minimum"),
    *("_npi_add", "_npi_subtract", "_npi_multiply"),
    category="broadcast",
)
broadcast_positive = broadcasting(
    *("broadcast_div", "broadcast_mod", "broadcast_power", "_npi_true_divide", "_npi_mod", "_npi_power"),
    category="broadcast",
    content=POSITIVE,
)
broadcast_comparison = broadcasting(
    *(f"broadcast_{name}" for name in ("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal")),
    *(f"_npi_{name}" for name in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")),
    category="comparison",
)
broadcast_logical = broadcasting(
    *("broadcast_logical_and", "broadcast_logical_or", "broadcast_logical_xor"), category="logical", content=Mask()
)
bitwise = broadcasting(
    *("_npi_bitwise_and", "_npi_bitwise_or", "_npi_bitwise_xor", "_npi_lcm"),
    category="bitwise",
    content=Integers(1, 100),
    dtype="int32",
)
