"""The commands end to end, on the real MXNet."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.core.outcome import Status
from tests import values
from tests.forked_program import Program
from tools.stored_run import read_run

EXACT = ("--warmup", "1", "--samples", "3", "--processes", "1")
QUICK = (*EXACT, "--draws", "1")
SMALL = ("--operator", "exp", "--input-profile", "small")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_help_and_version_load_nothing_heavy(program: Program) -> None:
    script = (
        "import sys; from autoperf.cli.main import run; run(['--help']); "
        "heavy = {'numpy', 'hypothesis', 'jinja2', 'rich', 'mxnet'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert program("--version").stdout.startswith("autoperf, version")


def test_a_run_starts_without_what_takes_long_to_import() -> None:
    """scipy.stats takes a second; scipy.special has the same functions."""
    script = (
        "import sys; import autoperf.cli.run, autoperf.front.run_output, autoperf.measurement.run_session; "
        "sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_run_starts_without_the_plugins_of_hypothesis(tmp_path: Path) -> None:
    folder = tmp_path / "plugin-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[hypothesis]\nplugin = absent_plugin\n")
    command = [sys.executable, "-m", "autoperf", "run", "--operator", "no_such_operator"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    del env["HYPOTHESIS_NO_PLUGINS"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert "absent_plugin" not in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize("stored", ["base-2.ndjson", "hunt"])
def test_a_report_of_stored_results_needs_nothing_that_measures(stored: str) -> None:
    script = (
        "import sys; from autoperf.cli.main import run; code = run(['report', sys.argv[1]]); "
        "heavy = {'hypothesis', 'scipy', 'autoperf.measurement', 'autoperf.backends'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else code)"
    )
    arguments = [sys.executable, "-c", script, str(Path(__file__).parents[1] / "data" / "stored" / stored)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_discover_accounts_for_every_name(program: Program) -> None:
    found = json.loads(program("discover", "--format", "json").stdout)
    total = found["summary"]
    assert (found["mxnet"], found["names"], total["registered"]) == ("1.9.1", 1167, 1167)
    assert total["canonical"] + total["alias"] == total["registered"]
    assert total["backward"] + total["forward"] == total["canonical"] == 886
    assert total["covered"] + total["uncovered"] + total["excluded"] == total["forward"] == 611
    assert len(found["operators"]) == 611
    assert total["covered"] >= 400
    for operator in found["operators"]:
        assert operator["rule"] if operator["status"] == "covered" else operator["reason"]


def test_discover_finds_out_once_which_dtypes_an_operator_takes(program: Program, tmp_path: Path) -> None:
    env = {"AUTOPERF_CACHE": str(tmp_path)}
    category = ("discover", "--category", "sorting", "--format", "json")

    def dtypes(*command: str) -> dict[str, Any]:
        rows = json.loads(program(*command, env=env).stdout)["operators"]
        return {row["name"]: row["dtypes"] for row in rows}

    assert set(map(str, dtypes(*category).values())) == {"None"}
    asked = dtypes(*category, "--test-dtypes")
    assert None not in asked.values()
    assert asked["sort"]["taken"] == ["float32", "float64", "int8", "uint8", "int32", "int64"]
    assert "does not support float16" in asked["sort"]["refused"]["float16"]
    assert dtypes(*category) == asked
    listed = program("discover", "--operator", "cumsum", env=env).stdout
    assert "takes float16, float32" in listed


def test_discover_names_the_backward_kernels_that_mxnet_runs(program: Program) -> None:
    names = ["BatchNorm", "negative", "Reshape", "argmax", "exp"]
    options = [word for name in names for word in ("--operator", name)]
    rows = json.loads(program("discover", "--format", "json", *options).stdout)["operators"]
    kernels = {row["name"]: (row["differentiable"], row["backward_kernels"]) for row in rows}
    assert kernels["BatchNorm"] == (True, ["_backward_BatchNorm"])
    assert kernels["negative"] == (True, ["negative"])
    assert kernels["Reshape"] == (True, ["_backward_reshape"])
    assert kernels["argmax"] == (False, [])
    assert kernels["exp"][0]


def test_a_seed_gives_the_same_tree_in_any_process_and_another_seed_another(program: Program, tmp_path: Path) -> None:
    for name, seed, hash_seed in (("a", "42", "1"), ("b", "42", "2"), ("c", "43", "1")):
        options = ("--category", "sorting", "--folder", str(tmp_path / name))
        done = program("generate", "--seed", seed, *options, env={"PYTHONHASHSEED": hash_seed})
        assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "a") == tree(tmp_path / "b") != tree(tmp_path / "c")


@pytest.fixture(scope="module")
def done(program: Program, tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A run of two operators, and its run file."""
    file = tmp_path_factory.mktemp("run") / "run.ndjson"
    operators = (
        "--operator",
        "softmax",
        "--operator",
        "sgd_mom_update",
        "--input-profile",
        "small",
        "--input-profile",
        "drawn",
    )
    return program("run", *operators, *QUICK, "--run-file", str(file)), file


def test_run_writes_what_it_shows(done: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    ended, file = done
    assert ended.returncode == 0, ended.stderr
    run = read_run(file)
    assert run.end
    assert run.end.asked == run.end.measured == len(run.outcomes)
    assert {outcome.operator for outcome in run.outcomes} == {"softmax", "sgd_mom_update"}
    for outcome in run.outcomes:
        assert outcome.forward
        assert outcome.forward.kernel_us
        assert outcome.forward.wall_us
        assert outcome.forward.kernel_us.count == len(outcome.forward.wall_us.samples) == 3
        assert (outcome.backward is not None) == (outcome.operator == "softmax")
    assert "softmax" in ended.stdout
    assert f"{run.end.asked} cases = {run.end.measured} measured" in ended.stdout


def test_the_run_file_keeps_the_contract(done: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    header, machine, *outcomes, end = map(json.loads, done[1].read_text().splitlines())
    assert (header["type"], header["version"], machine["type"], end["type"]) == ("run", 5, "machine", "end")
    assert {outcome["machine"] for outcome in outcomes} == {machine["id"]}
    keys = {"type", "case", "operator", "category", "status", "reason", "inputs", "forward", "backward", "memory"}
    statistics = {"mean", "median", "p50", "p90", "p99", "min", "max", "std", "samples"}
    for outcome in outcomes:
        assert keys <= set(outcome)
        assert outcome["type"] == "outcome"
        for clock in ("kernel_us", "wall_us"):
            assert statistics <= set(outcome["forward"][clock])


@pytest.mark.parametrize(
    "form", ["table", "json", *(pytest.param(form, marks=pytest.mark.nightly) for form in ("csv", "md"))]
)
def test_report_shows_a_run_again(program: Program, tmp_path: Path, form: str) -> None:
    file = tmp_path / "run.ndjson"
    shown = program("run", *SMALL, *QUICK, "--run-file", str(file), "--format", form).stdout
    again = program("report", str(file), "--format", form)
    assert again.returncode == 0
    assert "exp" in shown
    assert again.stdout == shown
    if form == "json":
        assert len(json.loads(again.stdout)["outcomes"]) == len(read_run(file).outcomes)


def test_figures_that_cannot_be_are_no_reference(program: Program, tmp_path: Path) -> None:
    """A file that somebody has edited, with other processes than its samples came from: that line is left out."""
    file = values.write_run(tmp_path / "run.ndjson", [values.outcome(0, values.passed(values.steady(10.0)))])
    text = file.read_text()
    assert '"processes":[' in text
    file.write_text(text.replace('"processes":[', '"processes":[7,', 1))
    done = program("report", str(file), "--format", "baseline")
    assert "exp/00000000" not in done.stdout
    assert "line 3: " in done.stderr
    assert "invalid counts (7, 3, 3, 3) of samples by process: expected a sum of " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_rendered_file_measures_itself_and_replays(program: Program, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    program("generate", "--operator", "Convolution", "--draws", "1", "--input-profile", "small", "--folder", str(suite))
    file = suite / "convolution" / "Convolution.py"
    exact = ("--samples", "2", "--warmup", "0", "--processes", "1", "--format", "json")
    done = subprocess.run([sys.executable, str(file), *exact], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    alone = json.loads(done.stdout)["outcomes"]
    replayed = program("run", "--cases", str(suite / "cases.ndjson"), *exact)
    assert [one["case"] for one in alone] == [one["case"] for one in json.loads(replayed.stdout)["outcomes"]]
    assert all(one["status"] == "measured" for one in alone)


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    options = ("--category", "trigonometric", "--draws", "0", "--max-time", "50ms", "--processes", "1")
    command = [sys.executable, "-m", "autoperf", "run", *options, "--run-file", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not file.exists() or file.read_bytes().count(b"\n") < 4:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted" in errors
    assert "Traceback" not in errors
    run = read_run(file)
    assert run.end
    assert not run.end.complete
    assert run.end.measured == len(run.outcomes) >= 2


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_changes_no_figure(tmp_path: Path, closed: str) -> None:
    file = tmp_path / "run.ndjson"
    options = " ".join((*SMALL, *EXACT, "--draws", "0"))
    command = f"{sys.executable} -m autoperf run {options} --run-file {file} {closed}"
    assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode == 0
    outcome = read_run(file).outcomes[0]
    assert outcome.backward
    assert not outcome.reason


def test_a_reader_that_leaves_does_not_end_the_run(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    options = " ".join((*SMALL, *EXACT))
    command = f"{sys.executable} -m autoperf run {options} --run-file {file} 2>&1 | head -c 1"
    subprocess.run(["sh", "-c", command], capture_output=True, check=True)
    run = read_run(file)
    assert run.end
    assert run.end.complete


def test_a_case_that_crashes_costs_one_case_and_is_a_finding(program: Program, tmp_path: Path) -> None:
    suite = tmp_path / "suite.py"
    suite.write_text(
        "from autoperf.bench import Suite, case, integers, tensor\n"
        'SUITE = Suite(operator="SequenceLast", category="sequence")\n'
        "@case()\ndef far_out():\n"
        "    lengths = tensor((2,), 'float32', integers(10**7, 10**8))\n"
        "    return dict(data=tensor((4, 2, 3)), sequence_length=lengths, use_sequence_length=True)\n"
        "@case()\ndef good():\n"
        "    lengths = tensor((2,), 'float32', integers(1, 4))\n"
        "    return dict(data=tensor((4, 2, 3)), sequence_length=lengths, use_sequence_length=True)\n"
    )
    file = tmp_path / "run.ndjson"
    done = program("run", "--cases", str(suite), *EXACT, "--run-file", str(file))
    assert done.returncode == 1
    assert [outcome.status for outcome in read_run(file).outcomes] == [Status.CRASHED, Status.MEASURED]


def test_timeouts_are_results_even_where_nothing_was_measured(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    options = (*SMALL, "--draws", "0", "--dtype", "float64", "--processes", "1", "--timeout", "0.0001")
    done = program("run", *options, "--run-file", str(file))
    assert done.returncode == 1
    assert [outcome.status for outcome in read_run(file).outcomes] == [Status.TIMEOUT]


def test_an_operator_without_a_rule_is_skipped_with_its_reason(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    done = program("run", "--operator", "_contrib_fft", *SMALL, *QUICK, "--run-file", str(file))
    assert done.returncode == 0
    skipped = [outcome for outcome in read_run(file).outcomes if outcome.status is Status.SKIPPED]
    assert [outcome.operator for outcome in skipped] == ["_contrib_fft"]
    assert "GPU" in skipped[0].reason


def test_doctor_says_what_it_looked_at(program: Program) -> None:
    done = program("doctor", "--format", "json")
    assert done.returncode == 0
    checks = {check["name"] for check in json.loads(done.stdout)["checks"]}
    assert {"Python", "NumPy", "MXNet", "threads", "frequency governor", "load", "memory", "roofline"} <= checks


def test_doctor_remembers_what_the_machine_can_do(program: Program) -> None:
    first = program("doctor", "--calibrate", "--format", "json")
    assert "measuring the roofline of this machine" in first.stderr
    again = program("doctor", "--format", "json")
    assert again.stderr == ""
    measured, remembered = (json.loads(done.stdout)["roofline"] for done in (first, again))
    assert remembered == {**measured, "cached": True}


def test_doctor_says_why_a_roofline_cannot_be_measured(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    done = program("doctor", "--format", "json")
    found = json.loads(done.stdout)
    assert found["roofline"] is None
    (check,) = [check for check in found["checks"] if check["name"] == "roofline"]
    assert (check["status"], check["finding"]) == ("warning", "can't be measured")
    assert "invalid OMP_NUM_THREADS 'many': expected a number of threads" in check["advice"]


def test_every_command_and_option_has_help(program: Program) -> None:
    for command in ("discover", "generate", "run", "report", "doctor"):
        done = program(command, "--help")
        assert done.returncode == 0
        assert "Usage" in done.stdout


def test_the_reader_of_a_run_gets_structs_back(done: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    outcome = read_run(done[1]).outcomes[0]
    assert msgspec.json.decode(msgspec.json.encode(outcome), type=type(outcome)) == outcome
