"""How candidates are followed: those that noise made are dropped at once, others by what is confirmed of them."""

from __future__ import annotations

import math

from hunt_values import Law, Lawful, factory_of, plain, point, shape, timings_of

from autoperf.core.case import Case
from autoperf.core.events import NullSink
from autoperf.core.finding import Finding
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import Candidate
from autoperf.hunt.confirmation import UNFINISHED, Confirmer
from autoperf.hunt.contrast import ContrastFinder
from autoperf.hunt.investigator import NOT_AGAIN, Investigator
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor

LENGTH = 30_000
LONG = 5000


def elements(case: Case) -> int:
    return math.prod(shape(case))


def is_half(case: Case) -> bool:
    return case.inputs[0].tensor.dtype == "float16"


def investigator(release: Release, law: Law, seconds: float) -> tuple[Investigator, Candidate, Lawful]:
    """An investigator, and a long candidate in float16."""
    timings, source = timings_of(law, seconds)
    finder = ContrastFinder(timings, factory_of(release, "exp", plain), {}, 2.0)
    slow, fast = (point(release, "exp", inputs(data=tensor(LENGTH)), dtype) for dtype in ("float16", "float32"))
    return Investigator(finder, Confirmer(finder, None, ()), NullSink()), Candidate(slow, ("dtype",), 4.0, fast), source


def test_a_candidate_that_noise_made_costs_a_few_samples(release: Release) -> None:
    following, candidate, source = investigator(release, lambda _case, _pass: 400.0, 10.0)
    assert following.followed(candidate, "forward") == NOT_AGAIN
    assert source.questions <= 6


def test_a_simplified_input_that_is_not_confirmed_leaves_the_input_before(release: Release) -> None:
    renewed: list[int] = []

    def only_long_ones_in_fresh_processes(case: Case, _pass: PassName) -> float:
        is_slow = is_half(case) and (elements(case) >= LONG or not renewed)
        return (20 + 0.005 * elements(case)) * (4 if is_slow else 1)

    following, candidate, source = investigator(release, only_long_ones_in_fresh_processes, 1.0)
    source.renew = lambda: renewed.append(1)  # type: ignore[method-assign]
    finding = following.followed(candidate, "forward")
    assert isinstance(finding, Finding)
    assert elements(finding.case) == LENGTH
    assert [cause.simplest.slow.key for cause in following.causes] == [candidate.point.key]


def test_a_finding_whose_family_was_cut_short_is_continued(release: Release) -> None:
    def half(case: Case, _pass: PassName) -> float:
        return (150 + 0.01 * elements(case)) * (4 if is_half(case) else 1)

    following, candidate, source = investigator(release, half, 0.08)
    first = following.followed(candidate, "forward")
    assert isinstance(first, Finding)
    cause = following.unfinished
    assert cause
    following._timings.deadline = following._timings.limit = source.clock.now + 10
    continued = following.continued(cause)
    assert continued
    assert first.family == UNFINISHED
    assert continued.family == "float16"
    assert following.unfinished is None
