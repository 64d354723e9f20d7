"""docs/reference/large-tensors.md has a row of each category, as tools/large_tensors.py computes it."""

from __future__ import annotations

from types import ModuleType

import pytest

from autoperf.core.case import Case
from autoperf.core.outcome import Memory, Outcome, PassMemory, Status
from autoperf.core.tensors import ArrayType, Constant
from autoperf.pipeline.release import Release
from tests.scripts import load_script
from tests.values import inputs, outcome, tensor
from tools.page_blocks import block_of

LARGE = 2**32 + 8
INPUTS = inputs(
    data=tensor(LARGE, dtype="int8", content=Constant(0.0)), axis=tensor(4, dtype="int32", content=Constant(0.0))
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("tools", "large_tensors.py")


def answer(status: Status, **changes: object) -> Outcome:
    outputs = (ArrayType((LARGE,), "int8"),)
    return outcome(operator="abs", profile="int64", status=status, inputs=INPUTS, outputs=outputs, **changes)


def test_every_category_is_in_the_table(script: ModuleType, next_release: Release) -> None:
    rules = (next_release.catalog.find(operator) for operator in next_release.registry.forward)
    categories = {rule.category for rule in rules if hasattr(rule, "category")}
    table = block_of(script.PAGE.read_text(encoding="utf-8"), "categories")
    rows = [line.split("|") for line in table.strip().splitlines()[2:]]
    assert {row[1].strip().replace("\\", "") for row in rows} == categories


def test_the_case_that_needs_least_comes_first(script: ModuleType, next_release: Release) -> None:
    (members,) = script.candidates(next_release, ["pooling"]).values()
    fitting = [each for each in members if each.bytes <= script.MEMORY * script.GIB]
    public = [each.bytes for each in fitting if not each.case.operator.startswith("_")]
    assert public == sorted(public)
    assert [each.bytes for each in members][: len(public)] == public


def test_a_row_has_the_result_and_the_memory(script: ModuleType) -> None:
    memory = Memory(PassMemory(2**33, 2**32, 2**32))
    ran = script.row_of(answer(Status.MEASURED, memory=memory))
    assert ran == ["unary", "abs", "8.0 GiB", "runs, 12.0 GiB at its peak"]
    assert script.row_of(answer(Status.FAILED, reason="no int8: Check failed"))[-1] == "failed: no int8"


def test_a_category_has_the_case_that_ran_else_the_last_one_that_failed(script: ModuleType) -> None:
    case = Case(operator="abs", category="unary", profile="int64", inputs=INPUTS)
    planned = script.Candidate("unary", case, "int8", 25 * 2**30)
    assert script.planned_row(planned)[-2:] == ["25.0 GiB", "needs more than 24 GiB"]
    failed, ran = answer(Status.FAILED, reason="no int8"), answer(Status.MEASURED)
    assert script.row([ran, failed])[-1] == "runs"
    assert script.row([failed, failed])[-1] == "failed: no int8"
