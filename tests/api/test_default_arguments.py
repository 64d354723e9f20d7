"""The default arguments of an operator's class are valid, and are written as a caller writes them."""

from __future__ import annotations

import pytest

from autoperf.api.arguments import CallOptions, handwritten_call
from autoperf.api.default_arguments import default_arguments
from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.shorthand import parse_tensors
from autoperf.cases.tensor_text import tensors_text
from autoperf.core.operator import Operator
from autoperf.pipeline.release import Release
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import InputSpec, Rule


def rules(release: Release) -> list[tuple[Operator, Rule]]:
    entries = ((operator, release.catalog.find(operator)) for operator in release.registry.forward)
    return [(operator, rule) for operator, rule in entries if isinstance(rule, Rule)]


def arguments(release: Release, name: str) -> dict[str, object]:
    operator = Names(release.registry, FRONT_END).resolve(name).operator
    rule = release.catalog.find(operator)
    assert isinstance(rule, Rule)
    return default_arguments(operator, rule)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nd.add", {"lhs": (1024, 1024), "rhs": (1024, 1024)}),
        ("batch_dot", {"lhs": (16, 64, 64), "rhs": (16, 64, 64)}),
        ("take", {"a": (1000, 64), "indices": "1024:int32:integers(0, 1000)"}),
        ("log", {"data": "1024x1024:uniform(0.1, 2.0)"}),
        ("Concat", {"data": [(256, 256), (256, 256)], "dim": 1}),
        ("NDArray_iadd", {"x": (1024, 1024), "y": "1024x1024:constant(0.0)"}),
        ("_foreach", {}),
    ],
)
def test_arguments_are_those_of_the_common_inputs(release: Release, name: str, expected: dict[str, object]) -> None:
    assert arguments(release, name) == expected


def test_the_default_arguments_of_every_operator_are_accepted(release: Release) -> None:
    names = Names(release.registry, FRONT_END)
    for operator, rule in rules(release):
        given = default_arguments(operator, rule)
        # Operators without a public name have no class.
        if given and any(not name.startswith("_") for name in operator.names):
            call = handwritten_call(names, operator.name, {**given, "initializer": "normal"}, CallOptions())
            assert deduced(call, Subject(operator, rule, release.client)).cases, operator.name


def test_the_tensors_of_every_rule_are_read_from_their_text(release: Release) -> None:
    for operator, rule in rules(release):
        for call in rule.canonical(InputSpec(operator, rule.dtype)).values():
            for tensors in call.tensors.values():
                assert parse_tensors(tensors_text(tensors)) == tensors
