"""A hunt by instructions: counts decide, exactly, and its findings are timed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.case import Case
from autoperf.core.errors import LibraryError, OutputError
from autoperf.core.events import Event, FindingConfirmed, Notice, NullSink
from autoperf.core.finding import Estimate, Finding, FindingCode, OtherPass, Rechecked, Signal
from autoperf.core.outcome import PassName, Status
from autoperf.core.work import CodeCount, FunctionCount, Part
from autoperf.hunt.findings import code_details, finding_code
from autoperf.hunt.instructions import CountingSource
from autoperf.hunt.operators import Hunt
from autoperf.hunt.recheck import logged_claim
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.search import Options, Search
from autoperf.hunt.session import HuntSession
from autoperf.hunt.sides import sides_of
from autoperf.hunt.stored import HuntFolder
from autoperf.hunt.timings import InputTimings
from autoperf.measurement.messages import CaseFailure, PairedTiming, QuickTiming
from autoperf.measurement.settings import Settings
from autoperf.runs.huntlog import HuntLog
from tests.finding_values import HEADER, SEARCHED, SOFTMAX
from tests.hunt.hunt_values import Lawful, factory_of, plain, shape
from tests.reports.report_values import text_of
from tests.values import Recording, case

NAME = "Walk<cpu>"


def instructions(each: Case) -> int:
    """Ten for each element, and six times as many in rows of more than a hundred."""
    return 10 * math.prod(shape(each)) * (6 if shape(each)[-1] > 100 else 1)


@dataclass
class Counter:
    """Counts by a law; `asked` has the inputs."""

    asked: list[str] = field(default_factory=list)

    def counts(self, each: Case, side: int) -> dict[PassName, CodeCount] | CaseFailure:
        self.asked.append(each.digest)
        if each.operator == "sort":
            return CaseFailure(Status.SKIPPED, "it takes too long under valgrind")
        functions = (FunctionCount(NAME, Part.OPERATOR, instructions(each)),)
        return {"forward": CodeCount("valgrind", functions, {"operator": instructions(each)}, "")}


def source_of(us: float = 100.0) -> tuple[CountingSource, Counter]:
    """A source whose timer gives every input the same time."""
    counter = Counter()
    return CountingSource(counter, Lawful(lambda _case, _pass: us), 0, 0), counter  # type: ignore[arg-type] # it counts


def test_a_search_by_counts_finds_the_limit_exactly_and_times_tell_another_story(release: Release) -> None:
    source, counter = source_of()
    clock = Lawful(lambda _case, _pass: 1.0).clock
    timings = InputTimings(source, 1e6, NullSink(), clock=clock, backward=False)
    search = Search(factory_of(release, "exp", plain), timings, Options(seed=1), NullSink())
    found = source.timed(next(search.findings()))
    assert found.code
    assert found.family == "the last dimension is 101 or more"
    assert (shape(found.case)[-1], shape(found.contrast)[-1]) == (101, 100)
    assert (found.code.slow, found.code.fast) == (instructions(found.case), instructions(found.contrast))
    assert found.code.ratio == pytest.approx(6.0, rel=0.02)
    assert (found.actual_us, found.contrast_us) == (pytest.approx(100, rel=0.2), pytest.approx(100, rel=0.2))
    assert dict(code_details(found.code, found.estimate))["shown by"].startswith("instructions alone")
    assert len(counter.asked) == len(set(counter.asked))


def test_a_hunt_keeps_its_findings_with_their_code_and_times(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Found:
        searched = SEARCHED[0]

        def __init__(self, *_: object) -> None: ...

        def findings(self) -> Iterator[Finding]:
            yield SOFTMAX
            yield msgspec.structs.replace(SOFTMAX, contrast=case("sort", 64, 64))

    monkeypatch.setattr("autoperf.hunt.operators.Search", Found)
    monkeypatch.setattr("autoperf.hunt.operators.FindingKernels.of", lambda *_: ({}, {}))
    sink, asked = Recording(), HuntRequest(seed=0, budget=60.0, least=2.0, timeout=20.0, signal="instructions")
    chosen = targets(release.registry, release.catalog, Selection(operators=("softmax",)))
    sides = sides_of([release], None, Settings())
    with HuntFolder(tmp_path / "hunt", HEADER) as folder:
        assert Hunt(sides, asked, folder, sink, tmp_path).run(chosen, source_of()[0], None)
        (found,) = folder.findings.values()
    assert found.code
    assert (found.code.slow, found.actual_us) == (instructions(SOFTMAX.case), pytest.approx(100, rel=0.2))
    notices = [event.text for event in sink.events if isinstance(event, Notice)]
    assert [text for text in notices if "can't be counted: it takes too long under valgrind" in text]


def test_a_full_disk_ends_the_hunt(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An input that can't be timed is told; a finding that can't be written is an error."""

    class Found:
        searched = SEARCHED[0]

        def __init__(self, *_: object) -> None: ...

        def findings(self) -> Iterator[Finding]:
            yield SOFTMAX

    class Full:
        def handle(self, event: Event) -> None:
            if isinstance(event, FindingConfirmed):
                raise OutputError("no space left")

    monkeypatch.setattr("autoperf.hunt.operators.Search", Found)
    asked = HuntRequest(seed=0, budget=60.0, least=2.0, timeout=20.0, signal="instructions")
    chosen = targets(release.registry, release.catalog, Selection(operators=("softmax",)))
    with HuntFolder(tmp_path / "hunt", HEADER) as folder, pytest.raises(OutputError, match="no space left"):
        Hunt(sides_of([release], None, Settings()), asked, folder, Full(), tmp_path).run(chosen, source_of()[0], None)


@pytest.mark.parametrize(("signal", "told"), [("time", 2), ("instructions", 0)])
def test_a_hunt_without_a_roofline_goes_on(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signal: Signal, told: int
) -> None:
    """It is further evidence, of times alone."""

    def failing(*_: object) -> None:
        raise LibraryError("the machine's roofline can't be measured")

    monkeypatch.setattr("autoperf.hunt.session.known_roofline", lambda *_: None)
    monkeypatch.setattr("autoperf.hunt.session.roofline", failing)
    asked, sink = HuntRequest(seed=0, budget=60.0, least=2.0, timeout=20.0, signal=signal), Recording()
    session = HuntSession(asked, tmp_path / "hunt", sink, ())
    assert session._roofline(sides_of([release], None, Settings()).searched) is None
    assert len([event for event in sink.events if isinstance(event, Notice)]) == told


def test_each_pass_is_timed_for_its_own_work() -> None:
    """The contrast of an other pass that another input showed isn't known, so that pass isn't told."""
    source = source_of()[0]
    counted = msgspec.structs.replace(
        SOFTMAX, actual_us=40.0, contrast_us=10.0, expected_us=20.0, estimate=Estimate(2.0, 2.0, 2.0)
    )  # fmt: skip
    other = OtherPass(
        pass_="forward", case=counted.case, estimate=Estimate(4.0, 4.0, 4.0), actual_us=40.0, contrast_us=10.0
    )
    timed = source.timed(msgspec.structs.replace(counted, other_pass=other))
    assert timed.estimate.ratio == pytest.approx(0.5, rel=0.2)
    assert timed.other_pass
    assert timed.other_pass.estimate.ratio == pytest.approx(1.0, rel=0.2)
    elsewhere = msgspec.structs.replace(other, case=case("softmax", 2, 2))
    assert source.timed(msgspec.structs.replace(counted, other_pass=elsewhere)).other_pass is None


def test_a_replay_is_judged_by_instructions(tmp_path: Path) -> None:
    code = FindingCode(by="valgrind", slow=900, fast=100, work=1.0)
    found = msgspec.structs.replace(SOFTMAX, code=code)
    header = msgspec.structs.replace(HEADER, options={"signal": "instructions"})
    with HuntLog(tmp_path / "log.ndjson", header) as log:
        log.write(FindingConfirmed(finding=found))
    assert logged_claim(tmp_path / "log.ndjson", 1).code_above == 3.0
    for slow, words in ((301, "reproduced: the ratio of instructions is above 3.00"), (300, "not reproduced: ")):
        again = Rechecked(
            operator="softmax", pass_="forward", slow=SOFTMAX.case, fast=SOFTMAX.contrast, slow_us=1.0, fast_us=1.0,
            estimate=Estimate(1.0, 0.9, 1.1), above=1.2, rounds=31, mxnet="1.9.1", threads=1,
            code=msgspec.structs.replace(code, slow=slow), code_above=3.0,
        )  # fmt: skip
        assert again.holds is (slow > 300)
        assert words in text_of("recheck", "table", again, 100)


def test_a_count_stands_for_all_samples_in_units() -> None:
    source, counter = source_of()
    slow, fast = case("exp", 64, 64), case("exp", 32, 64)
    assert source.time_case(QuickTiming(slow, True, 3, 1.0), 0).forward_us == (8.192,) * 3  # type: ignore[union-attr]
    pair = source.time_pair(PairedTiming(slow, fast, "forward", 5, 1.0), (0, 0))
    assert (pair.first_us, pair.second_us) == ((8.192,) * 5, (4.096,) * 5)  # type: ignore[union-attr]
    assert counter.asked == [slow.digest, fast.digest]


def test_what_cannot_be_counted_is_refused() -> None:
    source, _ = source_of()
    asked = PairedTiming(case("exp", 64), case("sort", 64), "forward", 5, 1.0)
    assert source.time_pair(asked, (0, 0)) == CaseFailure(Status.SKIPPED, "it takes too long under valgrind")
    backward = source.time_pair(PairedTiming(case("exp", 64), case("exp", 64), "backward", 5, 1.0), (0, 0))
    assert isinstance(backward, CaseFailure)
    assert backward.reason == "exp has no backward pass there"


@pytest.mark.parametrize(
    ("times", "excess", "words"),
    [
        (Estimate(3.0, 2.9, 3.1), 3, "times and instructions"),
        (Estimate(3.0, 2.9, 3.1), 1, "times alone"),
        (Estimate(1.0, 0.9, 1.1), 3, "instructions alone"),
        (Estimate(1.0, 0.9, 1.1), 1, "neither"),
    ],
)
def test_each_of_the_two_signals_shows_a_finding_or_does_not(times: Estimate, excess: int, words: str) -> None:
    slow, fast = (
        CodeCount("", (FunctionCount(NAME, Part.OPERATOR, number),), {"operator": number}, "")
        for number in (1000 * excess, 1000)
    )
    assert dict(code_details(finding_code(slow, fast, 1.0), times))["shown by"].startswith(words)
