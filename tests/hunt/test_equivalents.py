"""Equivalent operators, and the calls that make them do the same."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.core.operator import Operator, Value
from autoperf.hunt.neighbours import equivalents_of
from autoperf.hunt.point import PointFactory
from autoperf.rules.categories import RELATED
from autoperf.rules.rule import Draft, Inputs, Rule
from tests.hunt.hunt_values import factory_of, point


def _equivalents(release: Release, name: str, without: tuple[str, ...] = ()) -> dict[str, str]:
    """The words of an operator's equivalents."""
    known = {one: operator for operator in release.registry.operators for one in operator.names}

    def make(operator: Operator) -> PointFactory | None:
        covered = isinstance(release.catalog.find(operator), Rule) and operator.name not in without
        return factory_of(release, operator.name) if covered else None

    return {
        equivalent.factory.operator.name: equivalent.words
        for equivalent in equivalents_of(known[name], release.registry.operators, make)
    }


@pytest.mark.parametrize(
    ("operator", "equivalents"),
    [
        ("argmax", {"max": "max", "topk": "topk(k=1)", "_npi_argmax": "_npi_argmax"}),
        ("softmax", {"log_softmax": "log_softmax"}),
        ("mean", {"_npi_mean": "_npi_mean", "sum": "sum"}),
        ("clip", {"relu": "relu"}),
        ("square", {"negative": "negative"}),
        ("_npi_mean", {"mean": "mean"}),
        ("SwapAxis", {"transpose": "transpose"}),
    ],
)
def test_who_computes_alike(release: Release, operator: str, equivalents: dict[str, str]) -> None:
    found = _equivalents(release, operator)
    assert equivalents.items() <= found.items()
    assert operator not in found
    assert not any("_backward" in name for name in found)


def test_draws_from_a_distribution_are_no_function_of_its_name(release: Release) -> None:
    assert "_npi_gamma" not in _equivalents(release, "gamma")
    assert "gamma" not in _equivalents(release, "_npi_gamma")


def test_an_operator_without_a_rule_is_no_kin(release: Release) -> None:
    assert "topk" not in _equivalents(release, "argmax", without=("topk",))


def test_kin_takes_the_same_tensors_and_the_parameters_that_both_have(release: Release) -> None:
    slow = point(release, "argmax", Inputs({"data": Draft((4, 6))}, {"axis": 1, "keepdims": True}))
    known = {one.name: one for one in release.registry.operators}

    def maker_of(operator: Operator) -> PointFactory | None:
        return factory_of(release, operator.name) if operator.name in {"topk", "max"} else None

    equivalents = {one.factory.operator.name: one for one in equivalents_of(known["argmax"], known.values(), maker_of)}
    topk, largest = equivalents["topk"].applied_to(slow), equivalents["max"].applied_to(slow)
    assert topk
    assert largest
    assert topk.case.params == {"axis": 1, "k": 1}
    assert largest.case.params == {"axis": 1, "keepdims": True}
    assert {one.tensor.shape for one in (*topk.case.inputs, *largest.case.inputs)} == {(4, 6)}


@pytest.mark.parametrize(
    ("params", "applies"), [({}, True), ({"k": 1}, True), ({"k": 2}, False), ({"ret_typ": "value"}, False)]
)
def test_kin_that_asks_for_as_much_only_with_some_parameters(
    release: Release, params: dict[str, Value], applies: bool
) -> None:
    slow = point(release, "topk", Inputs({"data": Draft((4, 6))}, {"axis": 1, **params}))
    known = {one.name: one for one in release.registry.operators}
    (largest,) = equivalents_of(known["topk"], [known["argmax"]], lambda operator: factory_of(release, operator.name))
    assert (largest.applied_to(slow) is not None) is applies


@pytest.mark.parametrize(
    ("operator", "kin", "params"),
    [
        ("argmax", "topk", {"axis": None, "k": 1}),
        ("argmin", "topk", {"axis": None, "k": 1, "is_ascend": True}),
        ("topk", "argmax", {"axis": -1}),
        ("topk", "sort", {"is_ascend": False}),
    ],
)
def test_kin_of_other_defaults_gets_those_of_the_operator(
    release: Release, operator: str, kin: str, params: dict[str, Value]
) -> None:
    slow = point(release, operator, Inputs({"data": Draft((4, 6))}, {}))
    known = {one.name: one for one in release.registry.operators}
    (other,) = equivalents_of(known[operator], [known[kin]], lambda operator: factory_of(release, operator.name))
    applied = other.applied_to(slow)
    assert applied
    assert applied.case.params == params


def test_operators_compared_have_equal_defaults_or_are_given_them(either: Release) -> None:
    operators = {name: one for one in either.registry.operators for name in one.names}
    for name, others in RELATED.items():
        for related in others:
            first, other = operators.get(name), operators.get(related.name)
            if not first or not other:
                continue
            differing = {
                parameter.name
                for parameter in first.parameters
                if (shared := other.parameter(parameter.name)) and shared.default != parameter.default
            }
            assert differing <= {*related.defaults, *related.params}, (name, related.name)


def test_what_kin_does_not_take_is_none(release: Release) -> None:
    two = point(release, "broadcast_add", Inputs({"lhs": Draft((2, 3)), "rhs": Draft((2, 3))}, {}))
    known = {one.name: one for one in release.registry.operators}
    (equivalents,) = equivalents_of(
        known["softmax"], [known["log_softmax"]], lambda operator: factory_of(release, operator.name)
    )
    assert equivalents.applied_to(two) is None
