"""Searches of simulated operators: every cause is told, none twice, none that isn't there, with the right family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import TypeAlias

import pytest
from hunt_values import ELEMENTS, factory_of, hunting
from simulated_causes import CORPUS, FLAT
from simulated_operators import Simulated, SimulatedCause, elements

from autoperf.core.finding import Finding
from autoperf.hunt.causes import Cause
from autoperf.hunt.equivalents import Equivalent
from autoperf.hunt.point import Point
from autoperf.hunt.search import Options
from autoperf.pipeline.release import Release
from autoperf.rules.related import RelatedOperator

Told: TypeAlias = Callable[[Simulated], list[Cause]]

DRAWS = 40
MIN_RIGHT = 0.9
LARGE = 2**22


def searched(release: Release, simulated: Simulated) -> list[Cause]:
    """The causes that a search tells."""
    related = RelatedOperator(simulated.equivalent, "it does the same")
    names = [simulated.equivalent] if simulated.equivalent else []
    equivalents = [Equivalent(factory_of(release, name, simulated.rule), related) for name in names]
    options = Options(seed=1, equivalents=equivalents, grows=simulated.grows)
    law, seconds = simulated.us, simulated.seconds
    with hunting(release, simulated.operator, simulated.rule, law, seconds=seconds, options=options) as each:
        search, _, _ = each
        for _ in search.findings():
            pass
        return list(search.causes)


@pytest.fixture(scope="module")
def told(release: Release) -> Told:
    """The causes that a search of a simulated operator tells; each is searched once."""
    by_name = {simulated.name: simulated for simulated in (*CORPUS, *FLAT)}
    causes = cache(lambda name: searched(release, by_name[name]))
    return lambda simulated: causes(simulated.name)


def shown(finding: Finding, causes: Sequence[SimulatedCause]) -> list[SimulatedCause]:
    """The causes that lie between a finding's two inputs."""
    between = (cause for cause in causes if cause.holds(finding.case) and not cause.holds(finding.contrast))
    return [cause for cause in between if finding.pass_ in cause.passes]


def fresh(release: Release, simulated: Simulated, dtypes: Sequence[str]) -> Iterator[Point]:
    """Draws that no search has seen."""
    size = LARGE if simulated.grows else ELEMENTS
    factory = factory_of(release, simulated.operator, simulated.rule, size)
    for start in range(0, 200, 8):
        yield from factory.drawn(dtypes[start // 8 % len(dtypes)], "held out", 8, start)


@pytest.mark.parametrize("simulated", CORPUS, ids=lambda simulated: simulated.name)
def test_each_cause_is_told_once_with_the_passes_that_it_slows(told: Told, simulated: Simulated) -> None:
    causes = told(simulated)
    assert sorted(cause.name for each in causes for cause in shown(each.finding, simulated.causes)) == sorted(
        cause.name for cause in simulated.causes
    ), [each.finding.family for each in causes]
    assert len(causes) == len(simulated.causes), [each.finding.family for each in causes]
    for each in causes:
        (cause,) = shown(each.finding, simulated.causes)
        assert set(each.passes) == set(cause.passes)


@pytest.mark.parametrize("simulated", CORPUS, ids=lambda simulated: simulated.name)
def test_families_are_right_on_fresh_draws(release: Release, told: Told, simulated: Simulated) -> None:
    points = list(islice(fresh(release, simulated, ("float32", "float16", "float64")), 3 * DRAWS))
    for each in told(simulated):
        (cause,) = shown(each.finding, simulated.causes)
        check = each.finding.check
        assert check
        assert not check.single, (each.family.words, check)
        inside = [point for point in points if cause.holds(point.case)]
        outside = [point for point in points if not cause.holds(point.case)]
        assert each.family.share(inside) >= MIN_RIGHT, each.family.words
        assert each.family.share(outside) <= 1 - MIN_RIGHT, each.family.words


@pytest.mark.parametrize("simulated", FLAT, ids=lambda simulated: simulated.name)
def test_an_operator_without_a_cause_has_no_finding(told: Told, simulated: Simulated) -> None:
    assert [each.finding.family for each in told(simulated)] == []


def test_the_corpus_has_inputs_of_each_cause_and_others(release: Release) -> None:
    for simulated in CORPUS:
        points = list(islice(fresh(release, simulated, ("float32", "float16", "float64")), 3 * DRAWS))
        assert max(elements(point.case) for point in points) > 1000
        for cause in simulated.causes:
            expected = {True} if simulated.equivalent else {True, False}
            assert {cause.holds(point.case) for point in points} == expected, (simulated.name, cause.name)
