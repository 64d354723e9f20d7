"""Searches of simulated operators: every cause is reported once with the right family, and no other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice

import pytest

from autoperf.cases.release import Release
from autoperf.core.finding import Finding
from autoperf.hunt.candidates import Cause
from autoperf.hunt.contents import patterned_calls
from autoperf.hunt.neighbours import Equivalent
from autoperf.hunt.point import Point
from autoperf.hunt.search import Options
from autoperf.rules.categories import RelatedOperator
from tests.hunt.hunt_values import ELEMENTS, factory_of, hunting
from tests.hunt.simulated_causes import CORPUS, FLAT
from tests.hunt.simulated_operators import Simulated, SimulatedCause, elements

# Variants of others, and laws that test_search.py covers.
NIGHTLY = {
    "half precision, little overhead",
    "half precision of broadcasts",
    "an axis",
    "an axis and half precision",
    "a temperature and half precision",
    "a length",
    "a multiple",
    "a volume",
    "beyond the caches",
    "linear",
    "constant",
    "bytes",
    "sorting",
    "tiles",
    "repeats",
    "a power of the elements",
    "logarithms",
    "bytes of pairs",
    "a length backward",
    "a multiple, and double precision backward",
    "repeated data",
    "half precision beside contents",
    "broadcasts",
    "zeros in a quarter",
    "pairs",
    "the square of the elements",
    "sorted data in a quarter",
    "matrices",
    "narrow rows",
    "a temperature",
    "half precision of tiles",
    "a number",
    "subnormal data and an axis",
}

DTYPES = ("float32", "float16", "float64")
DRAWS = 120
MIN_RIGHT = 0.9
LARGE = 2**22
PATTERNED_EVERY = 10


def each_of(corpus: Sequence[Simulated]) -> list[object]:
    """A parameter for each of these operators."""
    marks = ([pytest.mark.nightly] if simulated.name in NIGHTLY else [] for simulated in corpus)
    return [
        pytest.param(simulated, id=simulated.name, marks=mark) for simulated, mark in zip(corpus, marks, strict=True)
    ]


def searched(release: Release, simulated: Simulated) -> list[Cause]:
    """The causes that a search reports."""
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


def shown(finding: Finding, causes: Sequence[SimulatedCause]) -> list[SimulatedCause]:
    """The causes that lie between a finding's two inputs."""
    between = (cause for cause in causes if cause.holds(finding.case) and not cause.holds(finding.contrast))
    return [cause for cause in between if finding.pass_ in cause.passes]


def fresh(release: Release, simulated: Simulated) -> list[Point]:
    """Draws that no search has seen, of three dtypes, some of them with every pattern of contents."""
    size = LARGE if simulated.grows else ELEMENTS
    factory = factory_of(release, simulated.operator, simulated.rule, size)
    drawn = (factory.drawn(DTYPES[start // 8 % len(DTYPES)], "held out", 8, start) for start in range(0, 200, 8))
    points = list(islice(chain.from_iterable(drawn), DRAWS))
    calls = [(call, point.dtype) for point in points[::PATTERNED_EVERY] for _, _, call in patterned_calls(point)]
    return [*points, *(point for point in factory.make(calls) if point)]


def check_causes(causes: Sequence[Cause], simulated: Simulated) -> None:
    """Each cause is reported once, with the passes that it slows."""
    assert sorted(cause.name for each in causes for cause in shown(each.finding, simulated.causes)) == sorted(
        cause.name for cause in simulated.causes
    ), [each.finding.family for each in causes]
    assert len(causes) == len(simulated.causes), [each.finding.family for each in causes]
    for each in causes:
        (cause,) = shown(each.finding, simulated.causes)
        assert set(each.passes) == set(cause.passes)


def check_families(causes: Sequence[Cause], simulated: Simulated, points: Sequence[Point]) -> None:
    """Families are right on draws that the search hasn't seen."""
    for each in causes:
        (cause,) = shown(each.finding, simulated.causes)
        check = each.finding.check
        assert check
        assert not check.single, (each.generalised.family.words, check)
        inside = [point for point in points if cause.holds(point.case)]
        outside = [point for point in points if not cause.holds(point.case)]
        assert each.generalised.family.share(inside) >= MIN_RIGHT, each.generalised.family.words
        assert each.generalised.family.share(outside) <= 1 - MIN_RIGHT, each.generalised.family.words


@pytest.mark.parametrize("simulated", each_of(CORPUS))
def test_each_cause_is_told_once_with_its_family(release: Release, simulated: Simulated) -> None:
    causes = searched(release, simulated)
    check_causes(causes, simulated)
    check_families(causes, simulated, fresh(release, simulated))


# They cover the same code as the searches above, and coverage doubles their time.
@pytest.mark.no_cover
@pytest.mark.parametrize("flat", each_of(FLAT))
def test_an_operator_without_a_cause_has_no_finding(release: Release, flat: Simulated) -> None:
    assert [each.finding.family for each in searched(release, flat)] == []


@pytest.mark.nightly
def test_the_corpus_has_inputs_of_each_cause_and_others(release: Release) -> None:
    for simulated in CORPUS:
        points = fresh(release, simulated)
        assert max(elements(point.case) for point in points) > 1000
        for cause in simulated.causes:
            expected = {True} if simulated.equivalent else {True, False}
            assert {cause.holds(point.case) for point in points} == expected, (simulated.name, cause.name)
