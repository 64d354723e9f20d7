"""docs/reference/coverage.md agrees with `discover`, and has the results of full runs."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.runs.runfile import RunEnd, machine_of, record
from tests import values
from tests.scripts import load_script
from tests.values import outcome
from tools.page_blocks import block_of
from tools.stored_run import StoredRun

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "coverage.md").read_text()
COMMAND = ("autoperf", "run", "--seed", "1")
ENVIRONMENT = record({"threads": 1}, {})
HEADER = msgspec.structs.replace(values.HEADER, seed=1, command=COMMAND, options={})
MACHINE = machine_of(ENVIRONMENT)
REPORT = {
    "mxnet": "1.9.1",
    "summary": {"forward": 6},
    "operators": [
        {"name": name, "differentiable": name != "argmax"} for name in ("argmax", "crop", "exp", "pad", "rnn", "sin")
    ],
}


def ran(operator: str, status: Status = Status.MEASURED, reason: str = "", backward: bool = False) -> Outcome:
    passes = Pass() if status is Status.MEASURED else None, Pass() if backward else None
    profile = "none" if status is Status.SKIPPED else "small"
    return outcome(0, *passes, operator=operator, category="misc", profile=profile, status=status, reason=reason)


RUN = StoredRun(
    HEADER,
    (MACHINE,),
    (
        ran("argmax"),
        ran("crop"),
        ran("exp", backward=True),
        ran("exp", Status.FAILED, "Check failed: a < b"),
        ran("pad", reason="no backward pass: Other modes are not supported"),
        ran("pad", backward=True),
        ran("rnn", Status.SKIPPED, "only a GPU kernel is registered: MXNet says so"),
        ran("sin", Status.CRASHED, "Segmentation fault"),
        ran("sin", Status.CRASHED, "Segmentation fault"),
    ),
    RunEnd(asked=9, measured=5, skipped=1, failed=1, crashed=2, seconds=620),
)


@pytest.fixture(scope="module")
def page() -> ModuleType:
    return load_script("tools", "coverage_page.py")


@pytest.fixture(scope="module")
def reports(page: ModuleType, next_library: Path) -> list[dict[str, Any]]:
    return [page.discover(), page.discover("--mxnet", str(next_library))]


def test_the_totals_are_what_discover_says(page: ModuleType, reports: list[dict[str, Any]]) -> None:
    assert block_of(PAGE, "totals") == page.totals(reports).strip("\n"), "run `make ledgers`"


def test_every_operator_that_stays_out_is_there_with_its_reason(
    page: ModuleType, reports: list[dict[str, Any]]
) -> None:
    assert block_of(PAGE, "left out") == page.left_out(reports).strip("\n"), "run `make ledgers`"


def test_the_readme_has_the_coverage_of_the_installed_release(reports: list[dict[str, Any]]) -> None:
    summary = reports[0]["summary"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{summary['covered']} of {summary['forward']} forward operators of {reports[0]['mxnet']}" in readme


def test_a_run_has_every_failure(page: ModuleType) -> None:
    text = page.measured(RUN, REPORT)
    assert "- 4 of 6 forward operators measured, 2 of them backward too" in text
    assert "- 9 cases = 5 measured + 1 skipped + 1 failed + 2 crashed + 0 timeout; excluded" in text
    assert "- 10 minutes, seed 1, " in text
    assert "- `exp`, 1 failed: Check failed: a \\< b\n" in text
    assert "- `sin`, 2 crashed: Segmentation fault\n" in text
    assert "rnn" not in text
    assert "some or all cases of: `pad` (1 of 2)\n" in text
    assert text.endswith("though the gradient pass has one, of: `crop`")


def test_a_failure_wants_an_explanation(page: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert page.unexplained(RUN) == ["exp", "sin"]
    monkeypatch.setattr(page, "EXPLANATIONS", (("sin", "Segmentation", "It reads beyond its input."),))
    assert page.unexplained(RUN) == ["exp"]
    assert "- `sin`, 2 crashed: Segmentation fault It reads beyond its input.\n" in page.measured(RUN, REPORT)
