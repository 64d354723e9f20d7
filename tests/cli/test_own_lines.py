"""A user's own implementations by --rules: run, compared, resumed, checked by MXNet's results, and listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from tests.forked_program import Program
from tests.installed_frameworks import require
from tools.stored_run import read_run

SMALL = ("--input-profile", "small", "--draws", "0")
QUICK = ("--warmup", "1", "--samples", "3", "--processes", "1")
HEAD = "from autoperf.implementations.implementation import line\n\n"


def write(folder: Path, *lines: str) -> tuple[str, ...]:
    """A file of lines, and the option that names it."""
    file = folder / "mine.py"
    file.write_text(HEAD + f"LINES = [{', '.join(lines)}]\n")
    return ("--rules", str(file))


def test_an_own_line_computes_the_operator_and_the_case_has_its_note(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path, "line('exp', numpy='np.exp(data * 1)', note='times one')")
    file = tmp_path / "run.ndjson"
    done = program("run", "--framework", "numpy", "--operator", "exp", *rules, *SMALL, *QUICK, "--run-file", str(file))
    assert done.returncode == 0, done.stderr
    (outcome,) = read_run(file).outcomes
    assert outcome.forward.notes[0] == "times one"
    assert "note: forward: times one" in done.stdout


def reason_of_failure(program: Program, folder: Path, line: str) -> str:
    """The reason of the one case of `exp`, which fails by this line."""
    file = folder / "run.ndjson"
    rules = write(folder, line)
    done = program("run", "--framework", "numpy", "--operator", "exp", *rules, *SMALL, *QUICK, "--run-file", str(file))
    assert done.returncode == 1
    (outcome,) = read_run(file).outcomes
    assert outcome.status is Status.FAILED
    return outcome.reason


def test_a_wrong_line_is_caught_and_not_timed(program: Program, tmp_path: Path) -> None:
    reason = reason_of_failure(program, tmp_path, "line('exp', numpy='np.exp2(data)')")
    assert reason.startswith("the results differ: output: largest error ")
    assert reason.endswith("computed by np.exp2(data)")


def test_a_line_without_a_result_is_told(program: Program, tmp_path: Path) -> None:
    reason = reason_of_failure(program, tmp_path, "line('exp', numpy='print(data.size)')")
    assert "a result of the expression is of type NoneType; expected an array of NumPy" in reason


def test_a_condition_that_fails_costs_its_cases(program: Program, tmp_path: Path) -> None:
    reason = reason_of_failure(program, tmp_path, "line('exp', numpy='np.exp(data)', when='max() > 1')")
    assert "line 3: its condition: TypeError: max expected at least 1 argument" in reason


def test_a_run_with_own_lines_is_resumed_if_they_are_named_and_unchanged(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path, "line('exp', numpy='np.exp(data)')")
    file = tmp_path / "run.ndjson"
    command = ("run", "--framework", "numpy", "--operator", "exp", *rules, *SMALL, *QUICK, "--run-file", str(file))
    assert program(*command).returncode == 0
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    refused = program("run", "--resume", str(file))
    assert refused.returncode == 2
    assert f"names code that its resume would run: --rules {rules[1]}" in refused.stderr
    Path(rules[1]).write_text(HEAD + "LINES = [line('exp', numpy='np.exp2(data)')]\n")
    changed = program("run", "--resume", str(file), *rules)
    assert changed.returncode == 2
    assert "has changed since the run began" in changed.stderr
    write(tmp_path, "line('exp', numpy='np.exp(data)')")
    assert program("run", "--resume", str(file), *rules).returncode == 0
    assert len(read_run(file).outcomes) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("line('exp', numpy='np.exp(')", "line 3: invalid expression 'np.exp('"),
        ("line('exp', numpy='np.exp(data)'), 7", "LINES: 7 is no line"),
        ("line('exp', cupy='cp.exp(data)')", "line 3: unknown framework or field of a line 'cupy'"),
        (
            "line('exp', numpy='np.exp(date)')",
            "line 3: unknown name in the NumPy expression of exp 'date'; did you mean ",
        ),
    ],
)
def test_a_mistake_ends_with_file_and_line(program: Program, tmp_path: Path, text: str, words: str) -> None:
    rules = write(tmp_path, text)
    done = program("run", "--framework", "numpy", "--operator", "exp", *rules, *SMALL, *QUICK)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"autoperf: {rules[1]}, {words}")
    assert "Traceback" not in done.stderr


def test_own_lines_are_listed(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path, "line('exp', torch='torch.exp(data)')", "line('_foreach', numpy='np.cumsum(data, 0)')")
    command = ("discover", "--frameworks", "numpy,torch", "--operator", "exp,_foreach", *rules)
    found = json.loads(program(*command, "--format", "json").stdout)
    standings = {
        (operator["name"], each["framework"]): each["standing"]
        for operator in found["operators"]
        for each in operator["frameworks"]
    }
    assert standings == {
        ("exp", "numpy"): "found", ("exp", "torch"): "user",
        ("_foreach", "numpy"): "user", ("_foreach", "torch"): "none",
    }  # fmt: skip
    shown = program(*command).stdout
    assert "PyTorch: 2 operators = 0 found + 0 by hand + 1 by the user + 1 none; 1 gradient\n" in shown


@pytest.mark.nightly
def test_mxnet_and_pytorch_are_compared_by_an_own_line(program: Program, tmp_path: Path, own_cache: None) -> None:
    require("torch")
    rules = write(
        tmp_path, "line('softmax', torch='torch.exp(torch.log_softmax(data, axis))', note='by its logarithm')"
    )
    command = ("compare", "--frameworks", "mxnet,torch", "--operator", "softmax", *rules, *SMALL, *QUICK)
    done = program(*command, "--format", "json")
    figures = json.loads(done.stdout)["cases"]
    assert {figure["pass"] for figure in figures} == {"forward", "backward"}
    assert all("new: by its logarithm" in figure["notes"] for figure in figures if figure["pass"] == "forward")
