"""Searches between two sides with laws of times: a slowdown of only one side is reported once, nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.events import Answer, NullSink
from autoperf.core.finding import Finding
from autoperf.core.outcome import PassName
from autoperf.hunt.neighbours import OtherSide
from autoperf.hunt.operators import CallSearch, HuntRecorder
from autoperf.hunt.search import Options, Search
from autoperf.hunt.timings import InputTimings, Replay
from autoperf.rules.rule import Draft, Rule, inputs
from tests.hunt.hunt_values import Law, Lawful, factory_of, plain, point, shape, with_axis

SECONDS = 1.0
SIDES = "the new build", "the old build"
Cliff = Callable[[Case], bool]


def honest(case: Case, _pass: PassName = "forward") -> float:
    return 150 + 0.002 * math.prod(shape(case))


def slowed(cliff: Cliff, factor: float = 3.0, passes: tuple[PassName, ...] = ("forward", "backward")) -> Law:
    """An honest law, multiplied by a factor in the cliff."""
    return lambda case, pass_: honest(case) * (factor if cliff(case) and pass_ in passes else 1.0)


def is_half(case: Case) -> bool:
    return case.inputs[0].tensor.dtype == "float16"


def is_long(case: Case) -> bool:
    return shape(case)[0] >= 512


def is_first_axis(case: Case) -> bool:
    return len(shape(case)) > 1 and int(str(case.params.get("axis", -1))) % len(shape(case)) == 0


def other_side(release: Release, operator: str, rule: Rule) -> OtherSide:
    """Side 0, which takes every parameter."""
    return OtherSide(factory_of(release, operator, rule), lambda _: True, SIDES[1], SIDES[0])


def timings_between(new: Law, old: Law, seconds: float) -> InputTimings:
    source = Lawful(new, law_of_side_0=old)
    return InputTimings(source, seconds, NullSink(), clock=source.clock, side=1)


def search_between(
    release: Release, new: Law, old: Law, *, operator: str = "exp", rule: Rule = plain, seconds: float = SECONDS
) -> Search:
    """A search of side 1, which is compared with side 0."""
    factory = factory_of(release, operator, rule, side=1)
    options = Options(seed=1, other_side=other_side(release, operator, rule))
    return Search(factory, timings_between(new, old, seconds), options, NullSink())


def last_told(search: Search) -> list[Finding]:
    """The findings; of a repeated one, the last version."""
    return list({(finding.case.id, finding.pass_): finding for finding in search.findings()}.values())


@pytest.mark.parametrize(
    ("cliff", "known", "family"), [(is_half, ((1,), "float16"), "float16"), (is_long, ((512,), "float32"), "512")]
)
def test_what_one_side_slows_is_one_finding(
    release: Release, cliff: Cliff, known: tuple[tuple[int, ...], str], family: str
) -> None:
    (finding,) = last_told(search_between(release, slowed(cliff), honest))
    assert (shape(finding.case), finding.case.inputs[0].tensor.dtype) == known
    assert finding.contrast.id == finding.case.id
    assert finding.sides == SIDES
    assert finding.step == "the same input on the old build"
    assert family in finding.family
    assert finding.check
    assert not finding.check.single
    assert finding.other_pass
    assert finding.estimate.ratio == pytest.approx(3.0, rel=0.15)
    assert finding.expected_us == pytest.approx(finding.contrast_us)
    assert "side" in {evidence.oracle for evidence in finding.evidence}


@pytest.mark.nightly
def test_two_causes_are_two_findings(release: Release) -> None:
    def new(case: Case, pass_: PassName) -> float:
        return honest(case) * (4 if is_half(case) else 1) * (3 if is_first_axis(case) else 1)

    search = search_between(release, new, honest, operator="softmax", rule=with_axis, seconds=6.0)
    families = sorted(finding.family for finding in last_told(search))
    assert len(families) == 2, families
    assert any("float16" in family for family in families)
    assert any("axis" in family for family in families)


def test_a_backward_pass_is_told_alone(release: Release) -> None:
    (finding,) = last_told(search_between(release, slowed(is_long, passes=("backward",)), honest))
    assert (finding.pass_, finding.other_pass, shape(finding.case)) == ("backward", None, (512,))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (slowed(is_half), slowed(is_half)),
        (honest, slowed(is_half)),
        (lambda case, _: 1.5 * honest(case), honest),
        (lambda case, _: 90.0, lambda case, _: 20.0),
    ],
    ids=["slow on both", "faster", "too little", "below the floor"],
)
def test_what_is_no_slower_than_there_is_no_finding(release: Release, new: Law, old: Law) -> None:
    search = search_between(release, new, old, seconds=0.5)
    assert last_told(search) == []
    assert search.searched.tried > 25
    assert search.searched.fits == {}
    assert search.searched.reason == ""


def test_inputs_that_the_other_side_refuses_say_nothing(release: Release) -> None:
    def old(case: Case, pass_: PassName) -> float:
        if is_half(case):
            raise ValueError("no float16 here")
        return honest(case)

    assert last_told(search_between(release, slowed(is_half), old, seconds=0.8)) == []


def test_an_operator_that_the_other_side_never_runs_is_told(release: Release) -> None:
    def refused(_case: Case, _pass: PassName) -> float:
        raise ValueError("not here")

    search = search_between(release, honest, refused, seconds=0.5)
    assert last_told(search) == []
    assert search.searched.reason == "no input runs on the old build: not here"
    assert search.searched.refused == 0


def test_a_parameter_that_the_other_side_lacks_is_never_dropped(release: Release) -> None:
    lacking = OtherSide(factory_of(release, "softmax", with_axis), lambda name: name != "axis", SIDES[1], SIDES[0])
    assert lacking.applied_to(point(release, "softmax", inputs(data=Draft((4, 4)), axis=0))) is None
    assert lacking.applied_to(point(release, "softmax", inputs(data=Draft((4, 4)))))


def test_a_network_s_call_is_compared_with_the_same_call(release: Release) -> None:
    made = point(release, "softmax", inputs(data=Draft((64, 512)), axis=0)).case
    call = msgspec.structs.replace(made, calls={"net": 3})
    options = Options(recorded=[call], other_side=other_side(release, "softmax", with_axis))
    factory = factory_of(release, "softmax", with_axis, side=1)
    search = CallSearch(factory, timings_between(slowed(is_first_axis, 5.0), honest, 30.0), options, NullSink())
    findings = list(search.findings())
    assert {(finding.case.id, finding.sides, finding.family) for finding in findings} == {
        (call.id, SIDES, "this call, 3 times in net")
    }
    assert search.searched.ended == "quiet"


class _KeptLines:
    """A folder that keeps the lines of its log."""

    def __init__(self) -> None:
        self.lines: list[Answer] = []

    def write(self, line: Answer) -> None:
        self.lines.append(line)


def test_the_log_of_both_sides_answers_a_search_that_is_made_again(release: Release) -> None:
    kept = _KeptLines()
    source = Lawful(slowed(is_long), law_of_side_0=honest)
    first = _told(release, source, HuntRecorder(kept, lambda: 0.0))  # type: ignore[arg-type] # it only writes
    questions = source.questions
    assert _told(release, source, NullSink(), Replay(kept.lines)) == first
    assert source.questions == questions
    assert {line.side for line in kept.lines if hasattr(line, "side")} == {0, 1}


def _told(
    release: Release, source: Lawful, sink: HuntRecorder | NullSink, replay: Replay | None = None
) -> list[Finding]:
    """The first finding of a search with plenty of time."""
    timings = InputTimings(source, 1e6, sink, clock=source.clock, side=1, replay=replay)
    options = Options(seed=1, other_side=other_side(release, "exp", plain))
    search = Search(factory_of(release, "exp", plain, side=1), timings, options, NullSink())
    return [next(iter(search.findings()))]
