"""The findings of hunts are kept as logs, with a short page of the costliest causes and findings of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from autoperf.core.finding import Finding, SideRecord
from autoperf.pipeline.hunt_folder import HuntFolder
from autoperf.results.huntfile import Hunted, finding_key, read_hunt
from autoperf.results.huntlog import EndLine, FindingLine, HuntHeader, SearchedLine
from tests.finding_values import HEADER, SEARCHED, SOFTMAX, finding, softmax
from tests.scripts import load_script

HUNTS = Path(__file__).parents[1] / "docs" / "hunts"
LOGS = sorted(HUNTS.glob("*.ndjson"))
MAX_BYTES = 2_000_000
MAX_LINES = 70
OPTIONS = {"library": "/somewhere/libmxnet.so", "least": 2.0, "rules": ["/home/somebody/rules.py"]}


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


def rounded(pages: ModuleType, findings: Iterable[Finding]) -> list[bytes]:
    """The findings as a kept log has them, in an order that doesn't depend on their costs."""
    kept = (msgspec.structs.replace(each, found=None) for each in findings)
    return sorted(msgspec.json.encode(pages.compact(each)) for each in kept)


def test_a_folder_becomes_a_log_and_a_page(pages: ModuleType, tmp_path: Path) -> None:
    header = msgspec.structs.replace(HEADER, options={**OPTIONS, "library": "1.9.1"})
    folder = hunted(tmp_path / "folder", header, number=31)
    pages.keep([folder])
    kept = read_hunt(tmp_path / "hunts" / "1.9.1.ndjson")
    found = read_hunt(folder)
    assert rounded(pages, kept.findings.values()) == rounded(pages, found.findings.values())
    assert (kept.searched, kept.seconds, kept.complete) == (found.searched, 3.0, True)
    page = (tmp_path / "hunts" / "1.9.1.md").read_text()
    assert page.startswith("# What is slow in MXNet 1.9.1\n\nMeasured by method 1")
    assert "31 findings of one hunt of all operators" in page
    assert len(re.findall(r"^\| \d+ \|", page, re.MULTILINE)) == 12


def test_a_page_says_which_operators_were_hunted(pages: ModuleType, tmp_path: Path) -> None:
    pages.main([str(hunted(tmp_path / "folder", HEADER)), "--scope", "opperf"])
    page = (tmp_path / "hunts" / "1.9.1-opperf.md").read_text()
    assert "one hunt of the operators that opperf runs" in page
    assert "(1.9.1-opperf.ndjson)" in page


def test_findings_that_a_plain_loop_refuted_are_left_out(pages: ModuleType, tmp_path: Path) -> None:
    folder = hunted(tmp_path / "folder", HEADER, number=5)
    first, *others = read_hunt(folder).findings.values()
    verdicts = tmp_path / "verdicts.json"
    verdicts.write_text(json.dumps({"timed": 5, "false": [finding_key(first)]}))
    pages.main([str(folder), "--verdicts", str(verdicts)])
    (log,) = (tmp_path / "hunts").glob("*.ndjson")
    assert rounded(pages, read_hunt(log).findings.values()) == rounded(pages, others)
    page = log.with_suffix(".md").read_text()
    assert "4 findings of one hunt" in page
    assert "timed 5 again and refuted 1, which are left out." in " ".join(page.split())


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


def test_a_page_of_a_hunt_between_two_builds_names_both(pages: ModuleType) -> None:
    sides = tuple(SideRecord(words=f"MXNet {version}", mxnet=version) for version in ("2.0.0b1", "1.9.1"))
    header = msgspec.structs.replace(HEADER, sides=sides)
    assert pages.log_name([header]) == "2.0.0b1-1.9.1"
    page = pages.page("2.0.0b1-1.9.1", Hunted(header, {"1": SOFTMAX}, SEARCHED))
    assert page.startswith("# What is slower in MXNet 2.0.0b1 than in MXNet 1.9.1\n")
    assert "the time of the simplest input over its time on MXNet 1.9.1, timed in turn" in page
    assert "fast neighbour" not in page


def test_a_log_without_searches_keeps_the_summary_of_its_page(pages: ModuleType) -> None:
    whole = Hunted(HEADER, {"1": SOFTMAX}, SEARCHED)
    earlier = pages.page("1.9.1", whole)
    assert "1 finding: 2 operators searched" in earlier
    assert pages.page("1.9.1", whole._replace(searched=()), earlier) == earlier


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_kept_page_is_that_of_its_log(pages: ModuleType, log: Path) -> None:
    hunt, text = read_hunt(log), log.with_suffix(".md").read_text(encoding="utf-8")
    assert hunt.unreadable == ()
    assert pages.page(log.stem, hunt, text) == text
    assert len(text.splitlines()) <= MAX_LINES


def test_a_kept_log_leaves_defaults_out_and_has_the_same_inputs(pages: ModuleType) -> None:
    line = FindingLine(at=1 / 3, finding=SOFTMAX)
    text = msgspec.json.encode(pages.compact(line))
    again = msgspec.json.decode(text, type=FindingLine)
    assert again.at == 0.333333
    assert (again.finding.case, again.finding.contrast) == (SOFTMAX.case, SOFTMAX.contrast)
    assert b'"training"' not in text
    exact = msgspec.structs.replace(SOFTMAX.case, params={"alpha": 1 / 3})
    assert pages.compact(exact)["params"] == {"alpha": 1 / 3}


def test_a_kept_log_can_lose_refuted_findings(pages: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / "1.9.1-operators.ndjson"
    log.write_bytes((HUNTS / log.name).read_bytes())
    (tmp_path / "1.9.1-operators.md").write_bytes((HUNTS / "1.9.1-operators.md").read_bytes())
    first, *rest = read_hunt(log).findings.values()
    verdicts = tmp_path / "verdicts.json"
    verdicts.write_text(json.dumps({"timed": 50, "false": [finding_key(first)]}))
    pages.main([str(log), "--verdicts", str(verdicts)])
    assert sorted(map(finding_key, read_hunt(log).findings.values())) == sorted(map(finding_key, rest))
    page = log.with_suffix(".md").read_text()
    assert "timed 51 again and refuted 2, which are left out." in page
    with pytest.raises(SystemExit, match="is in no log here"):
        pages.main([str(log), "--verdicts", str(verdicts)])


def test_kept_logs_stay_small() -> None:
    assert LOGS
    assert sum(log.stat().st_size for log in LOGS) < MAX_BYTES
