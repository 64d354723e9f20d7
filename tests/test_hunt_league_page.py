"""The league table of a hunt: by cost, with a script for each row; written pages have the generator's form."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.finding import SideRecord
from autoperf.executor.settings import Settings
from autoperf.executor.suite import SuiteFile
from autoperf.pipeline.hunt_sides import sides_of
from autoperf.pipeline.release import Release
from autoperf.reports.markdown import heading
from autoperf.results.huntlog import PairLine, TriedLine
from tests.finding_values import HEADER, SEARCHED, SOFTMAX, TAKE, finding, softmax
from tests.scripts import load_script

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("hunt-*.md"))


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return load_script("tools", "hunt_league.py")


def test_what_costs_most_stands_first_and_what_has_no_common_input_last(generator: ModuleType) -> None:
    findings = {"a.py": finding(softmax((10, 10))), "b.py": finding(softmax((5, 10))), "c.py": TAKE}
    lost_us = findings["a.py"].actual_us - findings["a.py"].expected_us
    entries = generator.ranked(findings, {"softmax": 200.0}, {}, {})
    assert [entry.script for entry in entries] == ["b.py", "a.py", "c.py"]
    assert [entry.cost_us for entry in entries] == pytest.approx([4 * lost_us, 2 * lost_us, 0])


def test_a_cost_is_at_most_what_inputs_of_the_common_size_take(generator: ModuleType) -> None:
    """What a small input loses need not grow with the elements."""

    def tried(case: Case, us: float, refused: str = "") -> TriedLine:
        samples = 2 * us, us
        return TriedLine(at=1.0, operator="softmax", id="softmax/1", case=case, forward_us=samples, refused=refused)

    small, slow = tried(softmax((2, 10)), 1000.0), tried(softmax((100, 100)), 150.0)
    others = tried(softmax((100, 200), dtype="float16"), 900.0), tried(softmax((100, 300)), 0.0, "too large")
    times = generator.taken([small, slow, *others])

    def cost_us(elements: float) -> float:
        (entry,) = generator.ranked({"a.py": finding(softmax((1, 1)))}, {"softmax": elements}, {}, times)
        return float(entry.cost_us)

    assert cost_us(20_000.0) == pytest.approx(300.0)
    lost_us = finding(softmax((1, 1))).actual_us - finding(softmax((1, 1))).expected_us
    # No input has a quarter of so many elements.
    assert cost_us(200_000.0) == pytest.approx(200_000.0 * lost_us)


def test_between_two_builds_the_input_of_the_nearest_size_tells_the_cost(generator: ModuleType) -> None:
    """A constant that every call loses says nothing of larger ones."""
    small, large = softmax((1, 1)), softmax((100, 100))

    def pair(case: Case, slow_us: float) -> PairLine:
        return PairLine(
            at=1.0, operator="softmax", pass_="forward", first=case, second=case, first_us=(10.0,) * 3,
            second_us=(slow_us,) * 3, sides=(0, 1),
        )  # fmt: skip

    lost = generator.losses([pair(small, 110.0), pair(large, 60.0), pair(softmax((50, 50)), 12.0)], 1, 1.9)
    assert [tuple(loss) for loss in lost["softmax", "forward"]] == [(1.0, 100.0), (10_000.0, 50.0)]
    (entry,) = generator.ranked({"a.py": finding(small)}, {"softmax": 20_000.0}, lost, {})
    assert entry.cost_us == pytest.approx(100.0)


def test_a_page_has_a_row_and_a_script_for_each_finding(generator: ModuleType) -> None:
    entries = generator.ranked({"hunt-1.9.1/softmax-1.py": SOFTMAX}, {"softmax": 4096 * 64.0}, {}, {})
    page = generator.page(HEADER, SEARCHED, entries)
    assert page.startswith("# What is slow in MXNet 1.9.1\n")
    assert "budget 1 min 00 s, seed 7. That is " in page
    assert "MXNet had 2 threads." in page
    (row,) = (line for line in page.splitlines() if line.startswith("| 1 |"))
    assert "| [softmax-1.py](hunt-1.9.1/softmax-1.py) |" in row
    assert "| softmax | forward | 934 us | 4.20 [4.07, 4.37] | 262,144 elements |" in row


def test_a_page_of_a_hunt_between_two_builds_names_both(generator: ModuleType) -> None:
    sides = tuple(SideRecord(words=f"MXNet {version}", mxnet=version) for version in ("2.0.0b1", "1.9.1"))
    header = msgspec.structs.replace(HEADER, sides=sides)
    page = generator.page(header, SEARCHED, generator.ranked({"softmax-1.py": SOFTMAX}, {}, {}, {}))
    assert page.startswith("# What is slower in MXNet 2.0.0b1 than in MXNet 1.9.1\n")
    assert "as long the simplest input takes as the same input on MXNet 1.9.1, timed" in page


def test_the_elements_of_common_inputs_are_those_of_the_rules(generator: ModuleType, release: Release) -> None:
    sides = sides_of([release], None, Settings(processes=1))
    assert generator.common_elements(sides, ["softmax", "elsewhere"]) == {"softmax": 256 * 256}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_written_page_has_the_form_and_its_scripts(generator: ModuleType, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert heading(generator.COLUMNS) in text
    named = re.findall(r"\]\((hunt-[^)]+\.py)\)", text)
    kept = sorted(str(path.relative_to(DOCS)) for path in (DOCS / page.stem).glob("*.py"))
    assert sorted(named) == kept
    for script in named:
        suite = SuiteFile(DOCS / script)
        assert suite.build("slow" if "slow" in suite.functions else "both")
