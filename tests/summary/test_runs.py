"""A run in reports: its rows, those that filters keep, and those that aliases share."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.comparison.groups import grouped_run
from autoperf.core.errors import UnknownNameError
from autoperf.core.outcome import BROKEN, Outcome, Status
from autoperf.reports.columns import RowFilter, View
from autoperf.reports.table import terminal_lines
from autoperf.reports.totals import notes_of, plain_line, reasons, slowest, summarise, without_gradient
from autoperf.runs.runfile import RunEnd, machine_of
from autoperf.summary.documents import LARGE_RUN, run_reports
from autoperf.summary.runs import RunReport, computation
from tests.reports.report_values import report, run_text
from tests.values import (
    ENVIRONMENT,
    HEADER,
    MACHINE,
    PAIR,
    ended,
    inputs,
    measured,
    outcome,
    passed,
    steady,
    tensor,
    timed,
)


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_table(run: tuple[Outcome, ...], width: int, snapshot: SnapshotAssertion) -> None:
    text = run_text(run, width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_a_case_that_none_of_several_machines_tried_is_of_no_machine() -> None:
    other = machine_of(msgspec.structs.replace(ENVIRONMENT, machine="other"))
    timed_there = outcome(0, passed(steady(10.0)), machine=other.id)
    made = RunReport(HEADER, [timed_there, ended(Status.SKIPPED, "too large")], machines=(MACHINE, other))
    grouped = grouped_run(replace(made, view=View(group_by="machine")))
    assert [(group.name, group.count) for group in grouped.groups] == [(f"other {other.id}", 1), ("(no machine)", 1)]
    # A run of one machine has no other.
    assert replace(made, machines=(MACHINE,)).machine_name(made.outcomes[1]) == f"bench {MACHINE.id}"


def test_large_run_says_what_stands_out(run: tuple[Outcome, ...], snapshot: SnapshotAssertion) -> None:
    many = [measured("broadcast_add", f"drawn-{n}", PAIR, timed(n + 1, n + 9)) for n in range(LARGE_RUN)]
    text = run_text([*many, *run], 100)
    assert text[text.index("slowest forward") :] == snapshot


def test_cases_of_a_large_run_that_were_skipped_alike_have_one_line(run: tuple[Outcome, ...]) -> None:
    late = [ended(Status.SKIPPED, "the time budget of 5m ended before it") for _ in range(LARGE_RUN)]
    other = ended(Status.SKIPPED, "no gradient")
    text = run_text([*run, *late, other], 80)
    assert text.count("ended before it") == 2  # in the table, and among the reasons below it
    assert f"{LARGE_RUN} cases skipped: the time budget of 5m ended before it" in text
    assert "skipped: no gradient" in text
    few = run_text([*late[:5]], 80)
    assert few.count("skipped: the time budget") == 5


def test_empty_run() -> None:
    expected = "0 cases = 0 measured + 0 skipped + 0 failed + 0 crashed + 0 timeout; 0 operators in 0 s\n"
    assert run_text([], 100) == expected


def test_several_machines_measure_longer_than_the_run_takes() -> None:
    outcome = measured("broadcast_add", "small", PAIR, timed(10, 20))
    shared = [msgspec.structs.replace(outcome, machine=name, seconds=30.0) for name in ("a", "b")]
    whole = RunReport(None, shared, RunEnd(asked=2, measured=2, seconds=31.0))
    *_, last = run_reports(whole)
    assert last.sums[0].endswith("; 1 operator in 31 s, 1 min 00 s of measuring on 2 machines")


def test_text_in_square_brackets_is_no_markup() -> None:
    assert "[bold]x[/bold]" in run_text([ended(Status.FAILED, "[bold]x[/bold]")], 80)


def test_plain_lines(run: tuple[Outcome, ...], snapshot: SnapshotAssertion) -> None:
    lines = [plain_line(outcome) for outcome in run]
    assert not any("\n" in line for line in lines)
    assert "\n".join(lines) == snapshot


def test_summary_adds_up(run: tuple[Outcome, ...]) -> None:
    assert summarise(run).sentence() == "9 cases = 5 measured + 1 skipped + 1 failed + 1 crashed + 1 timeout"


def test_slowest_ranks_by_forward_kernel_and_falls_back_to_wall(run: tuple[Outcome, ...]) -> None:
    python_only = msgspec.structs.replace(run[0], case="clock", forward=timed(1, 2e6))
    python_only = msgspec.structs.replace(
        python_only, forward=msgspec.structs.replace(python_only.forward, kernel_us=None)
    )
    assert [outcome.case for outcome in slowest([*run, python_only], 2)] == ["clock", run[1].case]


def test_reasons_are_taken_together_across_line_ends() -> None:
    outcomes = [ended(Status.FAILED, "a\nb"), ended(Status.FAILED, "a b", "Pooling"), ended(Status.SKIPPED, "c")]
    assert [(status, reason, cases.total()) for status, reason, cases in reasons(outcomes)] == [
        (Status.SKIPPED, "c", 1),
        (Status.FAILED, "a b", 2),
    ]


@pytest.mark.parametrize("width", [60, 140])
def test_control_characters_of_a_file_made_by_hand_are_spelled(run: tuple[Outcome, ...], width: int) -> None:
    evil = "\x1b[31m\x07"
    hostile = {"operator": evil, "category": evil, "profile": evil, "case": evil}
    names = [msgspec.structs.replace(outcome, **hostile) for outcome in run * 3]
    text = "\n".join(str(line) for line in terminal_lines(run_reports(report(names)), width))
    assert evil not in text
    assert "\\u001b[31m\\u0007" in text
    assert all(letter.isprintable() or letter == "\n" for letter in text)


def test_the_answer_has_suspicious_cases_warnings_and_the_slowest(run: tuple[Outcome, ...]) -> None:
    assert run_text(run, 200).splitlines()[-1] == (
        "5 of 9 cases measured, warnings: resolution 1; "
        "the slowest: broadcast_add forward 123 ms (lhs (10000, 1), rhs (1, 10000))"
    )
    single = measured("exp", "small", inputs(data=tensor(9)), timed(10.0, 20.0))
    half = measured("exp", "small", inputs(data=tensor(9, dtype="float16")), timed(500.0, 600.0))
    for form in ("table", "md", "html"):
        hint, _, rest = run_text([single, half], 200, form=form).partition("2 of 2 cases measured, no warning")
        assert "unusually slow: float16 exp takes 50.0 times as long as float32 (forward, small)" in hint
        assert "the slowest: exp forward 500 us (data (9,) float16)" in rest


def test_a_run_without_a_measurement_says_why(run: tuple[Outcome, ...]) -> None:
    broken = [outcome for outcome in run if outcome.status in BROKEN]
    assert run_text(broken, 200).splitlines()[-1] == (
        "0 of 3 cases measured; softmax (large) failed: Check failed: axis < ndim (3 vs. 2) : axis 3 is out of bounds "
        "| for 2-d input; 2 more failed, crashed or timed out"
    )


NAMES = ("broadcast_add", "_npi_add", "elemwise_add")
ALIASES = [measured(name, "small", PAIR, timed(us, us)) for name, us in zip(NAMES, (30.0, 31.0, 29.0), strict=True)]


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("exp", "exp"),
        ("_npi_exp", "exp"),
        ("_contrib_box_nms", "box_nms"),
        ("broadcast_add", "add"),
        ("_np_sum", "sum"),
    ],
)
def test_operators_of_one_computation_share_its_name(operator: str, name: str) -> None:
    assert computation(operator) == name


@pytest.mark.parametrize("form", ["table", "md"])
def test_aliases_share_a_row_of_a_ranking(form: str) -> None:
    other = measured("broadcast_mul", "small", PAIR, timed(20.0, 20.0))
    text = " ".join(run_text([*ALIASES, other], 140, form=form, sort="-forward_kernel").replace("\\", "").split())
    assert "_npi_add (also broadcast_add, elemwise_add)" in text
    assert "2 aliases share rows" in text
    assert "4 cases = 4 measured" in text


def test_exports_have_each_alias() -> None:
    text = run_text(ALIASES, form="csv", sort="-forward_kernel")
    assert [line.split(",")[1] for line in text.splitlines()[1:]] == ["_npi_add", "broadcast_add", "elemwise_add"]


def test_aliases_of_other_times_have_rows_of_their_own() -> None:
    slow = measured("_npi_add", "small", PAIR, timed(90.0, 90.0))
    assert "also" not in run_text([ALIASES[0], slow], 140, sort="-forward_kernel")


def test_two_cases_of_one_operator_have_rows_of_their_own() -> None:
    assert "also" not in run_text([ALIASES[0], ALIASES[0]], 140, sort="-forward_kernel")


def test_a_table_that_is_not_sorted_has_each_alias() -> None:
    assert "also" not in run_text(ALIASES, 140)


@dataclass(frozen=True)
class _Row:
    operator: str
    category: str = "gluon"
    profile: str = "common"


ROWS = [_Row(name) for name in ("gluon_Dense", "gluon_LSTM", "gluon_LSTMCell", "gluon_L2Loss", "_npi_add", "softmax")]


@pytest.mark.parametrize(
    ("pattern", "operators"),
    [
        ("gluon_Dense", {"gluon_Dense"}),
        ("gluon_nn_Dense", {"gluon_Dense"}),
        ("gluon.nn.Dense", {"gluon_Dense"}),
        ("mx.gluon.rnn.LSTM", {"gluon_LSTM"}),
        ("gluon.rnn.*", {"gluon_LSTM", "gluon_LSTMCell"}),
        ("gluon.loss.L2Loss", {"gluon_L2Loss"}),
        ("np.add", {"_npi_add"}),
        ("nd.softmax", {"softmax"}),
        ("gluon_*", {"gluon_Dense", "gluon_LSTM", "gluon_LSTMCell", "gluon_L2Loss"}),
    ],
)
def test_an_operator_is_named_as_in_the_run_or_as_in_python(pattern: str, operators: set[str]) -> None:
    kept = RowFilter(operators=(pattern,)).positions(ROWS)
    assert {ROWS[position].operator for position in kept} == operators


@pytest.mark.parametrize("name", ["gluon.loss.Dense", "Dense", "gluon.nn.Conv*"])
def test_a_name_that_no_row_has_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="operator of this run"):
        RowFilter(operators=(name,)).positions(ROWS)


@pytest.mark.parametrize("name", ["network", "layers_of_mine"])
def test_a_category_of_the_run_that_no_rule_has_is_taken(name: str) -> None:
    rows = [*ROWS, _Row("_CachedOp", name, "static")]
    assert RowFilter(categories=(name,)).positions(rows) == [len(ROWS)]
    assert RowFilter(categories=(name, "gluon")).positions(rows) == list(range(len(rows)))


def test_a_category_that_neither_the_run_nor_a_rule_has_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown category 'netwrk'; did you mean network, neural_network\?"):
        RowFilter(categories=("netwrk",)).positions([_Row("_CachedOp", "network")])
    assert RowFilter(categories=("nn_conv",)).positions(ROWS) == []


def test_a_missing_backward_pass_has_its_reason() -> None:
    forward = passed(steady(5.0))
    plain, failed = (
        outcome(0, forward, operator="topk", inputs=PAIR),
        outcome(1, forward, reason="no backward pass: refused"),
    )
    assert without_gradient([plain, failed], backward=True) == "no backward pass: these inputs of topk have no gradient"
    assert without_gradient([plain], backward=False) == "no backward pass: --backward off"
    assert not without_gradient([failed, outcome(2, forward, forward)], backward=True)
    assert list(notes_of(failed)) == ["no backward pass: refused"]
