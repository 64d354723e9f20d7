"""`autoperf compare` as a gate: what it prints, what it writes, and every exit code."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.core.outcome import Status
from tests.forked_program import Program
from tests.values import outcome, passed, steady, write_run

SLOW = 3


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ten cases of three processes, and a run in which one of them is 1.3 times slower, another missing."""
    monkeypatch.chdir(tmp_path)
    both = [
        outcome(n, passed(steady(100.0 + n), steady(150.0 + n)), passed(None, steady(200.0 + n))) for n in range(10)
    ]
    slow = outcome(SLOW, passed(steady(1.3 * (100 + SLOW)), steady(150.0 + SLOW)), passed(None, steady(200.0 + SLOW)))
    write_run(tmp_path / "base.ndjson", both)
    write_run(tmp_path / "same.ndjson", both)
    write_run(tmp_path / "slow.ndjson", [*both[:SLOW], slow, *both[SLOW + 1 : -1]])
    write_run(tmp_path / "other.ndjson", [outcome(77, passed(steady(5.0)))])
    return tmp_path


@pytest.mark.parametrize("width", ["80", "120"])
def test_a_slower_case_ends_with_one(program: Program, folder: Path, width: str, snapshot: SnapshotAssertion) -> None:
    done = program("compare", "base.ndjson", "slow.ndjson", env={"COLUMNS": width})
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == snapshot


def test_nothing_slower_ends_with_zero(program: Program, folder: Path) -> None:
    done = program("compare", "base.ndjson", "same.ndjson", "--only-changed")
    assert done.returncode == 0
    assert "30 measurements = 0 faster + 0 slower + 30 same + 0 undecided\n" in done.stdout


def test_faster_ends_with_zero(program: Program, folder: Path) -> None:
    done = program("compare", "slow.ndjson", "base.ndjson", "--format", "json", "--only-changed")
    assert done.returncode == 0
    assert [one["verdict"] for one in json.loads(done.stdout)["cases"]] == ["faster"]


def test_the_threshold_is_in_percent(program: Program, folder: Path) -> None:
    line = ("compare", "base.ndjson", "slow.ndjson", "--allow-missing", "--threshold")
    assert program(*line, "40%").returncode == program(*line, "40").returncode == 0
    assert program(*line, "20%").returncode == 1


def test_clock_and_pass_choose(program: Program, folder: Path) -> None:
    line = ("compare", "base.ndjson", "slow.ndjson", "--format", "json", "--allow-missing")
    assert program(*line, "--clock", "wall").returncode == 0
    assert program(*line, "--pass", "backward").returncode == 0
    found = json.loads(program(*line, "--clock", "kernel", "--pass", "forward").stdout)
    assert {(one["pass"], one["clock"]) for one in found["cases"]} == {("forward", "kernel")}
    assert found["summary"] == {"faster": 0, "slower": 1, "same": 8, "undecided": 0, "accepted": 0, "differs": 0}
    assert [(one["missing"], one["reason"]) for one in found["unmatched"]] == [("new", "absent")]


@pytest.mark.parametrize(("form", "begin"), [("md", "**new is "), ("json", "{"), ("junit", "<?xml"), ("csv", "case,"),
                                             ("table", "missing in new")])  # fmt: skip
def test_output_goes_to_a_file_and_the_sum_to_the_terminal(
    program: Program, folder: Path, form: str, begin: str
) -> None:
    line = ("compare", "base.ndjson", "slow.ndjson", "--format", form, "--report", "found")
    done = program(*line)
    assert done.returncode == 1
    assert (folder / "found").read_text().startswith(begin)
    assert done.stdout.startswith("report: found\nnew is 1.30 times slower than base in exp forward (1 of 9 inputs)")
    assert "\ngate: fails, 1 slower and 1 missing in new" in done.stdout
    again = program(*line)
    assert (again.returncode, again.stdout) == (2, "")
    assert "it exists already" in again.stderr


@pytest.mark.parametrize("command", ["compare base.ndjson slow.ndjson --report", "report base.ndjson --report"])
def test_a_report_goes_through_a_pipe(program: Program, folder: Path, command: str) -> None:
    done = program(*command.split(), "/dev/stderr", "--format", "md")
    assert done.returncode == (1 if command.startswith("compare") else 0)
    assert "| forward kernel |" in done.stderr or "| pass |" in done.stderr


def test_a_run_is_not_kept_in_a_pipe_and_nobody_is_told_to_remove_it(program: Program, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    done = program("run", "--operator", "exp", "--run-file", "pipe")
    assert done.returncode == 2
    assert done.stderr == "autoperf: can't write pipe: it is a device or a pipe; name a new file\n"
    assert (folder / "pipe").is_fifo()


def test_a_run_that_was_killed_can_be_compared(program: Program, folder: Path) -> None:
    text = (folder / "same.ndjson").read_bytes()
    (folder / "same.ndjson").write_bytes(text[: len(text) // 2])
    done = program("compare", "base.ndjson", "same.ndjson", "--format", "csv")
    assert done.returncode == 1
    assert program("compare", "base.ndjson", "same.ndjson", "--allow-missing").returncode == 0
    assert re.search(r"note: same\.ndjson: the run was cut off after \d outcomes within line \d", done.stderr)


def test_a_small_expected_file_is_as_good(program: Program, folder: Path) -> None:
    done = program("report", "base.ndjson", "--format", "baseline")
    assert done.returncode == 0
    (folder / "baseline.ndjson").write_text(done.stdout)
    assert program("compare", "baseline.ndjson", "same.ndjson").returncode == 0
    assert program("compare", "baseline.ndjson", "slow.ndjson").returncode == 1


MISSING = "that base measured are missing in new: "


@pytest.fixture
def nightly(folder: Path) -> Path:
    """A run without two operators; one of them was measured on `base.ndjson`, of the other it has no figures."""
    stored = [outcome(n, passed(steady(100.0 + n)), operator=name) for n, name in enumerate(("exp", "dot", "dot"))]
    broken = outcome(7, status=Status.CRASHED, reason="SIGSEGV", operator="topk")
    write_run(folder / "baseline.ndjson", [*stored, broken])
    write_run(folder / "nightly.ndjson", stored[:1])
    return folder


def test_what_was_measured_and_is_absent_fails_the_gate(program: Program, nightly: Path) -> None:
    line = ("compare", "baseline.ndjson", "nightly.ndjson")
    done = program(*line)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[lines.index("missing in new") + 1] == "    2 absent in new: dot (2 cases)"
    assert lines.index("missing in new") < next(at for at, text in enumerate(lines) if text.startswith("same"))
    assert f"2 cases {MISSING}dot; --allow-missing is for" in " ".join(done.stdout.split())
    assert any(line.endswith("; 2 missing in new; 1 without a partner") for line in lines)
    allowed = program(*line, "--allow-missing")
    assert (allowed.returncode, MISSING in allowed.stdout) == (0, False)
    assert "; 3 without a partner\n" in allowed.stdout


@pytest.mark.parametrize("form", ["junit", "md", "html", "csv", "json"])
def test_every_format_says_what_is_missing(program: Program, nightly: Path, form: str) -> None:
    done = program("compare", "baseline.ndjson", "nightly.ndjson", "--format", form, "--only-changed")
    assert done.returncode == 1
    said = " ".join((done.stdout + done.stderr).split())
    wanted = {
        "junit": '<testcase classname="unmatched" name="dot/00000001" time="0.000000000"><failure '
        'message="measured in base, not in new: absent"',
        "md": "**no measurement is slower** 2 cases or measurements of base missing in new",
        "html": "Missing in new",
        "csv": f"note: 2 cases {MISSING}dot",
        "json": f"2 cases {MISSING}dot",
    }
    assert wanted[form] in said


def test_groups_say_what_is_missing(program: Program, nightly: Path) -> None:
    done = program("compare", "baseline.ndjson", "nightly.ndjson", "--group-by", "operator")
    assert (done.returncode, f"2 cases {MISSING}dot" in " ".join(done.stdout.split())) == (1, True)


def test_selected_operators_alone_can_be_missing(program: Program, nightly: Path) -> None:
    line = ("compare", "baseline.ndjson", "nightly.ndjson", "--operator")
    there = program(*line, "exp")
    assert (there.returncode, MISSING in there.stdout) == (0, False)
    gone = program(*line, "dot")
    assert (gone.returncode, MISSING in gone.stdout) == (1, True)
    assert "0 measurements = 0 faster + 0 slower + 0 same + 0 undecided; 2 missing in new" in gone.stdout
    assert program(*line, "topk").returncode == 0


MISTAKES = {
    "no such file": (["base.ndjson", "none.ndjson"], "can't read none.ndjson: No such file"),
    "no run file": (["base.ndjson", "text"], "text, line 1: "),
    "a folder": (["base.ndjson", "."], "Is a directory"),
    "nothing in common": (["base.ndjson", "other.ndjson"], "no figure in common"),
    "a threshold without its sign": (["base.ndjson", "same.ndjson", "--threshold", "0.4"], "expected 40% or 0.4%"),
    "no threshold": (["base.ndjson", "same.ndjson", "--threshold", "0%"], "more than 0%"),
    "a margin that is none": (["base.ndjson", "same.ndjson", "--margin", "x%"], "such as 5%"),
    "half an A/A run": (["base.ndjson", "same.ndjson", "--aa", "base.ndjson"], "--aa"),
    "an A/A run of something else": (
        ["base.ndjson", "same.ndjson", "--aa", "base.ndjson", "other.ndjson"],
        "no A/A run",
    ),
    "one file": (["base.ndjson"], "NEW.NDJSON"),
    "an output in no folder": (["base.ndjson", "same.ndjson", "--report", "no/where"], "doesn't exist"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_ends_with_two(program: Program, folder: Path, mistake: str) -> None:
    (folder / "text").write_text("hello\n")
    arguments, words = MISTAKES[mistake]
    done = program("compare", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
