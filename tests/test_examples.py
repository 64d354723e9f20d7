"""The person's check: each stored example answers its question on the first screen, of a terminal the last one."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from selenium.webdriver import Chrome

from autoperf.cli.main import run as command_line
from tests.browser import chromium, require_chromium, resize, visit
from tools.example_files import EXAMPLES
from tools.example_pages import IMAGES, MAX_BYTES, REPORTS, SCHEMES, SITE
from tools.page_blocks import DOCS

WIDE, NARROW = (1280, 900), (400, 800)
LINES, COLUMNS = 24, 80


class Task(NamedTuple):
    """A question of a person who opens an example, and the words of its answer."""

    example: str
    question: str
    words: tuple[str, ...]


TASKS = (
    Task(
        "run",
        "which times are suspicious?",
        ("unusually slow: float16 LayerNorm", "times as long as float32", "13 of 14 cases measured"),
    ),
    Task(
        "network", "which operator would you optimise?", ("FullyConnected takes", "the slowest call is FullyConnected")
    ),
    Task(
        "comparison",
        "did the change make anything slower, and would you trust it?",
        (
            "MXNet 2.0.0b1 is 5.80 times slower than MXNet 1.9.1 in relu backward",
            "at most 5% of the changes are expected to be chance",
        ),
    ),
    Task(
        "hunt",
        "which input of topk is slow, and what is the fast one?",
        ("data (2048, 8); axis=0 takes 159 us, 3.91 times", "as long as data (8, 2048); axis=1"),
    ),
    Task(
        "history",
        "since which night?",
        ("softmax forward kernel (data (256, 256)) is 17.5 times", "slower since the night of 2026-10-29"),
    ),
    Task("comparison", "may I merge?", ("gate: fails,",)),
)
VISIBLE = """
const words = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  if (!node.parentElement.checkVisibility()) continue;
  for (const match of node.data.matchAll(/\\S+/g)) {
    const range = document.createRange();
    range.setStart(node, match.index);
    range.setEnd(node, match.index + match[0].length);
    const { bottom, right, width } = range.getBoundingClientRect();
    if (width && bottom <= innerHeight && right <= innerWidth) words.push(match[0]);
  }
}
return words.join(" ");
"""
"""The words that are on the screen as a whole."""
CUT_OFF = """
const done = arguments[0];
const found = [];
const told = (node) => `${node.tagName}.${node.className}: ${node.textContent.slice(0, 60)}`;
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width) found.push("the page is wider than the window");
document.querySelectorAll("details").forEach((section) => { section.open = true; });
// Sections are filled when they open.
setTimeout(() => {
  for (const node of document.querySelectorAll("body *")) {
    if (!node.checkVisibility() || node.closest(".skip, .uplot, .tip, option, script")) continue;
    const { left, right } = node.getBoundingClientRect();
    if (left < -1 || right > width + 1) found.push(`outside: ${told(node)}`);
    const isClipped = getComputedStyle(node).overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1;
    if (isClipped) found.push(`clipped: ${told(node)}`);
  }
  for (const node of document.querySelectorAll(".bar, canvas, svg")) {
    const named = node.closest("[aria-label], li");
    if (!(named?.getAttribute("aria-label") ?? named?.textContent ?? "").trim()) found.push(`nameless: ${told(node)}`);
  }
  done(found);
}, 100);
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages of the examples."""
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(EXAMPLES)
        for name, command in REPORTS.items():
            command_line([*shlex.split(command), "--report", str(folder / f"{name}.html")])
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Chrome]:
    require_chromium()
    with chromium() as opened:
        yield opened


def lacking(task: Task, shown: str) -> list[str]:
    """The words of the answer that aren't in a text."""
    text = " ".join(shown.split())
    return [words for words in task.words if words not in text]


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.example}: {task.question}")
def test_the_first_screen_of_a_page_has_the_answer(
    browser: Chrome, pages: Path, task: Task, size: tuple[int, int]
) -> None:
    resize(browser, *size)
    visit(browser, pages / f"{task.example}.html")
    assert lacking(task, browser.execute_script(VISIBLE)) == []


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_first_screen_of_an_upgrade_says_whether_the_network_moves(browser: Chrome, size: tuple[int, int]) -> None:
    """Its page is stored as it was measured, and says what its document says."""
    document = json.loads((EXAMPLES / "upgrade.json").read_text(encoding="utf-8"))
    assert not document["moves"]
    assert {"_np_max": "moves, renamed", "_npi_where": "other results"}.items() <= {
        call["operator"]: call["fate"] for call in document["calls"]
    }.items()
    resize(browser, *size)
    visit(browser, EXAMPLES / "upgrade.html")
    shown = " ".join(browser.execute_script(VISIBLE).split())
    assert document["answer"][0] in shown
    assert "doesn't move from MXNet 1.9.1 to MXNet 2.0.0b1 as it is" in shown
    assert browser.execute_async_script(CUT_OFF) == []


def test_the_guide_tells_the_answer_of_the_stored_upgrade() -> None:
    document = json.loads((EXAMPLES / "upgrade.json").read_text(encoding="utf-8"))
    told = " ".join((DOCS / "guides" / "slow-network.md").read_text(encoding="utf-8").split())
    answer = [sentence for sentence in document["answer"] if not sentence.startswith("ranker.scores, batch 32, ")]
    assert len(answer) == 2
    assert all(sentence in told for sentence in answer)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.example}: {task.question}")
def test_the_last_screen_of_a_terminal_has_the_answer(
    task: Task, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    command_line(shlex.split(REPORTS[task.example]))
    lines = capsys.readouterr().out.splitlines()
    # Commands aren't broken into lines, since they are to be copied.
    assert all(len(line) <= COLUMNS or ": autoperf " in line for line in lines)
    rows = [line[at : at + COLUMNS] for line in lines for at in range(0, max(1, len(line)), COLUMNS)]
    assert lacking(task, "\n".join(rows[-LINES:])) == []


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("name", REPORTS)
def test_nothing_is_cut_off(browser: Chrome, pages: Path, name: str, size: tuple[int, int]) -> None:
    resize(browser, *size)
    visit(browser, pages / f"{name}.html")
    assert browser.execute_async_script(CUT_OFF) == []


@pytest.mark.parametrize("name", list(REPORTS))
def test_stored_pages_are_what_the_program_writes(pages: Path, name: str) -> None:
    made = (pages / f"{name}.html").read_text(encoding="utf-8")
    assert (EXAMPLES / f"{name}.html").read_text(encoding="utf-8") == made, "run `make examples`"


def test_examples_and_pictures_are_small() -> None:
    stored = [path for path in EXAMPLES.iterdir() if path.suffix in (".ndjson", ".duckdb")]
    assert sum(path.stat().st_size for path in stored) < 450_000
    pictures = [IMAGES / f"{name}-{scheme}.png" for name in (*REPORTS, SITE) for scheme in SCHEMES]
    assert max(path.stat().st_size for path in pictures) <= MAX_BYTES


def test_the_questions_are_listed() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [task.question for task in TASKS if task.question.lower() not in listed.lower()] == []
