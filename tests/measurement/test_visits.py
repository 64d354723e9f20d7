"""A run that comes to each case twice: its order, its events, its run file, and what a resumed run makes of it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core.errors import UsageError
from autoperf.core.events import CaseFinished, Event, Notice, OperatorStarted
from autoperf.core.outcome import Outcome, Status
from autoperf.measurement.resumed_run import resume
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import FinishedRun, RunSession
from autoperf.measurement.settings import Settings
from autoperf.runs.run_reader import RunReader
from tests.values import Recording

TWICE = Settings(processes=3, visits=2, warmup=0, runs=2)
SELECTION = Selection(operators=("exp", "sin"))
SMALL = Recipe(draws=0, profiles=frozenset({"small"}))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the session keeps beside the run file goes with the test."""
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "cache"))


class Interrupting(Recording):
    """A sink that interrupts the run after so many outcomes."""

    def __init__(self, outcomes: int) -> None:
        super().__init__()
        self._left = outcomes

    def handle(self, event: Event) -> None:
        super().handle(event)
        self._left -= isinstance(event, CaseFinished)
        if isinstance(event, OperatorStarted) and self._left <= 0:
            raise KeyboardInterrupt


def ran(request: RunRequest, sink: Recording | None = None) -> tuple[FinishedRun, list[Event]]:
    sink = sink or Recording()
    run = RunSession(request, sink, ("autoperf", "run")).run()
    return run, [event for event in sink.events if not isinstance(event, Notice)]


def processes(outcome: Outcome) -> int:
    assert outcome.forward
    assert outcome.forward.wall_us
    return len(outcome.forward.wall_us.processes)


def test_all_cases_are_visited_before_the_first_is_visited_again(tmp_path: Path) -> None:
    run, events = ran(RunRequest(SELECTION, SMALL, TWICE, output=tmp_path / "run.ndjson"))
    assert [event.operator for event in events if isinstance(event, OperatorStarted)] == ["exp", "sin"] * 2
    finished = [event for event in events if isinstance(event, CaseFinished)]
    assert [(event.outcome.operator, event.replaced) for event in finished] == [
        ("exp", None),
        ("sin", None),
        ("exp", Status.MEASURED),
        ("sin", Status.MEASURED),
    ]
    assert [processes(event.outcome) for event in finished] == [2, 2, 3, 3]
    assert [event.outcome.waits for event in finished] == [True, True, msgspec.UNSET, msgspec.UNSET]
    (side,) = run.sides
    assert (side.end.asked, side.end.measured, run.kept) == (2, 2, 2)
    with RunReader(side.path) as reader:
        assert (len(reader), reader.notices) == (2, ())
        assert list(reader) == [event.outcome for event in finished[2:]]
        assert [reader.at(position).visit for position in range(2)] == [2, 2]
        assert reader.statuses == {"measured": 2}
        assert reader.seconds == pytest.approx(sum(event.outcome.seconds for event in finished[2:]))


def test_later_samples_are_added_to_earlier_ones(tmp_path: Path) -> None:
    _, events = ran(RunRequest(SELECTION, SMALL, TWICE, output=tmp_path / "run.ndjson"))
    outcomes = [event.outcome for event in events if isinstance(event, CaseFinished)]
    for first, second in zip(outcomes[:2], outcomes[2:], strict=True):
        assert first.forward.wall_us.samples == second.forward.wall_us.samples[:4]
        assert len(second.forward.wall_us.samples) == 6
        assert first.memory == second.memory


def test_a_refused_case_is_not_visited_again(tmp_path: Path) -> None:
    selection = Selection(operators=("_contrib_fft", "exp"))
    run, events = ran(RunRequest(selection, SMALL, TWICE, output=tmp_path / "run.ndjson"))
    finished = [event.outcome.operator for event in events if isinstance(event, CaseFinished)]
    assert finished[-1] == "exp"
    assert finished.count("exp") == 2
    (side,) = run.sides
    assert side.end.asked == len(finished) - 1


def test_a_resumed_run_measures_again_what_it_visited_once(tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    request = RunRequest(SELECTION, SMALL, TWICE, output=path)
    run, _ = ran(request, Interrupting(1))
    assert (run.complete, run.kept) == (False, 1)
    with ExitStack() as stack:
        resumed, events = ran(replace(request, resumed=resume(path, stack)))
    assert [event.operator for event in events if isinstance(event, OperatorStarted)] == ["exp", "sin"] * 2
    assert (resumed.complete, resumed.kept) == (True, 2)
    with RunReader(path) as reader:
        assert {outcome.operator: processes(outcome) for outcome in reader} == {"exp": 3, "sin": 3}


def test_more_visits_than_processes_are_refused() -> None:
    with pytest.raises(UsageError, match=r"invalid number of visits 4: expected 1 to 3, the number of processes"):
        Settings(processes=3, visits=4)
    with pytest.raises(UsageError, match="several visits and a time budget exclude each other"):
        Settings(visits=2, time_budget=60.0)
