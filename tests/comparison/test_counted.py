"""Exact counts are told in words of instructions, and with the functions that make the difference."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.comparison.comparison import ComparedFigure, ComparisonOptions, Gate, Verdict
from autoperf.comparison.documents import answer, reason
from autoperf.comparison.figures import Figure
from autoperf.comparison.headlines import count_change, function_lines, function_text
from autoperf.comparison.pairs import Pair
from autoperf.comparison.report import ComparisonReport
from autoperf.core.clocks import INSTRUCTIONS
from autoperf.core.work import CodeCount
from autoperf.counts.functions import CodeDifference, FunctionChange
from tests.reports.report_values import text_of
from tests.values import compared, comparison

LOOP = FunctionChange("UnaryOp::Compute<cpu, relu>", "operator", 655_425, 524_348)
SMALL = FunctionChange("below UnaryOp", "operator", 100, 200)


def counted(verdict: Verdict, ratio: float, *functions: FunctionChange, case: str = "relu/1") -> ComparedFigure:
    new = int(657_221 * ratio)
    parts = {"operator": (657_221, new), "dispatch": (21_000, 21_010)}
    code = CodeDifference(not functions, 657_221, new, functions, parts)
    figure = compared(case, "forward", "instructions", ratio, verdict)
    return msgspec.structs.replace(figure, low=ratio, high=ratio, statistic="count", code=code)


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(1.25, "+25.0%"), (0.999, "-0.100%"), (1.0004, "+0.040%"), (3.2, "3.20 times"), (0.25, "1 / 4.00")],
)
def test_changes_are_in_percent_or_times(ratio: float, words: str) -> None:
    assert count_change(ratio) == words


def test_a_function_has_the_instructions_of_both_sides() -> None:
    assert function_text(LOOP) == "UnaryOp::Compute<cpu, relu> 655,425 -> 524,348 (-131,077)"


def test_small_functions_are_named_on_request() -> None:
    figure = counted(Verdict.FASTER, 0.8, LOOP, SMALL)
    assert list(function_lines(figure, all_of_them=False)) == [function_text(LOOP)]
    assert list(function_lines(figure, all_of_them=True)) == [function_text(LOOP), function_text(SMALL)]
    assert list(function_lines(counted(Verdict.SAME, 1.0), all_of_them=True)) == []


@pytest.mark.parametrize(
    ("base", "new", "told"),
    [
        ("oneDNN", "operator", True),
        ("BLAS", "libm", True),
        ("oneDNN jit:avx2", "MXNet", True),
        ("oneDNN jit:avx2", "oneDNN ref:any", True),
        ("libm", "operator", False),
        ("oneDNN jit:avx2", "oneDNN jit:avx512_core", False),
        ("MXNet", "oneDNN jit:avx2", False),
    ],
)
def test_a_build_that_loses_a_library_s_path_is_told(base: str, new: str, told: bool) -> None:
    """Counts name a part, the log of the library its kernel."""
    slower = counted(Verdict.SLOWER, 3.0, LOOP, case="softmax/1")
    lost = msgspec.structs.replace(slower, paths=(base, new))
    sentence = f"new no longer runs the library's kernel that base runs in softmax forward ({base})"
    assert (sentence in list(answer(comparison(lost)))) == told


def test_counts_are_open_by_their_own_threshold() -> None:
    figure = msgspec.structs.replace(counted(Verdict.UNDECIDED, 1.03, LOOP), low=1.0)
    found = comparison(figure)
    assert (found.gate, found.open) == (Gate.INCONCLUSIVE, (figure,))
    (told,) = [sentence for sentence in answer(found) if "undecided" in sentence]
    assert told.startswith("1 undecided, since the 95% interval encloses a threshold, 0.999 or 1.001: relu forward")
    assert reason(figure, 0.001) == "the 95% interval [1.00, 1.03] encloses 1.001"


def of_pair(base: int, new: int, network: str = "") -> ComparedFigure:
    """The comparison of two passes that execute so many instructions."""
    code = [CodeCount("valgrind", (), {"operator": number}, f"{number}") for number in (base, new)]
    pair = Pair(
        case="relu/1", operator="relu", base_operator="relu", category="activation", profile="small", inputs="data (3)",
        pass_="forward", clock=INSTRUCTIONS, base=Figure((float(base),), 0.0), new=Figure((float(new),), 0.0),
        network=network, code=(code[0], code[1]),
    )  # fmt: skip
    return pair.counted(ComparisonOptions())


def test_a_counted_network_has_its_name_and_words_of_instructions() -> None:
    given = comparison(of_pair(100, 200, "bert"), of_pair(100, 200, "resnet"))
    lines = list(answer(given))
    assert lines[0].startswith("new executes more instructions than base in bert forward (2.00 times, 1 of 1 input")
    assert "resnet forward" in lines[0]
    assert not any(line.startswith("bert, small") for line in lines)
    table = text_of("comparison", "table", ComparisonReport(given)).splitlines()
    assert table[0].startswith("more instructions (2 measurements)")
    assert [table[1].split()[0], table[2].split()[0]] == ["bert", "data"]


@pytest.mark.parametrize(
    ("base", "new", "verdict"), [(0, 0, Verdict.SAME), (500, 0, Verdict.FASTER), (0, 500, Verdict.SLOWER)]
)
def test_a_pass_that_executes_nothing_is_told(base: int, new: int, verdict: Verdict) -> None:
    figure = of_pair(base, new)
    assert (figure.verdict, figure.ratio) == (verdict, max(new, 1) / max(base, 1))
    assert list(answer(comparison(figure)))


def test_the_answer_speaks_of_instructions() -> None:
    figures = [
        counted(Verdict.FASTER, 0.8, LOOP, case="relu/1"),
        counted(Verdict.SLOWER, 1.034, SMALL, case="softmax/1"),
        counted(Verdict.SAME, 1.0, case="exp/1"),
    ]
    lines = list(answer(comparison(*figures)))
    assert (
        lines[0]
        == "new executes more instructions than base in softmax forward (+3.4%, 1 of 1 input, by below UnaryOp)"
    )
    assert lines[1].startswith("new executes fewer instructions than base in relu forward (-20.0%, 1 of 1 input")
    assert lines[2] == "1 of 3 counted passes execute identical code"
    assert lines[3] == "gate: fails, 1 with more instructions"


def test_cases_that_were_only_counted_are_told() -> None:
    time = compared("relu/1", "forward", "kernel", 1.0, Verdict.SAME)
    counts = (counted(Verdict.SAME, 1.0, case="exp/1"), counted(Verdict.SLOWER, 1.1, LOOP, case="sin/1"))
    both = counted(Verdict.SAME, 1.0, case="relu/1")
    lines = list(answer(comparison(time, both, *counts)))
    assert (
        "2 of 3 counted passes execute identical code; judged by counts alone: 1 case with identical code, 1 case with "
        "other code, for which no time was left"
    ) in lines
    assert "2 of 3 counted passes execute identical code" in list(answer(comparison(both, *counts)))
