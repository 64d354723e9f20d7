"""What a hunt's log has of its events."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autoperf.core.events import (
    BestChanged,
    BudgetStarted,
    CandidateDropped,
    CandidateFollowed,
    Event,
    FindingConfirmed,
    HuntFinished,
    HuntStarted,
    InputTried,
    KernelsStarted,
    Logged,
    LoggedEvent,
    Notice,
    OfOperator,
    OperatorSearched,
    OperatorStarted,
    PairTimed,
    ResultsCompared,
)
from autoperf.hunt.operators import HuntRecorder
from autoperf.hunt.stored import HuntFolder
from autoperf.runs.huntlog import read_log
from tests.finding_values import HEADER, SEARCHED, SOFTMAX

SLOW, FAST = SOFTMAX.case, SOFTMAX.contrast


def lines(folder: Path, *events: Event) -> list[LoggedEvent]:
    """The log's lines behind its header."""
    with HuntFolder(folder, HEADER) as writing:
        recorder = HuntRecorder(writing, lambda: 2.5)
        for event in (OperatorStarted("softmax"), *events):
            recorder.handle(event)
    return list(read_log(folder / "log.ndjson")[1])


@pytest.mark.parametrize(
    "event",
    [
        InputTried(id=SLOW.id, case=SLOW, forward_us=(3.0,), backward_us=(4.0, 5.0)),
        PairTimed(pass_="backward", first=SLOW, second=FAST, refused="too large"),
        ResultsCompared(case=SLOW, side=1, passes=("forward",)),
        CandidateFollowed(pass_="forward", id=SLOW.id, oracle="model", strength=3.5),
        CandidateDropped(pass_="forward", id=SLOW.id, reason="it is fast"),
    ],
)
def test_an_event_of_an_operator_is_a_line_with_its_time_and_operator(tmp_path: Path, event: OfOperator) -> None:
    again = (event, OperatorStarted("take"), event)
    stamped = [msgspec.structs.replace(event, at=2.5, operator=name) for name in ("softmax", "take")]
    assert lines(tmp_path / "hunt", *again) == stamped


@pytest.mark.parametrize(
    "event", [FindingConfirmed(finding=SOFTMAX), OperatorSearched(searched=SEARCHED[0]), HuntFinished(complete=False)]
)
def test_another_event_is_a_line_with_its_time(tmp_path: Path, event: Logged) -> None:
    assert lines(tmp_path / "hunt", event) == [msgspec.structs.replace(event, at=2.5)]


def test_what_is_for_the_screen_alone_is_no_line(tmp_path: Path) -> None:
    shown = (HuntStarted(), BudgetStarted(60.0), BestChanged("4 times"), KernelsStarted(), Notice("busy"))
    assert lines(tmp_path / "hunt", *shown) == []
