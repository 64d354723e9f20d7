"""Searches with different seeds find the same causes, also on a busy machine that answers a few thousand times."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from autoperf.cases.release import Release
from autoperf.core.events import NullSink
from autoperf.hunt.neighbours import Equivalent
from autoperf.hunt.search import Options, Search
from autoperf.hunt.timings import InputTimings
from autoperf.rules.categories import RelatedOperator
from tests.hunt.hunt_values import Lawful, factory_of
from tests.hunt.simulated_causes import CORPUS, COSTLY
from tests.hunt.simulated_operators import Simulated

# They cover the same code as test_simulated_corpus.py, and coverage doubles their time.
pytestmark = pytest.mark.no_cover
SEEDS = (1, 5, 11)
MIN_SHARED = 0.9
# A minute, of which the last tenth only confirms. An answer takes a hundredth of a second more than its samples, of
# which one in ten takes some times as long.
SECONDS, GRACE = 54.0, 6.0
SECONDS_PER_ANSWER = 0.01
DISTURBED = 0.1


def found(release: Release, simulated: Simulated, seed: int, seconds_per_answer: float) -> set[str]:
    """The names of the causes that a search finds."""
    source = Lawful(simulated.us, seconds_per_answer=seconds_per_answer, disturbed=DISTURBED)
    timings = InputTimings(source, SECONDS, NullSink(), clock=source.clock, grace=GRACE)
    factory = factory_of(release, simulated.operator, simulated.rule)
    options = Options(seed=seed, grows=simulated.grows, equivalents=equivalents(release, simulated))
    search = Search(factory, timings, options, NullSink())
    findings = list(search.findings())
    return {
        cause.name
        for cause in simulated.causes
        for finding in findings
        if finding.pass_ in cause.passes and cause.holds(finding.case)
        if simulated.equivalent or not cause.holds(finding.contrast)
    }


def equivalents(release: Release, simulated: Simulated) -> list[Equivalent]:
    related = RelatedOperator(simulated.equivalent, "it does the same")
    names = [simulated.equivalent] if simulated.equivalent else []
    return [Equivalent(factory_of(release, name, simulated.rule), related) for name in names]


def shared_share(found_by: Sequence[Sequence[set[str]]]) -> float:
    """The share of one seed's causes that another seed finds, over all operators and pairs of seeds."""
    pairs = [pair for of_operator in found_by for pair in permutations(of_operator, 2)]
    return sum(len(one & other) for one, other in pairs) / sum(len(one) for one, _ in pairs)


@pytest.mark.nightly
def test_two_seeds_find_the_same_in_costly_operators(release: Release) -> None:
    found_by = [[found(release, simulated, seed, 0.03) for seed in SEEDS[:2]] for simulated in COSTLY[:2]]
    assert shared_share(found_by) >= MIN_SHARED


@pytest.mark.nightly
def test_seeds_find_the_same_in_the_whole_corpus(release: Release) -> None:
    corpus = (*CORPUS, *COSTLY)
    assert len(corpus) >= 15
    found_by = [[found(release, simulated, seed, SECONDS_PER_ANSWER) for seed in SEEDS] for simulated in corpus]
    assert shared_share(found_by) >= MIN_SHARED
    all_causes = sum(len(simulated.causes) for simulated in corpus) * len(SEEDS)
    assert sum(len(names) for of_operator in found_by for names in of_operator) >= MIN_SHARED * all_causes
