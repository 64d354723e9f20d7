"""The findings of hunts are kept as logs, with a short page of the costliest causes and findings of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from autoperf.core.events import FindingConfirmed, HuntFinished, OperatorSearched
from autoperf.core.finding import Finding, SideRecord
from autoperf.hunt.stored import Hunted, HuntFolder, finding_key, read_hunt
from autoperf.runs.huntlog import HuntHeader
from tests.finding_values import HEADER, SEARCHED, SOFTMAX, TAKE, finding, softmax
from tests.kept_hunts import LOGS, SAMPLE, name_of
from tests.scripts import load_script

MAX_BYTES = 550_000
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
            hunt.write(FindingConfirmed(at=1.0, finding=finding(softmax((4096 + at, 64)), ratio=3.0 + at)))
        hunt.write(OperatorSearched(at=2.0, searched=SEARCHED[0]))
        hunt.write(HuntFinished(at=3.0))
    return folder


def judged(file: Path, timed: Iterable[Finding], false: Iterable[Finding]) -> Path:
    """The verdicts on these findings."""
    file.write_text(json.dumps({"timed": list(map(finding_key, timed)), "false": list(map(finding_key, false))}))
    return file


def rounded(pages: ModuleType, findings: Iterable[Finding]) -> list[bytes]:
    """The findings as a kept log has them, in an order that doesn't depend on their costs."""
    kept = (msgspec.structs.replace(each, found=None) for each in findings)
    return sorted(msgspec.json.encode(pages.compact(each)) for each in kept)


def test_a_folder_becomes_a_log_and_a_page(pages: ModuleType, tmp_path: Path) -> None:
    header = msgspec.structs.replace(HEADER, options={**OPTIONS, "library": "1.9.1"})
    folder = hunted(tmp_path / "folder", header, number=31)
    pages.keep([folder])
    kept = read_hunt(tmp_path / "hunts" / "1.9.1.ndjson.gz")
    found = read_hunt(folder)
    assert rounded(pages, kept.findings.values()) == rounded(pages, found.findings.values())
    assert (kept.searched, kept.seconds, kept.complete) == (found.searched, 3.0, True)
    page = (tmp_path / "hunts" / "1.9.1.md").read_text()
    assert page.startswith("# What is slow in MXNet 1.9.1\n\nMeasured by method 1")
    assert "31 findings of a search of 3 operators" in page
    assert "\nSearched: 3 operators for 20.0 s each (seed 7, method 1). An operator" in page
    assert len(re.findall(r"^\| \d+ \|", page, re.MULTILINE)) == 12


def test_findings_that_a_plain_loop_refuted_are_left_out(pages: ModuleType, tmp_path: Path) -> None:
    folder = hunted(tmp_path / "folder", HEADER, number=5)
    first, *others = read_hunt(folder).findings.values()
    verdicts = judged(tmp_path / "verdicts.json", [first, *others], [first])
    pages.main([str(folder), "--verdicts", str(verdicts)])
    (log,) = (tmp_path / "hunts").glob("*.ndjson.gz")
    assert rounded(pages, read_hunt(log).findings.values()) == rounded(pages, others)
    page = log.with_name("1.9.1.md").read_text()
    assert "4 findings of a search" in page
    assert "timed 5 again and refuted 1, which are left out." in " ".join(page.split())


def test_the_longest_search_of_an_operator_replaces_others(pages: ModuleType, tmp_path: Path) -> None:
    """Each hunt has 2 findings of softmax; of the short one only the other operator remains."""
    short = msgspec.structs.replace(HEADER, operators=("softmax", "take"), budget=6.0)
    deep = msgspec.structs.replace(HEADER, operators=("softmax",), budget=60.0, method=3)
    folders = [tmp_path / "short", tmp_path / "deep"]
    with HuntFolder(folders[0], short) as hunt:
        for found in (finding(softmax((2048, 64)), ratio=9.0), TAKE):
            hunt.write(FindingConfirmed(at=1.0, finding=found))
        hunt.write(HuntFinished(at=3.0))
    hunted(folders[1], deep, number=2)
    long = list(read_hunt(folders[1]).findings.values())
    verdicts = judged(tmp_path / "verdicts.json", [TAKE, *long], [long[0]])
    arguments = [*map(str, folders), "--verdicts", str(verdicts), "--scope", "that networks call"]
    pages.main(arguments)
    log = tmp_path / "hunts" / "1.9.1.ndjson.gz"
    assert rounded(pages, read_hunt(log).findings.values()) == rounded(pages, [TAKE, long[1]])
    page = (tmp_path / "hunts" / "1.9.1.md").read_text()
    assert "Measured by method 1" in page
    assert "timed 3 again and refuted 1" in " ".join(page.split())
    words = "1 operator that networks call for 60.0 s each (seed 7, method 3), and 1 operator for 3.0 s each (seed 7, "
    assert f"{words}method 1)." in " ".join(page.split())
    pages.main([str(log), *arguments])
    assert (tmp_path / "hunts" / "1.9.1.md").read_text() == page
    assert rounded(pages, read_hunt(log).findings.values()) == rounded(pages, [TAKE, long[1]])
    with pytest.raises(SystemExit, match=r"1\.9\.1\.ndjson\.gz was judged: give its verdicts too"):
        pages.main([str(log), *map(str, folders)])


def test_hunts_of_two_builds_share_no_log(pages: ModuleType) -> None:
    other = msgspec.structs.replace(HEADER, mxnet="2.0.0b1")
    with pytest.raises(SystemExit, match="hunts of different builds"):
        pages.joined([Hunted(HEADER, {}, ()), Hunted(other, {}, ())])


def test_findings_that_todays_rules_refute_are_left_out(
    pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = hunted(tmp_path / "folder", HEADER, number=3)
    first, *others = read_hunt(folder).findings.values()
    pages.keep([folder])
    log = tmp_path / "hunts" / "1.9.1.ndjson.gz"
    monkeypatch.setattr(pages, "is_outdated", lambda each, _rules, _least: finding_key(each) == finding_key(first))
    pages.main([str(log), "--recount"])
    assert rounded(pages, read_hunt(log).findings.values()) == rounded(pages, others)
    assert "**recounted**: 1 finding of inputs that do less work" in log.with_name("1.9.1.md").read_text()


def test_a_kept_log_has_no_name_or_path_of_the_machine(pages: ModuleType) -> None:
    command = ("autoperf", "hunt", "--mxnet", "/somewhere/libmxnet.so", "--folder", "there", "--seed", "7")
    header = pages.public_header([msgspec.structs.replace(HEADER, options=OPTIONS, command=command)], [], {})
    text = msgspec.json.encode(header).decode()
    assert header.command == ("hunt", "--mxnet", "1.9.1", "--seed", "7")
    assert header.options == {"library": "1.9.1", "least": 2.0, "parts": []}
    assert header.environment.machine == ""
    assert header.environment.mxnet == {"version": "1.9.1", "threads": 2}
    assert not re.search("somewhere|somebody|there|cliff", text)


def test_a_page_of_a_hunt_between_two_builds_names_both(pages: ModuleType) -> None:
    sides = tuple(SideRecord(words=f"MXNet {version}", mxnet=version) for version in ("2.0.0b1", "1.9.1"))
    header = msgspec.structs.replace(HEADER, sides=sides)
    assert pages.log_name(header) == "2.0.0b1-1.9.1"
    page = pages.page("2.0.0b1-1.9.1", Hunted(header, {"1": SOFTMAX}, SEARCHED))
    assert page.startswith("# What is slower in MXNet 2.0.0b1 than in MXNet 1.9.1\n")
    assert "the time of the simplest input over its time on MXNet 1.9.1, timed in turn" in page
    assert "fast neighbour" not in page


@pytest.mark.parametrize("log", LOGS, ids=name_of)
def test_a_kept_page_is_that_of_its_log(pages: ModuleType, log: Path) -> None:
    hunt, text = read_hunt(log), log.with_name(f"{name_of(log)}.md").read_text(encoding="utf-8")
    assert hunt.unreadable == ()
    assert pages.page(name_of(log), hunt) == text
    assert len(text.splitlines()) <= MAX_LINES


def test_a_kept_log_leaves_defaults_out_and_has_the_same_inputs(pages: ModuleType) -> None:
    line = FindingConfirmed(at=1 / 3, finding=SOFTMAX)
    text = msgspec.json.encode(pages.compact(line))
    again = msgspec.json.decode(text, type=FindingConfirmed)
    assert again.at == 0.333333
    assert (again.finding.case, again.finding.contrast) == (SOFTMAX.case, SOFTMAX.contrast)
    assert b'"training"' not in text
    exact = msgspec.structs.replace(SOFTMAX.case, params={"alpha": 1 / 3})
    assert pages.compact(exact)["params"] == {"alpha": 1 / 3}


def test_a_kept_log_can_lose_refuted_findings(pages: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / SAMPLE.name
    log.write_bytes(SAMPLE.read_bytes())
    first, *rest = read_hunt(log).findings.values()
    verdicts = judged(tmp_path / "verdicts.json", [first, *rest], [first])
    pages.main([str(log), "--verdicts", str(verdicts)])
    assert sorted(map(finding_key, read_hunt(log).findings.values())) == sorted(map(finding_key, rest))
    page = log.with_name(f"{name_of(log)}.md").read_text()
    assert "timed 51 again and refuted 2, which are left out." in page
    with pytest.raises(SystemExit, match="is in no log here"):
        pages.main([str(log), "--verdicts", str(verdicts)])


def test_kept_logs_stay_small() -> None:
    assert LOGS
    assert sum(log.stat().st_size for log in LOGS) < MAX_BYTES
