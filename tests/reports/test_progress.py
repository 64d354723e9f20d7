"""The progress of a run: on a terminal, in a log, and below the cell of a notebook."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from rich.console import Console, RenderableType
from syrupy.assertion import SnapshotAssertion

from autoperf.core.case import Case
from autoperf.core.events import (
    CaseFinished,
    CaseStarted,
    FleetMeasured,
    Notice,
    OperatorStarted,
    RunFinished,
    RunStarted,
)
from autoperf.core.outcome import Outcome, Status
from autoperf.reports.progress import (
    PRIOR_CASES,
    PRIOR_SECONDS,
    NotebookProgress,
    PlainProgress,
    TerminalProgress,
    TimeLeft,
    progress_for,
)
from tests.values import PAIR, ended, measured, outcome, passed, steady, timed


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def case_of(outcome: Outcome) -> Case:
    return Case(
        operator=outcome.operator, category=outcome.category, profile=outcome.profile, inputs=outcome.inputs,
        params=outcome.params,
    )  # fmt: skip


def small(number: int) -> Outcome:
    return measured("broadcast_add", f"drawn-{number}", PAIR, timed(1 + number, 10 + number))


def test_plain_lines(run: tuple[Outcome, ...], snapshot: SnapshotAssertion) -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(stream, clock=clock) as shown:
        shown.handle(RunStarted(9))
        for outcome in run:
            shown.handle(OperatorStarted(outcome.operator, 2))
            shown.handle(CaseStarted(case_of(outcome)))
            clock.now += 2.0
            shown.handle(CaseFinished(0, outcome))
    assert stream.getvalue() == snapshot


def test_plain_lines_are_few() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(stream, clock=clock, interval=5.0) as shown:
        shown.handle(RunStarted(1))
        shown.handle(OperatorStarted("broadcast_add", 100))
        for number in range(100):
            clock.now += 0.25
            shown.handle(CaseFinished(0, small(number)))
    assert len(stream.getvalue().splitlines()) == 5


def test_the_first_figure_is_shown_at_once_after_skipped_cases() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(stream, clock=clock) as shown:
        shown.handle(RunStarted(2))
        shown.handle(OperatorStarted("softmax", 3))
        for outcome in (ended(Status.SKIPPED, "too large"), ended(Status.SKIPPED, "too large"), small(1)):
            shown.handle(CaseFinished(0, outcome))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert "forward 2.00 us" in lines[1]


def test_the_machines_of_a_fleet_and_their_shares_are_shown() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(stream, clock=clock) as shown:
        shown.handle(RunStarted(2))
        shown.handle(FleetMeasured(2, {"node1:40001": 1, "node2:40002": 3}))
        shown.handle(OperatorStarted("broadcast_add", 1))
        shown.handle(CaseFinished(0, small(1)))
    assert stream.getvalue().startswith("[1/2 operators, 1 case, 2 machines, ")
    assert shown._shares() == "node2:40002 75%, node1:40001 25%"


def test_a_budget_knows_the_time_left() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(stream, clock=clock) as shown:
        shown.handle(RunStarted(9, lambda: 110.0 - clock.now))
        for number in range(3):
            shown.handle(OperatorStarted("broadcast_add", 1))
            clock.now += 2.5
            shown.handle(CaseFinished(0, small(number)))
        assert shown._finished() == pytest.approx(9 * 0.75)
    first, last = stream.getvalue().splitlines()
    assert first.startswith("[9 operators in turn, 1 case, 8 s left] ")
    assert last.startswith("[9 operators in turn, 3 cases, 2 s left] ")


def test_a_later_visit_is_told_and_counts_no_case_twice() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(stream, clock=clock, interval=0.0) as shown:
        shown.handle(RunStarted(1, visits=2))
        for replaced in (None, Status.MEASURED):
            shown.handle(OperatorStarted("broadcast_add", 2))
            for number in range(2):
                clock.now += 2.0
                shown.handle(CaseFinished(0, small(number), replaced))
    positions = [line.partition("]")[0] for line in stream.getvalue().splitlines()]
    assert [position.rpartition(",")[0] for position in positions] == [
        "[1/1 operator, 1 case",
        "[1/1 operator, 2 cases",
        "[visit 2: 1/1 operator",
        "[visit 2: 1/1 operator",
    ]
    # As many cases are to come in the second visit.
    assert [position.rpartition(",")[2].strip() for position in positions][1::2] == ["2 s left", "0 s left"]


@pytest.mark.parametrize("width", [60, 100])
def test_terminal(
    run: tuple[Outcome, ...], rendered: Callable[[RenderableType, int], str], width: int, snapshot: SnapshotAssertion
) -> None:
    clock, frames = Clock(), []
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
    with TerminalProgress(console, clock=clock, refresh=False) as shown:
        shown.handle(RunStarted(9))
        frames.append(rendered(shown, width))
        for outcome in run:
            shown.handle(OperatorStarted(outcome.operator, 1))
            shown.handle(CaseStarted(case_of(outcome)))
            clock.now += 2.0
            frames.append(rendered(shown, width))
            shown.handle(CaseFinished(0, outcome))
        frames.append(rendered(shown, width))
    assert all(frame.count("\n") == 3 for frame in frames)
    assert "\n".join(frames) == snapshot


@pytest.mark.parametrize("width", [*range(1, 26), 80])
def test_control_characters_in_names_are_escaped_at_any_width(
    run: tuple[Outcome, ...], rendered: Callable[[RenderableType, int], str], width: int
) -> None:
    evil = "\x1b[31m\x07"
    plain = io.StringIO()
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
    with TerminalProgress(console, clock=Clock(), refresh=False) as shown, PlainProgress(plain) as lines:
        for outcome in run:
            given = (msgspec.structs.replace(outcome.inputs[0], name=evil),) if outcome.inputs else ()
            hostile = msgspec.structs.replace(outcome, operator=evil, profile=evil, reason=evil, inputs=given)
            for progress in (shown, lines):
                progress.handle(OperatorStarted(evil, 1))
                progress.handle(CaseStarted(case_of(hostile)))
                frame = rendered(shown, width)
                progress.handle(CaseFinished(0, hostile))
                assert "\x1b" not in frame + rendered(shown, width) + plain.getvalue()


def test_terminal_is_left_as_it_was_even_after_an_error() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=80, color_system=None)
    shown = TerminalProgress(console, clock=Clock(), refresh=False)

    def interrupted() -> None:
        with shown:
            shown.handle(RunStarted(3))
            shown.handle(OperatorStarted("exp"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    shown.handle(RunFinished())
    assert stream.getvalue().count("\x1b[?25h") == stream.getvalue().count("\x1b[?25l") == 1


def test_the_stream_decides_on_the_display() -> None:
    assert isinstance(progress_for(io.StringIO()), PlainProgress)
    assert isinstance(progress_for(io.StringIO(), terminal=True), TerminalProgress)


def test_time_left_before_the_first_case() -> None:
    assert TimeLeft(10).seconds() == pytest.approx(10 * PRIOR_CASES * PRIOR_SECONDS)


def left_after(seconds: list[float], operators: int = 100, cases: int = 5) -> float:
    left = TimeLeft(operators)
    for number, taken in enumerate(seconds):
        if number % cases == 0:
            left.operator(cases)
        left.done(taken)
    return left.seconds()


def test_a_slow_first_case_does_not_dominate_the_estimate() -> None:
    assert left_after([5.0]) < 0.4 * 499 * 5.0


def test_one_case_that_hung_does_not_spoil_the_estimate() -> None:
    assert left_after([*[0.2] * 50, 60.0]) < 1.5 * left_after([0.2] * 51)


def test_slow_cases_that_keep_coming_count_in_full() -> None:
    mix = [*[0.1] * 9, 3.0] * 25
    assert left_after(mix) == pytest.approx(250 * sum(mix) / len(mix), rel=0.1)


@pytest.mark.parametrize("factor", [2.0, 5.0, 0.5])
def test_the_estimate_follows_a_machine_that_becomes_busier_or_less_busy(factor: float) -> None:
    usual = [0.1, 0.1, 0.5, 1.0, 0.8]
    taken = [*usual * 40, *[factor * seconds for seconds in usual] * 7]
    assert left_after(taken) == pytest.approx((500 - 235) * factor * 0.5, rel=0.15)
    assert left_after([*usual * 40, *usual * 7]) == pytest.approx((500 - 235) * 0.5, rel=0.02)


def test_operators_whose_cases_end_together_are_no_change() -> None:
    """The cases of an operator end in its last round, one shortly after the other."""
    lumps = [5.0, *[0.0] * 9] * 20
    left = [left_after(lumps[:end], operators=30, cases=10) / (300 - end) for end in range(100, 200, 10)]
    assert left == [pytest.approx(0.5, rel=0.1)] * 10


def test_an_operator_with_a_case_that_hung_is_no_change() -> None:
    assert left_after([*[0.2] * 50, 60.0, *[0.2] * 5]) < 1.6 * left_after([0.2] * 56)


def test_the_display_follows_a_machine_that_becomes_busier() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(stream, clock=clock, interval=0.0) as shown:
        shown.handle(RunStarted(40))
        for number in range(200):
            if number % 5 == 0:
                shown.handle(OperatorStarted("broadcast_add", 5))
            clock.now += 1.0 if number < 100 else 3.0
            shown.handle(CaseFinished(0, small(number)))
    left = [line.partition(" left]")[0].rpartition(", ")[2] for line in stream.getvalue().splitlines()]
    # After 35 cases of 3 s, 65 such cases are left; the mean of all cases is 1.5 s.
    assert (left[99], left[134]) == ("1 min 39 s", "3 min 17 s")


def test_an_estimate_settles_on_the_mean() -> None:
    assert left_after([0.3] * 200) == pytest.approx(300 * 0.3, rel=0.02)


def test_many_skipped_cases_leave_an_estimate() -> None:
    assert left_after([*[0.0] * 30, *[1.0] * 10]) > 50


def test_time_left_falls_while_a_case_is_in_flight_and_never_below_zero() -> None:
    left = TimeLeft(1)
    left.operator(2)
    assert left.seconds(0.2) == pytest.approx(left.seconds() - 0.2)
    left.done(0.5)
    left.done(0.5)
    left.done(0.5)
    assert left.seconds(9.0) == 0.0


def test_the_operator_in_flight_counts_in_parts() -> None:
    left = TimeLeft(4)
    assert left.finished == 0.0
    left.operator(4)
    left.done(0.1)
    assert left.finished == 0.25
    left.operator(0)
    assert left.finished == 2.0


HOSTILE = "\x1b[31mred\x1b]0;title\x07\nforged\u202e"


def test_control_characters_in_a_name_are_escaped() -> None:
    case = Case(operator=HOSTILE, category="unary", profile=HOSTILE, inputs=(), params={HOSTILE: HOSTILE})
    failed = Outcome(
        case="exp/1", operator=HOSTILE, category="unary", profile=HOSTILE, status=Status.FAILED, reason=HOSTILE
    )
    plain = io.StringIO()
    with PlainProgress(plain) as shown:
        shown.handle(OperatorStarted(HOSTILE, 1))
        shown.handle(CaseStarted(case))
        shown.handle(CaseFinished(0, failed))
    (line,) = plain.getvalue().splitlines()
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=400)
    bar = TerminalProgress(console, refresh=False)
    bar.handle(OperatorStarted(HOSTILE, 1))
    told = [drawn(bar)]
    bar.handle(CaseStarted(case))
    bar.handle(CaseFinished(0, failed))
    told.append(drawn(bar))
    for text in (line, *told):
        assert "red" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
        assert len(text.splitlines()) == len([part for part in text.splitlines() if not part.startswith("forged")])


def drawn(bar: TerminalProgress) -> str:
    """What the display shows, without colours."""
    console = Console(width=400, color_system=None, file=io.StringIO())
    console.print(bar)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


class Cell:
    """What stands below a cell, as IPython's `display` module puts it there."""

    HTML = str

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, text: str, *, display_id: bool) -> Cell:
        assert display_id
        self.shown.append(text)
        return self

    def update(self, text: str) -> None:
        self.shown[-1] = text


def progress_after(*events: Any) -> list[str]:
    cell = Cell()
    with NotebookProgress(cell, clock=lambda: 0.0) as progress:
        for event in events:
            progress.handle(event)
    return cell.shown


def test_one_bar_is_updated() -> None:
    finished = CaseFinished(0, outcome(1, passed(steady(10.0))))
    (bar,) = progress_after(RunStarted(2), OperatorStarted("exp", 1), finished, OperatorStarted("log", 1))
    assert bar.startswith('<progress value="1.000" max="2"></progress> ')
    assert "forward 10.0 us" in bar
    (bar,) = progress_after(RunStarted(1), OperatorStarted("exp", 1), finished, RunFinished())
    assert "0 s left" in bar


def test_a_call_that_is_refused_shows_no_bar() -> None:
    assert progress_after() == progress_after(Notice("this machine is busy")) == []
