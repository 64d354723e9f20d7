"""Inferred rules match only where the signature tells all that is to know."""

from __future__ import annotations

import pytest

from autoperf.core.operator import Form, Operator, Parameter, ParameterType, Role, TensorArgument, TensorKind
from autoperf.rules.catalog import Catalog, catalog
from autoperf.rules.rule import Exclusion, InputSpec, Rule

SINGLE, VARIADIC = TensorKind.SINGLE, TensorKind.VARIADIC


def parameter(name: str, form: Form, required: bool = False) -> Parameter:
    return Parameter(name, ParameterType(form, form.value), required, None if required else "0")


def operator(
    *tensors: str, kind: TensorKind = SINGLE, parameters: tuple[Parameter, ...] = (), count: str = ""
) -> Operator:
    return Operator(
        "made_up",
        Role.FORWARD,
        "nd",
        tensors=tuple(TensorArgument(name, kind) for name in tensors),
        parameters=parameters,
        variadic_count=count,
    )


@pytest.fixture(scope="module")
def rules() -> Catalog:
    return catalog()


REDUCING = (parameter("axis", Form.SHAPE), parameter("keepdims", Form.BOOLEAN))
COUNT = (parameter("num_args", Form.INTEGER, required=True),)


@pytest.mark.parametrize(
    ("signature", "source"),
    [
        (operator("data"), "same_shape"),
        (operator("lhs", "rhs"), "same_shape"),
        (operator("data", parameters=REDUCING), "reduction"),
        (operator("data", kind=VARIADIC, parameters=COUNT, count="num_args"), "list_of_same_shape"),
        (operator("data", parameters=(parameter("flag", Form.BOOLEAN, required=True),)), "plainest_parameters"),
    ],
)
def test_a_telling_signature_finds_its_rule(rules: Catalog, signature: Operator, source: str) -> None:
    rule = rules.find(signature)
    assert isinstance(rule, Rule)
    assert rule.source == f"rules/operators/fallback.py:{source}"


@pytest.mark.parametrize(
    "signature",
    [
        operator(),
        operator("data", "indices"),
        operator("A"),
        operator("data", parameters=(parameter("info", Form.POINTER, required=True),)),
        operator("data", parameters=(parameter("shape", Form.SHAPE, required=True),)),
        operator("data", kind=VARIADIC),
    ],
    ids=["no tensor", "indices", "matrix", "pointer", "required shape", "uncounted list"],
)
def test_a_signature_that_does_not_tell_finds_none(rules: Catalog, signature: Operator) -> None:
    assert rules.find(signature) is None


def test_an_inferred_list_has_several_tensors_of_one_shape(rules: Catalog) -> None:
    signature = operator("args", kind=VARIADIC, count="num_args")
    rule = rules.find(signature)
    assert isinstance(rule, Rule)
    for call in rule.canonical(InputSpec(signature)).values():
        members = call.tensors["args"]
        assert isinstance(members, tuple)
        assert len({member.shape for member in members}) == 1 < len(members)


def test_no_operator_has_both_a_rule_and_an_exclusion(rules: Catalog) -> None:
    always = {name for name, item in rules.excluded.items() if not item.since}
    assert not set(rules.named) & always
    assert all(isinstance(item, Exclusion) and item.evidence for item in rules.excluded.values())


def test_an_exclusion_begins_with_its_release(rules: Catalog) -> None:
    begun = {name for name, item in rules.excluded.items() if item.since}
    assert begun
    before, after = rules.for_release("1.9.1"), rules.for_release("2.0.0b1")
    assert begun <= set(before.named)
    assert not begun & set(before.excluded)
    assert not begun & set(after.named)
    assert begun <= set(after.excluded)
