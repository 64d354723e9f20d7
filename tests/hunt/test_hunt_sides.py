"""The sides of a hunt between two releases: what both have, what one lacks, and what names each of them."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.releases import words_of_sides
from autoperf.hunt.sides import HuntSides, SidesRequest, sides_of
from autoperf.measurement.settings import Settings
from autoperf.rules.rule import Draft, inputs

QUICK = Settings(processes=1)
# An operator of 2.0.0b1 only.
LATER = "_npi_bitwise_left_shift"


@pytest.fixture(scope="module")
def sides(release: Release, next_release: Release) -> HuntSides:
    return sides_of([release, next_release], SidesRequest(libraries=("1.9.1", "2.0.0b1")), QUICK)


@pytest.fixture(scope="module")
def turned(release: Release, next_release: Release) -> HuntSides:
    return sides_of([release, next_release], SidesRequest(libraries=("1.9.1", "2.0.0b1"), faster=True), QUICK)


def test_the_second_build_is_searched_and_the_first_if_it_should_be_slower(sides: HuntSides, turned: HuntSides) -> None:
    assert [record.words for record in sides.records] == ["MXNet 2.0.0b1", "MXNet 1.9.1"]
    assert [record.library for record in turned.records] == ["1.9.1", "2.0.0b1"]
    assert [side.number for side in turned.ordered] == [0, 1]
    assert (sides.searched.number, turned.searched.number) == (1, 0)


@pytest.mark.parametrize("name", [LATER, "cumsum", "exp"])
def test_an_operator_that_one_side_lacks_is_told_never_dropped(sides: HuntSides, turned: HuntSides, name: str) -> None:
    both = sides.targets(Selection(operators=(name,))), turned.targets(Selection(operators=(name,)))
    ((target,), (other,)) = both
    assert target.operator.name == other.operator.name
    if name == LATER:
        assert target.reason == other.reason == "MXNet 1.9.1 doesn't have it"
        assert target.rule is other.rule is None
    else:
        assert target.rule
        assert other.rule


def test_all_operators_of_both_sides_are_listed_once(sides: HuntSides, turned: HuntSides) -> None:
    for each in (sides, turned):
        listed = each.targets(Selection())
        names = [target.operator.name for target in listed]
        assert len(set(names)) == len(names)
        covered = {name for target in listed for name in target.operator.names}
        registered = [operator for side in each.ordered for operator in side.release.registry.forward]
        assert all(covered.intersection(operator.names) for operator in registered)
        assert {target.missing for target in listed} == {
            "", "MXNet 1.9.1 doesn't have it", "MXNet 2.0.0b1 doesn't have it",
        }  # fmt: skip


def test_a_name_that_no_side_knows_is_a_mistake(sides: HuntSides) -> None:
    with pytest.raises(UnknownNameError, match="softmaxx"):
        sides.targets(Selection(operators=("softmaxx",)))


def test_the_other_side_runs_the_same_call(sides: HuntSides) -> None:
    (target,) = sides.targets(Selection(operators=("softmax",)))
    assert target.rule
    other = sides.other_side(target.operator, target.rule, 4096)
    assert other
    call = inputs(data=Draft((4, 8)), axis=0)
    (point,) = sides.searched.factory(target.operator, target.rule, 4096).make([(call, "float32")])
    assert point
    same = other.applied_to(point)
    assert same
    assert (same.case, same.side, point.side) == (point.case, 0, 1)
    assert same.key != point.key


def test_a_hunt_of_one_build_has_no_other_side(release: Release) -> None:
    sides = sides_of([release], None, QUICK)
    (target,) = sides.targets(Selection(operators=("softmax",)))
    assert target.rule
    assert sides.other_side(target.operator, target.rule, None) is None
    assert sides.records == ()


def test_environments_are_those_of_their_sides(release: Release) -> None:
    request = SidesRequest(environments=({"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "2"}))
    assert request.hints == (None, None)
    sides = sides_of([release, release], request, QUICK)
    assert [side.settings.env for side in sides.ordered] == list(request.environments)
    assert sides.searched.words == "MXNet 1.9.1 with OMP_NUM_THREADS=2"


def test_sides_that_would_be_named_alike_have_letters() -> None:
    assert words_of_sides(["1.9.1", "1.9.1"], []) == ["A: MXNet 1.9.1", "B: MXNet 1.9.1"]
    assert words_of_sides(["1.9.1", "1.9.1"], [{}, {"X": "1"}]) == ["MXNet 1.9.1", "MXNet 1.9.1 with X=1"]
    assert words_of_sides(["1.9.1", "2.0.0b1"], []) == ["MXNet 1.9.1", "MXNet 2.0.0b1"]


def test_three_builds_are_a_mistake() -> None:
    with pytest.raises(UsageError, match="expected one or two builds, got 3"):
        SidesRequest(libraries=("1.9.1", "2.0.0b1", "1.8.0"))
