"""The exit code says what was found, whoever reads the output and however often a run is looked at."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from autoperf.core.errors import Exit
from autoperf.core.events import FindingConfirmed, HuntFinished
from autoperf.core.outcome import Status
from autoperf.hunt.stored import HuntFolder
from tests.cli.test_run_faults import QUICK
from tests.finding_values import HEADER, SOFTMAX
from tests.forked_program import Program, to_nobody
from tests.values import outcome, passed, steady, write_run
from tools.stored_run import read_run

FAILING = """\
from autoperf.bench import Suite, case, tensor
SUITE = Suite(operator="dot", category="test")
@case()
def fits():
    return dict(lhs=tensor((2, 3)), rhs=tensor((3, 2)))
@case()
def does_not_fit():
    return dict(lhs=tensor((2, 3)), rhs=tensor((4, 5)))
"""


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    """Two run files, of which the second is ten times slower."""
    base, new = (
        write_run(tmp_path / f"{name}.ndjson", [outcome(n, passed(steady(us), steady(us * 2))) for n in range(12)])
        for name, us in (("base", 100.0), ("new", 1000.0))
    )
    return str(base), str(new)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    file = tmp_path / "suite.py"
    file.write_text(FAILING)
    return file


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_comparison_that_nobody_reads_still_finds_what_is_slower(
    program: Program, runs: tuple[str, str], form: str
) -> None:
    base, new = runs
    assert to_nobody(program, "compare", base, new, "--format", form).returncode == Exit.FINDING
    assert to_nobody(program, "compare", base, base, "--format", form).returncode == Exit.FINE


def test_a_gate_that_can_not_decide_is_neither_passed_nor_failed(program: Program, tmp_path: Path) -> None:
    """One process a side can't show how processes differ, so that nothing is called the same."""
    base, new = (
        str(write_run(tmp_path / f"{name}.ndjson", [outcome(n, passed(steady(us + n, 1))) for n in range(4)]))
        for name, us in (("base", 100.0), ("new", 109.0))
    )
    done = program("compare", base, new, "--only-changed")
    assert done.returncode == Exit.INCONCLUSIVE == 3
    assert "gate: inconclusive, nothing is known to be slower, but 4 of 4 measurements may be slower" in done.stdout
    assert done.stdout.count("data (4, 1000)") == 1
    assert json.loads(program("compare", base, new, "--format", "json").stdout)["gate"] == "inconclusive"
    xml = program("compare", base, new, "--format", "junit")
    assert xml.returncode == Exit.INCONCLUSIVE
    assert 'errors="1" skipped="4"' in xml.stdout
    assert '<error message="inconclusive: nothing is known to be slower' in xml.stdout


def test_a_case_that_no_longer_runs_is_a_finding(program: Program, tmp_path: Path) -> None:
    figures = passed(steady(100.0), steady(200.0))
    measured = [outcome(number, figures) for number in range(12)]
    crashed = [*measured[:-1], outcome(11, status=Status.CRASHED, reason="SIGSEGV")]
    good, bad = (str(write_run(tmp_path / name, run)) for name, run in (("good", measured), ("bad", crashed)))
    assert program("compare", good, bad).returncode == Exit.FINDING
    assert program("compare", bad, good).returncode == Exit.FINE
    assert program("compare", bad, bad).returncode == Exit.FINE


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_check_that_nobody_reads_still_finds_what_was_lost(program: Program, tmp_path: Path, form: str) -> None:
    ledger = tmp_path / "ledger.json"
    assert program("discover", "--write-ledger", str(ledger)).returncode == Exit.FINE
    assert to_nobody(program, "discover", "--check", str(ledger), "--format", form).returncode == Exit.FINE
    ledger.write_text(ledger.read_text().replace('"softmin"', '"softmin_that_was"'))
    assert to_nobody(program, "discover", "--check", str(ledger), "--format", form).returncode == Exit.FINDING


def test_a_run_with_failures_is_a_finding_unread_resumed_and_in_a_file(
    program: Program, tmp_path: Path, suite: Path
) -> None:
    run, report = tmp_path / "run.ndjson", tmp_path / "report.md"
    assert to_nobody(program, "run", "--cases", str(suite), *QUICK, "--run-file", str(run)).returncode == Exit.FINDING
    end = read_run(run).end
    assert end
    assert (end.measured, end.failed) == (1, 1)
    again = program("run", "--resume", str(run))
    assert again.returncode == Exit.FINDING
    assert "nothing to resume" in again.stderr
    assert to_nobody(program, "run", "--resume", str(run), "--format", "csv").returncode == Exit.FINDING
    written = program("run", "--resume", str(run), "--format", "md", "--report", str(report))
    assert written.returncode == Exit.FINDING
    assert written.stdout.startswith(f"report: {report}\n1 of 2 cases measured")
    assert report.read_text().startswith("**1 of 2 cases measured")


@pytest.mark.parametrize("form", ["table", "md"])
def test_a_hunt_that_nobody_reads_still_has_its_findings(program: Program, tmp_path: Path, form: str) -> None:
    options = {"seed": 0, "budget": 60.0, "least": 2.0, "elements": 1024, "timeout": 20.0}
    asked = msgspec.structs.replace(HEADER, options=options)
    for name, findings, code in (("slow", [SOFTMAX], Exit.FINDING), ("fine", [], Exit.FINE)):
        with HuntFolder(tmp_path / name, asked) as folder:
            for one in findings:
                folder.write(FindingConfirmed(at=1.0, finding=one))
            folder.write(HuntFinished(at=2.0))
        assert to_nobody(program, "hunt", "--resume", str(tmp_path / name), "--format", form).returncode == code
