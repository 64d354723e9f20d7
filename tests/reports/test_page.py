"""The page as a browser shows it: it sorts, filters and draws, at every width, in both colour schemes, by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from autoperf.comparison.comparison import Verdict
from autoperf.comparison.report import ComparisonReport
from autoperf.comparison.side_by_side import ReleaseRun
from autoperf.core.outcome import Outcome, Status
from autoperf.hunt.report import HuntReport
from autoperf.hunt.stored import read_hunt
from autoperf.reports.formats import Kind
from tests.browser import chromium, prefer, require_chromium, resize, visit
from tests.finding_values import SEARCHED, SOFTMAX, TAKE, hunt_report
from tests.kept_hunts import SAMPLE
from tests.reports.report_values import report, series_rows, text_of
from tests.values import PAIR, compared, comparison, ended, measured, timed

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
CONTRAST = """
const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255)
  .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
const scale = (colour) => (colour.startsWith("color(") ? 255 : 1);
const parts = (colour) => colour.match(/[\\d.]+/g).map((part) => Number(part) * scale(colour));
const ground = (node) => {
  for (; node; node = node.parentElement) {
    const colour = parts(getComputedStyle(node).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
};
const poor = [];
for (const node of document.querySelectorAll("body *:not(script)")) {
  const text = [...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data).join("").trim();
  if (!text || !node.checkVisibility()) continue;
  const [one, two] = [parts(getComputedStyle(node).color), ground(node)].map(luminance);
  const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  if (ratio < 4.5) poor.push([text, ratio]);
}
return poor;
"""
INK = """
const canvas = arguments[0];
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
const colours = new Set();
for (let at = 0; at < data.length; at += 4) colours.add(`${data[at]},${data[at + 1]},${data[at + 2]},${data[at + 3]}`);
return colours.size;
"""


def verdicts() -> ComparisonReport:
    """A figure of each verdict."""
    cases = (
        compared(f"exp/{number}", "forward", "wall", 1.0 + number / 2, verdict)
        for number, verdict in enumerate(Verdict)
    )
    return ComparisonReport(comparison(*cases, notices=(HOSTILE,)))


def releases() -> list[ReleaseRun]:
    """Forty cases under two releases, the second of which is slower."""
    later = [
        msgspec.structs.replace(outcome, forward=timed(200.0, 300.0), backward=None)
        for outcome in outcomes()
        if outcome.forward
    ]
    return [ReleaseRun("1.9.1", report(outcomes())), ReleaseRun("2.0.0b1", report(later))]


REPLAY = "autoperf hunt --replay FOLDER"
OTHERS: dict[str, Callable[[], object]] = {
    "comparison": verdicts,
    "hunt": lambda: hunt_report(
        {"autoperf hunt --replay FOLDER 1": SOFTMAX, "autoperf hunt --replay FOLDER 2": TAKE}, SEARCHED
    ),
    "runs": releases,
    "history": lambda: series_rows(HOSTILE),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Chrome]:
    require_chromium()
    with chromium() as opened:
        yield opened


def outcomes() -> list[Outcome]:
    """Forty cases of forty operators, a hostile one, and one that failed."""
    many = [
        measured(
            f"op_{number:02}",
            "small",
            PAIR,
            timed(1.5 * (number + 1) ** 2, 99.0 + number),
            timed(3.0 + number, 200.0),
            digest=f"{number:08x}",
            category=("broadcast", "reduction")[number % 2],
            peak=1000 * (number + 1),
        )
        for number in range(40)
    ]
    hostile = measured(HOSTILE, HOSTILE, PAIR, timed(2.5, 9.0, (HOSTILE,)), digest="bad", axis=HOSTILE)
    return [*many, hostile, ended(Status.FAILED, HOSTILE, "Pooling")]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "run.html"
    path.write_text(text_of("run", "html", report(outcomes())))
    return path


@pytest.fixture
def page(browser: Chrome, file: Path) -> Iterator[Chrome]:
    """The page at a usual width in light colours; a test that leaves an error in the console fails."""
    resize(browser, 1280)
    prefer(browser, "light")
    visit(browser, file)
    yield browser
    assert browser.get_log("browser") == []


def column(page: Chrome, name: str) -> list[str]:
    """The texts of a column of the first table."""
    heads = [head.text.rstrip(" ▲▼") for head in page.find_elements(By.CSS_SELECTOR, "#table-1 th")]
    script = (
        "return [...document.querySelectorAll('#table-1 tbody tr')].map((row) => row.cells[arguments[0]].textContent)"
    )
    texts: list[str] = page.execute_script(script, heads.index(name))
    return texts


def head(page: Chrome, name: str) -> Any:
    return page.find_element(By.XPATH, f"//section[@id='table-1']//th/button[text()='{name}']")


def test_a_heading_sorts_by_value_and_again_in_the_other_order(page: Chrome) -> None:
    head(page, "forward kernel").click()
    assert column(page, "forward kernel")[:2] == ["2.40 ms", "2.28 ms"]
    head(page, "forward kernel").click()
    assert column(page, "forward kernel")[:3] == ["1.50 us", "2.50 us", "6.00 us"]
    assert column(page, "forward kernel")[-1] == ""
    assert head(page, "forward kernel").find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"


def test_words_and_lists_filter_the_table_and_the_charts(page: Chrome) -> None:
    page.find_element(By.CSS_SELECTOR, "#table-1 input").send_keys("op_1 small")
    assert column(page, "operator") == [f"op_{number}" for number in range(10, 20)]
    page.find_element(By.XPATH, "//section[@id='table-1']//select/option[text()='reduction']").click()
    assert column(page, "operator") == [f"op_{number}" for number in range(11, 20, 2)]
    assert page.find_element(By.CSS_SELECTOR, "#table-1 [role=status]").text == "5 of 42 rows"


def test_charts_are_drawn_and_the_screenshot_is_not_empty(page: Chrome) -> None:
    canvases = page.find_elements(By.CSS_SELECTOR, "#charts canvas")
    assert len(canvases) == 4
    assert all(page.execute_script(INK, canvas) > 10 for canvas in canvases)
    assert len(page.get_screenshot_as_png()) > 20_000


def test_a_point_is_described_and_opens_its_operator(page: Chrome) -> None:
    chart = page.find_elements(By.CSS_SELECTOR, "#charts figure")[1]
    plane, tip = (chart.find_element(By.CSS_SELECTOR, name) for name in (".u-over", ".tip"))
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", plane)
    mouse = ActionChains(page, duration=0)
    # The points lie on a curve that rises from the left to the right.
    for height in (0.4, 0.2, 0.0, -0.2, -0.4):
        mouse.move_to_element_with_offset(plane, 0, int(height * plane.size["height"])).perform()
        if tip.is_displayed():
            break
    described = tip.text
    mouse.click().perform()
    opened = page.find_element(By.CSS_SELECTOR, "#operators details[open] summary b").text
    assert described.startswith(opened)
    assert "forward kernel" in described


def test_rankings_name_the_slowest_operators(page: Chrome) -> None:
    slowest = page.find_elements(By.CSS_SELECTOR, "#charts .ranking")[0].find_elements(By.TAG_NAME, "li")
    assert slowest[0].text.split() == ["op_39", "small", "lhs", "(32,", "32),", "rhs", "(32,", "1)", "2.40", "ms"]


def test_a_link_opens_the_section_of_an_operator_with_its_parts(page: Chrome) -> None:
    page.find_element(By.LINK_TEXT, "op_03").click()
    section = page.find_element(By.ID, "operator-op_03")
    assert section.get_attribute("open")
    text = section.text
    assert "small: lhs (32, 32), rhs (32, 1)" in text
    assert "forward: own kernels exp 24.0 us; helpers Reorder 3.00 us; dispatch 75.0 us" in text


def test_a_fragment_opens_a_section(page: Chrome, file: Path) -> None:
    visit(page, file, "#operator-op_05")
    assert page.find_element(By.ID, "operator-op_05").get_attribute("open")


def test_hostile_names_are_text(page: Chrome) -> None:
    page.execute_script(
        "document.querySelectorAll('#operators details').forEach((section) => { section.open = true; })"
    )
    assert HOSTILE in page.find_element(By.ID, "operators").text
    assert page.title == "Operator benchmarks"
    assert page.find_elements(By.TAG_NAME, "img") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(page: Chrome, scheme: str) -> None:
    prefer(page, scheme)
    page.execute_script("document.querySelector('#operators details').open = true")
    assert page.execute_script(CONTRAST) == []


def test_a_phone_scrolls_in_one_direction(page: Chrome) -> None:
    resize(page, 360, 740)
    page.execute_script(
        "document.querySelectorAll('#operators details').forEach((section) => { section.open = true; })"
    )
    assert page.execute_script("return document.documentElement.scrollWidth") <= 360
    widths = [canvas.size["width"] for canvas in page.find_elements(By.CSS_SELECTOR, "#charts canvas")]
    assert max(widths) <= 360


def test_the_keyboard_reaches_search_headings_and_sections(page: Chrome) -> None:
    page.execute_script("[...document.querySelectorAll('#charts .ranking a')].at(-1).focus()")
    reached = []
    for _ in range(12):
        page.switch_to.active_element.send_keys(Keys.TAB)
        active = page.switch_to.active_element
        reached.append(active.tag_name)
        if active.tag_name == "button" and active.text == "forward kernel":
            active.send_keys(Keys.ENTER)
            break
    assert "input" in reached
    assert "select" in reached
    assert column(page, "forward kernel")[0] == "2.40 ms"
    assert page.switch_to.active_element.text.startswith("forward kernel")
    section = page.find_element(By.CSS_SELECTOR, "#operators summary")
    section.send_keys(Keys.ENTER)
    assert page.find_element(By.CSS_SELECTOR, "#operators details").get_attribute("open")


@pytest.mark.parametrize("kind", ["comparison", "hunt", "runs", "history"])
def test_other_reports_have_pages(browser: Chrome, tmp_path: Path, kind: Kind) -> None:
    file = tmp_path / "page.html"
    file.write_text(text_of(kind, "html", OTHERS[kind]()))
    visit(browser, file)
    assert browser.get_log("browser") == []
    assert len(browser.find_elements(By.CSS_SELECTOR, "#table-1 tbody tr")) >= 2
    drawn = browser.find_elements(By.TAG_NAME, "canvas")
    assert all(browser.execute_script(INK, canvas) > 5 for canvas in drawn)
    assert drawn or browser.find_elements(By.CSS_SELECTOR, ".card .ratio")
    browser.execute_script("document.querySelectorAll('details').forEach((section) => { section.open = true; })")
    assert browser.execute_script(CONTRAST) == []


def stored_hunt() -> HuntReport:
    """A kept hunt of many operators."""
    return hunt_report(read_hunt(SAMPLE).findings, SEARCHED)


CUT = """
const wide = document.documentElement.clientWidth;
const cut = [];
for (const node of document.querySelectorAll("body *:not(script):not(.skip):not(option)")) {
  if (!node.checkVisibility() || node.closest(".scroll, .fitting")) continue;
  const { left, right } = node.getBoundingClientRect();
  const clips = getComputedStyle(node).overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1;
  if (left < -1 || right > wide + 1 || (clips && !node.matches("input, select"))) cut.push(node.outerHTML);
}
return cut;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("made", [stored_hunt, OTHERS["hunt"], OTHERS["history"]])
def test_cards_are_not_cut_at_any_width(
    browser: Chrome, tmp_path: Path, made: Callable[[], object], width: int, scheme: str
) -> None:
    file = tmp_path / "page.html"
    file.write_text(text_of("history" if made is OTHERS["history"] else "hunt", "html", made()))
    resize(browser, width)
    prefer(browser, scheme)
    visit(browser, file)
    browser.execute_script("document.querySelectorAll('details').forEach((section) => { section.open = true; })")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script(CUT) == []
    assert browser.execute_script(CONTRAST) == []
    assert browser.get_log("browser") == []


def test_a_finding_is_a_card_with_its_inputs_beside_each_other(browser: Chrome, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(text_of("hunt", "html", OTHERS["hunt"]()))
    resize(browser, 1280)
    visit(browser, file)
    first, second = browser.find_elements(By.CSS_SELECTOR, ".card")
    slow, fast = second.find_elements(By.CSS_SELECTOR, ".side")
    assert slow.location["y"] == fast.location["y"]
    assert [side.find_element(By.TAG_NAME, "mark").text for side in (slow, fast)] == ["axis=0", "axis=-1"]
    bar = second.find_element(By.CSS_SELECTOR, ".ratio")
    share = bar.find_element(By.CSS_SELECTOR, ".less").size["width"] / bar.size["width"]
    assert share == pytest.approx(1 / 4.2, abs=0.01)
    answer = browser.find_elements(By.CSS_SELECTOR, ".answer")
    assert "softmax forward: data (4096, 64); axis=0 takes 1.23 ms, 4.20 times" in answer[1].text
    assert answer[0].location["y"] < first.location["y"] < 400
    browser.execute_script(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }"
    )
    second.find_element(By.TAG_NAME, "button").click()
    assert browser.execute_script("return window.copied") == "autoperf hunt --replay FOLDER 1"
    resize(browser, 400)
    assert slow.location["y"] < fast.location["y"]


def test_a_legend_names_only_lines_that_are_drawn(browser: Chrome, tmp_path: Path) -> None:
    """The second release is so much slower that the line of equal times lies outside the plot."""
    file = tmp_path / "page.html"
    file.write_text(text_of("runs", "html", releases()))
    visit(browser, file)
    before = browser.find_element(By.CSS_SELECTOR, ".key").get_attribute("textContent")
    slow = [
        msgspec.structs.replace(outcome, forward=timed(1e6, 1e6), backward=None)
        for outcome in outcomes()
        if outcome.forward
    ]
    runs = [ReleaseRun("1.9.1", report(outcomes())), ReleaseRun("2.0.0b1", report(slow))]
    file.write_text(text_of("runs", "html", runs))
    visit(browser, file)
    assert "equal" in before
    assert "equal" not in browser.find_element(By.CSS_SELECTOR, ".key").get_attribute("textContent")


def test_the_course_of_a_series_is_drawn_with_its_steps(browser: Chrome, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(text_of("history", "html", series_rows()))
    resize(browser, 1280, 4000)
    visit(browser, file, "#operator-softmax")
    # A course is drawn when it comes near the window, in a later frame than the one that opens its section.
    planes = partial(browser.find_elements, By.CSS_SELECTOR, "#operator-softmax .courses .plane")
    first, second = WebDriverWait(browser, 30).until(lambda _: len(found := planes()) == 2 and found)
    told = "1.50x slower [1.42, 1.58] since 2026-11-05"
    assert first.get_attribute("aria-label") == f"forward kernel in 6 runs; 2026-11-05: {told}"
    points = first.find_element(By.TAG_NAME, "polyline").get_attribute("points")
    assert points == "0,96.0 1,96.0 3,96.0 4,4.0 5,4.0"
    assert len(first.find_elements(By.CSS_SELECTOR, "line.mark")) == 1
    assert len(first.find_elements(By.CSS_SELECTOR, "rect.band")) == 2
    assert second.find_elements(By.CSS_SELECTOR, "line.mark, rect.band") == []
    assert first.size["height"] > 80
    assert browser.find_element(By.CSS_SELECTOR, ".card .signs .sign").text == "▲"
    assert browser.find_element(By.CSS_SELECTOR, ".card .marks").text == f"▲ {told}"
    assert browser.find_element(By.CSS_SELECTOR, ".answer").text.endswith(
        "/opt/libmxnet.so to /new/libmxnet.so that night."
    )


def test_columns_are_shown_and_hidden(page: Chrome) -> None:
    page.find_element(By.XPATH, "//section[@id='table-1']//option[text()='show bytes read and written']").click()
    assert column(page, "bytes read and written")[0] == "4.12 KiB"
