"""The findings of hunts are kept as logs, with a page of the first thirty of each; hunts are ranked by cost."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.finding import SideRecord
from autoperf.executor.settings import Settings
from autoperf.pipeline.hunt_folder import HuntFolder
from autoperf.pipeline.hunt_sides import sides_of
from autoperf.pipeline.release import Release
from autoperf.results.huntfile import read_hunt
from autoperf.results.huntlog import EndLine, FindingLine, HuntHeader, PairLine, SearchedLine, TriedLine
from tests.finding_values import HEADER, SEARCHED, SOFTMAX, TAKE, finding, softmax
from tests.scripts import load_script

HUNTS = Path(__file__).parents[1] / "docs" / "hunts"
LOGS = sorted(HUNTS.glob("*.ndjson"))
MAX_BYTES = 2_000_000
OPTIONS = {"library": "/somewhere/libmxnet.so", "least": 2.0, "rules": ["/home/somebody/rules.py"]}


@pytest.fixture(scope="module")
def costs() -> ModuleType:
    return load_script("tools", "hunt_costs.py")


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The generator, which writes to a folder of its own; without MXNet, no operator has a common input."""
    script = load_script("tools", "hunt_pages.py")
    monkeypatch.setattr(script, "HUNTS", tmp_path / "hunts")
    return script


def hunted(folder: Path, header: HuntHeader, number: int = 1) -> Path:
    """The folder of a hunt with so many findings."""
    with HuntFolder(folder, header) as hunt:
        for at in range(number):
            hunt.write(FindingLine(at=1.0, finding=finding(softmax((4096 + at, 64)), ratio=3.0 + at)))
        hunt.write(SearchedLine(at=2.0, searched=SEARCHED[0]))
        hunt.write(EndLine(at=3.0))
    return folder


def test_what_costs_most_stands_first_and_what_has_no_common_input_last(costs: ModuleType) -> None:
    large, small = finding(softmax((10, 10))), finding(softmax((5, 10)))
    lost_us = large.actual_us - large.expected_us
    entries = costs.ranked([large, TAKE, small], {"softmax": 200.0}, {}, {})
    assert [entry.finding for entry in entries] == [small, large, TAKE]
    assert [entry.cost_us for entry in entries] == pytest.approx([4 * lost_us, 2 * lost_us, 0])


def test_a_cost_is_at_most_what_inputs_of_the_common_size_take(costs: ModuleType) -> None:
    """What a small input loses need not grow with the elements."""

    def tried(case: Case, us: float, refused: str = "") -> TriedLine:
        samples = 2 * us, us
        return TriedLine(at=1.0, operator="softmax", id="softmax/1", case=case, forward_us=samples, refused=refused)

    small, slow = tried(softmax((2, 10)), 1000.0), tried(softmax((100, 100)), 150.0)
    others = tried(softmax((100, 200), dtype="float16"), 900.0), tried(softmax((100, 300)), 0.0, "too large")
    times = costs.taken([small, slow, *others])

    def cost_us(elements: float) -> float:
        (entry,) = costs.ranked([finding(softmax((1, 1)))], {"softmax": elements}, {}, times)
        return float(entry.cost_us)

    assert cost_us(20_000.0) == pytest.approx(300.0)
    lost_us = finding(softmax((1, 1))).actual_us - finding(softmax((1, 1))).expected_us
    # No input has a quarter of so many elements.
    assert cost_us(200_000.0) == pytest.approx(200_000.0 * lost_us)


def test_between_two_builds_the_input_of_the_nearest_size_tells_the_cost(costs: ModuleType) -> None:
    """A constant that every call loses says nothing of larger ones."""
    small, large = softmax((1, 1)), softmax((100, 100))

    def pair(case: Case, slow_us: float) -> PairLine:
        return PairLine(
            at=1.0, operator="softmax", pass_="forward", first=case, second=case, first_us=(10.0,) * 3,
            second_us=(slow_us,) * 3, sides=(0, 1),
        )  # fmt: skip

    lost = costs.losses([pair(small, 110.0), pair(large, 60.0), pair(softmax((50, 50)), 12.0)], 1, 1.9)
    assert [tuple(loss) for loss in lost["softmax", "forward"]] == [(1.0, 100.0), (10_000.0, 50.0)]
    (entry,) = costs.ranked([finding(small)], {"softmax": 20_000.0}, lost, {})
    assert entry.cost_us == pytest.approx(100.0)


def test_the_elements_of_common_inputs_are_those_of_the_rules(costs: ModuleType, release: Release) -> None:
    sides = sides_of([release], None, Settings(processes=1))
    assert costs.common_elements(sides, ["softmax", "elsewhere"]) == {"softmax": 256 * 256}


def test_a_folder_becomes_a_log_and_a_page(pages: ModuleType, tmp_path: Path) -> None:
    header = msgspec.structs.replace(HEADER, options={**OPTIONS, "library": "1.9.1"})
    folder = hunted(tmp_path / "folder", header, number=31)
    pages.keep([folder])
    kept = read_hunt(tmp_path / "hunts" / "1.9.1.ndjson")
    found = read_hunt(folder)
    assert sorted(map(str, kept.findings.values())) == sorted(map(str, found.findings.values()))
    assert (kept.searched, kept.seconds, kept.complete) == (found.searched, 3.0, True)
    page = (tmp_path / "hunts" / "1.9.1.md").read_text()
    assert page.startswith("# What is slow in MXNet 1.9.1\n\nMeasured by method 1")
    assert "The first 30 of 31 findings of one hunt of all operators" in page
    assert len(re.findall(r"^\| \d+ \|", page, re.MULTILINE)) == 30


def test_a_kept_log_has_no_name_or_path_of_the_machine(pages: ModuleType) -> None:
    command = ("autoperf", "hunt", "--mxnet", "/somewhere/libmxnet.so", "--folder", "there", "--seed", "7")
    header = pages.public_header([msgspec.structs.replace(HEADER, options=OPTIONS, command=command)])
    text = msgspec.json.encode(header).decode()
    assert header.command == ("hunt", "--mxnet", "1.9.1", "--seed", "7")
    assert header.options == {"library": "1.9.1"}
    assert header.environment.machine == ""
    assert header.environment.mxnet == {"version": "1.9.1", "threads": 2}
    assert not re.search("somewhere|somebody|there|cliff", text)


def test_hunts_of_one_operator_each_share_a_log(pages: ModuleType) -> None:
    headers = [msgspec.structs.replace(HEADER, operators=(name,), budget=60.0) for name in ("softmax", "take")]
    header = pages.public_header(headers)
    assert pages.log_name(headers) == "1.9.1-operators"
    assert (header.operators, header.budget) == (("softmax", "take"), 120.0)


def test_a_page_of_a_hunt_between_two_builds_names_both(pages: ModuleType, costs: ModuleType) -> None:
    sides = tuple(SideRecord(words=f"MXNet {version}", mxnet=version) for version in ("2.0.0b1", "1.9.1"))
    header = msgspec.structs.replace(HEADER, sides=sides)
    assert pages.log_name([header]) == "2.0.0b1-1.9.1"
    page = pages.page("2.0.0b1-1.9.1", header, SEARCHED, costs.ranked([SOFTMAX], {}, {}, {}))
    assert page.startswith("# What is slower in MXNet 2.0.0b1 than in MXNet 1.9.1\n")
    assert "the time of the simplest input over its time on MXNet 1.9.1, timed in turn" in page
    assert "fast neighbour" not in page


def test_costs_have_columns_where_they_are_known(pages: ModuleType, costs: ModuleType) -> None:
    page = pages.page("1.9.1", HEADER, SEARCHED, costs.ranked([SOFTMAX], {"softmax": 4096 * 64.0}, {}, {}))
    (row,) = (line for line in page.splitlines() if line.startswith("| 1 |"))
    assert row.startswith("| 1 | softmax | forward | 4.20 [4.07, 4.37] |")
    assert row.endswith("| 934 us |")
    assert "cost" not in pages.page("1.9.1", HEADER, SEARCHED, costs.ranked([SOFTMAX], {}, {}, {}))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_kept_page_shows_the_first_findings_of_its_log(pages: ModuleType, costs: ModuleType, log: Path) -> None:
    """All but the costs, for which the whole hunt is needed."""
    hunt = read_hunt(log)
    assert hunt.unreadable == ()
    entries = [costs.LeagueEntry(found, None) for found in hunt.findings.values()]
    text = log.with_suffix(".md").read_text(encoding="utf-8")
    assert f"{len(entries)} findings" in text
    shown = [line for line in text.splitlines() if re.match(r"\| \d+ \|", line)]
    expected = [row.strip().removesuffix("|") for row in pages.rows(entries, hunt.header, has_costs=False)]
    assert [line[: len(row)] for line, row in zip(shown, expected, strict=True)] == expected


def test_kept_logs_stay_small() -> None:
    assert LOGS
    assert sum(log.stat().st_size for log in LOGS) < MAX_BYTES
