"""Results in a notebook: the answer and the tables in both themes and at any width."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from selenium.webdriver import Chrome

import autoperf
from autoperf.api.results import MAX_ROWS, html_text
from autoperf.core.errors import CaseFileError
from autoperf.reports.columns import Place, fact
from autoperf.reports.table import Report, Table
from tests.browser import chromium, prefer, require_chromium, resize, visit
from tests.kept_hunts import SAMPLE
from tests.reports.test_page import CONTRAST, CUT
from tests.values import HEADER, outcome, passed, steady, write_run

LONG = "an operator with a name that is much longer than any line of a table, and longer than a telephone is wide"


@pytest.fixture(scope="module")
def browser() -> Iterator[Chrome]:
    require_chromium()
    with chromium() as opened:
        yield opened


def run_results(folder: Path, factor: float = 1.0, name: str = "run") -> autoperf.RunResults:
    """Three cases; the second has a long name, and the third is slower by the factor."""
    outcomes = [outcome(n, passed(steady((10.0 + n) * (factor if n == 2 else 1.0)))) for n in range(3)]
    outcomes[1] = msgspec.structs.replace(outcomes[1], operator=LONG)
    return autoperf.load(write_run(folder / f"{name}.ndjson", outcomes, HEADER))


def comparison(folder: Path) -> autoperf.ComparisonResults:
    return autoperf.compare(run_results(folder), run_results(folder, 2.0, "other"), margin=0.01)


def hunt(_folder: Path) -> autoperf.HuntResults:
    return autoperf.load_hunt(SAMPLE)


EACH: tuple[Callable[[Path], Any], ...] = (run_results, comparison, hunt)


@pytest.mark.parametrize("made", EACH)
def test_a_notebook_shows_the_answer_of_the_report(made: Callable[[Path], Any], tmp_path: Path) -> None:
    results = made(tmp_path)
    answer = str(results).rpartition("\n\n")[2]
    text = results._repr_html_()
    first = text.partition("<table")[0]
    assert " ".join(answer.split())[:60] in first.replace("&#x27;", "'")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("made", EACH)
def test_a_cell_is_legible_in_both_themes_and_not_cut(
    made: Callable[[Path], Any], width: int, theme: str, browser: Chrome, tmp_path: Path
) -> None:
    """The notebook's colours decide, not the system's; at 400 pixels, rows are cards."""
    ground, ink = ("#111111", "#eeeeee") if theme == "dark" else ("#ffffff", "#222222")
    style = f"<style>html, body {{ margin: 0; background: {ground}; color: {ink}; font: 14px sans-serif }}</style>"
    body = f"<body>{made(tmp_path)._repr_html_()}</body>"
    file = tmp_path / "cell.html"
    file.write_text(
        f'<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">{style}{body}'
    )
    resize(browser, width)
    prefer(browser, "dark" if theme == "light" else "light")
    visit(browser, file)
    browser.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script(CONTRAST) == []
    assert browser.execute_script(CUT.replace(".fitting", ".grid" if width > 480 else ".fitting")) == []


def test_html_is_escaped_and_long_tables_are_cut() -> None:
    rows = [f"<{number}>" for number in range(MAX_ROWS + 5)]
    table = Table("a & b", (fact("bar", lambda row: row, place=Place.LEAD),), rows)
    text = html_text([Report(answer=("a < b",), tables=(table,))])
    assert "<h4>a &amp; b</h4>" in text
    assert "&lt;7&gt;" in text
    assert "<p>5 more rows</p>" in text
    assert "<p class=answer>a &lt; b</p>" in text


def test_a_hunt_has_findings_and_records(tmp_path: Path) -> None:
    results = autoperf.load_hunt(SAMPLE)
    assert len(results) == len(results.records) == 50
    assert next(iter(results)).operator == "Pooling"
    assert {"operator", "ratio", "low", "high", "family"} <= set(results.records[0])
    assert repr(results).startswith("<HuntResults: 50 findings: 16 operators searched")
    results.save(tmp_path / "hunt.md")
    assert (tmp_path / "hunt.md").read_text().startswith("**float16 is slower")
    with pytest.raises(CaseFileError):
        autoperf.load_hunt(write_run(tmp_path / "run.ndjson", [outcome(0, passed(steady(1.0)))], HEADER))
