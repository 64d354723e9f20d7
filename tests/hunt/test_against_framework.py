"""Searches against another framework with laws of times: only inputs with equal results count, and the log has all."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.events import Answer, NullSink, PairTimed, ResultsCompared
from autoperf.core.finding import Finding
from autoperf.hunt.neighbours import OtherSide
from autoperf.hunt.operators import HuntRecorder
from autoperf.hunt.search import Options, Search
from autoperf.hunt.timings import InputTimings, Replay
from autoperf.measurement.quick_timing_client import NO_GRADIENT, VIEW, EqualResults
from tests.hunt.hunt_values import Lawful, factory_of, plain
from tests.hunt.test_two_sides import honest, is_half, slowed

PLENTY = 1e6
WORDS = "MXNet 1.9.1", "PyTorch 2.13.0"
DIFFERS = "the results differ: output: largest error 0.5 at (3): 1.0, expected 1.5; computed by torch.exp(data)"


def search_of(
    release: Release,
    source: Lawful,
    sink: NullSink | HuntRecorder | None = None,
    seconds: float = 1.0,
    replay: Replay | None = None,
) -> Search:
    """A search of side 1 for what is slower there than in the framework on side 0."""
    other = OtherSide(factory_of(release, "exp", plain), lambda _: True, WORDS[1], WORDS[0])
    timings = InputTimings(source, seconds, sink or NullSink(), clock=source.clock, side=1, replay=replay)
    factory = factory_of(release, "exp", plain, side=1)
    return Search(factory, timings, Options(seed=1, other_side=other), NullSink())


def told(search: Search) -> list[Finding]:
    """The findings; of a repeated one, the last version."""
    return list({(finding.case.id, finding.pass_): finding for finding in search.findings()}.values())


def test_what_is_slower_than_in_the_framework_is_one_finding(release: Release) -> None:
    source = Lawful(slowed(is_half), law_of_side_0=honest)
    search = search_of(release, source)
    (finding,) = told(search)
    assert (finding.sides, finding.family, finding.is_equal_work) == (WORDS, "float16", True)
    assert finding.step == "the same input on PyTorch 2.13.0"
    assert finding.contrast.id == finding.case.id
    assert finding.check
    assert not finding.check.single
    assert source.compared
    assert search.searched.uncompared == {}


def test_inputs_that_are_as_fast_need_no_results(release: Release) -> None:
    source = Lawful(honest, law_of_side_0=honest)
    assert told(search_of(release, source)) == []
    assert source.compared == 0


@pytest.mark.parametrize(
    ("equal", "reason"),
    [
        (EqualResults(reason=DIFFERS), "the results differ: output"),
        (EqualResults(("backward",), VIEW), VIEW),
        (EqualResults(reason="TypeError: expected 3 of 17"), "TypeError: expected N of N"),
    ],
)
def test_inputs_without_equal_results_are_no_finding_and_are_counted(
    release: Release, equal: EqualResults, reason: str
) -> None:
    source = Lawful(slowed(is_half, passes=("forward",)), law_of_side_0=honest, equal=lambda _: equal)
    search = search_of(release, source)
    assert told(search) == []
    assert search.searched.uncompared == {reason: source.compared}
    assert source.compared > 5


def test_a_pass_whose_results_were_not_compared_is_no_finding(release: Release) -> None:
    source = Lawful(slowed(is_half), law_of_side_0=honest, equal=lambda _: EqualResults(("forward",), NO_GRADIENT))
    search = search_of(release, source)
    findings = told(search)
    assert [finding.pass_ for finding in findings] == ["forward"]


def test_inputs_without_an_implementation_are_counted(release: Release) -> None:
    def old(case: Case, pass_: str) -> float:
        if is_half(case):
            raise ValueError("no implementation in PyTorch for these parameters or types: it needs float32")
        return honest(case)

    source = Lawful(slowed(is_half), law_of_side_0=old)
    search = search_of(release, source)
    assert told(search) == []
    ((reason, inputs),) = search.searched.uncompared.items()
    assert reason.startswith("no implementation in PyTorch")
    assert inputs > 5
    assert search.searched.refused == 0


class _KeptLines:
    """A folder that keeps the lines of its log."""

    def __init__(self) -> None:
        self.lines: list[Answer] = []

    def write(self, line: Answer) -> None:
        self.lines.append(line)


def test_the_log_answers_a_search_that_is_made_again(release: Release) -> None:
    kept = _KeptLines()
    source = Lawful(slowed(is_half), law_of_side_0=honest)
    recorder = HuntRecorder(kept, lambda: 0.0)  # type: ignore[arg-type] # it only writes
    first = next(iter(search_of(release, source, recorder, PLENTY).findings()))
    compared = [line for line in kept.lines if isinstance(line, ResultsCompared)]
    assert len(compared) == source.compared
    proven = {line.case.id for line in compared if "forward" in line.passes}
    assert {line.first.id for line in kept.lines if isinstance(line, PairTimed)} <= proven
    asked = source.questions, source.compared
    again = next(iter(search_of(release, source, seconds=PLENTY, replay=Replay(kept.lines)).findings()))
    assert (again, (source.questions, source.compared)) == (first, asked)
