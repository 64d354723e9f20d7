"""Documents show commands that exist, and link to what exists; `mkdocs build --strict` checks the links within docs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autoperf.cli.main import COMMANDS
from tests.command_lines import parse, shown_commands
from tests.scripts import load_script
from tools.page_blocks import block_of

ROOT = Path(__file__).parents[1]
TEXTS = {
    str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
}
NOT_PARSED = re.compile(r"\[--|--extension|\\$")
"""A synopsis, a file that must exist, a command of several lines."""
LINES = sorted({line for text in TEXTS.values() for line in shown_commands(text) if not NOT_PARSED.search(line)})
LINKS = [
    (page, link)
    for page, text in TEXTS.items()
    if "/" not in page
    for link in re.findall(r"\]\(([^)\s]+)\)", text)
    if not link.startswith("http")
]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("line", LINES)
def test_every_command_line_parses(line: str) -> None:
    assert parse(line)


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_a_link_leads_somewhere(page: str, link: str) -> None:
    path, _, anchor = link.partition("#")
    target = ROOT / (path or page)
    assert target.exists()
    assert not anchor or anchor in anchors(target)


@pytest.mark.parametrize("name", ["run", "compare", "hunt"])
def test_the_readme_shows_a_result_of_its_command(name: str) -> None:
    refresh = load_script("tools", "refresh.py")
    shown = block_of(TEXTS["README.md"], name).splitlines()
    assert shown[1] == f"$ {refresh.COMMANDS[name]}"
    assert refresh.content(name, shown[2:]).splitlines() == shown


def test_the_page_of_options_has_those_of_every_command() -> None:
    page = load_script("tools", "options_page.py").page()
    assert {f"\n## {title}\n" in page for title in ("Inputs", "Machine")} == {True}
    assert re.search(r"\| --draws N \| [a-z, ]*\brun\b", page)
    assert all(re.search(rf"\| (?:.*, )?{name}\b", page) for name in COMMANDS)
