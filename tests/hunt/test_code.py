"""The instructions of findings: what a slow input spends more for equal work, and what that says of its cause."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.release import Release
from autoperf.core.errors import UsageError
from autoperf.core.finding import Finding, FindingCode, FunctionPair
from autoperf.core.work import CodeCount, FunctionCount, Part
from autoperf.hunt.findings import code_line, finding_code
from autoperf.hunt.instructions import CodeCounter, CountedSide, check_countable
from autoperf.hunt.registry_causes import ranking, shared_code
from autoperf.measurement.settings import Settings
from tests.finding_values import SOFTMAX, TAKE, finding, hunt_report
from tests.reports.report_values import text_of
from tests.values import case

NEAR, FAR, LOG = "Kernel<near<1>, cpu>::Launch<half_t*>", "Walk<cpu, float>", "logf"


def counted(**functions: int) -> CodeCount:
    """A call whose kernels spend these instructions: in `near`, `far` and `log`, and 500 in dispatch."""
    names = {"near": (NEAR, Part.OPERATOR), "far": (FAR, Part.OPERATOR), "log": (LOG, Part.MATH)}
    listed = tuple(FunctionCount(*names[name], number) for name, number in functions.items())
    parts = {"dispatch": 500}
    for each in listed:
        parts[each.part.value] = parts.get(each.part.value, 0) + each.instructions
    dispatch = FunctionCount("Imperative::Invoke", Part.DISPATCH, 500)
    return CodeCount("valgrind 3.19", (*listed, dispatch), parts, "")


def test_functions_are_ranked_by_their_excess_for_equal_work() -> None:
    """The slow input does twice as much: its 2,000 in `log` are the fast one's 1,000, and 3,000 of `far` are fewer."""
    code = finding_code(counted(near=9_000, far=3_000, log=2_000), counted(far=4_000, log=1_000), 2.0)
    assert (code.slow, code.fast, code.ratio) == (14_000, 5_000, 1.4)
    assert code.functions == (FunctionPair(NEAR, "operator", 9_000, 0), FunctionPair(FAR, "operator", 3_000, 4_000))
    assert [pair.excess(code.work) for pair in code.functions] == [9_000, -5_000]
    assert code_line(code) == f"instructions 1.40 times for equal work: {NEAR} 9,000 (fast: 0)"


@pytest.mark.parametrize(("ratio", "shown"), [(1.9, True), (2.0, False)])
def test_instructions_show_a_finding_from_the_square_root_of_its_ratio_on(ratio: float, shown: bool) -> None:
    assert finding_code(counted(far=1_400), counted(far=1_000), 1.0).shows(ratio) is shown


@pytest.mark.parametrize(
    ("name", "slow", "shared"),
    [
        (NEAR, 100, "near"),
        ("below ReduceAxes<cpu, sum, false>", 100, "ReduceAxes"),
        ("UnaryOp::Compute<cpu, square_root>", 100, "UnaryOp::Compute"),
        ("lround", 100, "lround"),
        ("lround", 10, ""),
    ],
)
def test_a_template_is_shared_whatever_its_arguments(name: str, slow: int, shared: str) -> None:
    code = FindingCode(by="", slow=slow, fast=10, work=1.0, functions=(FunctionPair(name, "operator", slow, 10),))
    assert shared_code(code) == shared


def unexplained(operator: str, code: FindingCode | None) -> Finding:
    """A finding that no property of its inputs explains, with a kernel of its own."""
    slow, fast = case(operator, 64), case(operator, 63)
    return msgspec.structs.replace(finding(slow, fast), kernels={operator: 1.0}, contrast_kernels={}, code=code)


def test_operators_with_the_same_code_have_one_cause_where_kernels_tell_nothing() -> None:
    codes = {
        name: finding_code(CodeCount("", (FunctionCount(f"Walk<cpu, {name}>", Part.OPERATOR, 9),), {"operator": 9}, ""),
                           counted(), 1.0)
        for name in ("sin", "cos")
    }  # fmt: skip
    uncounted = ranking({name: unexplained(name, None) for name in codes})
    (cause,) = ranking({name: unexplained(name, code) for name, code in codes.items()}).causes
    assert (uncounted.causes, cause.words, sorted(cause.ratios)) == ((), "the code of Walk", ["cos", "sin"])


@pytest.mark.parametrize("form", ["table", "md", "html"])
def test_every_format_has_the_functions(form: str) -> None:
    code = finding_code(counted(near=9_000, far=1_000), counted(far=1_000), 1.0)
    alone = finding_code(counted(far=1_000), counted(far=1_000), 1.0)
    found = {"a": msgspec.structs.replace(SOFTMAX, code=code), "b": msgspec.structs.replace(TAKE, code=alone)}
    shown = text_of("hunt", form, hunt_report(found), 200)
    assert "9,000" in shown
    assert "2 counted findings: 1 by both, 1 by times alone" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("counters", "ctx", "against", "words"),
    [
        (("instructions", "cycles"), "cpu", "", "valgrind counts instructions, not cycles"),
        (("instructions",), "gpu(0)", "", "on the CPU only"),
        (("instructions",), "cpu", "torch", "compares functions of MXNet's, and torch has others"),
    ],
)
def test_what_cannot_be_counted_is_refused(counters: tuple[str, ...], ctx: str, against: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_countable(counters, ctx, against)


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind isn't installed")
def test_a_loop_of_twice_the_length_is_equal_work_to_a_percent(release: Release, tmp_path: Path) -> None:
    """relu spends ten instructions on each element, as its loop has."""
    long, short = case("relu", 256, 256), case("relu", 128, 256)
    with ExitStack() as stack:
        counter = CodeCounter([CountedSide(release.library, Settings())], tmp_path, stack)
        code = counter.code(long, short, "forward", 2.0)
    assert code.ratio == pytest.approx(1.0, rel=0.01)
    assert (code.slow - code.fast) / (128 * 256) == pytest.approx(10.0, rel=0.01)
    assert code.functions == ()
