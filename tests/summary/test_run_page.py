"""What a run's page has, without a browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from typing import Any

import msgspec
import pytest

from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Outcome, Series, Status
from autoperf.reports.columns import View
from autoperf.reports.html.page import script_json
from autoperf.runs.runfile import RunHeader
from autoperf.stats.statistics import summarise
from autoperf.summary.page import BINS, distribution, repeat_command, run_page, touched_bytes
from autoperf.summary.runs import RunReport
from tests.reports.report_values import call, network, ran, report, run_text, text_of, whole
from tests.values import HEADER, PAIR, ended, measured, passed, stated, timed

RECIPE: dict[str, Any] = {"seed": 7, "draws": 3, "elements": 4096, "profiles": None, "dtypes": []}
MAX_PAGE_BYTES = 5_000_000
LARGE_RUN = 4000


def data(page: str) -> Any:
    """What the page's scripts read."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match
    return json.loads(match[1])


def sampled(median: float) -> Series:
    """A hundred samples around a median."""
    return summarise([median * (0.9 + 0.002 * ((number * 37) % 100)) for number in range(100)], processes=[20] * 5)


def outcome(number: int) -> Outcome:
    made = measured("softmax", "drawn", PAIR, timed(3.0, 9.0), timed(4.0, 9.5), digest=f"{number:08x}", axis=-1)
    passes = {
        name: msgspec.structs.replace(run, kernel_us=sampled(12.3456 + number), wall_us=sampled(34.567 + number))
        for name, run in (("forward", made.forward), ("backward", made.backward))
        if run
    }
    return msgspec.structs.replace(made, operator=f"operator_{number // 6}", **passes)


def test_the_page_allows_only_its_own_scripts_and_styles_and_loads_nothing() -> None:
    page = run_text([outcome(0)], form="html")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert policy
    assert style
    assert script
    for name, text in (("style", style[1]), ("script", script[1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src &#39;sha256-{digest}&#39;" in policy[1].replace("'", "&#39;")
    assert policy[1].startswith("default-src")
    outside = [address for address in re.findall(r"https?://[^\s\"'`]+", page) if "w3.org" not in address]
    assert all(address.startswith("https://github.com/leeoniya/uPlot") for address in outside)


@pytest.mark.parametrize("text", ["</script>", "<!--", "&amp;", "\u2028", "\x9b", "\U0001f600", "\u202e"])
def test_data_is_ascii_that_ends_no_script(text: str) -> None:
    written = script_json({"name": text})
    assert written.isascii()
    assert not set("<>&") & set(written)
    assert json.loads(written) == {"name": text}


def test_rows_spell_figures_as_the_terminal_does() -> None:
    (table, *_) = data(run_text([outcome(0)], form="html"))["tables"]
    row = dict(zip((column["name"] for column in table["columns"]), table["rows"][0], strict=True))
    assert row["forward_kernel"][1] == "12.3 us"
    assert row["inputs"] == "lhs (32, 32), rhs (32, 1); axis=-1"
    assert row["memory"] == [4096.0, "4.00 KiB"]
    assert row["size"][1] == "4.12 KiB"
    assert row["status"] == "measured"


def test_asked_columns_come_first_and_the_others_are_hidden() -> None:
    (table, *_) = data(text_of("run", "html", report([outcome(0)], columns=("operator", "forward_wall_p99"))))["tables"]
    assert [column["name"] for column in table["columns"]][:2] == ["operator", "forward_wall_p99"]
    assert [column["name"] for column in table["columns"] if not column.get("hidden")] == [
        "operator",
        "forward_wall_p99",
    ]


def test_a_limited_page_has_the_totals_of_all() -> None:
    run = [outcome(0), ended(Status.FAILED, "no memory")]
    page = run_page(RunReport(None, run, view=View(limit=1)))
    assert [tile.value for tile in page.tiles if tile.label in ("cases", "failed")] == ["2", "1"]
    assert [len(table.rows) for table in page.tables if table.title in ("Cases", "Coverage")] == [1, 2]
    assert "1 of 2 cases shown; --limit sets how many" in page.notes


def test_a_large_run_has_a_small_page() -> None:
    few, many = (len(run_text([outcome(n) for n in range(count)], form="html")) for count in (10, 110))
    assert few + (many - few) / 100 * LARGE_RUN < MAX_PAGE_BYTES


def test_the_widest_interval_of_few_is_within_the_share_that_is_told() -> None:
    """Of ten intervals, one of which is wide, ±1% hold for 90%, and 95% need the wide one."""
    wide = msgspec.structs.replace(stated(10.0), low=5.0, high=15.0)
    narrow = msgspec.structs.replace(stated(10.0), low=9.9, high=10.1)
    outcomes = [msgspec.structs.replace(outcome(at), forward=passed(wide if at == 3 else narrow)) for at in range(10)]
    text = html.unescape(run_text(outcomes, form="html"))
    assert "within ±1% for half of the cases, ±50% for 95% of them" in text


def test_bytes_are_those_of_inputs_and_outputs() -> None:
    assert touched_bytes(outcome(0)) == 4 * (32 * 32 + 32)


def test_a_distribution_counts_every_sample() -> None:
    made = distribution("forward wall", summarise([10.0] * 98 + [20.0, 5000.0]), None)
    assert made
    assert made.ends == ("10.0 us", "20.0 us and more")
    assert len(made.bins) == BINS
    assert made.bins == "z" + "0" * (BINS - 2) + "1"
    assert distribution("forward wall", summarise([10.0] * 4), None) is None


def test_a_distribution_is_at_the_reference_speed() -> None:
    samples = [20.0, 21.0, 22.0, 23.0, 24.0]
    probes = Probes(before=(2.0,) * 5, after=(2.0,) * 5)
    readings = msgspec.structs.replace(summarise(samples), probes=probes, slope=1.0)
    made = distribution("forward wall", readings, Reference("1", 1.0, "2024-01-01T00:00:00+00:00"))
    assert made
    assert made.ends[0] == "10.0 us"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"recipe": RECIPE}, "--seed 7 --draws 3 --max-elements 4096 --operator softmax --input-profile drawn"),
        ({"recipe": {**RECIPE, "dtypes": ["float16", "int8"]}, "rules": ["my rules.py"]},
         "--rules 'my rules.py' --seed 7 --draws 3 --max-elements 4096 --dtype float16,int8 --operator softmax "
         "--input-profile drawn"),
        ({"recipe": RECIPE, "cases": ["a.yaml"]}, "--cases a.yaml --operator softmax --input-profile drawn"),
        ({"recipe": RECIPE, "own": {"inputs": ["data=3x4"], "params": ["axis=1"]}},
         "--input data=3x4 --param axis=1 --operator softmax"),
        ({"recipe": RECIPE, "own": {"inputs": ["data=3x4"], "params": []}, "settings": {"backward": False}},
         "--input data=3x4 --operator softmax --backward off"),
        ({"recipe": {}, "settings": {
            "ctx": "gpu(1)", "profiler": "python", "counters": ["instructions", "cycles"], "count_by": "processor",
            "caller": "python", "cpus": [0, 2], "timeout": 900.0, "memory_limit": 2**30, "runs": 3, "precision": 0.5}},
         "--operator softmax --input-profile drawn --profiler python --timeout 900s --memory-limit 1073741824 "
         "--ctx 'gpu(1)' --cpus 0,2 --count-by processor --counters instructions,cycles --caller python"),
        ({"recipe": {}, "settings": {"cpus": []}}, "--operator softmax --input-profile drawn --cpus any"),
        ({"recipe": RECIPE, "mxnet": ["1.9.1", "/b/libmxnet.so"], "labels": ["1.9.1", "2.0.0"], "label": "2.0.0"},
         "--mxnet /b/libmxnet.so --seed 7 --draws 3 --max-elements 4096 --operator softmax --input-profile drawn"),
        ({"recipe": {"int64_tensor": True, "draws": 0}, "frameworks": ["torch"], "labels": ["torch"], "label": "torch"},
         "--framework torch --int64-tensor on --operator softmax"),
        ({"recipe": {}, "mxnet": ["1.9.1"], "frameworks": ["mxnet", "jax"], "labels": ["mxnet", "jax"], "label": "jax"},
         "--mxnet 1.9.1 --framework jax --operator softmax --input-profile drawn"),
    ],
)  # fmt: skip
def test_the_command_repeats_the_case(options: dict[str, Any], expected: str) -> None:
    header: RunHeader = msgspec.structs.replace(HEADER, options=options)
    assert repeat_command(header, measured("softmax", "drawn", PAIR, timed(1, 2))) == f"autoperf run {expected}"


def test_the_command_of_a_composite_selects_its_input_in_its_mode() -> None:
    header: RunHeader = msgspec.structs.replace(HEADER, options={"recipe": {}})
    composite = measured("gate", "small:static", PAIR, timed(1, 2), category="composite")
    assert repeat_command(header, composite) == "autoperf run --operator gate --input-profile small:static"


def test_the_command_of_a_side_has_its_variables_and_its_extensions() -> None:
    settings = {"env": {"OMP_NUM_THREADS": "2", "MXNET_X": "a b"}}
    header: RunHeader = msgspec.structs.replace(HEADER, options={"recipe": {}, "settings": settings})
    command = repeat_command(header, measured("softmax", "drawn", PAIR, timed(1, 2)), ("/a b/x.so", "y.py"))
    assert command == (
        "env OMP_NUM_THREADS=2 'MXNET_X=a b' autoperf run --extension '/a b/x.so' --extension y.py --operator softmax "
        "--input-profile drawn"
    )


def test_no_command_is_invented_for_a_run_without_options() -> None:
    header = msgspec.structs.replace(HEADER, options={})
    assert repeat_command(header, measured("softmax", "drawn", PAIR, timed(1, 2))) == ""


@pytest.mark.parametrize("name", ["recipe", "mxnet", "frameworks", "labels", "rules", "cases", "own"])
@pytest.mark.parametrize("junk", [-1, "junk", {"inputs": 3, "dtypes": -1}])
def test_options_of_another_type_have_no_command(name: str, junk: object) -> None:
    header = msgspec.structs.replace(HEADER, options={"recipe": {}, name: junk})
    assert repeat_command(header, measured("softmax", "drawn", PAIR, timed(1, 2))) == ""


@pytest.mark.parametrize("junk", [-1, "junk", {"ctx": 3}, {"backward": "off"}, {"env": ["A"]}])
def test_settings_of_another_type_have_no_command(junk: object) -> None:
    header = msgspec.structs.replace(HEADER, options={"recipe": {}, "settings": junk})
    assert repeat_command(header, measured("softmax", "drawn", PAIR, timed(1, 2))) == ""


def test_a_page_of_networks_begins_with_the_time_by_operator_and_mode() -> None:
    page = data(text_of("run", "html", report(network())))
    titles = [table["title"] for table in page["tables"]]
    assert titles[:4] == [
        "net: forward by operator, slowest hybridized first",
        "net: forward by mode",
        "net: forward by call, slowest hybridized first",
        "Cases",
    ]
    assert page["main"] == 3
    assert [len(table["bars"]) for table in page["tables"][:4]] == [4, 0, 0, 0]
    labels = [label for label, _ in page["tables"][0]["bars"]]
    assert labels == ["hybridized 11.0 ms", "static 6.00 ms", "fused 2.50 ms", "calls alone 2.80 ms"]
    _, parts = page["tables"][0]["bars"][0]
    assert parts[:3] == [
        ["relu", 7500.0, "7.50 ms"],
        ["FullyConnected", 2000.0, "2.00 ms"],
        ["dispatch", 1000.0, "1.00 ms"],
    ]


def test_small_parts_of_a_bar_are_one() -> None:
    kernels = {f"kernel_{number}": 100.0 - number for number in range(9)}
    fused = whole("fused", ran(1000.0, {"_sg_mkldnn_conv": 1000.0}))
    outcomes = [call(0, "kernel_0", 10.0, 1), whole("hybridized", ran(1000.0, kernels)), fused]
    ((_, parts), *_) = data(text_of("run", "html", report(outcomes)))["tables"][0]["bars"]
    assert [name for name, *_ in parts] == [
        "dispatch",
        *(f"kernel_{number}" for number in range(5)),
        "_sg_mkldnn_conv",
        "others",
    ]
    assert parts[-1][1:] == [95.0 + 94.0 + 93.0 + 92.0, "374 us"]


def test_the_whole_network_is_in_no_ranking() -> None:
    page = data(text_of("run", "html", report(network())))
    cases = page["tables"][page["main"]]
    at = [column["name"] for column in cases["columns"]].index("operator")
    for ranking in page["rankings"]:
        assert "_CachedOp" not in [cases["rows"][row["row"]][at] for row in ranking["rows"]]
    assert page["rankings"]


def test_a_chart_without_a_point_is_left_out() -> None:
    def titles(outcomes: list[Outcome]) -> set[str]:
        return {chart["title"] for chart in data(text_of("run", "html", report(outcomes)))["charts"]}

    both = titles([outcome(0)])
    assert both - titles([msgspec.structs.replace(outcome(0), backward=None)]) == {"Backward against forward"}


def test_networks_have_their_notes() -> None:
    lacking = msgspec.structs.replace(
        outcome(2), calls={"net": 3}, status=Status.SKIPPED, reason="no kernel", forward=None, backward=None
    )
    page = html.unescape(text_of("run", "html", report([*network(), *network("other"), lacking])))
    notes = re.findall(r"<li>(.*?)</li>", page)
    assert sum(note.startswith("net: forward: 7 of 10 calls measured") for note in notes) == 1
    assert not any(note.startswith("other: forward") for note in notes)
    assert sum(note.startswith("share:") for note in notes) == 1
