"""A second look: what is slower is measured again, and only what is slower again fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import Comparison, ComparisonOptions, Gate, Verdict
from autoperf.core.clocks import WALL
from autoperf.core.errors import Exit
from autoperf.front import confirmation
from autoperf.front.compare_sides import MeasuredSides
from autoperf.front.confirmation import again_alone, again_from_files, again_in_turn, confirmed
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.settings import Settings
from tests.values import outcome, passed, steady, write_run

OPTIONS = ComparisonOptions(metrics=(WALL,))
REQUEST = RunRequest(Selection(), Recipe(), Settings(max_time=1.0))


def runs(folder: Path, name: str, *times: float) -> tuple[Path, Path]:
    """Base takes 100 us in each case, new these times."""
    sides = ([100.0] * len(times), times)
    paths = [folder / f"{name}-{side}.ndjson" for side in "AB"]
    for path, medians in zip(paths, sides, strict=True):
        write_run(path, [outcome(number, passed(wall=steady(median, 5))) for number, median in enumerate(medians)])
    return paths[0], paths[1]


@pytest.fixture
def slower(tmp_path: Path) -> Comparison:
    """The first of three cases is slower."""
    return compare_files(*runs(tmp_path, "first", 150.0, 100.0, 100.0), OPTIONS)


@pytest.mark.parametrize(
    ("again", "verdict", "gate"), [(150.0, Verdict.SLOWER, Gate.FAILS), (100.0, Verdict.SAME, Gate.PASSES)]
)
def test_only_what_is_slower_again_fails(
    tmp_path: Path, slower: Comparison, again: float, verdict: Verdict, gate: Gate
) -> None:
    asked: list[frozenset[str]] = []

    def measure(cases: frozenset[str]) -> tuple[Path, Path]:
        asked.append(cases)
        return runs(tmp_path, "again", again)

    found = confirmed(slower, OPTIONS, measure)
    assert asked == [frozenset({outcome(0).case})]
    assert [figure.verdict for figure in found.cases if figure.case in asked[0]] == [verdict]
    assert found.gate is gate


def test_nothing_is_measured_again_where_nothing_is_slower(tmp_path: Path) -> None:
    same = compare_files(*runs(tmp_path, "same", 100.0, 100.0), OPTIONS)
    assert confirmed(same, OPTIONS, lambda _cases: pytest.fail("nothing is slower")) is same


def test_what_is_not_measured_again_isn_t_refuted(tmp_path: Path, slower: Comparison) -> None:
    """After Ctrl-C, and where the second look has no case in common."""
    assert confirmed(slower, OPTIONS, lambda _cases: None) is slower
    paths = [write_run(tmp_path / f"{side}.ndjson", [outcome(number)]) for number, side in enumerate("xy")]
    assert confirmed(slower, OPTIONS, lambda _cases: (paths[0], paths[1])).gate is Gate.FAILS


@pytest.mark.parametrize(("budget", "expected"), [(None, confirmation.LIMIT), (100.0, 25.0)])
def test_the_second_look_takes_more_time_for_a_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: float | None, expected: float
) -> None:
    asked: list[RunRequest] = []

    def measure(request: RunRequest, options: ComparisonOptions, _cluster: str | None) -> MeasuredSides:
        asked.append(request)
        assert (options.counts_first, options.metrics) == (False, (WALL,))
        return MeasuredSides(tmp_path / "A", tmp_path / "B", Exit.INTERRUPTED if len(asked) > 1 else 0)

    monkeypatch.setattr(confirmation, "measure_sides", measure)
    settings = Settings(max_time=1.0, time_budget=budget)
    request = replace(REQUEST, settings=settings, output=tmp_path / "run.ndjson")
    again = again_in_turn(request, OPTIONS, None)
    assert again
    assert again(frozenset({"exp/1"})) == (tmp_path / "A", tmp_path / "B")
    (narrowed,) = asked
    assert narrowed.only == {"exp/1"}
    assert narrowed.settings.time_budget == expected
    assert narrowed.output == tmp_path / "run-again.ndjson"
    # An earlier second look keeps its file.
    (tmp_path / "run-again-A.ndjson").touch()
    assert again(frozenset({"exp/1"})) is None
    assert asked[1].output not in (None, narrowed.output)


def test_functions_of_two_front_ends_have_no_second_look() -> None:
    assert again_in_turn(replace(REQUEST, namespaces=("nd", "np")), OPTIONS, None) is None


def test_files_whose_builds_are_gone_have_no_second_look(tmp_path: Path, slower: Comparison) -> None:
    assert again_from_files(slower, tmp_path / "first-B.ndjson", OPTIONS) is None


def test_a_baseline_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Run:
        complete = False

    monkeypatch.setattr(confirmation, "run_session", lambda *_: Run())
    assert again_alone(tmp_path / "base.ndjson", REQUEST, None)(frozenset({"exp/1"})) is None
