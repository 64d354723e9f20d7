"""The site of a history: each link leads somewhere, what happened is marked, and pages stay small."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import duckdb
import msgspec
import numpy as np
import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from autoperf.cli.main import run as command_line
from autoperf.core.errors import Exit
from autoperf.core.outcome import ResultDifference
from autoperf.history.page import step_mark
from autoperf.history.series import HistoryChanges, SeriesSet
from autoperf.history.site import MAX_BYTES, Site, operator_file, site_files
from autoperf.history.standing import ResultChange
from autoperf.history.steps import Evidence
from autoperf.history.store import History, HistoryCase
from tests.browser import chromium, prefer, require_chromium, resize, visit
from tests.cli.test_history_command import BENCH
from tests.reports.report_values import history_change, history_run
from tests.reports.test_page import CONTRAST, HOSTILE
from tests.summary.test_run_page import data
from tests.test_examples import CUT_OFF

ATOM = "{http://www.w3.org/2005/Atom}"
NIGHTS, AT, ACCEPTED_AT, CASES = 50, 40, 38, 30
ACCEPT = """
[[accept]]
operator = "operator_4"
ratio = 1.3
reason = "sums in double precision"
until = 2999-01-01
by = "ann"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of fifty nights of 30 cases: one is 30% slower, one 30% by an accepted change, one is lost at last."""
    folder = tmp_path_factory.mktemp("history")
    medians = np.exp(BENCH.nights(np.random.default_rng(3), CASES, NIGHTS))
    medians[6, :, AT:] *= 1.3
    medians[12, :, ACCEPTED_AT:] *= 1.3
    BENCH.add(folder / "history.duckdb", medians)
    with duckdb.connect(str(folder / "history.duckdb")) as raw:
        raw.execute("UPDATE cases SET operator = 'Operator_1' WHERE operator = 'operator_1'")
        raw.execute("UPDATE cases SET operator = ? WHERE operator = 'operator_3'", [HOSTILE])
        raw.execute("DELETE FROM figures WHERE run = 50 AND number = 1")
    (folder / "autoperf.toml").write_text(ACCEPT)
    words = ["history", "site", str(folder / "site"), "--history", str(folder / "history.duckdb")]
    assert command_line([*words, "--config", str(folder / "autoperf.toml"), "--url", "https://example.org/x"]) == 0
    return folder / "site"


def content(path: Path) -> dict[str, Any]:
    return data(path.read_text())


def links(folder: Path) -> Iterator[str]:
    """The addresses of all links of the first page."""
    page = content(folder / "index.html")
    yield from (block["address"] for block in page["blocks"])
    for table in page["tables"]:
        yield from (row[0][0] for row in table["rows"] if isinstance(row[0], list) and isinstance(row[0][0], str))
    yield from re.findall(r'<a href="([^#"][^"]*)"', (folder / "index.html").read_text())


def test_each_link_leads_to_a_page_and_a_case(folder: Path) -> None:
    found = set(links(folder))
    assert len(found) > 10
    for address in found:
        path, _, anchor = address.partition("#")
        assert (folder / unquote(path)).is_file(), address
        if anchor:
            assert anchor in [block["anchor"] for block in content(folder / path)["blocks"]], address
    pages = {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}
    assert pages == {"index.html", *(address.partition("#")[0] for address in found if ".html" in address)}


def test_the_last_night_stands_first_with_what_it_lacks(folder: Path) -> None:
    text = (folder / "index.html").read_text()
    answer = re.findall(r'<p class="answer">(.*?)</p>', text)
    assert answer[0] == "Nothing new in the night of 2025-12-20: 120 series of 10 operators."
    assert answer[1].startswith("The newest change: operator_2 ")
    assert "slower since the night of 2025-12-11" in answer[1]
    assert any("as accepted" in sentence and "sums in double precision" in sentence for sentence in answer)
    assert answer[-1] == "The run of 2025-12-20 lacks series of operator_0, which the one before has."


def test_regressions_have_night_interval_and_what_else_changed(folder: Path) -> None:
    (table,) = (each for each in content(folder / "index.html")["tables"] if each["title"] == "Regressions")
    names = [column["name"] for column in table["columns"] if not column.get("hidden")]
    assert {"date", "low", "changed", "revision"} <= set(names)
    rows = [dict(zip((column["name"] for column in table["columns"]), row, strict=True)) for row in table["rows"]]
    assert {row["operator"][1] for row in rows} == {"operator_2"}
    assert {row["date"] for row in rows} == {"2025-12-11"}


def test_steps_and_accepted_changes_are_marked_on_the_series(folder: Path) -> None:
    def kinds(operator: str) -> set[tuple[int, str]]:
        blocks = content(folder / operator_file(operator))["blocks"]
        return {(run, kind) for block in blocks for course in block["courses"] for run, kind, _ in course[3]}

    assert kinds("operator_2") == {(AT, "slower")}
    assert kinds("operator_4") == {(ACCEPTED_AT, "accepted")}
    assert kinds("operator_5") == set()


def test_a_series_is_drawn_as_measured(folder: Path) -> None:
    with History(folder.parent / "history.duckdb") as opened:
        figures = opened.figures()
    measured = {
        (int(run), figures.names[figure]): median
        for run, number, figure, median in zip(
            figures.run, figures.number, figures.figure, figures.median.tolist(), strict=True
        )
        if number == 6
    }
    page = content(folder / operator_file("operator_2"))
    (block,) = (each for each in page["blocks"] if each["anchor"] == "case-00000006")
    for label, _, values, *_ in block["courses"]:
        assert values == pytest.approx([measured[run, label] for run in range(1, NIGHTS + 1)], rel=1e-4)


def test_the_feed_is_atom_with_an_entry_for_each_night_of_changes(folder: Path) -> None:
    root = ET.fromstring((folder / "feed.xml").read_text())
    assert root.tag == f"{ATOM}feed"
    # RFC 4287, 4.1.1 and 4.1.2: what a feed and an entry must have, once each.
    for node in (root, *root.findall(f"{ATOM}entry")):
        for required in ("id", "title", "updated"):
            assert len(node.findall(f"{ATOM}{required}")) == 1
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    entries = root.findall(f"{ATOM}entry")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(entries) > 0
    assert [each.get("href") for each in root.iter(f"{ATOM}link")][:2] == [
        "https://example.org/x/index.html", "https://example.org/x/feed.xml",
    ]  # fmt: skip
    assert all("operator_4" not in (entry.findtext(f"{ATOM}content") or "") for entry in entries)


def test_names_differ_where_a_file_system_ignores_case() -> None:
    names = ["Reshape", "reshape", "_np_sum", "../x", "gluon.nn.Dense", "a/b", "a-b", "é", ".", ""]
    paths = [operator_file(name) for name in names]
    assert len({path.lower() for path in paths}) == len(names)
    assert all(re.fullmatch(r"operators/[a-z0-9._-]+\.html", path) for path in paths)


def long_site(cases: int, count: int) -> Site:
    """An operator with so many cases and runs, the last case of which changed in the last run but one."""
    runs = [msgspec.structs.replace(history_run(1 + number % 28), run=number) for number in range(count)]
    keys = [
        (HistoryCase(number, f"exp/{number:08x}", "exp", "unary", "drawn", f"data ({number},)"), "forward kernel")
        for number in range(cases)
    ]
    medians = np.random.default_rng(1).uniform(10.1, 99.9, size=(cases, count))
    return Site((SeriesSet(runs, keys, medians),), HistoryChanges([], cases))


def test_other_results_and_another_machine_are_marked() -> None:
    site = long_site(1, 40)
    (series,) = site.sets
    different = ResultChange(
        series.keys[0][0], ResultDifference("output", "value", "1.0", "2.0"), series.runs[7], series.runs[6]
    )
    facts = [{"NumPy": "1.0" if run.run < 9 else "2.0"} for run in series.runs]
    runs = [msgspec.structs.replace(run, facts=each) for run, each in zip(series.runs, facts, strict=True)]
    changed = replace(site, sets=(replace(series, runs=runs),), results=(different,))
    case = msgspec.structs.replace(series.keys[0][0], operator="a\x1bb")
    feed = dict(site_files(replace(changed, results=(different._replace(case=case),))))["feed.xml"]
    assert "a\\u001bb computes something else" in "".join(ET.fromstring(feed).itertext())
    page = data(dict(site_files(changed))["operators/exp.html"])
    assert [mark[:2] for mark in page["blocks"][0]["courses"][0][3]] == [[7, "results"]]
    assert [night[2] for night in page["nights"][0] if night[2]] == ["NumPy changed from 1.0 to 2.0"]


@pytest.mark.parametrize("evidence", get_args(Evidence))
@pytest.mark.parametrize("ratio", [1.5, 0.5])
def test_each_kind_of_change_has_a_symbol(evidence: Evidence, ratio: float) -> None:
    scripts = (files("autoperf.reports.html") / "static" / "courses.js").read_text()
    mark = step_mark(history_change(ratio=ratio, evidence=evidence, weekly=1.01))
    assert re.search(rf'^  "?{mark.kind}"?: \[', scripts, re.MULTILINE)


@pytest.mark.parametrize(("cases", "count"), [(2, 300), (900, 400), (25_000, 70)])
def test_pages_stay_small_and_say_what_they_leave_out(cases: int, count: int) -> None:
    made = dict(site_files(long_site(cases, count)))
    page = made["operators/exp.html"]
    assert max(map(len, made.values())) < MAX_BYTES
    assert ("runs; `autoperf history show --operator exp` has all" in page) == (cases > 2)
    assert ("have no chart" in page) == (cases > 20_000)


def test_a_folder_with_another_page_stays_as_it_is(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("<p>mine</p>")
    words = ["history", "site", str(tmp_path), "--history", str(folder.parent / "history.duckdb"), "--config", "none"]
    assert command_line(words) == Exit.USER_MISTAKE
    assert "isn't of a site that autoperf made: name another folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


@pytest.fixture(scope="module")
def opened() -> Iterator[Chrome]:
    require_chromium()
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(opened: Chrome) -> Iterator[Chrome]:
    """A test that leaves an error in the console fails."""
    resize(opened, 1280)
    prefer(opened, "light")
    yield opened
    assert opened.get_log("browser") == []
    assert opened.title != "owned"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("page", ["index.html", operator_file("operator_2"), operator_file(HOSTILE)])
def test_pages_fit_and_are_legible(browser: Chrome, folder: Path, page: str, width: int, scheme: str) -> None:
    resize(browser, width, 4000)
    prefer(browser, scheme)
    visit(browser, folder / page)
    assert browser.execute_async_script(CUT_OFF) == []
    assert browser.execute_script(CONTRAST) == []


def test_a_field_leads_to_an_operator(browser: Chrome, folder: Path) -> None:
    visit(browser, folder / "index.html")
    field = browser.find_element(By.CSS_SELECTOR, ".finder input")
    field.send_keys("Operator_2", Keys.ENTER)
    assert browser.title == "operator_2"
    browser.find_element(By.LINK_TEXT, "All operators").click()
    assert browser.title == "Operator benchmarks over time"


def test_a_chart_is_drawn_when_it_comes_near_and_read_by_pointer_and_keys(browser: Chrome, folder: Path) -> None:
    visit(browser, folder / operator_file("operator_2"))
    drawn = "return document.querySelectorAll('.plane').length"
    assert 0 < browser.execute_script(drawn) < 12
    plane = browser.find_element(By.CSS_SELECTOR, ".plane")
    ActionChains(browser).move_to_element(plane).perform()
    tip = browser.find_element(By.CSS_SELECTOR, ".plot .tip")
    assert re.match(r"2025-11-2\d: [\d.]+ us \(run 2\d ", tip.text)
    plane.send_keys(Keys.END)
    assert tip.text.startswith("2025-12-20: ")
    plane.send_keys(*[Keys.LEFT] * (NIGHTS - 1 - AT))
    assert tip.text.startswith("2025-12-11: ")
    assert "▲ 1.30x slower" in re.sub(r"1\.\d\dx", "1.30x", tip.text)
    browser.execute_script("scrollTo(0, document.body.scrollHeight)")
    browser.execute_async_script("setTimeout(arguments[0], 300)")
    assert browser.execute_script(drawn) == 12


def test_words_choose_among_cases(browser: Chrome, tmp_path: Path) -> None:
    made = dict(site_files(long_site(9, 40)))
    (tmp_path / "exp.html").write_text(made["operators/exp.html"])
    visit(browser, tmp_path / "exp.html")
    browser.find_element(By.CSS_SELECTOR, "#blocks input").send_keys("kernel (7,)")
    shown = [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#blocks h3") if each.is_displayed()]
    assert shown == ["drawn: data (7,)"]
