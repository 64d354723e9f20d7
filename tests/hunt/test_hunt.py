"""What a hunt makes of several operators: cases by their names, and everybody's share of the budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.errors import UsageError
from autoperf.core.events import (
    BudgetStarted,
    Event,
    FindingConfirmed,
    HuntFinished,
    InputTried,
    Notice,
    NullSink,
    OperatorSearched,
)
from autoperf.core.finding import CommonTime, Finding
from autoperf.hunt.operators import Hunt, search_time
from autoperf.hunt.progress import PlainHuntProgress
from autoperf.hunt.request import HuntRequest, by_operator, weighted_calls
from autoperf.hunt.sides import HuntSides, sides_of
from autoperf.hunt.stored import HuntFolder
from autoperf.hunt.timings import Times
from autoperf.measurement.quick_timing_client import QuickTimingClient, SideTimings
from autoperf.measurement.settings import Settings
from autoperf.runs.huntlog import read_log
from tests.finding_values import HEADER, SEARCHED, SOFTMAX, softmax, take

NAMES = ("relu", "_contrib_fft", "exp")


def only(release: Release) -> HuntSides:
    """The side of a hunt of one build."""
    return sides_of([release], None, Settings(processes=1))


def request(budget: float) -> HuntRequest:
    """A request with this budget in seconds."""
    return HuntRequest(seed=0, budget=budget, least=2.0, timeout=20.0)


def hunted(
    release: Release, folder: Path, asked: HuntRequest, names: tuple[str, ...] = NAMES, *, used: float = 0.0
) -> HuntFolder:
    """The folder of a hunt of these operators."""
    chosen = targets(release.registry, release.catalog, Selection((), names, ()))
    header = msgspec.structs.replace(HEADER, operators=tuple(one.operator.name for one in chosen))
    scratch = folder.parent / "scratch"
    scratch.mkdir()
    with (
        QuickTimingClient(release.library, Settings(processes=1), scratch) as client,
        HuntFolder(folder, header) as writing,
        (folder.parent / "progress.txt").open("w") as stream,
        PlainHuntProgress(stream) as progress,
    ):
        writing.used = used
        assert Hunt(only(release), asked, writing, progress, scratch).run(chosen, SideTimings([client]), None)
        return writing


def test_cases_go_to_their_operators_by_any_name() -> None:
    names = {"softmax": "softmax", "nn_take": "take"}
    aliased = msgspec.structs.replace(take(3), operator="nn_take")
    unknown = msgspec.structs.replace(take(4), operator="elsewhere")
    found = by_operator([softmax(), aliased, unknown, softmax(axis=1)], names)
    assert {name: [case.id for case in cases] for name, cases in found.items()} == {
        "softmax": [softmax().id, softmax(axis=1).id],
        "take": [take(3).id],
    }


def test_every_operator_is_accounted_for(release: Release, tmp_path: Path) -> None:
    folder = hunted(release, tmp_path / "hunt", request(2.0))
    assert sorted(one.operator for one in folder.searched) == sorted(NAMES)
    ended = {one.operator: one for one in folder.searched}
    assert ended["_contrib_fft"].reason.startswith("only a GPU kernel is registered")
    assert isinstance(list(read_log(tmp_path / "hunt" / "log.ndjson")[1])[-1], HuntFinished)


def test_without_budget_nothing_is_tried_and_everybody_is_told_why(release: Release, tmp_path: Path) -> None:
    folder = hunted(release, tmp_path / "hunt", request(5.0), ("relu", "exp"), used=5.0)
    assert {(one.operator, one.tried, one.ended, one.reason) for one in folder.searched} == {
        (name, 0, "budget", "the budget was used up before its search") for name in ("relu", "exp")
    }


def test_a_finding_has_the_time_of_common_calls(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Found:
        common_calls = ((SOFTMAX.case, Times(30.0, 10.0)),)
        searched = SEARCHED[0]

        def __init__(self, *_: object) -> None: ...

        def findings(self) -> Iterator[Finding]:
            yield SOFTMAX

    monkeypatch.setattr("autoperf.hunt.operators.Search", Found)
    monkeypatch.setattr("autoperf.hunt.operators.FindingKernels.of", lambda *_: ({}, {}))
    folder = hunted(release, tmp_path / "hunt", request(5.0), ("softmax",))
    assert [found.common for found in folder.findings.values()] == [CommonTime(40.0, 30.0, 30.0)]
    logged = [line.finding.common for line in read_log(folder.log.path)[1] if isinstance(line, FindingConfirmed)]
    assert set(logged) == {CommonTime(40.0, 30.0, 30.0)}


def test_an_interrupted_search_keeps_what_it_has_confirmed(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come while the other pass or the common calls of a finding are timed."""

    class Interrupted:
        searched, confirmed = SEARCHED[0], (SOFTMAX,)

        def __init__(self, *_: object) -> None: ...

        def findings(self) -> Iterator[Finding]:
            raise KeyboardInterrupt
            yield

    monkeypatch.setattr("autoperf.hunt.operators.Search", Interrupted)
    chosen = targets(release.registry, release.catalog, Selection((), ("softmax",), ()))
    with HuntFolder(tmp_path / "hunt", HEADER) as folder:
        hunt = Hunt(only(release), request(5.0), folder, NullSink(), tmp_path)
        assert not hunt.run(chosen, SideTimings([]), None)
        assert list(folder.findings.values()) == [SOFTMAX]
        assert [each.ended for each in folder.searched] == ["interrupted"]


@pytest.mark.parametrize(("remaining", "operators"), [(10.0, 1), (60.0, 1), (60.0, 3), (3.0, 2), (0.0, 1), (-1.0, 2)])
def test_no_search_exceeds_what_remains_of_the_budget(remaining: float, operators: int) -> None:
    now, searched = 0.0, []
    for left in range(operators, 0, -1):
        seconds, grace = search_time(remaining - now, left)
        assert 0 <= grace <= seconds
        searched.append(seconds)
        now += seconds
    assert now <= max(0.0, remaining)
    assert now >= 0.9 * remaining
    assert max(searched) <= 1.2 * max(0.0, remaining) / operators


def test_a_hunt_of_many_operators_leaves_time_to_confirm_a_candidate() -> None:
    seconds, grace = search_time(1200.0, 600)
    assert grace >= 4.0
    assert 0.5 <= seconds - grace <= 2.0


@pytest.mark.parametrize(("remaining", "kept"), [(30.0, 6.0), (300.0, 6.0), (10.0, 2.0)])
def test_a_hunt_between_two_sides_leaves_time_for_the_processes_of_both(remaining: float, kept: float) -> None:
    assert search_time(remaining, 1, two_sides=True).seconds == pytest.approx(remaining - kept)


@pytest.mark.parametrize(
    ("budget", "used", "start", "counted", "words"),
    [
        (60.0, 0.0, 8.0, 8.0, []),
        (30.0, 0.0, 7.9, 7.5, []),
        (20.0, 0.0, 9.0, 5.0, ["the start took 9 s, 4 s of them in addition to the budget"]),
        (60.0, 50.0, 5.0, 2.5, ["the start took 5 s, 2 s of them in addition to the budget"]),
    ],
)
def test_the_start_is_a_part_of_the_budget(
    release: Release, tmp_path: Path, budget: float, used: float, start: float, counted: float, words: list[str]
) -> None:
    told: list[Event] = []

    class Kept:
        def handle(self, event: Event) -> None:
            told.append(event)

    with HuntFolder(tmp_path / "hunt", HEADER) as folder:
        folder.used = used
        hunt = Hunt(only(release), request(budget), folder, Kept(), tmp_path, clock=lambda: 1000.0 + start)
        assert hunt.run([], SideTimings([]), None, started=1000.0)
    assert hunt.start == pytest.approx(start)
    assert hunt.elapsed == pytest.approx(used + counted)
    assert [event.text for event in told if isinstance(event, Notice)] == words
    assert BudgetStarted(budget, used + counted) in told


@pytest.mark.parametrize(
    ("ended", "again", "replayed"),
    [("budget", False, 0), ("quiet", False, 0), ("interrupted", True, 0), ("interrupted", True, 2)],
)
def test_what_is_done_is_not_searched_again(
    release: Release, tmp_path: Path, ended: str, again: bool, replayed: int
) -> None:
    chosen = targets(release.registry, release.catalog, Selection((), ("relu",), ()))
    earlier = msgspec.structs.replace(SEARCHED[0], operator="relu", ended=ended, seconds=1000.0)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with (
        QuickTimingClient(release.library, Settings(processes=1), scratch) as client,
        HuntFolder(tmp_path / "hunt", HEADER) as folder,
        (tmp_path / "progress.txt").open("w") as stream,
        PlainHuntProgress(stream) as progress,
    ):
        folder.write(OperatorSearched(at=0.0, searched=earlier))
        asked, sides = request(0.5), only(release)
        points = sides.searched.factory(chosen[0].operator, chosen[0].rule, None).canonical("float32")
        folder.answers["relu"] = [
            InputTried(at=1200.0 * number, id=each.case.id, case=each.case, refused="too large")
            for number, each in enumerate(points[:replayed])
        ]
        assert Hunt(sides, asked, folder, progress, scratch).run(chosen, SideTimings([client]), None)
        (searched,) = folder.searched
        assert (searched != earlier) is again
        # The seconds of both sessions, each once.
        assert 1000 <= searched.seconds < 2000


def test_weights_are_the_calls_of_a_captured_network() -> None:
    with pytest.raises(UsageError, match=r"invalid --weights .* expected the file of `autoperf capture"):
        weighted_calls(Path("bert.yaml"))
