"""The page of findings: its scripts exist and hold the named inputs, and its lines have the form of today's reports."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from autoperf import hunt
from autoperf.core.finding import SideRecord
from autoperf.executor.suite import SuiteFile
from autoperf.pipeline.hunt_folder import HuntFolder
from autoperf.reports.hunt import notes, sentence, to_markdown
from autoperf.results.huntlog import FindingLine, SearchedLine
from tests.finding_values import HEADER, SEARCHED, SOFTMAX, TAKE, finding, softmax
from tests.scripts import load_script
from tools.page_blocks import block_of

DOCS = Path(__file__).parents[1] / "docs"
SCRIPTS = sorted((DOCS / "hunt").glob("*/*.py"))
SEARCH = Path(hunt.__file__).parent
STALE = "run `python tools/hunt_found.py --forms`"
FIGURE = r"[\d,.]+"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return load_script("tools", "hunt_found.py")


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """The lines of the block that `tools/hunt_found.py` writes."""
    return block_of((DOCS / "hunt.md").read_text(encoding="utf-8"), "found").splitlines()


def form(text: str) -> str:
    """A pattern for texts that differ from this one in numbers, durations and plurals."""
    text = re.sub(r"\\ in\\ .*?,", r"\\ in\\ [^,]+,", re.escape(text))
    text = re.sub(r"\d[\d,]*", r"[\\d,]+", text)
    return re.sub(r"(finding|operator|input|suspect)s?\b", r"\1s?", text)


def test_a_folder_of_a_hunt_becomes_a_section(
    generator: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "KEPT", tmp_path / "hunt")
    with HuntFolder(tmp_path / "folder", HEADER) as folder:
        for number in range(3):
            ratio = 5.0 - number
            folder.write(FindingLine(at=number, finding=finding(softmax((4096 << number, 64)), ratio=ratio)))
        folder.write(SearchedLine(at=3.0, searched=SEARCHED[0]))
    section = generator.section(tmp_path / "folder")
    assert section.startswith("### MXNet 1.9.1: `autoperf hunt --seed 7`\n\n3 findings: 1 operator searched")
    assert "Left out: 1 finding that is weaker or similar." in section
    assert generator.restated(section) == section
    named = re.findall(r"`(hunt/[^`]+\.py)`", section)
    assert named == ["hunt/1.9.1/softmax-1.py", "hunt/1.9.1/softmax-2.py"]
    assert all((tmp_path / name).is_file() for name in named)


def test_the_page_needs_no_restating(generator: ModuleType, lines: list[str]) -> None:
    block = "\n".join(lines) + "\n"
    assert generator.restated(block) == block, STALE


def test_restating_replaces_older_forms(generator: ModuleType) -> None:
    old = "- note: older words for take forward (errs by 2.30 times over 40 inputs), dot backward (too few inputs)\n"
    words, _, _ = next(notes(SEARCHED)).partition("softmax")
    assert generator.restated(old) == f"- note: {words}take{old.partition('take')[2]}"
    assert generator.restated("1 more findings are weaker, or like these.") == generator.more(1).strip()
    assert generator.restated("neighbour 2.00 times [1.90, 2.10]: axis=1 takes 50% of the time; model") == (
        "neighbour 2.00 times [1.90, 2.10]: axis=1; model"
    )


def test_tables_have_the_head_of_the_report(lines: list[str]) -> None:
    head, rule = to_markdown({"a.py": SOFTMAX}, SEARCHED).splitlines()[2:4]
    heads = [number for number, line in enumerate(lines) if line.startswith("| operator ")]
    assert len(heads) == sum(line.startswith("### ") for line in lines)
    assert {(lines[number], lines[number + 1]) for number in heads} == {(head, rule)}


def test_summaries_have_the_form_of_the_report(lines: list[str]) -> None:
    patterns = [form(sentence(findings, SEARCHED)) for findings in ({}, {"a": SOFTMAX, "b": TAKE})]
    summaries = [lines[number + 2] for number, line in enumerate(lines) if line.startswith("### ")]
    assert summaries
    assert [line for line in summaries if not any(re.fullmatch(pattern, line) for pattern in patterns)] == []


def test_each_line_below_a_table_has_the_form_of_the_report(lines: list[str]) -> None:
    poor, nothing = (
        note.partition(name)[0] for note, name in zip(notes(SEARCHED), ("softmax", "no input"), strict=True)
    )
    oracle = rf"\w+ {FIGURE} times \[{FIGURE}, {FIGURE}\]: .+?"
    entry = rf"- \S+ (?:forward|backward) \(`hunt/[^`]+\.py`\): (.+?)\. {oracle}(?:; {oracle})*"
    (sizes,) = notes([msgspec.structs.replace(SEARCHED[0], fits={}, largest=1_048_576)])
    forms = (
        entry,
        *(rf"- note: {re.escape(words)}.*" for words in (poor, nothing)),
        f"- note: {form(sizes)}",
    )
    below = [line for line in lines if line.startswith("- ")]
    assert len(below) > 100
    assert [line for line in below if not any(re.fullmatch(pattern, line) for pattern in forms)] == []


def test_each_detail_of_a_finding_is_one_that_the_search_gives(lines: list[str]) -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(SEARCH.glob("*.py")))
    for line in (line for line in lines if line.startswith("- ") and not line.startswith("- note: ")):
        step, _, rest = line.partition("`): ")[2].partition(". ")
        for oracle, detail in re.findall(rf"(\w+) {FIGURE} times \[{FIGURE}, {FIGURE}\]: ([^;]+)", rest):
            assert f'"{oracle}"' in source, line
            if oracle == "neighbour":
                assert detail == step, line
            else:
                words = max(re.split(rf"\s*{FIGURE}\s*|^\S+(?= of the same)", detail), key=len)
                assert words in source, line


def test_every_script_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(hunt/[^`]+\.py)`", (DOCS / "hunt.md").read_text()))
    assert named
    assert named == {str(script.relative_to(DOCS)) for script in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: f"{script.parent.name}/{script.stem}")
def test_a_script_holds_the_two_inputs_that_it_names(script: Path) -> None:
    cases = [SuiteFile(script).build(function) for function in ("slow", "fast")]
    assert [case.profile for case in cases] == ["finding", "contrast"]
    assert all(f'"{case.id}"' in script.read_text() for case in cases)


def test_a_folder_of_a_hunt_between_builds_becomes_a_section(generator: ModuleType, tmp_path: Path) -> None:
    sides = tuple(SideRecord(words=f"MXNet {name}", mxnet=name, library=name) for name in ("2.0.0b1", "1.9.1"))
    command = ("autoperf", "hunt", "--mxnet", "1.9.1", "--mxnet", "/builds/libmxnet.so", "--output", "there")
    header = msgspec.structs.replace(HEADER, sides=sides, command=command, mxnet="2.0.0b1")
    both = msgspec.structs.replace(SOFTMAX, contrast=SOFTMAX.case, sides=("MXNet 2.0.0b1", "MXNet 1.9.1"))
    with HuntFolder(tmp_path / "folder", header) as folder:
        folder.write(FindingLine(at=1.0, finding=both))
    section = generator.section(tmp_path / "folder")
    assert section.startswith("### `autoperf hunt --mxnet 1.9.1 --mxnet 2.0.0b1`\n\n1 finding")
    assert "(`hunt-2.0.0b1-1.9.1/softmax-1.py`)" in section
    assert SuiteFile(tmp_path / "folder" / "scripts" / "softmax-1.py").build("both") == (
        msgspec.structs.replace(SOFTMAX.case, profile="finding", outputs=())
    )


def test_every_script_between_builds_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(hunt-[^`/]+/[^`]+\.py)`", (DOCS / "hunt.md").read_text()))
    assert named
    for script in (DOCS / name for name in named):
        case = SuiteFile(script).build("both")
        assert f'"{case.id}"' in script.read_text()
