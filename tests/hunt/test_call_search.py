"""Searches of a network's calls with laws of times: each slow call is reported with a faster neighbour."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import msgspec

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.events import CandidateFollowed, Event
from autoperf.core.finding import Finding, Searched
from autoperf.core.outcome import PassName
from autoperf.hunt.neighbours import equivalents_of
from autoperf.hunt.operators import CallSearch, is_of_networks
from autoperf.hunt.search import Options
from autoperf.rules.rule import Draft, Inputs, inputs
from tests.hunt.hunt_values import Law, factory_of, point, shape, timings_of, with_axis


@dataclass
class Kept:
    """A sink that keeps its events."""

    events: list[Event] = field(default_factory=list)

    def handle(self, event: Event) -> None:
        self.events.append(event)


def call(release: Release, made: Inputs, **calls: int) -> Case:
    """A call of softmax with these counts in networks."""
    return msgspec.structs.replace(point(release, "softmax", made).case, calls=calls)


def slow_first_axis(case: Case, _pass: PassName) -> float:
    """An honest law, and five times its time along the first of two axes."""
    honest = 150 + 0.002 * math.prod(shape(case))
    return honest * (5.0 if len(shape(case)) > 1 and case.params.get("axis") == 0 else 1.0)


def search_of(release: Release, law: Law, *recorded: Case) -> tuple[CallSearch, Kept]:
    timings, _ = timings_of(law, 30.0)
    sink = Kept()
    return CallSearch(factory_of(release, "softmax", with_axis), timings, Options(recorded=recorded), sink), sink


def searched(release: Release, law: Law, *recorded: Case) -> tuple[list[Finding], Searched, Kept]:
    search, sink = search_of(release, law, *recorded)
    return list(search.findings()), search.searched, sink


FIRST = inputs(data=Draft((64, 512)), axis=0)
LAST = inputs(data=Draft((64, 512)), axis=1)


def test_a_slow_call_is_told_with_what_would_be_faster(release: Release) -> None:
    slow, fine = call(release, FIRST, net=3, other=1), call(release, LAST, net=1)
    findings, summary, _ = searched(release, slow_first_axis, fine, slow)
    assert {finding.case.id for finding in findings} == {slow.id}
    assert {finding.family for finding in findings} == {"this call, 3 times in net; in other"}
    assert all(finding.check is None and finding.estimate.ratio > 3 for finding in findings)
    assert summary.ended == "quiet"


def test_common_calls_have_the_times_of_all_of_their_calls(release: Release) -> None:
    search, _ = search_of(release, slow_first_axis, call(release, FIRST, net=3, other=1), call(release, LAST, net=1))
    assert list(search.findings())
    assert [round(times.forward / slow_first_axis(case, "forward")) for case, times in search.common_calls] == [4, 1]


def test_the_input_itself_is_the_finding_not_a_simpler_one(release: Release) -> None:
    slow = call(release, FIRST, net=1)
    findings, _, _ = searched(release, slow_first_axis, slow)
    assert {shape(finding.case) for finding in findings} == {(64, 512)}


def test_calls_that_take_most_time_come_first(release: Release) -> None:
    often = call(release, inputs(data=Draft((32, 256)), axis=0), net=50)
    _, _, sink = searched(release, slow_first_axis, call(release, FIRST, net=1), often)
    followed = [event.id for event in sink.events if isinstance(event, CandidateFollowed)]
    assert followed[0] == often.id


def test_a_call_that_another_operator_makes_faster_is_told(release: Release) -> None:
    """`softmin` takes ten times as long as `softmax` on every input, so that no neighbour is fast."""

    def law(case: Case, _pass: PassName) -> float:
        return (10.0 if case.operator == "softmin" else 1.0) * (150 + 0.002 * math.prod(shape(case)))

    slow = msgspec.structs.replace(point(release, "softmin", inputs(data=Draft((64, 512)))).case, calls={"net": 2})
    timings, _ = timings_of(law, 30.0)
    known = {name: operator for operator in release.registry.operators for name in operator.names}
    kin = equivalents_of(known["softmin"], [known["softmax"]], lambda operator: factory_of(release, operator.name))
    search = CallSearch(
        factory_of(release, "softmin"), timings, Options(recorded=(slow,), equivalents=tuple(kin)), Kept()
    )
    (finding,) = [each for each in search.findings() if each.pass_ == "forward"]
    assert finding.contrast.operator == "softmax"
    assert finding.estimate.ratio > 9


def test_an_honest_law_has_no_findings(release: Release) -> None:
    findings, summary, _ = searched(
        release, lambda case, _: 150 + 0.002 * math.prod(shape(case)), call(release, FIRST, net=1)
    )
    assert (findings, summary.suspects, summary.ended) == ([], 0, "quiet")


def test_calls_that_do_not_run_are_told(release: Release) -> None:
    def refused(_case: Case, _pass: PassName) -> float:
        raise ValueError("not here")

    findings, summary, _ = searched(release, refused, call(release, FIRST, net=1))
    assert (findings, summary.ended, summary.reason) == ([], "nothing", "no call runs: not here")


def test_calls_that_are_not_compared_are_counted_by_reason(release: Release) -> None:
    short = call(release, inputs(data=Draft((2, 3))), net=1)
    unfit = msgspec.structs.replace(call(release, LAST, net=1), params={"axis": "all"})
    fine, dead = call(release, FIRST, net=9), call(release, inputs(data=Draft((64, 500))), net=1)

    def law(case: Case, pass_: PassName) -> float:
        if shape(case) == (64, 500):
            raise ValueError("not here")
        return slow_first_axis(case, pass_) - 140 * (shape(case) == (2, 3))

    search, _ = search_of(release, law, short, unfit, fine, dead)
    findings = list(search.findings())
    assert {finding.case.id for finding in findings} == {fine.id}
    refusal, *others = sorted(search.searched.uncompared.items(), key=lambda item: "axis" not in item[0])
    assert "axis" in refusal[0]
    assert dict(others) == {"a call so short that its overhead hides the kernel": 1, "not here": 1}


def test_a_call_in_another_dtype_than_the_rules_has_steps_to_others(release: Release) -> None:
    def slow_half(case: Case, _pass: PassName) -> float:
        return 2000.0 if case.inputs[0].tensor.dtype == "float16" else 200.0

    half = msgspec.structs.replace(
        point(release, "softmax", inputs(data=Draft((64, 512))), "float16").case, calls={"net": 1}
    )
    findings, _, _ = searched(release, slow_half, half)
    assert {finding.contrast.inputs[0].tensor.dtype for finding in findings} == {"float32"}
    assert {finding.step.partition(":")[0] for finding in findings} == {"float32"}


def test_calls_that_the_budget_does_not_reach_are_counted(release: Release) -> None:
    timings, _ = timings_of(slow_first_axis, 0.0)
    calls = (call(release, FIRST, net=1), call(release, LAST, net=1))
    search = CallSearch(factory_of(release, "softmax", with_axis), timings, Options(recorded=calls), Kept())
    assert not list(search.findings())
    assert search.searched.uncompared == {"the budget was used up": 2}
    assert search.searched.ended == "budget"


def test_only_captured_cases_are_calls_of_networks(release: Release) -> None:
    captured = call(release, FIRST, net=1)
    plain = msgspec.structs.replace(captured, calls=msgspec.UNSET)
    assert is_of_networks([captured])
    assert not is_of_networks([captured, plain])
    assert not is_of_networks([])
