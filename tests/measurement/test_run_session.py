"""A session, run one side after the other or interleaved: its events, its run files, and what it comes to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_settings

from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core.errors import UsageError
from autoperf.core.events import (
    CaseFinished,
    CaseStagesTimed,
    CaseStarted,
    Event,
    Notice,
    OperatorStarted,
    RunFinished,
    RunStarted,
)
from autoperf.core.outcome import Status
from autoperf.front.run_output import exit_code
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import FinishedRun, RunMode, RunSession
from autoperf.measurement.schedules import InTurn
from autoperf.measurement.settings import Settings
from tests.values import Recording
from tools.stored_run import read_run

SEQUENTIAL = RunMode()
QUICK = Settings(processes=1, warmup=0, runs=2)
EXP = Selection(operators=("exp",))
SMALL = Recipe(draws=0, profiles=frozenset({"small"}))
VARIABLES = ({"MXNET_CPU_WORKER_NTHREADS": "1"}, {"MXNET_CPU_WORKER_NTHREADS": "2"})


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the session keeps beside the run file goes with the test."""
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "cache"))


def ran(request: RunRequest, mode: RunMode = SEQUENTIAL) -> tuple[FinishedRun, list[Event]]:
    """What a session comes to, and its events but for notices, which tell of the machine."""
    sink = Recording()
    run = RunSession(request, sink, ("autoperf", "run"), mode).run()
    return run, [event for event in sink.events if not isinstance(event, Notice)]


def test_what_happens_is_told_in_order_and_written(tmp_path: Path) -> None:
    run, events = ran(RunRequest(EXP, SMALL, QUICK, output=tmp_path / "run.ndjson"))
    kinds = [RunStarted, OperatorStarted, CaseStarted, CaseStagesTimed, CaseFinished, RunFinished]
    assert [type(event) for event in events] == kinds
    assert events[:2] == [RunStarted(1), OperatorStarted("exp", 1)]
    assert events[-1] == RunFinished(complete=True)
    (side,) = run.sides
    written = read_run(side.path)
    assert events[-2] == CaseFinished(0, written.outcomes[0])
    assert written.end == side.end
    assert written.header.command == ("autoperf", "run")
    assert (run.complete, run.kept) == (True, 1)
    assert exit_code(side.end for side in run.sides) == 0


def test_an_interleaved_session_is_the_same_with_another_schedule(tmp_path: Path) -> None:
    request = RunRequest(EXP, SMALL, QUICK, output=tmp_path / "run.ndjson", environments=VARIABLES)
    mode = RunMode("compare", InTurn(1), None, ("A", "B"), in_turn="word", may_be_empty=True)
    run, events = ran(request, mode)
    started, operator, *cases, finished = events
    assert (started, operator, finished) == (RunStarted(1), OperatorStarted("exp", 2), RunFinished())
    assert [event.side for event in cases if isinstance(event, CaseFinished)] == [0, 1]
    assert [side.path.name for side in run.sides] == ["run-A.ndjson", "run-B.ndjson"]
    for side, variables in zip(run.sides, VARIABLES, strict=True):
        written = read_run(side.path)
        assert (written.header.in_turn, written.header.options["command"]) == ("word", "compare")
        assert written.header.options["settings"]["env"] == side.environment == variables
        assert [outcome.status for outcome in written.outcomes] == [Status.MEASURED]


def test_an_interrupted_session_keeps_what_it_has(tmp_path: Path) -> None:
    class Interrupting(Recording):
        def handle(self, event: Event) -> None:
            super().handle(event)
            if isinstance(event, CaseFinished):
                raise KeyboardInterrupt

    sink = Interrupting()
    request = RunRequest(Selection(operators=("exp", "sin")), SMALL, QUICK, output=tmp_path / "run.ndjson")
    run = RunSession(request, sink, ("autoperf", "run")).run()
    assert (run.complete, run.kept) == (False, 1)
    assert sink.events[-1] == RunFinished(complete=False)
    assert len(read_run(run.sides[0].path).outcomes) == 1


def test_the_run_file_is_named_with_the_first_result(tmp_path: Path) -> None:
    sink = Recording()
    run = RunSession(RunRequest(EXP, SMALL, QUICK), sink, ("autoperf", "run")).run()
    named = Notice(f"results: {run.sides[0].path}")
    (finished,) = (event for event in sink.events if isinstance(event, CaseFinished))
    assert sink.events.index(named) == sink.events.index(finished) - 1
    assert sink.events.count(named) == 1


@pytest.mark.parametrize(
    ("recipe", "settings", "status"),
    [
        (replace(SMALL, dtypes=("float32",)), replace_settings(QUICK, memory_limit=2**20), Status.FAILED),
        (replace(SMALL, dtypes=("float32",), max_bytes=16), QUICK, Status.SKIPPED),
    ],
    ids=["memory", "size"],
)
def test_a_limit_is_no_refusal_of_a_dtype(tmp_path: Path, recipe: Recipe, settings: Settings, status: Status) -> None:
    run, _ = ran(RunRequest(EXP, recipe, settings, output=tmp_path / "run.ndjson"))
    assert [outcome.status for outcome in read_run(run.sides[0].path).outcomes] == [status]
    assert exit_code(side.end for side in run.sides) == 1


def test_a_refused_run_names_no_file_and_leaves_none(tmp_path: Path) -> None:
    sink = Recording()
    refused = RunRequest(EXP, Recipe(draws=0, profiles=frozenset({"drawn"})), QUICK)
    with pytest.raises(UsageError, match="nothing to measure"):
        RunSession(refused, sink, ("autoperf", "run")).run()
    assert not [event for event in sink.events if isinstance(event, Notice) and event.text.startswith("results")]
    assert not list((tmp_path / "cache").rglob("*.ndjson"))


def test_nothing_to_run_is_a_mistake_unless_the_mode_allows_it(tmp_path: Path) -> None:
    nothing = RunRequest(EXP, Recipe(draws=0, profiles=frozenset({"drawn"})), QUICK, output=tmp_path / "run.ndjson")
    with pytest.raises(UsageError, match="nothing to measure"):
        ran(nothing)
    run, _ = ran(nothing, RunMode(may_be_empty=True))
    assert run.kept == 0
