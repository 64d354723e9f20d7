"""Formulas of instructions: exact lines, divided where other code runs."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.outcome import PassName, Status
from autoperf.core.work import CodeCount, FunctionCount, Part
from autoperf.hunt.instructions import (
    LENGTHS,
    CodeCounter,
    CountedSide,
    Formulas,
    LengthCount,
    PathFormula,
    formulas_document,
    formulas_of,
    path_formulas,
)
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.settings import Settings
from tests.forked_program import Program
from tests.hunt.hunt_values import factory_of
from tests.reports.report_values import text_of


def sized(length: int, instructions: int, *names: str) -> LengthCount:
    """A count that is shared equally by these functions."""
    functions = tuple(FunctionCount(name, Part.OPERATOR, instructions // len(names)) for name in names)
    return LengthCount(length, 4.0 * length, CodeCount("", functions, {"operator": instructions}, ""))


def law(length: int) -> LengthCount:
    """Seven for each of four elements, and 100; from a length of 300 on, five each and 900 in another function."""
    return sized(length, 28 * length + 100, "short") if length < 300 else sized(length, 20 * length + 900, "long")


def formulas(*counted: LengthCount) -> list[PathFormula]:
    return path_formulas("forward", "data.shape[0]", counted, law)


def test_a_path_is_a_line_and_ends_where_other_code_runs() -> None:
    short, long = formulas(*(law(length) for length in (32, 64, 256, 512, 1024)))
    assert (short.begin, short.end, short.lengths) == (32, 299, (32, 64, 256))
    assert (long.begin, long.end, long.lengths) == (300, 1024, (512, 1024))
    assert (short.words, long.words) == ("100 + 28 n", "900 + 20 n")
    assert (short.functions, long.functions) == (("short",), ("long",))
    assert [each.per_element for each in (short, long)] == [7, 5]


def test_a_count_beside_the_line_begins_another_one() -> None:
    counted = [sized(length, 10 * length + (length > 100), "walk") for length in (32, 64, 96, 128, 160)]
    assert [each.lengths for each in formulas(*counted)] == [(32, 64, 96), (128, 160)]


def test_a_function_that_becomes_small_beside_the_others_ends_no_path() -> None:
    starting = [sized(length, 10 * length, "walk", "start") for length in (32, 64)]
    counted = [sized(length, 10 * length, "walk") for length in (96, 128)]
    assert [each.lengths for each in formulas(*starting, *counted)] == [(32, 64, 96, 128)]


class GridCounter(CodeCounter):
    """Counts by the law, at the lengths of the grid alone; it starts no process."""

    def __init__(self) -> None: ...

    def counts(self, case: Case, side: int) -> dict[PassName, CodeCount] | CaseFailure:
        """The counts of the first input's first dimension."""
        length = case.inputs[0].tensor.shape[0]
        return {"forward": law(length).code} if length in LENGTHS else CaseFailure(Status.TIMEOUT, "too slow")


def test_inputs_without_a_count_are_told_also_those_of_a_limit(release: Release) -> None:
    relu = formulas_of(factory_of(release, "relu"), GridCounter())
    assert [each.lengths[-1] for each in relu.formulas if each.dimension == "data.shape[0]"] == [256, 1024]
    assert [reason for reason in relu.refused if "(320, " in reason and reason.endswith("too slow")]
    flip = formulas_of(factory_of(release, "_image_flip_left_right"), GridCounter())
    assert f"no input has data.shape[2] {', '.join(map(str, LENGTHS))}" in flip.refused


def test_formats_have_all_formulas() -> None:
    found = Formulas(
        operator="exp", inputs="data (10, 10)", formulas=(*formulas(law(32), law(64)), *formulas(law(32))),
        refused=("too long",),
    )  # fmt: skip
    shown = text_of("formulas", "table", [found], 100)
    assert "100 + 28 n" in shown
    assert "32 to 64" in shown
    assert "too long" in shown
    document = formulas_document([found])["operators"]
    assert isinstance(document, list)
    assert [each["slope"] for each in document[0]["formulas"]] == [28.0, None]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--counts needs a selection, such as --operator softmax, and one release"),
        (("--operator", "exp", "--uncovered"), "--counts fits formulas to counts"),
        (("--layers",), "--layers lists every layer class of a release: leave out --counts"),
        (("--operator", "exp", "--format", "csv"), "invalid --format csv with --counts: expected table or json"),
    ],
)
def test_what_has_no_formulas_is_refused(program: Program, arguments: tuple[str, ...], words: str) -> None:
    done = program("discover", "--counts", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind isn't installed")
def test_relu_spends_ten_instructions_on_each_element(release: Release, tmp_path: Path) -> None:
    with ExitStack() as stack:
        counter = CodeCounter([CountedSide(release.library, Settings())], tmp_path, stack)
        found = formulas_of(factory_of(release, "relu"), counter)
    forward = [each for each in found.formulas if each.pass_ == "forward" and each.slope is not None]
    assert forward
    assert {each.per_element for each in forward} == {10.0}
