"""A row of a table is a rule like any other; its tier, and the windows that rules draw."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import strategies as st

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.operator import Operator, Role, TensorArgument, TensorKind
from autoperf.core.tensors import Constant
from autoperf.rules.arithmetic import filters, images, windows
from autoperf.rules.catalog import catalog, catalog_of
from autoperf.rules.operators.elementwise import REAL, same_shape
from autoperf.rules.rule import Inputs, InputSpec, Tier, inputs, tensor
from autoperf.rules.table import Row, named, of_one, of_shape, of_size, sized, table, unpacked
from autoperf.strategies import divisors, extents
from autoperf.strategies.shapes import draw_block

SPEC = InputSpec(
    Operator("made_up", Role.FORWARD, "nd", tensors=(TensorArgument("x", TensorKind.SINGLE),)), elements=64
)
RULES = table(
    "autoperf.rules.operators.mine",
    "unary",
    halves=Row(("half", "_npi_half"), same_shape(REAL), "Any numbers.", dtype="float16", inferable=False),
    filled=Row(
        ("fill",), of_shape(of_one, {"common": (2, 3)}), "Any shape.", category="array", contents={"y": Constant(1.0)}
    ),
)


def test_a_row_says_what_its_rule_says() -> None:
    halves, filled = RULES
    assert (halves.names, halves.category, halves.dtype, halves.inferable) == (
        ("half", "_npi_half"),
        "unary",
        "float16",
        False,
    )
    assert filled.category == "array"
    assert (halves.source, filled.source) == ("rules/operators/mine.py:halves", "rules/operators/mine.py:filled")
    assert halves.draw.__doc__ == "Any numbers."
    assert catalog_of(RULES).named["_npi_half"] is halves


def test_the_canonical_and_the_drawn_inputs_of_a_row_are_made_alike() -> None:
    _, filled = RULES
    assert filled.canonical(SPEC) == {"common": inputs(x=tensor(2, 3))}
    drawn = draw_block(filled.strategy(SPEC), "seed", 8)
    assert len({str(call) for call in drawn}) > 1
    assert all(list(call.tensors) == ["x"] for call in drawn)


def test_a_size_may_have_several_parts_and_profiles_others_beside_them() -> None:
    def build(_spec: InputSpec, rows: int, columns: int) -> Inputs:
        return inputs(x=tensor(rows, columns))

    square = inputs(x=tensor(9, 9))
    assert sized(unpacked(build), {"common": (2, 3)}, {"square": square})(SPEC) == {
        "common": inputs(x=tensor(2, 3)),
        "square": square,
    }
    lengths = of_size(
        lambda _spec, length: inputs(x=tensor(length)), {"small": 4}, lambda spec: extents(1, spec.elements)
    )
    (rule,) = table("mine", "array", lengths=Row(("made_up",), lengths, "A vector."))
    assert rule.canonical(SPEC) == {"small": inputs(x=tensor(4))}
    assert all(1 <= call.tensors["x"].shape[0] <= 64 for call in draw_block(rule.strategy(SPEC), "seed", 8))  # type: ignore[union-attr]


def test_a_pattern_names_several_operators() -> None:
    assert named("_npi_*_scalar", "add", "power") == ("_npi_add_scalar", "_npi_power_scalar")


def test_no_two_rules_share_a_source_and_each_says_why() -> None:
    every = catalog()
    rules = {id(rule): rule for rule in (*every.named.values(), *every.inferred)}.values()
    sources = [rule.source for rule in rules]
    assert len(sources) == len(set(sources)) > 100
    assert not [rule.source for rule in rules if not rule.draw.__doc__]


@st.composite
def _layers(draw, elements):
    image = draw(images(elements))
    window = draw(windows(image.spatial))
    groups = draw(divisors(image.channels))
    pixels = image.batch * math.prod(window.places(image.spatial))
    return image, window, groups, pixels, draw(filters(image, window, groups, pixels, elements=elements))


@pytest.mark.parametrize("elements", [64, 4096, 2**18])
def test_a_window_stands_somewhere_and_always_meets_the_image(elements):
    for image, window, *_ in draw_block(_layers(elements), "windows", 64):
        assert min(window.places(image.spatial)) >= 1
        assert all(pad < size for pad, size in zip(window.pad, window.kernel, strict=True))


@pytest.mark.parametrize("elements", [4096, 2**18])
def test_images_weights_and_outputs_stay_within_the_budget(elements):
    for image, window, groups, pixels, count in draw_block(_layers(elements), "filters", 64):
        assert count % groups == 0
        assert math.prod(image.shape) <= elements
        assert count * image.channels // groups * window.taps <= elements
        assert pixels * count <= max(elements, pixels * groups)


def test_a_rule_for_one_operator_is_exact_and_one_for_several_is_of_a_family(either: Release) -> None:
    rules = [target.rule for target in targets(either.registry, either.catalog, Selection()) if target.rule]
    served = Counter(rule.source for rule in rules)
    tiers = {rule.source: either.tier(rule) for rule in rules if not rule.matches}
    assert set(tiers.values()) == {Tier.EXACT, Tier.FAMILY}
    assert {source: tier is Tier.EXACT for source, tier in tiers.items()} == {
        source: served[source] == 1 for source in tiers
    }


def test_names_of_one_operator_make_no_family(release: Release) -> None:
    names = {"both": ("sin", "cos"), "aliases": ("broadcast_add", "broadcast_plus"), "elsewhere": ("tan", "no_such")}
    rows = {key: Row(operators, same_shape(REAL), "Any.") for key, operators in names.items()}
    tiers = catalog_of(table("mine", "unary", **rows)).tiers(release.registry.forward)
    assert tiers == {"mine.py:both": Tier.FAMILY, "mine.py:aliases": Tier.EXACT, "mine.py:elsewhere": Tier.EXACT}
