"""A network's answer and tables, and its page as a browser shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from syrupy.assertion import SnapshotAssertion

from autoperf.core.outcome import Outcome, Pass
from autoperf.networks.report import network_answer, network_notes, next_commands
from autoperf.networks.times import NetworkPass, network_times
from tests.browser import chromium, prefer, require_chromium, resize, visit
from tests.reports.report_values import (
    CALLS,
    DENSE,
    FUSED,
    HYBRIDIZED,
    RELU,
    network,
    ran,
    report,
    run_text,
    text_of,
    whole,
)
from tests.reports.test_page import CONTRAST
from tests.values import stated

FIRST = (
    "net: of 11.0 ms (hybridized, forward), relu takes 68%; "
    "the slowest call is relu relu0_fwd (4 times, about 7.50 ms); "
)


def answer(*outcomes: Outcome) -> list[str]:
    return [sentence for each in network_times(outcomes) for sentence in network_answer(each)]


def forward(*outcomes: Outcome) -> NetworkPass:
    return network_times(outcomes)[0].passes[0]


def test_the_answer_names_the_operator_the_call_and_what_other_modes_save() -> None:
    assert answer(*network()) == [FIRST + "static memory would save 5.00 ms; fused by oneDNN: 4.40x faster"]


@pytest.mark.parametrize(
    ("mode", "wall", "words"),
    [
        ("static", 11_100.0, "static memory: 11.1 ms, no clear difference"),
        ("static", 13_000.0, "static memory would cost 2.00 ms"),
        ("fused", 10_900.0, "fused by oneDNN: 10.9 ms, no clear difference"),
        ("fused", 22_000.0, "fused by oneDNN: 2.00x slower"),
    ],
)
def test_a_difference_within_the_intervals_is_not_clear(mode: str, wall: float, words: str) -> None:
    other = whole(mode, ran(wall, {RELU: 5000.0}))
    assert answer(*CALLS, whole("hybridized", HYBRIDIZED), other) == [FIRST + words]


def test_dispatch_comes_before_the_first_operator() -> None:
    idle = ran(10_000.0, {RELU: 500.0, DENSE: 2000.0})
    (sentence,) = answer(*CALLS, whole("hybridized", idle))
    assert sentence.startswith("net: of 10.0 ms (hybridized, forward), dispatch takes 75%, FullyConnected 20%; ")
    assert list(next_commands(network_times([*CALLS, whole("hybridized", idle)]), ["net.ndjson"])) == []
    (alone,) = answer(whole("hybridized", idle))
    assert alone == "net: of 10.0 ms (hybridized, forward), dispatch takes 75%, FullyConnected 20%"


def test_without_a_trace_the_answer_is_of_the_calls_alone() -> None:
    untraced = whole("hybridized", Pass(wall_us=stated(9000.0)))
    for outcomes in (CALLS, (*CALLS, untraced)):
        assert answer(*outcomes) == [
            "net: of 2.80 ms (forward, the sum of the calls alone), FullyConnected takes 71%; "
            "the slowest call is FullyConnected FullyConnected1_fwd (2 times, 1.40 ms alone)"
        ]
    text = run_text(CALLS)
    assert "forward by operator, slowest alone first" in text
    assert "share: of the calls alone" in text


def test_missing_calls_are_named() -> None:
    some = [msgspec.structs.replace(each, network_calls={"net": 9}) for each in CALLS]
    assert answer(*some)[0].startswith("net: 7 of 9 calls measured (forward), most of their time: FullyConnected; ")
    (note,) = network_notes(network_times(some)[0], None)
    assert note.startswith("forward: 7 of 9 calls measured; the others were not captured, selected or measured")


def test_each_pass_and_each_network_has_a_sentence() -> None:
    sentences = answer(*network("one", training=True), *network("two"))
    assert [sentence.partition(")")[0] for sentence in sentences] == [
        "one: of 11.0 ms (hybridized, forward",
        "one: of 11.0 ms (hybridized, backward",
        "two: of 11.0 ms (hybridized, forward",
    ]


def test_the_next_step_is_a_hunt_of_the_slowest_operators() -> None:
    networks = network_times([*network("one"), *network("two")])
    ((_, command),) = next_commands(networks, ["a b.ndjson"])
    assert command == "autoperf hunt --cases 'a b.ndjson' --operator relu --time-budget 5m"
    assert list(next_commands(networks, [])) == []


def test_modes_without_a_clear_difference_are_measured_again() -> None:
    unclear = [*CALLS, whole("hybridized", HYBRIDIZED), whole("static", HYBRIDIZED), whole("fused", FUSED)]
    _, (label, command) = next_commands(network_times(unclear), ["net.ndjson"])
    assert label == "to compare the modes, in about 20 s"
    assert command == "autoperf run --cases net.ndjson --input-profile hybridized,static --max-time 10s"
    assert list(next_commands(network_times(unclear[len(CALLS) :]), ["net.ndjson"])) == []


def test_an_unknown_dispatch_is_explained() -> None:
    outcomes = [*CALLS, whole("hybridized", ran(10_000.0, {RELU: 9000.0, DENSE: 2000.0}))]
    assert forward(*outcomes).modes["hybridized"].dispatch_us is None
    assert list(network_notes(network_times(outcomes)[0], None)) == [
        "forward hybridized: dispatch unknown, since with the profiler on the kernels took 10% longer than a whole "
        "pass with it off"
    ]
    assert "-1.00 ms" not in run_text(outcomes)


def test_tables_end_with_the_answer_and_show_each_time_once(snapshot: SnapshotAssertion) -> None:
    text = run_text(network(), width=120)
    assert text == snapshot
    assert "net: of 11.0 ms (hybridized, forward), relu takes 68%" in text.splitlines()[-3:][0]
    assert run_text(network(), width=80) == snapshot
    assert run_text(network(training=True), form="md") == snapshot


def test_a_name_wider_than_its_room_stands_above_its_times() -> None:
    lines = run_text(network(), width=80).splitlines()
    at = lines.index("  _sg_mkldnn_fully_connected")
    assert lines[at + 1].split()[0] == "-"


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
