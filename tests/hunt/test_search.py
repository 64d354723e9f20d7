"""Searches with laws of times: cliffs are found, simplified and described; honest laws have none."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

import msgspec
import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.events import Answer, Event, NullSink
from autoperf.core.finding import Finding
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import CandidateFinder
from autoperf.hunt.input_stream import InputStream
from autoperf.hunt.investigator import ALIKE, EXPLAINED, LATE, NOT_AGAIN, SINGLE, Investigator
from autoperf.hunt.neighbours import Equivalent
from autoperf.hunt.search import FOLLOWING_SECONDS, Options, Search
from autoperf.hunt.timings import MAX_REFUSED_INPUTS, InputTimings, Replay, ReplayClock
from autoperf.rules.categories import RelatedOperator
from autoperf.rules.rule import Draft, Rule, inputs
from tests.hunt.hunt_values import (
    Clock,
    Lawful,
    clipped,
    counted,
    factory_of,
    hunt,
    hunting,
    plain,
    point,
    shape,
    with_axis,
)

SECONDS = 2.0
SHORT = 1.2
Cliff = Callable[[Case], bool]


def honest(case: Case) -> float:
    return 150 + 0.002 * math.prod(shape(case))


def axis_of(case: Case) -> int:
    return int(case.params.get("axis", -1)) % len(shape(case))  # type: ignore[arg-type]


def dtype_of(case: Case) -> str:
    return case.inputs[0].tensor.dtype


def law(cliff: Cliff, factor: float = 3.0, pass_: str = "") -> Callable[[Case, PassName], float]:
    """An honest law, multiplied by a factor in the cliff, in one pass or both."""
    return lambda case, each: honest(case) * (factor if cliff(case) and pass_ in ("", each) else 1.0)


BAD_AXIS: Cliff = lambda case: len(shape(case)) > 1 and axis_of(case) == 0  # noqa: E731
CLIFFS: dict[str, tuple[str, Rule, Cliff, tuple[int, ...], str, dict[str, Any], str]] = {
    "a bad axis": ("softmax", with_axis, BAD_AXIS, (1, 1), "float32", {"axis": 0}, "axis is the first"),
    "a multiple": ("exp", plain, lambda case: shape(case)[-1] % 64 == 0, (64,), "float32", {}, "multiple of 64"),
    "a dtype": ("exp", plain, lambda case: dtype_of(case) == "float64", (1,), "float64", {}, "float64"),
    "a volume": ("exp", plain, lambda case: math.prod(shape(case)) >= 32768, (32768,), "float32", {}, "32,768"),
    "a number": ("topk", counted, lambda case: case.params.get("k") == 3, (4,), "float32", {"k": 3}, "k=3"),
    "a length": ("exp", plain, lambda case: shape(case)[0] >= 512, (512,), "float32", {}, "512"),
    "a skew": (
        *("exp", plain),
        lambda case: len(shape(case)) == 2 and shape(case)[1] >= 256 * shape(case)[0],
        *((1, 256), "float32", {}, "256 times"),
    ),
    "a pair": (
        *("softmax", with_axis),
        lambda case: len(shape(case)) == 2 and axis_of(case) == 0 and shape(case)[1] % 32 == 0,
        *((1, 32), "float32", {"axis": 0}, "32"),
    ),
}


def simplest(finding: Finding) -> tuple[tuple[int, ...], str, dict[str, Any]]:
    return shape(finding.case), dtype_of(finding.case), finding.case.params


@pytest.mark.parametrize("name", CLIFFS)
def test_a_cliff_is_found_and_made_simple(release: Release, name: str) -> None:
    operator, rule, cliff, *known, words = CLIFFS[name]
    found = hunt(release, operator, rule, law(cliff), seconds=SECONDS)
    assert len(found) == 1, [one.family for one in found]
    for one in found:
        assert one.other_pass
        assert {one.pass_, one.other_pass.pass_} == {"backward", "forward"}
        assert one.other_pass.estimate.ratio == pytest.approx(3.0, rel=0.15)
        assert one.check
        assert not one.check.single
        assert simplest(one) == tuple(known)
        assert cliff(one.case)
        assert not cliff(one.contrast)
        assert cliff(one.found)
        assert words in one.family
        assert one.estimate.low <= 3.0 * 1.05
        assert one.actual_us == pytest.approx(3.0 * one.contrast_us, rel=0.1)
        assert one.actual_us == pytest.approx(one.estimate.ratio * one.expected_us, rel=0.1)


def test_one_cause_is_one_finding(release: Release) -> None:
    operator, rule, cliff, *_ = CLIFFS["a multiple"]
    with hunting(release, operator, rule, law(cliff, pass_="forward"), seconds=SECONDS) as (search, _, _):
        assert len(list(search.findings())) == 1
        assert search.searched.tried > 300


def test_a_cliff_of_the_backward_pass_is_none_of_the_forward_pass(release: Release) -> None:
    cliff = CLIFFS["a length"][2]
    (one,) = hunt(release, "exp", plain, law(cliff, pass_="backward"), seconds=SECONDS)
    assert (one.pass_, shape(one.case)) == ("backward", (512,))
    assert "forward" in {each.oracle for each in one.evidence}


def test_without_a_backward_pass_the_forward_pass_is_searched(release: Release) -> None:
    slow = law(CLIFFS["a length"][2])
    forward = hunt(
        release, "exp", plain, lambda case, pass_: slow(case, pass_) if pass_ == "forward" else None, first=1
    )
    (one,) = forward
    assert (one.pass_, shape(one.case)) == ("forward", (512,))


def test_after_one_cause_the_search_goes_on_to_the_next(release: Release) -> None:
    def two(case: Case, pass_: PassName) -> float:
        half = dtype_of(case) == "float16"
        return honest(case) * (3 if BAD_AXIS(case) else 1) * (4 if half else 1)

    found = hunt(release, "softmax", with_axis, two, seconds=6.0)
    assert sorted(map(str, (simplest(one)[1:] for one in found))) == [
        "('float16', {})",
        "('float32', {'axis': 0})",
    ]
    assert all(one.other_pass for one in found)


def test_causes_of_either_pass_are_told_apart(release: Release) -> None:
    def two(case: Case, pass_: PassName) -> float:
        slow = dtype_of(case) == "float16" if pass_ == "forward" else BAD_AXIS(case)
        return honest(case) * (4 if slow else 1)

    found = hunt(release, "softmax", with_axis, two, seconds=SECONDS)
    assert {(one.pass_, one.other_pass) for one in found} == {("forward", None), ("backward", None)}


def test_an_input_that_no_family_explains_is_told_alone(release: Release) -> None:
    def scattered(case: Case) -> bool:
        return len(shape(case)) > 1 and hash(shape(case)) % 3 == 0

    found = hunt(release, "exp", plain, law(scattered), seconds=SECONDS, first=1)
    for one in found:
        assert one.check
        assert one.check.single
        assert one.family == SINGLE


def test_an_equivalent_operator_is_a_contrast(release: Release) -> None:
    def slow(case: Case, pass_: PassName) -> float:
        return honest(case) * (3 if case.operator == "softmax" else 1)

    related = RelatedOperator("log_softmax", "both read each row twice")
    equivalent = Equivalent(factory_of(release, "log_softmax", with_axis), related)
    options = Options(seed=1, equivalents=(equivalent,))
    (one,) = hunt(release, "softmax", with_axis, slow, seconds=SECONDS, options=options)
    assert one.contrast.operator == "log_softmax"
    assert one.step == "log_softmax: both read each row twice"
    assert one.family == "every input"
    assert one.estimate.ratio == pytest.approx(3.0, rel=0.1)


HONEST: dict[str, tuple[str, Rule, Callable[[Case], float]]] = {
    "linear": ("softmax", with_axis, honest),
    "constant": ("exp", plain, lambda case: 400.0),
    "bytes": ("exp", plain, lambda case: 150 + 0.0005 * case.input_bytes),
    "sorting": (
        *("softmax", with_axis),
        lambda case: 140 + 0.0002 * math.prod(shape(case)) * math.log2(1 + shape(case)[-1]),
    ),
    "below what can be judged": ("softmax", with_axis, lambda case: 2.0 * (30 if BAD_AXIS(case) else 1)),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_law_has_no_findings(release: Release, name: str) -> None:
    operator, rule, takes = HONEST[name]
    with hunting(release, operator, rule, lambda case, _: takes(case), seconds=SHORT) as (search, _, timings):
        assert list(search.findings()) == []
        assert timings.tried > 60
        assert search.searched.dropped == sum(search.searched.dropped_for.values()) == search.searched.suspects


@pytest.mark.parametrize("noise", [0.2, 0.5])
def test_noise_is_no_finding(release: Release, noise: float) -> None:
    with hunting(release, "softmax", with_axis, lambda case, _: honest(case), seconds=SHORT) as (search, source, _):
        source.noise = noise
        assert list(search.findings()) == []


def test_a_cliff_below_the_ratio_that_is_asked_for_is_none(release: Release) -> None:
    cliff = CLIFFS["a dtype"][2]
    options = Options(seed=1, min_ratio=6.0)
    assert hunt(release, "exp", plain, law(cliff, 4.0), seconds=SHORT, options=options) == []
    assert hunt(release, "exp", plain, law(cliff, 9.0), seconds=SHORT, options=options, first=1)


def test_the_search_goes_by_its_seed(release: Release) -> None:
    cliff = CLIFFS["a length"][2]

    def told(seed: int) -> tuple[list[Any], list[str]]:
        # The first inputs cover pairs of properties, for any seed.
        with hunting(release, "exp", plain, law(cliff), seconds=3.0, options=Options(seed)) as (search, source, _):
            return [msgspec.to_builtins(one) for one in search.findings()], source.cases

    first = told(1)
    assert told(1) == first
    assert told(2)[1] != first[1]


def test_the_common_calls_are_the_canonical_inputs_with_their_times(release: Release) -> None:
    with hunting(release, "exp", plain, law(CLIFFS["a length"][2]), seconds=SHORT) as (search, source, _):
        assert search.common_calls == []
        assert next(search.findings())
        ((made, times),) = search.common_calls
        asked = source.questions
        assert search.common_calls == [(made, times)]
    assert shape(made) == (10, 10)
    assert times.forward == pytest.approx(honest(made), rel=0.1)
    assert source.questions == asked


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.5])
def test_the_budget_ends_the_search(release: Release, seconds: float) -> None:
    with hunting(release, "softmax", with_axis, law(BAD_AXIS), seconds=seconds) as (search, source, timings):
        for _ in search.findings():
            pass
        assert search.searched.ended == "budget"
        assert search.searched.tried == timings.tried
        # Following a suspect may go on for a while, and the last answer takes its time.
        assert source.clock.now <= seconds + FOLLOWING_SECONDS + 1
        if not seconds:
            assert source.questions == 0


@pytest.mark.parametrize("seconds", [20.0, 60.0, 200.0])
def test_slow_candidates_end_with_the_limit(release: Release, seconds: float) -> None:
    """A call takes a second or three, so that shrinking and confirming take minutes."""
    slow = law(BAD_AXIS)
    with hunting(release, "softmax", with_axis, lambda *of: slow(*of) * 5e3, seconds=seconds) as (
        search,
        source,
        timings,
    ):
        assert all(finding.estimate.low > 1 for finding in search.findings())
        # The last request may have begun within the limit; it takes at least one round.
        assert seconds <= source.clock.now <= timings.limit + 10


def test_long_quiet_ends_the_search_before_the_budget(release: Release) -> None:
    with hunting(release, "exp", plain, lambda case, _: 1.0, seconds=1e6) as (search, _, _):
        assert list(search.findings()) == []
        assert search.searched.ended == "quiet"


def test_inputs_that_run_out_end_the_search_before_the_budget(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = InputStream.points
    monkeypatch.setattr(InputStream, "points", lambda *given: islice(points(*given), 3))
    with hunting(release, "exp", plain, lambda case, _: 1.0, seconds=1e6) as (search, _, _):
        assert list(search.findings()) == []
        assert (search.searched.ended, search.searched.tried) == ("quiet", 3)


def test_refusals_and_crashes_are_counted_and_survived(release: Release) -> None:
    slow = law(CLIFFS["a length"][2])

    def hostile(case: Case, pass_: PassName) -> float:
        if len(shape(case)) == 3:
            raise BrokenPipeError
        if shape(case)[-1] % 2:
            raise ValueError("odd")
        return slow(case, pass_)

    with hunting(release, "exp", plain, hostile, seconds=SECONDS) as (search, _, _):
        (found,) = {(one.pass_, one.case.id): one for one in search.findings()}.values()
        # (512,) doesn't run. Both passes are slow alike, and one finding.
        assert shape(found.case) == (512, 2)
        assert found.other_pass
        assert 10 < search.searched.refused < search.searched.tried


@pytest.mark.parametrize("error", [ValueError("never"), BrokenPipeError()])
def test_an_operator_of_which_nothing_runs_is_given_up(release: Release, error: Exception) -> None:
    def broken(case: Case, pass_: PassName) -> float:
        raise error

    with hunting(release, "exp", plain, broken, seconds=1e6) as (search, _, _):
        assert list(search.findings()) == []
        assert search.searched.ended == "nothing"
        assert MAX_REFUSED_INPUTS <= search.searched.refused == search.searched.tried < 2 * MAX_REFUSED_INPUTS
        assert search.searched.reason.startswith("no input runs: ")


def test_recorded_inputs_are_tried_too(release: Release) -> None:
    far = next(iter(factory_of(release, "exp", plain).drawn("float32", "elsewhere", 1, 77))).case
    slow = law(lambda case: case.inputs == far.inputs, 5.0)
    assert hunt(release, "exp", plain, slow, seconds=SHORT) == []
    found = hunt(release, "exp", plain, slow, seconds=SHORT, options=Options(1, recorded=(far,)), first=1)
    assert {one.case.inputs for one in found} == {far.inputs}


def test_the_input_at_which_the_pilot_ends_is_tried_too(release: Release) -> None:
    """The first input takes a tenth of the budget, which ends the pilot, before the second."""
    second = point(release, "exp", inputs(data=Draft((77, 13)))).case

    def law(case: Case, _pass: PassName) -> float:
        return 1e6 if shape(case) == (10, 10) else 150.0

    options = Options(1, recorded=(second,))
    with hunting(release, "exp", plain, law, seconds=20.0, options=options) as (search, source, _):
        list(search.findings())
    assert second.id in source.cases


@pytest.mark.parametrize(("reason", "is_wrong"), [(EXPLAINED, False), (LATE, False), (ALIKE, False), (NOT_AGAIN, True)])
def test_a_model_is_wrong_only_about_inputs_that_are_fast(
    release: Release, monkeypatch: pytest.MonkeyPatch, reason: str, is_wrong: bool
) -> None:
    """Not about those that an earlier finding explains, or that the budget cuts off."""
    misled: list[object] = []
    monkeypatch.setattr(CandidateFinder, "misled", lambda *given: misled.append(given))
    monkeypatch.setattr(Investigator, "followed", lambda *_: reason)
    with hunting(release, "exp", plain, law(CLIFFS["a length"][2]), seconds=SHORT) as (search, _, _):
        assert list(search.findings()) == []
        assert search.searched.dropped > 0
    assert bool(misled) is is_wrong


def test_the_roofline_speaks_if_it_is_known(release: Release) -> None:
    options = Options(1, roofline=lambda work, dtype: 50.0)
    found = hunt(release, "clip", clipped, law(CLIFFS["a length"][2]), seconds=SECONDS, options=options, first=1)
    assert found
    for one in found:
        strengths = {each.oracle: each.strength for each in one.evidence}
        assert strengths["roofline"] == pytest.approx(one.actual_us / 50, rel=0.05)
        assert strengths["neighbour"] == pytest.approx(3.0, rel=0.1)


class Noting:
    """Keeps the lines that a log would have."""

    def __init__(self, clock: Clock) -> None:
        self.events: list[Answer] = []
        self._clock = clock

    def handle(self, event: Event) -> None:
        if isinstance(event, Answer):
            self.events.append(msgspec.structs.replace(event, at=self._clock.now, operator="exp"))


def test_a_search_that_is_made_again_from_its_log_finds_the_same_and_asks_nothing(release: Release) -> None:
    factory = factory_of(release, "exp", plain)
    source = Lawful(law(CLIFFS["a length"][2]))
    noting = Noting(source.clock)
    found = list(Search(factory, InputTimings(source, 2.0, noting, clock=source.clock), Options(1), noting).findings())
    assert found
    silent = Lawful(law(lambda case: False))
    again = Replay(noting.events)
    timings = InputTimings(silent, 2.0, NullSink(), clock=ReplayClock(again, 0.0, Clock()), replay=again)
    repeated = Search(factory, timings, Options(1), NullSink()).findings()
    assert [next(repeated) for _ in found] == found
    assert silent.questions == 0


def test_families_say_what_a_person_would(release: Release) -> None:
    slow = law(lambda case: shape(case)[-1] % 64 == 0 and dtype_of(case) != "float64")
    found = hunt(release, "exp", plain, slow, seconds=SECONDS, first=2)
    assert found
    for one in found:
        assert re.search(r"multiple of 64", one.family)
        assert "float64" in one.family
