"""A second look: what is slower is measured again, and only what is slower again fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import Comparison, ComparisonOptions, Gate, Verdict
from autoperf.core.clocks import CYCLES, INSTRUCTIONS, WALL, Metric
from autoperf.core.errors import Exit, UsageError
from autoperf.front import compare_sides as confirmation
from autoperf.front.compare_sides import MeasuredSides, again_alone, again_from_files, again_in_turn, confirmed
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.settings import Settings
from tests.values import compared, comparison, outcome, passed, steady, write_run

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
    """After Ctrl-C, where the second look fails, and where it has no case in common."""

    def failing(_cases: frozenset[str]) -> None:
        raise UsageError("no such build")

    assert confirmed(slower, OPTIONS, lambda _cases: None) is slower
    assert confirmed(slower, OPTIONS, failing) is slower
    paths = [write_run(tmp_path / f"{side}.ndjson", [outcome(number)]) for number, side in enumerate("xy")]
    assert confirmed(slower, OPTIONS, lambda _cases: (paths[0], paths[1])).gate is Gate.FAILS


def test_a_counter_that_isn_t_exact_has_a_second_look() -> None:
    cycles = comparison(compared("exp/00c0ffee", "forward", "cycles", 1.3, Verdict.SLOWER))
    asked: list[frozenset[str]] = []
    confirmed(cycles, OPTIONS, asked.append)
    assert asked == [{"exp/00c0ffee"}]


@pytest.mark.parametrize(
    ("counters", "count_by", "counts_first", "measured"),
    [
        ((CYCLES,), None, False, (WALL, CYCLES)),
        ((INSTRUCTIONS,), "processor", False, (WALL, INSTRUCTIONS)),
        ((INSTRUCTIONS,), "valgrind", False, (WALL,)),
        ((INSTRUCTIONS,), None, True, (WALL,)),
    ],
)
def test_only_exact_counts_are_left_out_of_the_second_look(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    counters: tuple[Metric, ...],
    count_by: str | None,
    *,
    counts_first: bool,
    measured: tuple[Metric, ...],
) -> None:
    asked: list[tuple[Metric, ...]] = []

    def measure(_request: RunRequest, options: ComparisonOptions, _cluster: str | None) -> MeasuredSides:
        asked.append(options.metrics)
        return MeasuredSides(tmp_path / "A", tmp_path / "B", 0)

    monkeypatch.setattr(confirmation, "measure_sides", measure)
    options = ComparisonOptions(metrics=(WALL, *counters), counts_first=counts_first)
    again = again_in_turn(replace(REQUEST, settings=Settings(count_by=count_by)), options, None)
    assert again
    assert again(frozenset({"exp/1"}))
    assert asked == [measured]


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
    settings = Settings(max_time=1.0, time_budget=budget, visits=1 if budget else 2)
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


def test_a_run_that_can_t_be_repeated_has_no_second_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slower: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(confirmation, "_is_unchanged", lambda _provenance: True)
    base, new = slower.base_provenance, slower.new_provenance
    assert base
    assert new
    first = msgspec.structs.replace(slower, base_provenance=msgspec.structs.replace(base, build=f"{new.build}.old"))
    again = again_from_files(first, tmp_path / "first-B.ndjson", OPTIONS)
    assert again
    assert confirmed(first, OPTIONS, again) is first
    assert "not confirmed: " in capsys.readouterr().err


def test_a_baseline_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Run:
        complete = False

    asked: list[RunRequest] = []
    monkeypatch.setattr(confirmation, "run_session", lambda request, *_: asked.append(request) or Run())
    for count_by in ("processor", "valgrind"):
        settings = Settings(counters=("instructions",), count_by=count_by)
        again = again_alone(tmp_path / "base.ndjson", replace(REQUEST, settings=settings), None)
        assert again(frozenset({"exp/1"})) is None
    assert [request.settings.counters for request in asked] == [("instructions",), ()]
