"""A comparison in every form: what changed comes first, nothing is left out, and programs can read it."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree as ET

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.comparison.comparison import Comparison, Unmatched, Verdict, VerdictCounts
from autoperf.comparison.deciding import deciding_command, seconds_of_sides
from autoperf.comparison.documents import answer, reason
from autoperf.comparison.report import ComparisonReport
from autoperf.reports.columns import View
from autoperf.runs.runfile import Provenance
from tests.reports.report_values import text_of
from tests.values import compared, comparison

TALL = "lhs (10000, 1), rhs (1, 10000); axis=(0, 1), keepdims=True"


@pytest.fixture
def whole() -> Comparison:
    slow, quick, even = "broadcast_add/3f9c2a1b", "softmax/00c0ffee", "_npi_true_divide_scalar/12345678"
    return comparison(
        compared(even, "forward", "kernel", 1.001, Verdict.SAME),
        compared(slow, "forward", "kernel", 1.234, Verdict.SLOWER, base_us=12345.6, inputs=TALL),
        compared(slow, "forward", "wall", 1.19, Verdict.UNDECIDED, base_us=12400, inputs=TALL),
        compared(slow, "backward", "kernel", 12.3, Verdict.SLOWER, base_us=0.85, inputs=TALL),
        compared(quick, "forward", "kernel", 0.5, Verdict.FASTER),
        compared(quick, "backward", "wall", 0.031, Verdict.UNDECIDED),
        base="base.ndjson (MXNet 1.9.1, 2024-01-01T00:00:00+00:00)",
        new="new.ndjson (MXNet 2.0.0, 2024-01-02T00:00:00+00:00)",
        unmatched=(
            Unmatched(case="Pooling/1", operator="Pooling", missing="base", reason="absent"),
            Unmatched(case="Pooling/2", operator="Pooling", missing="base", reason="absent"),
            Unmatched(case="topk/1", operator="topk", missing="new", reason="crashed: ended by\nSIGSEGV <&>",
                      lost=True),
            Unmatched(case="dot/1", operator="dot", missing="both", reason="skipped: [bold]too large[/bold]"),
            Unmatched(case=even, operator="x", missing="new", reason="no backward wall time", pass_="backward",
                      clock="wall"),
        ),
        notices=("OMP_NUM_THREADS: base 2, new 1",),
    )  # fmt: skip


def test_an_alias_with_another_verdict_has_a_row_of_its_own() -> None:
    same = compared("exp/1", "forward", "kernel", 1.0, Verdict.SAME, base_us=100.0)
    slower = compared("_npi_exp/1", "forward", "kernel", 1.15, Verdict.SLOWER, base_us=97.0)
    shown = ComparisonReport(comparison(same, slower), view=View(sort="new"))
    text = text_of("comparison", "table", shown, 120)
    assert "also" not in text
    assert "slower" in text


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_table(whole: Comparison, width: int, snapshot: SnapshotAssertion) -> None:
    text = text_of("comparison", "table", ComparisonReport(whole), width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_no_shape_is_broken(whole: Comparison) -> None:
    assert "(10000, 1)" in text_of("comparison", "table", ComparisonReport(whole), 80)


def test_text_for_a_file_has_no_colour(whole: Comparison) -> None:
    text = text_of("comparison", "table", ComparisonReport(whole), 120)
    assert "\x1b" not in text
    counts = "6 measurements = 1 faster + 2 slower + 1 same + 2 undecided"
    assert f"{counts}; 1 missing in new; 4 without a partner\n" in text


def test_json_is_the_contract(whole: Comparison) -> None:
    read = json.loads(text_of("comparison", "json", ComparisonReport(whole)))
    assert list(read)[:3] == ["cases", "unmatched", "summary"]
    assert set(read["cases"][1]) >= {
        "case", "operator", "pass", "clock", "ratio", "low", "high", "p", "verdict",
    }  # fmt: skip
    assert read["cases"][1]["pass"] == "forward"
    assert read["cases"][1]["verdict"] == "slower"
    assert read["summary"] == {"faster": 1, "slower": 2, "same": 1, "undecided": 2, "accepted": 0, "differs": 0}
    assert read["unmatched"][2]["reason"].startswith("crashed")
    assert (read["unmatched"][4]["pass"], read["unmatched"][0]["pass"]) == ("backward", None)


def test_only_changed_counts_all(whole: Comparison) -> None:
    brief = ComparisonReport(whole, brief=True).shown
    # The undecided one seems slower, and the gate doesn't pass.
    assert [figure.verdict.value for figure in brief.cases] == ["slower", "undecided", "slower", "faster"]
    assert brief.summary == whole.summary


def test_csv_has_a_row_for_each_figure(whole: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of("comparison", "csv", ComparisonReport(whole)))))
    assert [(row["pass"], row["clock"], row["verdict"]) for row in rows[:2]] == [
        ("forward", "kernel", "same"), ("forward", "kernel", "slower"),
    ]  # fmt: skip
    assert rows[1]["inputs"] == TALL
    assert float(rows[1]["ratio"]) == 1.234


@pytest.mark.parametrize("brief", [False, True])
def test_markdown(whole: Comparison, brief: bool, snapshot: SnapshotAssertion) -> None:
    assert text_of("comparison", "md", ComparisonReport(whole, brief)) == snapshot


def test_junit(whole: Comparison, snapshot: SnapshotAssertion) -> None:
    text = text_of("comparison", "junit", ComparisonReport(whole))
    suite = ET.fromstring(text)[0]
    tests = {test.get("name"): test for test in suite}
    assert len(tests) == len(suite) == 10
    assert (suite.get("failures"), suite.get("skipped")) == ("3", "5")
    assert [child.tag for child in tests["broadcast_add/3f9c2a1b forward"]] == ["failure"]
    assert [child.tag for child in tests["softmax/00c0ffee backward"]] == ["skipped"]
    assert [child.tag for child in tests["softmax/00c0ffee forward"]] == ["system-out"]
    assert text == snapshot


def test_control_characters_are_spelled(whole: Comparison) -> None:
    broken = msgspec.structs.replace(
        whole, base="a\x1b[2Jb", cases=(compared("x\x1b/1", "forward", "wall", 2.0, Verdict.SLOWER, inputs="\x07"),)
    )
    assert "\x1b" not in text_of("comparison", "table", ComparisonReport(broken), 80)
    ET.fromstring(text_of("comparison", "junit", ComparisonReport(broken)))


def test_an_empty_comparison(whole: Comparison) -> None:
    empty = msgspec.structs.replace(whole, cases=(), unmatched=(), summary=VerdictCounts(), notices=())
    text = text_of("comparison", "table", ComparisonReport(empty), 80)
    assert "0 measurements = 0 faster + 0 slower + 0 same + 0 undecided\n" in text
    assert "no measurement is slower" in text_of("comparison", "md", ComparisonReport(empty))
    assert json.loads(text_of("comparison", "json", ComparisonReport(empty)))["cases"] == []
    assert len(ET.fromstring(text_of("comparison", "junit", ComparisonReport(empty)))[0]) == 0


def test_reasons_for_missing_figures(whole: Comparison) -> None:
    reason = "skipped: not timed, since the other side has no such case"
    mish = Unmatched(case="mish/1", operator="mish", missing="both", reason=reason)
    given = msgspec.structs.replace(whole, unmatched=(mish, *whole.unmatched))
    lines = text_of("comparison", "table", ComparisonReport(given), 120).splitlines()
    assert f"    1 not measured on both sides ({reason}): mish (1 case)" in lines
    assert "    2 absent in base: Pooling (2 cases)" in lines
    assert "    1 no backward wall time in new: x (1 measurement)" in lines


SLOWER = "new is 12.3 times slower than base in broadcast_add backward (1 of 1 input), 1.23 times in broadcast_add"


@pytest.mark.parametrize("form", ["table", "md", "html"])
def test_the_answer_stands_first_on_a_terminal_last(whole: Comparison, form: str) -> None:
    text = text_of("comparison", form, ComparisonReport(whole), 9999).replace("**", "")
    assert SLOWER in text
    assert (text.index(SLOWER) < text.index("95% interval")) is (form != "table")
    assert "is undecided" not in text
    assert "2 undecided, since" in text


def test_a_gate_passes_if_nothing_is_slower_or_missing() -> None:
    same = compared("exp/1", "forward", "wall", 1.0, Verdict.SAME)
    assert list(answer(comparison(same))) == [
        "no measurement is slower",
        "gate: passes, nothing is slower or missing in new; half of the intervals reach at most ±5%"
    ]  # fmt: skip


def test_verdict_and_ratio_are_the_first_columns(whole: Comparison) -> None:
    text = text_of("comparison", "md", ComparisonReport(whole))
    heads = {line for line in text.splitlines() if line.startswith("| verdict")}
    assert heads == {"| verdict | ratio | 95% interval | case | inputs | pass | clock | base P10 | new P10 |"}


@pytest.mark.parametrize(
    ("low", "high", "why"),
    [
        (0.9, 1.2, "the 95% interval [0.90, 1.20] encloses 0.952 and 1.05"),
        (1.02, 1.2, "the 95% interval [1.02, 1.20] encloses 1.05"),
        (1.06, 1.2, "the q value 0.2 isn't below 0.05"),
    ],
)
def test_an_undecided_figure_says_why(low: float, high: float, why: str) -> None:
    figure = msgspec.structs.replace(
        compared("exp/1", "forward", "wall", 1.1, Verdict.UNDECIDED), low=low, high=high, q=0.2
    )
    assert reason(figure, 0.05) == why


def undecided(base: str, new: str, builds: tuple[str, str] = ("/a/libmxnet.so", "/b/libmxnet.so")) -> Comparison:
    """Two undecided figures of one case, whose interval must be 2.9 times as narrow."""
    figures = [
        msgspec.structs.replace(
            compared("exp/1", "forward", clock, 1.0, Verdict.UNDECIDED), low=1.05**-2.9, high=1.05**2.9
        )
        for clock in ("wall", "kernel")
    ]
    origins = [
        Provenance("1.9.1", build, None, "machine", "processor", 1, "2026-01-01", "0.1.0", 7, command)
        for build, command in zip(builds, (base, new), strict=True)
    ]
    return msgspec.structs.replace(comparison(*figures), base_provenance=origins[0], new_provenance=origins[1])


def test_a_command_decides_with_its_time() -> None:
    sides = "--mxnet 1.9.1 --mxnet 2.0.0b1"
    words = f"{sides} --seed 3 --operator exp --input-profile common --processes 15 --max-time 16s"
    for start in ("compare", "gate --no-confirm", "gate --report gate.md"):
        given = f"autoperf {start} {sides} --category unary --max-time=2s --time-budget 1m --seed 3"
        # Intervals of 2.9 thresholds end before one with nine times as many turns, and eight times is the most.
        ((label, command),) = deciding_command(undecided(given, given))
        assert command == f"autoperf compare {words}"
        assert label == "to decide, in about 1 min 22 s on an idle machine"


def test_the_time_of_a_comparison_grows_with_its_processes_and_their_turns() -> None:
    assert seconds_of_sides(10, 1.0, 5) == pytest.approx(61.0)
    assert seconds_of_sides(10, 0.5, 5) == pytest.approx(61.0)
    assert seconds_of_sides(10, 4.0, 5) == pytest.approx(211.0)
    assert seconds_of_sides(1, 4.0, 40) == pytest.approx(44.6)


def test_two_runs_are_decided_in_turn_if_their_builds_differ() -> None:
    run = "autoperf run --operator exp"
    ((_, command),) = deciding_command(undecided(run, run))
    assert command.startswith("autoperf compare --mxnet /a/libmxnet.so --mxnet /b/libmxnet.so --seed 7 --operator exp ")
    assert not list(deciding_command(undecided(run, run, ("/a/libmxnet.so", "/a/libmxnet.so"))))


def test_a_gate_of_two_frameworks_is_decided_by_its_own_words() -> None:
    given = "autoperf gate --frameworks mxnet,torch --operator exp --dtype float16"
    ((_, command),) = deciding_command(undecided(given, given))
    assert command.startswith("autoperf compare --frameworks mxnet,torch --dtype float16 --operator exp ")


def test_two_runs_of_a_gate_are_decided_by_their_builds() -> None:
    """Each measured one side beside its baseline."""
    ((_, command),) = deciding_command(undecided(*["autoperf gate b.ndjson --report gate.md"] * 2))
    assert command.startswith("autoperf compare --mxnet /a/libmxnet.so --mxnet /b/libmxnet.so --seed 7 --operator exp")


@pytest.mark.parametrize("new", ["autoperf run --mxnet /b", "autoperf gate base.ndjson"])
def test_what_was_measured_decides_two_runs(new: str) -> None:
    own = "--input=data=3x4 --param axis=1 --dtype float16 --draws 3 --rules mine.py --seed 9"
    run = f"autoperf run --mxnet /a {own} --operator exp --visits 2 --run-file base.ndjson"
    ((_, command),) = deciding_command(undecided(run, new))
    sides = "--mxnet /a/libmxnet.so --mxnet /b/libmxnet.so"
    assert command.startswith(f"autoperf compare {sides} {own} --operator exp --processes ")
    assert list(deciding_command(undecided(f"{run} --int64-tensor=on", new))) == []


def test_the_command_is_one_line_on_any_terminal() -> None:
    run = "autoperf run --operator exp"
    text = text_of("comparison", "table", ComparisonReport(undecided(run, run)), 50)
    (line,) = [line for line in text.splitlines() if line.startswith("to decide")]
    assert line.endswith("--max-time 8s")
