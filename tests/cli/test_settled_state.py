"""What runs report: figures of the settled state, work and throughput of backward passes, known limits."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from autoperf.cli.main import autoperf
from autoperf.core.errors import Exit
from autoperf.core.outcome import FigureWarning, Outcome, Pass, Status
from autoperf.measurement.scratch import FAULT_NS, KEEP_MEMORY, NEGLIGIBLE
from autoperf.reports.units import NONE
from autoperf.runs.run_reader import RunReader
from tests.forked_program import Program
from tools.stored_run import read_run

LOOP = Path(__file__).parents[2] / "benches" / "plain_calls.py"
OPERATORS = ("exp", "relu", "softmax", "sigmoid", "broadcast_add")
ANY_SPEED = "1e9"
PAGES_OF_8_MIB = 2048
# glibc gives each block of this size back to Linux at the end of a call, for good.
MAPPED = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


def passes(outcome: Outcome) -> Iterator[Pass]:
    return (run for run in (outcome.forward, outcome.backward) if run)


@pytest.fixture
def large(program: Program, tmp_path: Path) -> Path:
    words = [word for name in OPERATORS for word in ("--operator", name)]
    program("generate", *words, "--draws", "0", "--input-profile", "large", "--folder", str(tmp_path / "suite"))
    return tmp_path / "suite" / "cases.ndjson"


@pytest.mark.nightly
def test_large_calls_take_no_more_fresh_memory_than_a_plain_loop(
    program: Program, large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "run.ndjson"
    program("run", "--cases", str(large), "--processes", "2", "--max-time", "50ms", "--run-file", str(output))
    for name, value in KEEP_MEMORY.items():
        monkeypatch.setenv(name, value)
    with RunReader(output) as reader:
        outcomes = list(reader)
    assert {outcome.operator for outcome in outcomes} == set(OPERATORS)
    for outcome in outcomes:
        command = [sys.executable, str(LOOP), str(large), outcome.case, ANY_SPEED, "", outcome.operator, ""]
        looped = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        assert looped["settled"]
        for run in passes(outcome):
            assert run.wall_us
            assert FigureWarning.UNSETTLED not in run.wall_us.warnings
            # A fault takes a microsecond: the median is changed by 1% of itself at most, as in the loop.
            assert run.faults * FAULT_NS / 1000 <= NEGLIGIBLE * run.wall_us.median
        assert outcome.forward
        assert outcome.forward.first_us


@pytest.mark.parametrize(("warmup", "warned"), [((), False), (("--warmup", "1", "--samples", "3"), True)])
def test_what_takes_fresh_memory_for_good_is_its_time_unless_the_warm_up_was_too_short_to_know(
    program: Program, tmp_path: Path, warmup: tuple[str, ...], *, warned: bool
) -> None:
    output = tmp_path / "run.ndjson"
    selection = ("--operator", "relu", "--input", "data=32x16x64x64", "--processes", "1", "--max-time", "50ms")
    done = program("run", *selection, *warmup, "--run-file", str(output), env=MAPPED)
    with RunReader(output) as reader:
        (outcome,) = reader
    assert outcome.forward
    assert outcome.forward.wall_us
    assert outcome.forward.faults >= PAGES_OF_8_MIB
    assert min(outcome.forward.wall_us.faults) >= PAGES_OF_8_MIB
    assert (FigureWarning.UNSETTLED in outcome.forward.wall_us.warnings) == warned
    assert ("u unsettled" in done.stdout) == warned


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


UNWARMED = ("--warmup", "0", "--samples", "2", "--processes")
RULE = """
from autoperf.rules.rule import inputs, rule, tensor

@rule("_contrib_fft", category="unary", canonical={{"small": inputs(data=tensor(4, 4))}}, limits={limits})
def fft(draw, spec):
    return inputs(data=tensor(3, 3))
"""


@pytest.mark.parametrize("visits", [("1",), ("2", "--visits", "2")])
def test_a_failure_by_the_words_of_a_limit_is_skipped(
    program: Program, tmp_path: Path, visits: tuple[str, ...]
) -> None:
    rules, file = tmp_path / "rules.py", tmp_path / "run.ndjson"
    chosen = ("--operator", "_contrib_fft", "--operator", "exp", "--input-profile", "small", "--rules", str(rules))
    rules.write_text(RULE.format(limits={"other words": "another limit"}))
    assert program("run", *chosen, *UNWARMED, *visits, "--run-file", str(file)).returncode == Exit.FINDING
    assert [one.status for one in read_run(file).outcomes] == [Status.FAILED, Status.MEASURED]
    file.unlink()
    rules.write_text(RULE.format(limits={"only available for GPU": "there is no GPU"}))
    done = program("run", *chosen, *UNWARMED, *visits, "--run-file", str(file))
    assert done.returncode == Exit.FINE, done.stderr
    assert "2 cases = 1 measured + 1 skipped + 0 failed" in done.stdout
    skipped = read_run(file).outcomes[0]
    assert skipped.status is Status.SKIPPED
    assert skipped.reason == "a known limit on this processor: there is no GPU: fft is only available for GPU"


def test_a_quantized_recurrent_layer_is_no_finding_on_any_processor(program: Program) -> None:
    chosen = ("--operator", "_contrib_quantized_rnn", "--operator", "exp", "--input-profile", "small")
    for env in ({}, {"DNNL_MAX_CPU_ISA": "AVX512_CORE"}):
        done = program("run", *chosen, *UNWARMED, "1", env=env)
        assert done.returncode == Exit.FINE, done.stdout
        assert "+ 0 failed + 0 crashed + 0 timeout" in done.stdout
    assert "2 cases = 2 measured" in done.stdout
