"""A row of a table is a rule like any other."""

from __future__ import annotations

from autoperf.core.operator import Operator, Role, TensorArgument, TensorKind
from autoperf.core.tensors import Constant
from autoperf.rules.catalog import catalog, catalog_of
from autoperf.rules.operators.elementwise import REAL, SameShape
from autoperf.rules.rule import Inputs, InputSpec, inputs, tensor
from autoperf.rules.table import Row, Sized, named, of_one, of_shape, sized, table, unpacked
from autoperf.strategies import draw_block, extents

SPEC = InputSpec(
    Operator("made_up", Role.FORWARD, "nd", tensors=(TensorArgument("x", TensorKind.SINGLE),)), elements=64
)
RULES = table(
    "autoperf.rules.operators.mine",
    "unary",
    halves=Row(("half", "_npi_half"), SameShape((REAL,)), "Any numbers.", dtype="float16", inferable=False),
    filled=Row(
        ("fill",), of_shape(of_one, {"common": (2, 3)}), "Any shape.", category="array", fill={"y": Constant(1.0)}
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
    assert (halves.draw.__doc__, filled.fill) == ("Any numbers.", {"y": Constant(1.0)})
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
    lengths: Sized[int] = Sized(
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
