"""Links of the documents lead to files and headings that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINKS = [
    (page.relative_to(ROOT), link)
    for page in PAGES
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    if not link.startswith("http")
]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(("page", "link"), LINKS, ids=[f"{page}: {link}" for page, link in LINKS])
def test_a_link_leads_somewhere(page: Path, link: str) -> None:
    path, _, anchor = link.partition("#")
    target = (ROOT / page).parent / path if path else ROOT / page
    assert target.exists()
    assert not anchor or anchor in anchors(target)
