"""The page of differing results: shrunk inputs, the smallest of each operator, which release is right, and reviews."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autoperf.core.outcome import Status
from autoperf.rules.rule import Draft, Inputs
from tests.scripts import load_script
from tests.values import outcome, write_run
from tools.page_blocks import block_of
from tools.reviewed_results import REVIEWED


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("tools", "result_changes.py")


def entry(operator: str, elements: int, result: str = "output", **difference: object) -> dict[str, Any]:
    found = {"result": result, "base": "1.0", "new": "2.0", "place": [0], "elements": elements, **difference}
    return {
        "operator": operator,
        "case": f"{operator}/{elements}",
        "inputs": f"data ({elements},)",
        "difference": found,
    }


def test_all_dimensions_become_smaller_in_their_order(script: ModuleType) -> None:
    call = Inputs({"data": Draft((32, 1, 64)), "label": (Draft((64,)), Draft((32, 100)))})
    shrunk = script.shrunk(call, 2)
    assert shrunk.tensors["data"].shape == (2, 1, 3)
    assert [each.shape for each in shrunk.tensors["label"]] == [(3,), (2, 4)]


def test_each_kind_of_result_has_its_smallest_input(script: ModuleType) -> None:
    entries = [entry("sum", 9), entry("sum", 4), entry("sum", 6, "gradient of data"), entry("dot", 8)]
    assert [each["case"] for each in script.smallest(entries).values()] == ["dot/8", "sum/6", "sum/4"]


def test_a_release_is_right_if_a_framework_has_its_results_alone(script: ModuleType, tmp_path: Path) -> None:
    wrong = "the results differ: output: largest error 1"
    for release, names in (("1.9.1", ("a",)), ("2.0.0b1", ("b", "a"))):
        outcomes = [outcome(case=name, status=Status.FAILED, reason=wrong, forward=None) for name in names[:1]]
        outcomes += [outcome(case=name) for name in ("a", "b") if name != names[0]]
        write_run(tmp_path / f"torch-{release}.ndjson", outcomes)
    assert script.right(tmp_path, "a") == "2.0.0b1, by PyTorch"
    assert script.right(tmp_path, "b") == "1.9.1, by PyTorch"
    assert script.right(tmp_path, "c") == ""


def test_every_row_is_reviewed_and_every_review_has_a_row(script: ModuleType) -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    for block, reviewed in REVIEWED.items():
        lines = [line.split(" | ") for line in block_of(page, block).splitlines() if line.startswith("|")]
        at = (script.COLUMNS if block == "releases" else script.WITHIN).index("operator")
        names = {line[at].replace("\\", "").strip("| *") for line in lines[2:]}
        assert names == set(reviewed)
        assert all(each.right and each.why for each in reviewed.values())
