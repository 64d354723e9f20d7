"""The page of a network as a browser shows it: the answer, the bars by operator and mode, the tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.browser import chromium, prefer, require_chromium, resize, visit
from tests.reports.network_values import network
from tests.reports.report_values import report, text_of
from tests.reports.test_page import CONTRAST

WIDE = """
return [...document.querySelectorAll("body *:not(script)")]
  .filter((node) => node.checkVisibility() && !node.parentElement.closest(".scroll, .fitting"))
  .filter((node) => node.getBoundingClientRect().right > innerWidth || (node.scrollWidth > node.clientWidth + 1
    && node.clientWidth > 0 && !node.matches(".scroll, .fitting, select, input")))
  .map((node) => [node.tagName, node.className, node.textContent.slice(0, 40)]);
"""
"""The elements that are wider than the page, or have text that is cut off."""
BARS = """
return [...document.querySelectorAll("#table-1 .stack li")].map((row) => [row.firstChild.textContent,
  [...row.querySelectorAll(".bar span")].map((part) => [part.title, getComputedStyle(part).backgroundColor,
    part.getBoundingClientRect().width, part.className])]);
"""
KEY = """
return [...document.querySelectorAll("#table-1 .key li")].map((name) => [name.textContent, name.firstChild.className]);
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Chrome]:
    require_chromium()
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "network.html"
    path.write_text(text_of("run", "html", report(network(training=True))))
    return path


def bottom(browser: Chrome, selector: str) -> float:
    script = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
    place: float = browser.execute_script(script, selector)
    return place


@pytest.mark.parametrize("width", [1280, 400])
def test_the_answer_comes_first_and_nothing_is_cut_off(browser: Chrome, file: Path, width: int) -> None:
    resize(browser, width)
    visit(browser, file)
    assert browser.get_log("browser") == []
    answer = browser.find_element(By.CSS_SELECTOR, ".answer").text
    assert answer.startswith("net: of 11.0 ms (hybridized, forward), relu takes 68%")
    assert "static memory would save 5.00 ms; fused by oneDNN: 4.40x faster" in answer
    assert bottom(browser, ".answer") < 900
    assert width == 400 or bottom(browser, "#table-1 .stack") < bottom(browser, "#table-1 tbody tr") < 900
    assert browser.execute_script(WIDE) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_each_bar_and_each_of_its_parts_has_a_name(browser: Chrome, file: Path) -> None:
    resize(browser, 1280)
    visit(browser, file)
    bars: dict[str, Any] = dict(browser.execute_script(BARS))
    assert list(bars) == ["hybridized 11.0 ms", "static 6.00 ms", "fused 2.50 ms", "calls alone 2.80 ms"]
    names = {shape.split()[-1]: name for name, shape in browser.execute_script(KEY)}
    for parts in bars.values():
        assert all(title.startswith(names[shape]) for title, _, _, shape in parts)
        assert len({colour for _, colour, _, _ in parts}) == len(parts)
    widths = {title: width for title, _, width, _ in bars["hybridized 11.0 ms"]}
    assert widths["relu 7.50 ms"] == pytest.approx(3.75 * widths["FullyConnected 2.00 ms"], rel=0.02)
    assert [title for title, *_ in bars["calls alone 2.80 ms"]] == ["relu 800 us", "FullyConnected 2.00 ms"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(browser: Chrome, file: Path, scheme: str) -> None:
    resize(browser, 1280)
    prefer(browser, scheme)
    visit(browser, file)
    assert browser.execute_script(CONTRAST) == []
    prefer(browser, "light")
