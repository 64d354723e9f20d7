"""How `run` measures: its precision, processors, callers and large tensors, end to end."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import statistics
from pathlib import Path

import pytest
from front_end_names import NEXT, package

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.releases import INSTALLED
from autoperf.core.clocks import KERNEL, WALL, Clock
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Series, Status
from autoperf.runs.run_reader import RunReader
from autoperf.stats.correction import ProbedSamples, at_reference, slope_of_figure
from tests.forked_program import Program
from tools.stored_run import read_run

SMALL = ("--operator", "exp", "--draws", "0", "--input-profile", "small")


def test_counts_are_exact_in_each_of_five_processes(program: Program, tmp_path: Path) -> None:
    output = tmp_path / "run.ndjson"
    program("run", *SMALL, "--warmup", "1", "--samples", "7", "--run-file", str(output))
    with RunReader(output) as reader:
        (outcome,) = reader
    for one in (outcome.forward, outcome.backward):
        for series in (one.kernel_us, one.wall_us):
            assert (series.count, series.processes, series.loops) == (35, (7,) * 5, 1)
            assert series.low <= series.median <= series.high


def test_without_counts_samples_are_taken_in_as_many_processes_as_asked_for(program: Program) -> None:
    done = program("run", *SMALL, "--processes", "2", "--max-time", "50ms", "--precision", "5%", "--format", "json")
    (outcome,) = json.loads(done.stdout)["outcomes"]
    for one in (outcome["forward"], outcome["backward"]):
        # As many again may time it where the first two disagree.
        assert 2 <= len(one["wall_us"]["processes"]) == len(one["kernel_us"]["processes"]) <= 4
        assert one["helpers_us"] >= 0
        assert one["kernel_us"]["loops"] in {1, 2, 4, 8, 16, 32, 64}
    settings = json.loads(done.stdout)["run"]["options"]["settings"]
    assert (settings["processes"], settings["max_time"], settings["precision"]) == (2, 0.05, 0.05)


def test_what_a_time_budget_does_not_hold_is_skipped_with_that_reason(program: Program, tmp_path: Path) -> None:
    output = tmp_path / "run.ndjson"
    done = program(
        "run", "--category", "sorting", "--input-profile", "small", "--time-budget", "2s", "--run-file", str(output)
    )
    assert "results: " in done.stderr
    with RunReader(output) as reader:
        outcomes = list(reader)
        assert reader.end is not None
        assert reader.end.asked == len(outcomes) == reader.end.measured + reader.end.skipped
    reasons = {one.reason for one in outcomes if one.status is Status.SKIPPED}
    assert reasons <= {"time budget of 2s ended before it"}
    operators = [one.operator for one in outcomes]
    assert operators[: len(set(operators))] != sorted(set(operators))


def test_the_processors_are_chosen_and_recorded(program: Program, tmp_path: Path) -> None:
    usable = sorted(os.sched_getaffinity(0))
    quick = (
        "run",
        "--operator",
        "exp",
        "--input-profile",
        "small",
        "--samples",
        "2",
        "--warmup",
        "0",
        "--processes",
        "1",
    )
    for asked, cpus in (("any", []), (str(usable[0]), [usable[0]]), (f"{usable[0]}-{usable[-1]}", usable)):
        done = program(*quick, "--cpus", asked, "--format", "json")
        header, (machine,) = (json.loads(done.stdout)[key] for key in ("run", "machines"))
        assert machine["environment"]["mxnet"]["cpus"] == cpus
        assert header["options"]["settings"]["cpus"] == cpus
    document = json.loads(program(*quick, "--format", "json").stdout)
    header, (machine,) = document["run"], document["machines"]
    assert header["options"]["settings"]["cpus"] is None
    assert len(machine["environment"]["mxnet"]["cpus"]) == machine["environment"]["mxnet"]["threads"]
    assert machine["reference"]["us"] > 0


@pytest.mark.parametrize("cpus", ["", "x", "3-1", "0,,1", "-1", "1-", "99999"])
def test_processors_that_are_none_are_refused(program: Program, cpus: str) -> None:
    done = program("run", "--operator", "exp", "--cpus", cpus)
    assert done.returncode == 2
    assert f"invalid processors {cpus!r}: expected 1, 2-3, 0,2 or any" in " ".join(done.stderr.split())


def test_a_processor_that_is_not_there_is_refused(program: Program) -> None:
    done = program("run", "--operator", "exp", "--cpus", "4095")
    assert done.returncode == 2
    assert "invalid cpus: processor 4095 isn't usable; expected some of" in done.stderr


def check_correction(row: dict[str, str], key: str, series: Series, clock: Clock, reference: Reference) -> None:
    """The figure follows from the stored samples and readings, by the slope that is fitted to them."""
    probes = series.probes or Probes((), ())
    slope = slope_of_figure(clock, ProbedSamples(series.samples, probes, series.processes), reference)
    assert float(row[f"{key}_slope"]) == slope
    used = at_reference(series.samples, probes, series.processes, reference, slope).samples
    assert float(row[f"{key}_median_us"]) == pytest.approx(statistics.median(used), abs=1e-3)
    assert float(row[f"{key}_uncorrected_us"]) == pytest.approx(statistics.median(series.samples), abs=1e-3)
    readings = (math.sqrt(before * after) for before, after in zip(probes.before, probes.after, strict=True))
    speed = statistics.median(readings) / reference.us
    assert float(row[f"{key}_speed"]) == pytest.approx(1 / speed, abs=1e-3)


@pytest.mark.parametrize(("operator", "profile"), [("exp", "small"), ("dot", "large")])
def test_figures_stand_at_reference_speed_beside_those_measured(
    operator: str, profile: str, program: Program, tmp_path: Path
) -> None:
    exact = ("--samples", "8", "--warmup", "0", "--processes", "2", "--draws", "0")
    file = tmp_path / "run.ndjson"
    done = program(
        "run", "--operator", operator, "--input-profile", profile, *exact, "--format", "csv", "--run-file", str(file)
    )
    (row,) = csv.DictReader(done.stdout.splitlines())
    run = read_run(file)
    forward = run.outcomes[0].forward
    for clock in (KERNEL, WALL):
        check_correction(row, f"forward_{clock.name}", forward.series(clock), clock, run.machines[0].reference)
        assert int(row[f"forward_{clock.name}_retaken"]) >= 0


@pytest.mark.parametrize("switch", ["on", "ON"])
def test_a_build_without_them_is_refused(program: Program, switch: str) -> None:
    done = program("run", "--operator", "abs", "--int64-tensor", switch)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--int64-tensor on needs a build with INT64_TENSOR_SIZE, such as MXNet 2.0.0b1" in done.stderr


def test_what_exceeds_the_memory_is_skipped_with_its_size(program: Program) -> None:
    limits = ("--memory-limit", "1GiB", "--processes", "1", "--format", "json")
    done = program("run", "--mxnet", "2.0.0b1", "--operator", "abs,_npi_ones", "--int64-tensor", "on", *limits)
    first, second = json.loads(done.stdout)["outcomes"]
    for outcome in (first, second):
        assert (outcome["status"], outcome["profile"]) == ("skipped", "int64")
        assert "bytes, more than the limit of 1,073,741,824 bytes" in outcome["reason"]


def test_options_of_other_inputs_are_refused(program: Program) -> None:
    for option in (("--draws", "3"), ("--input-profile", "small"), ("--input", "data=2x3"), ("--max-elements", "100")):
        done = program("run", "--operator", "abs", "--int64-tensor", "on", *option)
        assert done.returncode == 2
        assert f"--int64-tensor on has inputs of its own: leave out {option[0]}" in done.stderr


OF_CALLERS = ("--input-profile", "small", "--draws", "0", "--warmup", "1", "--samples", "6")
QUICK, ONE = (*OF_CALLERS, "--processes", "2"), (*OF_CALLERS, "--processes", "1")
# Functions of the operator's own name, and those that are written in Python: of two arrays, of an array and a number in
# both orders, of lists, of parameters alone, and of an array that is written.
FUNCTIONS = {
    "softmax": "mx.nd.softmax",
    "_npi_add": "mx.np.add",
    "_plus_scalar": "mx.nd.add",
    "_rminus_scalar": "mx.nd.subtract",
    "Concat": "mx.nd.Concat",
    "_npi_concatenate": "mx.np.concatenate",
    "_random_uniform": "mx.nd.random.uniform",
    "sgd_update": "mx.nd.sgd_update",
    "_contrib_box_iou": "mx.nd.contrib.box_iou",
    "_linalg_gemm2": "mx.nd.linalg.gemm2",
}


@pytest.fixture(scope="module")
def run_file(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all these functions."""
    path = tmp_path_factory.mktemp("caller") / "run.ndjson"
    done = program("run", "--operator", ",".join(FUNCTIONS), "--caller", "python", *QUICK, "--run-file", str(path))
    assert done.returncode == 0, done.stderr
    return path


def test_each_operator_is_called_by_its_function(program: Program, run_file: Path) -> None:
    report = json.loads(program("report", str(run_file), "--format", "json").stdout)
    outcomes = {outcome["operator"]: outcome for outcome in report["outcomes"]}
    assert {name: outcome["forward"].get("python_function") for name, outcome in outcomes.items()} == FUNCTIONS
    for outcome in outcomes.values():
        for run in filter(None, (outcome["forward"], outcome["backward"])):
            assert run["python_us"]["count"] == run["wall_us"]["count"] == 12
            assert run["python_us"]["median"] > 0


def test_the_difference_is_in_every_report(program: Program, run_file: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(program("report", str(run_file), "--format", "csv").stdout)))
    outcomes = json.loads(program("report", str(run_file), "--format", "json").stdout)["outcomes"]
    for row, outcome in zip(rows, outcomes, strict=True):
        cost = outcome["forward"]["front_end_us"]
        ends = ("front_end_low_us", "front_end_us", "front_end_high_us")
        assert [float(row[f"forward_{end}"]) for end in ends] == pytest.approx(
            [cost["low"], cost["median"], cost["high"]]
        )
        assert cost["low"] <= cost["median"] <= cost["high"]
    softmax = next(row for row in rows if row["operator"] == "softmax")
    assert softmax["python_function"] == "mx.nd.softmax"
    table = program("report", str(run_file), "--verbose").stdout
    assert "front end: what Python adds" in table
    assert "functions of MXNet's Python package (--columns python_function)" in " ".join(table.split())


def test_a_graph_has_no_function(program: Program) -> None:
    done = program("run", "--operator", "_foreach", "--caller", "python", *ONE, "--format", "json")
    assert done.returncode == 0, done.stderr
    for outcome in json.loads(done.stdout)["outcomes"]:
        assert "python_us" not in outcome["forward"]
        assert any("no function of MXNet's Python package" in note for note in outcome["forward"]["notes"])


def test_without_the_package_it_is_refused(program: Program) -> None:
    done = program("run", "--mxnet", "2.0.0b1", "--operator", "exp", "--caller", "python", *ONE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--caller python needs MXNet's Python package beside" in done.stderr.splitlines()[-1]
    assert "autoperf releases install --package 2.0.0b1" in done.stderr
    assert "results:" not in done.stderr


def test_a_package_that_cannot_be_imported_is_refused(program: Program, tmp_path: Path) -> None:
    for library in find_library(INSTALLED).parent.glob("*.so*"):
        os.link(library, tmp_path / library.name)
    (tmp_path / "__init__.py").write_text("import no_such_module")
    done = program("run", "--mxnet", str(tmp_path), "--operator", "exp", "--caller", "python", *ONE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "can't be imported: ModuleNotFoundError: No module named 'no_such_module'" in done.stderr.splitlines()[-1]


@pytest.mark.nightly
def test_two_sides_are_compared_by_it(program: Program) -> None:
    sides = ("--env", "A:SOME=1", "--env", "B:SOME=2", "--operator", "exp", *ONE)
    done = program("compare", *sides, "--clock", "python", "--format", "csv")
    assert done.returncode in (0, 1, 3), done.stderr
    assert {row["clock"] for row in csv.DictReader(io.StringIO(done.stdout))} == {"python"}


@pytest.mark.nightly
def test_a_run_is_resumed_with_it(program: Program, run_file: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.ndjson"
    cut.write_text("".join(run_file.read_text().splitlines(keepends=True)[:3]))
    done = program("run", "--resume", str(cut), "--caller", "python", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert all(float(row["forward_python_median_us"]) > 0 for row in csv.DictReader(io.StringIO(done.stdout)))


@pytest.mark.nightly
def test_functions_of_the_next_release_are_called(program: Program) -> None:
    """The whole package of 2.0.0b1 is fetched; whole numbers that its mx.np is given as floats would crash it."""
    functions = {
        "softmax": "mx.nd.softmax",
        "_npi_add": "mx.np.add",
        "_npi_bitwise_left_shift_scalar": "mx.np.bitwise_left_shift",
        "_npx_relu": "mx.npx.relu",
        "Convolution": "mx.nd.Convolution",
    }
    with package(NEXT) as home:
        done = program(
            "run", "--mxnet", str(home), "--operator", ",".join(functions), "--caller", "python", *QUICK,
            "--format", "json",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)["outcomes"]
    assert {outcome["operator"]: outcome["forward"].get("python_function") for outcome in outcomes} == functions
