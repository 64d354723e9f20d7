"""`autoperf capture`, and what the other commands make of its file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import autoperf
from autoperf.core.errors import Exit
from autoperf.core.graph import NETWORK, NETWORK_MODES
from tests.forked_program import Program
from tests.networks.network_values import TWO_LAYERS, Node, symbol_file
from tests.values import stored_cases

QUICK = ("--samples", "2", "--warmup", "0", "--processes", "1")
RATES = ("gflop_per_s", "gb_per_s")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("networks")


@pytest.fixture
def cases(program: Program, folder: Path) -> Path:
    """The cases of a training pass of a small network; written once."""
    path = folder / "small.ndjson"
    if not path.exists():
        symbol = symbol_file(folder, TWO_LAYERS)
        done = program(
            "capture", str(symbol), "--input", "data=Nx4", "--batch", "8", "--train", "--cases-file", str(path)
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [
            "small, batch 8, training: 4 calls, 2 distinct calls of 2 operators",
            f"{path}: run it with `autoperf run --cases {path}`",
        ]
    return path


@pytest.fixture
def run_file(program: Program, folder: Path, cases: Path) -> Path:
    path = folder / "run.ndjson"
    if not path.exists():
        done = program("run", "--cases", str(cases), *QUICK, "--run-file", str(path))
        assert done.returncode == 0, done.stderr
    return path


def test_a_run_ranks_calls_and_adds_them_up(program: Program, run_file: Path) -> None:
    shown = program("report", str(run_file)).stdout
    assert shown.startswith("small, batch 8, training\n")
    titles = re.findall(r"^(?:forward|backward) by \w+", shown, re.MULTILINE)
    assert titles == [f"{name} by {rows}" for name in ("forward", "backward") for rows in ("operator", "mode", "call")]
    for mode in ("imperative", "hybridized", "static"):
        assert len(re.findall(rf"^  {mode}  .* us", shown, re.MULTILINE)) == 2
    assert "FullyConnected first" in shown
    assert "5 cases = 5 measured" in shown


def test_json_has_the_networks(program: Program, run_file: Path) -> None:
    report = json.loads(program("report", str(run_file), "--format", "json").stdout)
    (network,) = report["networks"]
    assert network["network"] == "small, batch 8, training"
    calls = {(entry["operator"], entry["calls"]) for entry in network["operators"] if entry["calls"]}
    assert sorted(calls) == [
        ("Activation", 2),
        ("FullyConnected", 2),
    ]
    for entry in (*network["operators"], *network["calls"]):
        assert not entry["calls"] or all(entry[rate] > 0 for rate in RATES)
    assert [(time["pass"], time["mode"]) for time in network["modes"]] == [
        (name, way) for name in ("forward", "backward") for way in ("imperative", "hybridized", "static")
    ]
    for time in network["modes"]:
        parts = [row[f"{time['mode']}_us"] or 0.0 for row in network["operators"] if row["pass"] == time["pass"]]
        assert sum(parts) == pytest.approx(max(time["wall_us"], time["kernels_us"] + time["helpers_us"]))
    assert {"work" in outcome for outcome in report["outcomes"] if outcome["category"] == "network"} == {False}
    (first,) = (outcome for outcome in report["outcomes"] if outcome["profile"] == "first")
    assert first["calls"] == {"small, batch 8, training": 2}


def test_markdown_has_the_tables(program: Program, run_file: Path) -> None:
    shown = program("report", str(run_file), "--format", "md").stdout
    assert shown.startswith("**small, batch 8, training: of ")
    assert "## small, batch 8, training\n\n### forward by operator, slowest hybridized first (4 calls)\n" in shown
    assert "\n| hybridized |" in shown


def test_a_page_has_the_tables(program: Program, run_file: Path) -> None:
    page = program("report", str(run_file), "--format", "html").stdout
    for title in ("forward by operator", "backward by call", "forward by mode"):
        assert f"small, batch 8, training: {title}" in page


def test_columns_and_sorting_are_of_plain_cases(program: Program, run_file: Path) -> None:
    words = ("--columns", "calls,forward_total", "--sort", "-forward_total")
    shown = program("report", str(run_file), *words).stdout
    assert "by operator" not in shown
    assert "by -forward_total" in shown
    header = program("report", str(run_file), "--format", "csv").stdout.splitlines()[0]
    assert {"calls", "forward_total_us", "backward_total_us"} <= set(header.split(","))


def test_a_limit_says_what_it_leaves_out(program: Program, run_file: Path) -> None:
    shown = program("report", str(run_file), "--limit", "1").stdout
    assert re.search(r"1 further call with \d+(\.\d)?% of the time alone; --limit sets how many are listed", shown)


def test_inference_has_no_backward_pass(program: Program, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "inference.ndjson"
    symbol = symbol_file(tmp_path, TWO_LAYERS)
    assert program("capture", str(symbol), "--input", "data=2x4", "--cases-file", str(path)).returncode == 0
    done = program("run", "--cases", str(path), *QUICK, "--format", "json", "--run-file", str(tmp_path / "run.ndjson"))
    outcomes = json.loads(done.stdout)["outcomes"]
    assert {outcome["status"] for outcome in outcomes} == {"measured"}
    assert {outcome["backward"] for outcome in outcomes} == {None}
    (fused,) = (outcome for outcome in outcomes if outcome["profile"] == "fused")
    assert set(fused["forward"]["kernels"]) == {"_sg_mkldnn_fully_connected"}


def test_a_hunt_needs_calls(program: Program, cases: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    done = program(
        "hunt", "--cases", str(cases), "--input-profile", "static", "--time-budget", "5s", "--folder", str(folder)
    )
    assert (done.returncode, done.stdout) == (Exit.USER_MISTAKE, "")
    assert f"nothing to search in {cases}: none of the selected cases is a call" in done.stderr
    assert not folder.exists()


def test_a_run_refuses_different_networks_of_one_name(program: Program, tmp_path: Path) -> None:
    symbol = symbol_file(tmp_path, TWO_LAYERS)
    paths = [tmp_path / "2.ndjson", tmp_path / "3.ndjson"]
    for path in paths:
        assert (
            program("capture", str(symbol), "--input", f"data={path.stem}x4", "--cases-file", str(path)).returncode == 0
        )
    done = program("run", *(word for path in paths for word in ("--cases", str(path))), *QUICK)
    assert done.returncode == Exit.USER_MISTAKE
    assert f"{paths[0]} and {paths[1]} have different networks with the name 'small'" in done.stderr


def test_a_selection_has_no_shares_and_says_what_is_missing(program: Program, cases: Path, tmp_path: Path) -> None:
    words = ("run", "--cases", str(cases), *QUICK, "--run-file", str(tmp_path / "run.ndjson"))
    shown = program(*words, "--operator", "Activation").stdout
    assert shown.startswith("small, batch 8, training\n")
    assert "forward: 2 of 4 calls measured; the others were not captured, selected or measured" in shown
    assert not re.search(r"\bshare\b", shown)
    report = json.loads(program("report", str(tmp_path / "run.ndjson"), "--format", "json").stdout)
    (network,) = report["networks"]
    assert (network["made"], network["without_time"]) == (4, {"forward": 2, "backward": 2})
    assert [call["share"] for call in network["calls"]] == [None, None]


def test_a_hunt_tries_the_calls(program: Program, cases: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    words = ("--operator", "Activation", "--time-budget", "1s", "--folder", str(folder), "--format", "json")
    done = program("hunt", "--cases", str(cases), *words)
    assert done.returncode in (Exit.FINE, Exit.FINDING), done.stderr
    (activation,) = (case for case in stored_cases(cases) if case.operator == "Activation")
    assert activation.id in (folder / "log.ndjson").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nosuch.json",), "can't read "),
        (("net.py",), "expected net.py:FUNCTION"),
        (("resnet18_v1", "--batch", "0"), "invalid batch sizes '0'"),
        (("resnet18_v1", "--batch", "2,2"), "expected numbers from 1 to 999,999, each once"),
        (("resnet18_v1", "--batch", "99999999999"), "expected numbers from 1 to 999,999, each once"),
        (("resnet18_v1", "--input", "data"), "invalid --input 'data': expected NAME=SHAPE"),
        (("resnet18_v1", "--mxnet", "0.1"), "0.1"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    program: Program, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "cases.ndjson"
    done = program("capture", *words, "--cases-file", str(path))
    assert done.returncode == Exit.USER_MISTAKE
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not path.exists()


def test_the_next_command_can_be_pasted(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "my net.ndjson"
    symbol = symbol_file(tmp_path, TWO_LAYERS)
    done = program("capture", str(symbol), "--input", "data=2x4", "--cases-file", str(path))
    assert f"run it with `autoperf run --cases '{path}'`" in done.stdout


def test_sizes_in_turn_have_no_calls_and_what_parameters_lack_is_told(program: Program, tmp_path: Path) -> None:
    symbol, stored = symbol_file(tmp_path, TWO_LAYERS), tmp_path / "net.params"
    with stored.open("wb") as file:
        np.savez(file, **{"first/weight": np.array([[1.0, 2.0, 3.0, 4.0]] * 4, "float32")})
    words = ("--input", "data=Nx4", "--batch", "2,3", "--in-turn", "--params-file", str(stored))
    done = program("capture", str(symbol), *words, "--cases-file", str(tmp_path / "cases.ndjson"))
    assert done.stdout.splitlines()[2] == "small, batch 2,3 in turn: 8 calls, none by itself"
    assert done.stderr.count("has none of 3 of 4 parameters (bias, second/weight, second/bias), which are drawn") == 1


def test_an_existing_file_is_kept(program: Program, cases: Path, folder: Path) -> None:
    before = cases.read_bytes()
    done = program("capture", str(folder / "small-symbol.json"), "--input", "data=2x4", "--cases-file", str(cases))
    assert done.returncode == Exit.USER_MISTAKE
    assert cases.read_bytes() == before


@pytest.mark.nightly
def test_a_network_of_twenty_five_thousand_nodes_is_measured(program: Program, tmp_path: Path) -> None:
    nodes: list[Node] = [("null", "data", [], {})]
    for number in range(8350):
        before, weight = len(nodes) - 1, len(nodes)
        nodes += [
            ("null", f"w{number}", [], {"__shape__": "(1, 4)"}),
            ("broadcast_mul", f"product{number}", [(before, 0), (weight, 0)], {}),
            ("relu", f"bent{number}", [(weight + 1, 0)], {}),
            ("elemwise_add", f"sum{number}", [(weight + 2, 0), (weight + 1, 0)], {}),
        ]
    source = symbol_file(tmp_path, nodes)
    cases, run = tmp_path / "cases.ndjson", tmp_path / "run.ndjson"
    program("capture", str(source), "--input", "data=2x4", "--cases-file", str(cases))
    program("run", "--cases", str(cases), "--processes", "1", "--max-time", "50ms", "--run-file", str(run))
    whole = {each.profile: each.status.value for each in autoperf.load(run) if each.category == NETWORK}
    assert whole == dict.fromkeys(NETWORK_MODES, "measured")
