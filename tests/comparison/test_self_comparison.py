"""One build against itself: how many false alarms a gate has at most, and which thresholds are honest."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from autoperf.comparison.comparison import ComparisonOptions, Verdict
from autoperf.core.errors import Exit, UsageError
from autoperf.front import self_comparison as front
from autoperf.front.compare_sides import MeasuredSides
from autoperf.front.self_comparison import APART, COUNTS, IN_TURN, RUN, SelfComparison, Tally, tally
from autoperf.measurement.run_request import RunRequest
from tests.forked_program import Program
from tests.reports.report_values import text_of
from tests.values import compared, comparison, outcome, passed, steady, write_run


def times(threshold: float, decided: int, alarms: int, measurements: int = 320) -> Tally:
    return Tally(of=IN_TURN, threshold=threshold, measurements=measurements, decided=decided, alarms=alarms)


def test_the_limit_of_false_alarms_is_that_of_a_binomial_share() -> None:
    """Nothing in n draws: the share that would leave a trace in 95% of such series. One alarm: by its own equation."""
    none, one = times(0.03, 320, 0), times(0.03, 319, 1)
    assert (1 - none.rate) ** 640 == pytest.approx(0.05)
    assert (1 - one.rate) ** 640 + 640 * one.rate * (1 - one.rate) ** 639 == pytest.approx(0.05)
    assert none.runs == pytest.approx(1 / (RUN * none.rate**2))
    assert times(0.1, 0, 640).rate == 1.0


@pytest.mark.parametrize(
    ("found", "is_honest"),
    [
        (times(0.03, 320, 0), True),
        (times(0.03, 150, 0), False),
        (times(0.03, 310, 10), False),
        (times(0.03, 20, 0, 20), False),
        (Tally(of=COUNTS, threshold=0.001, measurements=20, decided=20, alarms=0), True),
        (Tally(of=COUNTS, threshold=0.001, measurements=20, decided=19, alarms=1), False),
        (Tally(of=COUNTS, threshold=0.001, measurements=0, decided=0, alarms=0), False),
    ],
)
def test_an_honest_threshold_decides_and_hardly_errs(found: Tally, is_honest: bool) -> None:
    assert found.is_honest is is_honest


def test_verdicts_in_both_directions_are_alarms() -> None:
    verdicts = (Verdict.FASTER, Verdict.SLOWER, Verdict.SAME, Verdict.UNDECIDED)
    figures = [compared(f"exp/{number}", "forward", "wall", 1.0, verdict) for number, verdict in enumerate(verdicts)]
    found = tally(APART, 0.02, [comparison(*figures), comparison(figures[2])])
    assert found == Tally(of=APART, threshold=0.02, measurements=5, decided=2, alarms=2)


FOUND = SelfComparison(
    "MXNet 1.9.1",
    (
        times(0.01, 100, 3), times(0.03, 300, 0), times(0.05, 320, 0),
        Tally(of=APART, threshold=0.1, measurements=240, decided=200, alarms=9),
        Tally(of=COUNTS, threshold=0.001, measurements=40, decided=40, alarms=0),
    ),
    4,
    590.0,
)  # fmt: skip


def test_the_answer_names_the_smallest_honest_threshold() -> None:
    text = " ".join(text_of("self_comparison", "table", FOUND, 100).split())
    assert "in turn (`gate --mxnet A --mxnet B`): 3% is honest here, with false alarms in 1 of 46 runs at most" in text
    assert "runs at different times (`gate BASELINE`): no threshold up to 10% is honest here" in text
    assert "counts (`--counters instructions`): 0.1% is honest here, with no false alarm" in text
    assert "MXNet 1.9.1 against itself, 4 rounds in 9 min 50 s" in text


def test_too_few_measurements_are_told() -> None:
    few = msgspec.structs.replace(FOUND.tallies[1], measurements=8, decided=8)
    text = text_of("self_comparison", "table", SelfComparison("MXNet 1.9.1", (few,), 2, 60.0), 200)
    assert "no false alarm in so few measurements; a longer --time-budget says more" in text


def test_the_document_has_each_row() -> None:
    rows = json.loads(text_of("self_comparison", "json", FOUND, 100))["tallies"]
    assert [(row["threshold"], row["honest"]) for row in rows] == [
        (0.01, False), (0.03, True), (0.05, True), (0.1, False), (0.001, True),
    ]  # fmt: skip


def test_a_time_budget_is_of_the_gate(program: Program) -> None:
    done = program("doctor", "--time-budget", "1m")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--time-budget is the time of --gate: add --gate, or leave it out" in done.stderr


class Rounds:
    """Rounds that take 40 s each, and measure the same on both sides; the first one counts."""

    def __init__(self, folder: Path) -> None:
        self.now, self.seeds = 0.0, list[int]()
        self._folder = folder

    def measure(self, request: RunRequest, _options: ComparisonOptions) -> MeasuredSides:
        assert request.libraries == ("installed", "installed")
        self.now += 40.0
        self.seeds.append(request.recipe.seed)
        paths = [self._folder / f"{len(self.seeds)}-{side}.ndjson" for side in "AB"]
        measured = passed(instructions=steady(1000.0)) if request.settings.counters else passed(wall=steady(100.0))
        for path in paths:
            write_run(path, [outcome(forward=measured)])
        return MeasuredSides(paths[0], paths[1], 0)


def test_rounds_are_compared_within_and_with_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rounds fit: three comparisons in turn, two of runs apart, and one by counts."""
    rounds = Rounds(tmp_path)
    monkeypatch.setattr(front, "measure_sides", rounds.measure)
    monkeypatch.setattr("time.monotonic", lambda: rounds.now)
    found = front.compared_with_itself("installed", 170.0)
    assert (found.build, found.rounds, found.seconds, rounds.seeds) == ("MXNet 1.9.1", 3, 160.0, [0, 0, 1, 2])
    assert {each.of: each.measurements for each in found.tallies} == {IN_TURN: 3, APART: 2, COUNTS: 1}


def test_without_valgrind_counts_are_left_out_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise UsageError("valgrind isn't installed")

    rounds = Rounds(tmp_path)
    monkeypatch.setattr(front, "measure_sides", rounds.measure)
    monkeypatch.setattr("time.monotonic", lambda: rounds.now)
    monkeypatch.setattr(front, "find_valgrind", absent)
    found = front.compared_with_itself("installed", 1.0)
    assert found.notes == ("counts: valgrind isn't installed",)
    assert found.rounds == 2
    assert COUNTS not in {each.of for each in found.tallies}


@pytest.mark.parametrize("counts", [True, False])
def test_ctrl_c_ends_it_while_it_counts_and_while_it_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counts: bool
) -> None:
    rounds = Rounds(tmp_path)

    def measure(request: RunRequest, options: ComparisonOptions) -> MeasuredSides:
        sides = rounds.measure(request, options)
        return sides._replace(code=Exit.INTERRUPTED) if bool(request.settings.counters) is counts else sides

    monkeypatch.setattr(front, "measure_sides", measure)
    with pytest.raises(KeyboardInterrupt):
        front.compared_with_itself("installed", 1.0)
    assert len(rounds.seeds) == (1 if counts else 2)


@pytest.mark.nightly
def test_a_build_is_measured_against_itself(program: Program) -> None:
    done = program("doctor", "--gate", "--time-budget", "1s", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["build"], found["rounds"]) == ("MXNet 1.9.1", 2)
    assert {row["of"] for row in found["tallies"]} == {IN_TURN, APART, COUNTS}
    assert next(row for row in found["tallies"] if row["of"] == COUNTS)["alarms"] == 0
