from __future__ import annotations

import io
from collections.abc import Callable

import msgspec
import pytest
from rich.console import Console, RenderableType
from syrupy.assertion import SnapshotAssertion

from autoperf.core.events import (
    BestChanged,
    BudgetStarted,
    FindingConfirmed,
    HuntFinished,
    HuntStarted,
    InputTried,
    KernelsStarted,
    OperatorStarted,
    PairTimed,
)
from autoperf.hunt.progress import PlainHuntProgress, TerminalHuntProgress, hunt_progress_for
from tests.finding_values import SOFTMAX, TAKE

BEST = "4.2 times: axis is not last, and the last dimension is 64 or more, which goes on for longer than a line"
TRIED = InputTried(id=SOFTMAX.case.id, case=SOFTMAX.case)


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_plain_lines() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainHuntProgress(stream, clock=clock) as shown:
        shown.handle(HuntStarted())
        shown.handle(BudgetStarted(60.0))
        shown.handle(OperatorStarted("softmax"))
        for number in range(12):
            shown.handle(TRIED)
            if number == 7:
                shown.handle(BestChanged(BEST))
            clock.now += 1.0
            if number == 8:
                shown.handle(FindingConfirmed(finding=SOFTMAX))
    assert stream.getvalue().splitlines() == [
        "[0 s of 1 min 00 s, 1 input] softmax",
        "[5 s of 1 min 00 s, 6 inputs] softmax",
        f"[7 s of 1 min 00 s, 8 inputs] softmax: best so far {BEST}",
        "found softmax forward: 4.20 times [4.07, 4.37] | data (4096, 64); axis=0 | "
        "axis is not last, and the last dimension is 64 or more",
    ]


@pytest.mark.parametrize("terminal", [False, True])
def test_a_finding_whose_family_is_widened_is_found_once(terminal: bool) -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, color_system=None)
    shown = TerminalHuntProgress(console, refresh=False) if terminal else PlainHuntProgress(stream)
    for family in ("this input only", "axis is not last", "axis is not last, and more"):
        shown.handle(FindingConfirmed(finding=msgspec.structs.replace(SOFTMAX, family=family)))
    shown.handle(FindingConfirmed(finding=TAKE))
    assert [line.split(":")[0] for line in stream.getvalue().splitlines() if line.startswith("found")] == [
        "found softmax forward",
        "found take backward",
    ]


def test_what_a_hunt_waits_for_is_told() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainHuntProgress(stream, clock=clock) as shown:
        shown.handle(BudgetStarted(10.0))
        shown.handle(OperatorStarted("softmax"))
        clock.now += 9.5
        shown.handle(FindingConfirmed(finding=SOFTMAX))
        shown.handle(KernelsStarted())
        clock.now += 1.0
        shown.handle(FindingConfirmed(finding=SOFTMAX))
        shown.handle(PairTimed(pass_="forward", first=SOFTMAX.case, second=SOFTMAX.contrast))
    assert [line for line in stream.getvalue().splitlines() if not line.startswith("found ")] == [
        "[10 s of 10 s, 0 inputs] softmax, measuring the kernels of a finding",
        "[10 s of 10 s, 0 inputs] softmax, budget used up, confirming",
    ]


@pytest.mark.parametrize("width", [60, 100])
def test_terminal(width: int, rendered: Callable[[RenderableType, int], str], snapshot: SnapshotAssertion) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
    frames, clock = [], Clock()
    with TerminalHuntProgress(console, clock=clock, refresh=False) as shown:
        shown.handle(HuntStarted())
        frames.append(rendered(shown, width))
        shown.handle(BudgetStarted(60.0, used=5.0))
        shown.handle(OperatorStarted("softmax"))
        clock.now += 10.0
        shown.handle(TRIED)
        frames.append(rendered(shown, width))
        shown.handle(FindingConfirmed(finding=SOFTMAX))
        clock.now += 46.0
        for _ in range(811):
            shown.handle(TRIED)
        shown.handle(BestChanged(BEST))
        frames.append(rendered(shown, width))
    assert all(frame.count("\n") == 3 for frame in frames)
    assert "\n".join(frames) == snapshot


def test_a_finding_stays_above_the_bar_and_the_terminal_is_left_as_it_was() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, color_system=None)
    shown = TerminalHuntProgress(console, refresh=False)

    def interrupted() -> None:
        with shown:
            shown.handle(HuntStarted())
            shown.handle(FindingConfirmed(finding=SOFTMAX))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    shown.handle(HuntFinished())
    assert "found softmax forward: 4.20 times" in stream.getvalue()
    assert stream.getvalue().count("\x1b[?25h") == stream.getvalue().count("\x1b[?25l") == 1


def test_the_stream_decides_on_the_display() -> None:
    assert isinstance(hunt_progress_for(io.StringIO()), PlainHuntProgress)
    assert isinstance(hunt_progress_for(io.StringIO(), terminal=True), TerminalHuntProgress)
