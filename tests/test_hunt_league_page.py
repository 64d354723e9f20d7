"""The league table of a hunt: by cost, with a script for each row; written pages have the generator's form."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from autoperf.executor.settings import Settings
from autoperf.executor.suite import SuiteFile
from autoperf.pipeline.hunt_folder import HuntFolder
from autoperf.pipeline.hunt_sides import sides_of
from autoperf.pipeline.release import Release
from autoperf.reports.markdown import heading
from autoperf.results.huntlog import TriedLine
from tests.finding_values import HEADER, SEARCHED, SOFTMAX, TAKE, finding, softmax
from tests.scripts import load_script

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("hunt-*.md"))


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return load_script("docs", "hunt_league.py")


def test_what_costs_most_stands_first_and_what_has_no_common_input_last(generator: ModuleType) -> None:
    findings = {"a.py": finding(softmax(), ratio=3.0), "b.py": finding(softmax((2, 2)), ratio=9.0), "c.py": TAKE}
    entries = generator.ranked(findings, {("softmax", "forward"): 50.0})
    assert [entry.script for entry in entries] == ["b.py", "a.py", "c.py"]
    assert [round(entry.cost_us) for entry in entries] == [400, 100, 0]


def test_a_page_has_a_row_and_a_script_for_each_finding(generator: ModuleType) -> None:
    entries = generator.ranked({"hunt-1.9.1/softmax-1.py": SOFTMAX}, {("softmax", "forward"): 50.0})
    page = generator.page(HEADER, SEARCHED, entries)
    assert page.startswith("# What is slow in MXNet 1.9.1\n")
    assert "budget 1 min 00 s, seed 7. That is " in page
    assert "MXNet had 2 threads." in page
    (row,) = (line for line in page.splitlines() if line.startswith("| 1 |"))
    assert "| [softmax-1.py](hunt-1.9.1/softmax-1.py) |" in row
    assert "| softmax | forward | 160 us | 4.20 [4.07, 4.37] | 50.0 us |" in row


def test_the_time_of_the_common_input_comes_from_the_log(
    generator: ModuleType, release: Release, tmp_path: Path
) -> None:
    sides = sides_of([release], None, Settings(processes=1))
    operator = next(operator for operator in release.registry.operators if operator.name == "softmax")
    case = generator._common_case(sides, operator)
    other = msgspec.structs.replace(case, params={"axis": 0})
    lines = [(case, (9.0, 7.0), ()), (case, (8.0,), (5.0,)), (other, (1.0,), (1.0,))]
    with HuntFolder(tmp_path / "hunt", HEADER) as folder:
        for case_, forward, backward in lines:
            folder.write(
                TriedLine(at=1.0, operator="softmax", id=case_.id, case=case_, forward_us=forward, backward_us=backward)
            )
    times = generator.common_times(sides, tmp_path / "hunt", ["softmax", "elsewhere"])
    assert times == {("softmax", "forward"): 7.0, ("softmax", "backward"): 5.0}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_written_page_has_the_form_and_its_scripts(generator: ModuleType, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert heading(generator.COLUMNS) in text
    named = re.findall(r"\]\((hunt-[^)]+\.py)\)", text)
    kept = sorted(str(path.relative_to(DOCS)) for path in (DOCS / page.stem).glob("*.py"))
    assert sorted(named) == kept
    for script in named:
        assert SuiteFile(DOCS / script).build("slow")
