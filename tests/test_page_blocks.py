"""Blocks of pages: what scripts write stands between two comments, and nothing else of a page changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.page_blocks import block_of, fill, with_block

PAGE = "# Page\n\n<!-- a -->\nold\n<!-- /a -->\ntext\n<!-- b c -->\n\n<!-- /b c -->\n"


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
