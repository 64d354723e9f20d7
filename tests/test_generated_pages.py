"""Generated pages name their command, and their tables have its form; only their blocks change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.page_blocks import block_of, fill, with_block

ROOT = Path(__file__).parents[1]
PAGES = {
    "method/hunt.md": "benches/hunt_planted.py",
    "reference/coverage.md": "tools/coverage_page.py",
    "reference/names.md": "benches/front_end_names.py",
    "method/memory.md": "tests/executor/memory_arithmetic.py",
}
PAGE = "# Page\n\n<!-- a -->\nold\n<!-- /a -->\ntext\n<!-- b c -->\n\n<!-- /b c -->\n"


def cells(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line)) - 1


@pytest.mark.parametrize("page", PAGES)
def test_the_page_names_the_command_that_makes_it(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert PAGES[page] in text
    assert (ROOT / PAGES[page]).is_file()


@pytest.mark.parametrize("page", PAGES)
def test_each_row_has_as_many_cells_as_its_head(page: str) -> None:
    width = 0
    for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        width = width or cells(line)
        assert cells(line) == width, line


def test_docs_has_documents_alone() -> None:
    assert not list((ROOT / "docs").rglob("*.py"))


def test_a_block_gets_its_content_as_it_is() -> None:
    assert block_of(with_block(PAGE, "a", "\n| \\1 | \\g<1> |\n\n"), "a") == r"| \1 | \g<1> |"


def test_other_text_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    fill(page, {"a": "new", "b c": "2 us \N{PLUS-MINUS SIGN} 5%"})
    expected = PAGE.replace("old", "new").replace("<!-- b c -->\n", "<!-- b c -->\n2 us \N{PLUS-MINUS SIGN} 5%")
    assert page.read_text(encoding="utf-8") == expected


def test_a_page_without_the_block_is_refused() -> None:
    with pytest.raises(SystemExit, match="invalid page: expected a block 'd'"):
        with_block(PAGE, "d", "")
