"""Following candidates: those due to noise are dropped at once, others as their confirmation decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.events import NullSink
from autoperf.core.finding import Finding
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import Candidate
from autoperf.hunt.contrast import Contrast, views_of
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.investigator import EXPLAINED, NOT_AGAIN, UNFINISHED, Investigator, confirmed_finding
from autoperf.hunt.neighbours import EQUIVALENT, Equivalent, Neighbourhood, Step
from autoperf.hunt.point import Point
from autoperf.hunt.recheck import threshold
from autoperf.rules.categories import RelatedOperator
from autoperf.rules.rule import inputs, tensor
from tests.hunt.hunt_values import Law, Lawful, factory_of, plain, point, shape, timings_of

LENGTH = 30_000
LONG = 5000


def elements(case: Case) -> int:
    return math.prod(shape(case))


def is_half(case: Case) -> bool:
    return case.inputs[0].tensor.dtype == "float16"


def investigator(
    release: Release, law: Law, seconds: float, equivalents: Sequence[Equivalent] = ()
) -> tuple[Investigator, Candidate, Lawful]:
    """An investigator, and a long candidate in float16."""
    timings, source = timings_of(law, seconds)
    views = views_of(Neighbourhood(factory_of(release, "exp", plain), equivalents), timings, 2.0)
    slow, fast = (point(release, "exp", inputs(data=tensor(LENGTH)), dtype) for dtype in ("float16", "float32"))
    following = Investigator(views, NullSink())
    return following, Candidate(slow, ("dtype",), 4.0, "forward", fast), source


def test_a_family_goes_on_from_the_input_as_it_was_found(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its limits hold for that one too, not for the simplest input alone."""

    def slow_half(case: Case, _pass: PassName) -> float:
        return (20 + 0.005 * elements(case)) * (4 if is_half(case) else 1)

    following, candidate, _ = investigator(release, slow_half, 30.0)
    assert isinstance(following.followed(candidate), Finding)
    (cause,) = following.causes
    assert shape(cause.first.case) == (LENGTH,) != shape(cause.simplest.slow.case)
    seen = []

    class Learned:
        def __init__(self, _view: object, _simplest: object, _explained: object, first: Point, _known: object) -> None:
            seen.append(first)

        def result(self) -> Generalised:
            return cause.generalised

    monkeypatch.setattr("autoperf.hunt.investigator.Generaliser", Learned)
    following.continued(cause)
    assert seen == [cause.first]


def test_an_interruption_of_the_other_pass_keeps_the_finding(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(case: Case, _pass: PassName) -> float:
        return (20 + 0.005 * elements(case)) * (4 if is_half(case) else 1)

    def interrupted(_view: object, _simplest: object) -> None:
        raise KeyboardInterrupt

    following, candidate, _ = investigator(release, half, 30.0)
    monkeypatch.setattr("autoperf.hunt.investigator.confirmed_pass", interrupted)
    with pytest.raises(KeyboardInterrupt):
        following.followed(candidate)
    assert [(cause.finding.family, cause.passes) for cause in following.causes] == [("float16", ("forward",))]


def test_a_finding_is_one_that_a_replay_holds(release: Release) -> None:
    """With the smallest `--at-least`, the tolerance for noise would reach below the limit of every replay."""

    def law(case: Case, _pass: PassName) -> float:
        return 400 * (times if is_half(case) else 1)

    for times, is_found in ((1.18, False), (1.3, True)):
        timings, _ = timings_of(law, 30.0)
        view = views_of(Neighbourhood(factory_of(release, "exp", plain)), timings, 1.2)["forward"]
        slow, fast = (point(release, "exp", inputs(data=tensor(64)), dtype) for dtype in ("float16", "float32"))
        found = confirmed_finding(view, Contrast(slow, fast, Step("dtype", "", (), "float32"), times, "forward"), slow)
        assert (found is not None) is is_found
        assert found is None or found.estimate.low > threshold(found)


def test_the_roofline_of_a_backward_pass_is_that_of_its_own_work(release: Release) -> None:
    timings, _ = timings_of(lambda case, _pass: 400 * (4 if is_half(case) else 1), 30.0)
    around = Neighbourhood(factory_of(release, "exp", plain))
    view = views_of(around, timings, 2.0, lambda work, _: work.flops)["backward"]
    slow, fast = (
        replace(each, backward=msgspec.structs.replace(each.work, flops=800.0))
        for each in (point(release, "exp", inputs(data=tensor(64)), dtype) for dtype in ("float16", "float32"))
    )
    found = confirmed_finding(view, Contrast(slow, fast, Step("dtype", "", (), "float32"), 4.0, "backward"), slow)
    assert found
    (bound,) = (each.strength for each in found.evidence if each.oracle == "roofline")
    assert bound == pytest.approx(2.0, rel=0.1)


def test_a_candidate_that_noise_made_costs_a_few_samples(release: Release) -> None:
    following, candidate, source = investigator(release, lambda _case, _pass: 400.0, 10.0)
    assert following.followed(candidate) == NOT_AGAIN
    assert source.questions <= 6


def test_a_simplified_input_that_is_not_confirmed_leaves_the_input_before(release: Release) -> None:
    renewed: list[int] = []

    def only_long_ones_in_fresh_processes(case: Case, _pass: PassName) -> float:
        is_slow = is_half(case) and (elements(case) >= LONG or not renewed)
        return (20 + 0.005 * elements(case)) * (4 if is_slow else 1)

    following, candidate, source = investigator(release, only_long_ones_in_fresh_processes, 1.0)
    source.renew = lambda: renewed.append(1)  # type: ignore[method-assign]
    finding = following.followed(candidate)
    assert isinstance(finding, Finding)
    assert elements(finding.case) == LENGTH
    assert [cause.simplest.slow.key for cause in following.causes] == [candidate.point.key]


def test_a_finding_whose_family_was_cut_short_is_continued(release: Release) -> None:
    def half(case: Case, _pass: PassName) -> float:
        return (150 + 0.01 * elements(case)) * (4 if is_half(case) else 1)

    following, candidate, source = investigator(release, half, 0.08)
    first = following.followed(candidate)
    assert isinstance(first, Finding)
    cause = following.unfinished
    assert cause
    following._timings.deadline = following._timings.limit = source.clock.now + 10
    continued = following.continued(cause)
    assert continued
    assert first.family == UNFINISHED
    assert continued.family == "float16"
    assert following.unfinished is None


@pytest.mark.parametrize("own_first", [True, False])
def test_a_cause_beside_its_neighbours_and_beside_another_operator_is_told_once(
    release: Release, *, own_first: bool
) -> None:
    def half(case: Case, _pass: PassName) -> float:
        is_slow = is_half(case) and case.operator == "exp"
        return (20 + 0.005 * elements(case)) * (4 if is_slow else 1)

    equivalent = Equivalent(factory_of(release, "expm1", plain), RelatedOperator("expm1", "it does the same"))
    following, own, _ = investigator(release, half, 30.0, [equivalent])
    other = Candidate(own.point, (f"{EQUIVALENT}expm1",), 4.0, "forward", equivalent.applied_to(own.point))
    first, second = (own, other) if own_first else (other, own)
    finding = following.followed(first)
    assert isinstance(finding, Finding)
    assert (finding.contrast.operator == "exp") is own_first
    assert finding.family == "float16"
    assert following.followed(second) == EXPLAINED
    assert [cause.finding for cause in following.causes] == [finding]
