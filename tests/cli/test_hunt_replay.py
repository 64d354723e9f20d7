"""`hunt --replay`, `report` and `run --cases` reproduce the findings of a log that is kept alone."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.events import FindingConfirmed, HuntFinished
from autoperf.core.finding import Finding, SideRecord
from autoperf.runs.huntlog import HuntLog
from tests.finding_values import HEADER, finding
from tests.forked_program import Program
from tests.values import case
from tools.stored_run import read_run

ONE_BUILD = msgspec.structs.replace(HEADER, options={"library": "1.9.1"})


def exp(rows: int) -> Case:
    return case("exp", rows, profile="drawn")


def claimed(slow: int, fast: int) -> Finding:
    """A ratio of nine is claimed, so that the limit is three; a factor of ten thousand in the elements is far away."""
    return msgspec.structs.replace(finding(exp(slow), exp(fast), 9.0), expected_us=1.0)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The log of two findings: the first holds, the second doesn't."""
    path = tmp_path / "kept.ndjson"
    with HuntLog(path, ONE_BUILD) as log:
        for number, found in enumerate((claimed(4_000_000, 400), claimed(400, 4_000_000)), 1):
            log.write(FindingConfirmed(at=float(number), finding=found))
        log.write(HuntFinished(at=2.0))
    return path


def test_a_finding_that_holds_exits_with_one(program: Program, kept: Path) -> None:
    done = program("hunt", "--replay", str(kept), "1", "--format", "json")
    assert (done.returncode, done.stderr) == (1, "")
    said = json.loads(done.stdout)
    assert (said["holds"], said["above"], said["mxnet"]) == (True, 3.0, "1.9.1")
    assert (said["slow"]["case"], said["fast"]["case"]) == (exp(4_000_000).id, exp(400).id)


def test_a_finding_that_is_over_exits_with_zero(program: Program, kept: Path) -> None:
    done = program("hunt", "--replay", str(kept), "2", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert "not reproduced: the ratio is below 3.00" in done.stdout


def test_a_finding_between_two_builds_runs_on_both(program: Program, tmp_path: Path) -> None:
    sides = tuple(
        SideRecord(words=f"1.9.1 with {count}", mxnet="1.9.1", library="1.9.1", env={"OMP_NUM_THREADS": count})
        for count in ("1", "2")
    )
    found = msgspec.structs.replace(claimed(400, 400), contrast=exp(400), sides=(sides[0].words, sides[1].words))
    with HuntLog(tmp_path / "kept.ndjson", msgspec.structs.replace(HEADER, sides=sides)) as log:
        log.write(FindingConfirmed(at=1.0, finding=found))
    done = program("hunt", "--replay", str(tmp_path / "kept.ndjson"), "1", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert len(said["sides"]) == 2
    assert said["slow"] == said["fast"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("KEPT", "3"), "no finding 3 in KEPT: it has 2 findings; expected a number from 1 to 2"),
        (("KEPT", "0"), "Invalid value for '--replay'"),
        (("KEPT",), "Option '--replay' requires 2 arguments"),
        (("missing.ndjson", "1"), "can't read missing.ndjson: No such file or directory"),
        (("/dev/null", "1"), "can't read /dev/null: it is a device"),
        (("KEPT", "1", "--seed", "3"), "times one finding again: leave out --seed"),
        (("KEPT", "1", "--format", "html"), "--format html doesn't apply to --replay: expected table, json"),
        (("KEPT", "1", "--mxnet", "1.9.1", "--mxnet", "1.9.1"), "expected one build"),
    ],
)
def test_a_mistake_exits_with_two(program: Program, kept: Path, arguments: tuple[str, ...], words: str) -> None:
    done = program("hunt", "--replay", *(word.replace("KEPT", str(kept)) for word in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert words.replace("KEPT", str(kept)) in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_line_that_cannot_be_read_leaves_no_number_in_doubt(program: Program, kept: Path) -> None:
    header, first, *others = kept.read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join((header, first, b"{}\n", *others)))
    done = program("hunt", "--replay", str(kept), "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{kept}, line 3: " in done.stderr


@pytest.mark.parametrize(
    ("side", "code"),
    [
        ({"library": "/tmp/foreign.so"}, "--mxnet /tmp/foreign.so; if you trust it, name the builds on the command"),
        ({"env": {"LD_PRELOAD": "/x.so"}}, "--env A:LD_PRELOAD=/x.so; if you trust it, start a new hunt"),
    ],
)
def test_a_log_runs_no_code_that_it_alone_names(
    program: Program, tmp_path: Path, side: dict[str, object], code: str
) -> None:
    usual = SideRecord(words="1.9.1", mxnet="1.9.1", library="1.9.1", env={})
    header = msgspec.structs.replace(HEADER, sides=(msgspec.structs.replace(usual, **side), usual))
    with HuntLog(tmp_path / "kept.ndjson", header) as log:
        log.write(FindingConfirmed(at=1.0, finding=claimed(400, 400)))
    done = program("hunt", "--replay", str(tmp_path / "kept.ndjson"), "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"kept.ndjson names code that its replay would run: {code}" in " ".join(done.stderr.split())


def test_a_build_of_the_command_line_takes_the_place_of_the_logged_one(program: Program, kept: Path) -> None:
    kept.write_bytes(kept.read_bytes().replace(b'"library":"1.9.1"', b'"library":"/tmp/foreign.so"', 1))
    refused = program("hunt", "--replay", str(kept), "1")
    assert (refused.returncode, "--mxnet /tmp/foreign.so" in refused.stderr) == (2, True)
    assert program("hunt", "--replay", str(kept), "1", "--mxnet", "1.9.1").returncode == 1


def test_a_report_of_a_log_names_the_command_for_each_finding(program: Program, kept: Path) -> None:
    done = program("report", kept.name, cwd=kept.parent)
    assert (done.returncode, done.stderr) == (0, "")
    commands = [line.split(maxsplit=1)[1] for line in done.stdout.splitlines() if line.startswith("  again ")]
    assert commands == [f"autoperf hunt --replay kept.ndjson {number}" for number in (1, 2)]
    assert "\n2 findings\n" in done.stdout


def test_a_report_of_a_log_has_every_format(program: Program, kept: Path) -> None:
    said = json.loads(program("report", str(kept), "--format", "json").stdout)
    assert [found["inputs"]["case"] for found in said["findings"]] == [exp(4_000_000).id, exp(400).id]
    assert (said["searched"]["complete"], said["searched"]["seconds"]) == (True, 2.0)
    assert f"`autoperf hunt --replay {kept} 1`" in program("report", str(kept), "--format", "md").stdout
    assert f"autoperf hunt --replay {kept} 2" in program("report", str(kept), "--format", "html").stdout


def test_the_inputs_of_the_findings_can_be_run(program: Program, kept: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.ndjson"
    quick = ("--warmup", "0", "--samples", "2", "--processes", "1")
    done = program("run", "--cases", str(kept), *quick, "--run-file", str(output))
    assert done.returncode == 0, done.stderr
    assert {outcome.case for outcome in read_run(output).outcomes} == {exp(4_000_000).id, exp(400).id}
