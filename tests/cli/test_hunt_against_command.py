"""`autoperf hunt --against` as a user runs it: mistakes, the folder, the report and the replay."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import msgspec
import numpy as np
import pytest

import autoperf
from autoperf.core.events import FindingConfirmed, InputTried, PairTimed, ResultsCompared
from autoperf.core.files import FRAMEWORKS_VARIABLE
from autoperf.core.finding import SideRecord
from autoperf.runs.huntlog import HuntLog, read_log
from tests.cli.test_hunt_between_sides import read
from tests.finding_values import HEADER, finding
from tests.forked_program import Program
from tests.values import case

NUMPY = f"NumPy {np.__version__}"
SIDES = (
    SideRecord(words="MXNet 1.9.1", mxnet="1.9.1", library="1.9.1"),
    SideRecord(words=NUMPY, mxnet=np.__version__, framework="numpy"),
)
EXP = case("exp", 400, profile="drawn")
# A ratio of 900 is claimed, so that the limit is 30; MXNet computes 400 numbers in a few microseconds.
FOUND = msgspec.structs.replace(finding(EXP, EXP, 900.0), sides=("MXNet 1.9.1", NUMPY), expected_us=1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--against", "mxnet@1.9.1"), "expected another framework; two builds are --mxnet A --mxnet B"),
        (("--against", "torhc"), "unknown framework 'torhc': expected mxnet, numpy, torch, jax"),
        (("--against", "numpy", "--faster"), "--against numpy searches MXNet for slow inputs: leave out --faster"),
        (("--against", "numpy", "--env", "A:X=1"), "leave out --env"),
        (("--against", "numpy", "--mxnet", "1.9.1", "--mxnet", "1.9.1"), "expected one build that --against numpy is"),
        (("--against", "torch@0.1"), "PyTorch 0.1 is not installed; run `autoperf frameworks install torch@0.1`"),
        (("--against", "numpy=/nowhere"), "/nowhere is no Python interpreter"),
        (("--framework", "numpy"), "is for MXNet alone: compare it by --against numpy"),
        (("--resume", "somewhere", "--seed", "1", "--against", "numpy"), "uses the options of that hunt"),
    ],
)
def test_a_mistake_exits_with_two(program: Program, tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    more = () if "--resume" in options else ("--operator", "relu", "--folder", str(tmp_path / "hunt"))
    ended = program("hunt", *options, *more)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "hunt").exists()


@pytest.fixture(scope="module")
def hunted(program: Program, tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A hunt of a few seconds, and its folder."""
    folder = tmp_path_factory.mktemp("hunt") / "relu"
    options = ("--against", "numpy", "--operator", "relu,Deconvolution", "--time-budget", "4s")
    return program("hunt", *options, "--folder", str(folder)), folder


def test_both_frameworks_are_timed_and_named(hunted: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    ended, folder = hunted
    document = read(folder)
    assert ended.returncode == int(bool(document["findings"])), ended.stderr
    assert [side["words"] for side in document["searched"]["sides"]] == ["MXNet 1.9.1", NUMPY]
    assert document["searched"]["sides"][1]["framework"] == "numpy"
    words = " ".join(ended.stdout.split())
    assert f"times are by the kernels of MXNet 1.9.1, without dispatch, and whole calls of {NUMPY} from" in words
    assert "nothing to search: NumPy has no equivalent in a few expressions: Deconvolution" in words
    _, events = read_log(folder / "log.ndjson")
    lines = list(events)
    assert {line.side for line in lines if isinstance(line, InputTried)} == {0, 1}
    proven = {line.case.id for line in lines if isinstance(line, ResultsCompared) and line.passes}
    assert {line.first.id for line in lines if isinstance(line, PairTimed)} <= proven


def test_a_report_of_the_folder_has_every_format(
    program: Program, hunted: tuple[subprocess.CompletedProcess[str], Path]
) -> None:
    for form in ("table", "md", "html"):
        done = program("report", str(hunted[1]), "--format", form)
        assert done.returncode == 0, done.stderr
        assert "without dispatch" in " ".join(done.stdout.split())


def test_a_resumed_hunt_keeps_its_framework(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    program("hunt", "--against", "numpy", "--operator", "relu", "--time-budget", "2s", "--folder", str(folder))
    log = folder / "log.ndjson"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[: len(lines) // 2]))
    refused = program("hunt", "--resume", str(folder), "--against", "jax")
    assert (refused.returncode, "differs from the options of the hunt" in refused.stderr) == (2, True)
    ended = program("hunt", "--resume", str(folder))
    assert ended.returncode in (0, 1), ended.stderr
    assert read(folder)["searched"]["complete"]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "kept.ndjson"
    with HuntLog(path, msgspec.structs.replace(HEADER, sides=SIDES)) as log:
        log.write(FindingConfirmed(at=1.0, finding=FOUND))
    return path


def test_a_replay_times_both_frameworks(program: Program, kept: Path) -> None:
    done = program("hunt", "--replay", str(kept), "1", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["sides"] == ["MXNet 1.9.1", NUMPY]
    assert said["slow"] == said["fast"]
    assert said["clocks"].startswith("the kernels of MXNet 1.9.1, without dispatch")


def test_a_replay_without_its_framework_says_so_in_a_sentence(program: Program, kept: Path, tmp_path: Path) -> None:
    absent = ("--against", "torch@0.1")
    ended = program("hunt", "--replay", str(kept), "1", *absent, env={FRAMEWORKS_VARIABLE: str(tmp_path)})
    assert (ended.returncode, ended.stdout) == (2, "")
    words = " ".join(ended.stderr.split())
    assert words.startswith("autoperf: PyTorch 0.1 is not installed; run `autoperf frameworks install torch@0.1`")
    assert "Traceback" not in ended.stderr


def test_a_log_runs_no_interpreter_that_it_alone_names(program: Program, kept: Path) -> None:
    kept.write_bytes(kept.read_bytes().replace(b'"framework":"numpy"', b'"framework":"numpy=/tmp/python"'))
    done = program("hunt", "--replay", str(kept), "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "names code that its replay would run: --against numpy=/tmp/python" in " ".join(done.stderr.split())
    assert program("hunt", "--replay", str(kept), "1", "--against", "numpy").returncode == 0


def test_a_finding_of_one_build_has_no_framework(program: Program, tmp_path: Path) -> None:
    with HuntLog(tmp_path / "kept.ndjson", HEADER) as log:
        log.write(FindingConfirmed(at=1.0, finding=finding(EXP, EXP)))
    done = program("hunt", "--replay", str(tmp_path / "kept.ndjson"), "1", "--against", "numpy")
    assert (done.returncode, done.stdout) == (2, "")
    assert "isn't one against another framework" in done.stderr


def test_python_hunts_too(tmp_path: Path) -> None:
    results = autoperf.run_hunt("relu", against="numpy", time_budget=3.0, folder=tmp_path / "hunt", progress=False)
    assert results.path == tmp_path / "hunt"
    assert [side.framework for side in results.report.hunt.header.sides] == ["", "numpy"]
