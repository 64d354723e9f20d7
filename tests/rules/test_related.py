"""The operators that rules call alike exist, differ, have rules, and have the parameters that they are given."""

from __future__ import annotations

import pytest

from autoperf.core.operator import Operator
from autoperf.pipeline.release import Release
from autoperf.rules.related import RELATED
from autoperf.rules.rule import Rule

# Names of other releases: what one doesn't register is no relation there.
ELSEWHERE = {"1.9.1": {"_npi_min", "_npi_max", "_npi_sum"}, "2.0.0b1": {"_np_max", "_np_min", "_np_sum"}}


@pytest.fixture(params=["release", "next_release"])
def either(request: pytest.FixtureRequest) -> Release:
    opened: Release = request.getfixturevalue(request.param)
    return opened


def test_relations_are_operators_with_rules(either: Release) -> None:
    known: dict[str, Operator] = {name: operator for operator in either.registry.operators for name in operator.names}
    named = {*RELATED, *(other.name for related in RELATED.values() for other in related)}
    assert named - known.keys() <= ELSEWHERE[either.registry.mxnet]
    for name in named & known.keys():
        assert isinstance(either.catalog.find(known[name]), Rule), name


def test_relations_are_others_and_take_what_they_are_given(either: Release) -> None:
    known: dict[str, Operator] = {name: operator for operator in either.registry.operators for name in operator.names}
    for name, related in RELATED.items():
        for other in related:
            if name in known and other.name in known:
                assert known[other.name] is not known[name], (name, other)
                assert all(known[other.name].parameter(param) for param in other.params), (name, other)
                assert all(known[name].parameter(param) for param in other.where), (name, other)
                assert set(other.without) <= {tensor.name for tensor in known[name].tensors}, (name, other)


def test_each_relation_has_a_sentence() -> None:
    reasons = [other.reason for related in RELATED.values() for other in related]
    assert all(reason.strip() and not reason.endswith(".") for reason in reasons)
