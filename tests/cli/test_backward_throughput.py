"""The work and the throughput of backward passes, from a run to its reports."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from autoperf.cli.main import autoperf
from autoperf.core.outcome import Outcome
from autoperf.reports.units import NONE
from tools.stored_run import read_run

QUICK = ("--draws", "0", "--input-profile", "small", "--samples", "2", "--warmup", "1", "--processes", "1")
COUNTED, UNCOUNTED, WITHOUT_GRADIENT = "FullyConnected", "_linalg_potrf", "argsort"


def reported(path: Path, *words: str) -> str:
    """The report of a run file."""
    result = CliRunner().invoke(autoperf, ["report", str(path), *words])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("backward") / "run.ndjson"
    operators = [word for name in (COUNTED, UNCOUNTED, WITHOUT_GRADIENT) for word in ("--operator", name)]
    command = [sys.executable, "-m", "autoperf", "run", *operators, *QUICK, "--run-file", str(path)]
    subprocess.run(command, capture_output=True, check=True)
    return path


@pytest.fixture(scope="module")
def outcomes(run_file: Path) -> dict[str, Outcome]:
    return {outcome.operator: outcome for outcome in read_run(run_file).outcomes}


def test_the_run_file_has_the_work_of_both_passes(outcomes: dict[str, Outcome]) -> None:
    counted = outcomes[COUNTED]
    assert counted.backward
    assert counted.backward.gradients == ("data", "weight", "bias")
    assert counted.backward_work
    assert counted.backward_work.flops == 2 * (2 * 32 * 32 * 32) + 32 * 32
    throughput = counted.backward.throughput
    assert throughput
    median = counted.backward.ranking_series()
    assert median
    assert throughput.gflop_per_s == pytest.approx(counted.backward_work.flops / median.median / 1e3)


def test_an_operator_without_a_formula_has_no_backward_figure(outcomes: dict[str, Outcome]) -> None:
    uncounted = outcomes[UNCOUNTED]
    assert uncounted.backward
    assert uncounted.backward.kernel_us
    assert uncounted.forward
    assert uncounted.forward.throughput
    assert not uncounted.backward.throughput
    assert not uncounted.backward_work
    assert outcomes[WITHOUT_GRADIENT].backward is None


def test_csv_has_the_columns_of_both_passes(run_file: Path) -> None:
    text = reported(run_file, "--format", "csv")
    rows = {row["operator"]: row for row in csv.DictReader(io.StringIO(text))}
    for name in ("gb_per_s", "gflop_per_s"):
        assert float(rows[COUNTED][f"backward_{name}"]) > 0
        assert rows[UNCOUNTED][f"backward_{name}"] == ""
    assert "backward_roofline" in rows[COUNTED]


def test_columns_of_the_backward_pass_can_be_asked_for(run_file: Path) -> None:
    text = reported(run_file, "--columns", "backward_flops,backward_bandwidth", "--sort", "-backward_flops")
    first, *others = (line.split() for line in text.splitlines() if line.startswith("  small"))
    assert NONE not in first
    assert [row[-2:] for row in others] == [[NONE, NONE]] * 2


def test_a_run_file_without_backward_work_is_read(run_file: Path, tmp_path: Path) -> None:
    """As earlier states of the source wrote it."""
    path = tmp_path / "old.ndjson"
    lines = [json.loads(line) for line in run_file.read_text().splitlines()]
    path.write_text("".join(f"{json.dumps(_without(line))}\n" for line in lines))
    run = read_run(path)
    assert [outcome.backward_work for outcome in run.outcomes] == [msgspec.UNSET] * 3
    assert "3 cases = 3 measured" in reported(path)


def _without(record: dict[str, object]) -> dict[str, object]:
    left = {key: value for key, value in record.items() if key != "backward_work"}
    backward = left.get("backward")
    if isinstance(backward, dict):
        left["backward"] = {key: value for key, value in backward.items() if key not in ("throughput", "gradients")}
    return left
