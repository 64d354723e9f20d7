"""What a hunt's log has of its events."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.core.events import (
    BestChanged,
    BudgetStarted,
    CandidateDropped,
    CandidateFollowed,
    Event,
    FindingCompleted,
    FindingConfirmed,
    HuntFinished,
    HuntStarted,
    InputTried,
    Notice,
    OperatorSearched,
    OperatorStarted,
    PairTimed,
)
from autoperf.hunt.folder import HuntFolder, HuntRecorder
from autoperf.runs.huntlog import (
    AnyEvent,
    CandidateLine,
    DroppedLine,
    EndLine,
    FindingLine,
    PairLine,
    SearchedLine,
    TriedLine,
    read_log,
)
from tests.finding_values import HEADER, SEARCHED, SOFTMAX, softmax

SLOW, FAST = SOFTMAX.case, SOFTMAX.contrast


def lines(folder: Path, *events: Event) -> list[AnyEvent]:
    """The log's lines behind its header."""
    with HuntFolder(folder, HEADER) as writing:
        recorder = HuntRecorder(writing, lambda: 2.5)
        for event in (OperatorStarted("softmax"), *events):
            recorder.handle(event)
    return list(read_log(folder / "log.ndjson")[1])


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            InputTried(SLOW, (3.0,), (4.0, 5.0)),
            TriedLine(at=2.5, operator="softmax", id=SLOW.id, case=SLOW, forward_us=(3.0,), backward_us=(4.0, 5.0)),
        ),
        (
            InputTried(SLOW, refused="too large"),
            TriedLine(at=2.5, operator="softmax", id=SLOW.id, case=SLOW, refused="too large"),
        ),
        (
            PairTimed("backward", SLOW, FAST, (3.0,), (1.0,)),
            PairLine(
                at=2.5, operator="softmax", pass_="backward", first=SLOW, second=FAST, first_us=(3.0,), second_us=(1.0,)
            ),
        ),
        (
            CandidateFollowed(SLOW, "forward", "model", 3.5),
            CandidateLine(at=2.5, operator="softmax", pass_="forward", id=SLOW.id, oracle="model", strength=3.5),
        ),
        (
            CandidateDropped(SLOW, "forward", "it is fast"),
            DroppedLine(at=2.5, operator="softmax", pass_="forward", id=SLOW.id, reason="it is fast"),
        ),
        (FindingConfirmed(SOFTMAX), FindingLine(at=2.5, finding=SOFTMAX)),
        (FindingCompleted(SOFTMAX), FindingLine(at=2.5, finding=SOFTMAX)),
        (OperatorSearched(SEARCHED[0]), SearchedLine(at=2.5, searched=SEARCHED[0])),
        (HuntFinished(complete=False), EndLine(at=2.5, complete=False)),
    ],
)
def test_an_event_is_a_line(tmp_path: Path, event: Event, line: AnyEvent) -> None:
    assert lines(tmp_path / "hunt", event) == [line]


def test_what_is_for_the_screen_alone_is_no_line(tmp_path: Path) -> None:
    shown = (HuntStarted(), BudgetStarted(60.0), BestChanged("4 times"), Notice("busy"))
    assert lines(tmp_path / "hunt", *shown) == []


def test_lines_name_the_operator_that_started_last(tmp_path: Path) -> None:
    tried = InputTried(softmax())
    first, second = lines(tmp_path / "hunt", tried, OperatorStarted("take"), tried)
    assert [first.operator, second.operator] == ["softmax", "take"]
