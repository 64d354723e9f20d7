"""`autoperf hunt` as a user runs it: a folder that is whole however it ends, exit codes, and mistakes in words."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.core.events import FindingConfirmed, HuntFinished, HuntResumed, InputTried, OperatorSearched
from autoperf.core.files import CACHE_VARIABLE, cache_folder
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.sides import SidesRequest
from autoperf.hunt.stored import HuntFolder
from autoperf.runs.huntlog import read_log
from tests.finding_values import HEADER, SEARCHED, SOFTMAX
from tests.forked_program import Program
from tools.stored_run import read_run

RELU = ("hunt", "--operator", "relu")
BUDGET = ("--time-budget", "1s")
FOUND = FindingConfirmed(at=1.0, finding=SOFTMAX)
QUICK = ("--warmup", "0", "--samples", "2", "--processes", "1")


def read(folder: Path) -> dict[str, Any]:
    read_: dict[str, Any] = json.loads((folder / "hunt.json").read_text())
    return read_


@pytest.fixture(scope="module")
def done(program: Program, tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A hunt of a second, and its folder."""
    folder = tmp_path_factory.mktemp("hunt") / "relu"
    return program(*RELU, *BUDGET, "--seed", "3", "--folder", str(folder)), folder


def test_a_hunt_leaves_a_folder_and_its_exit_code_says_if_it_found_something(
    done: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    ended, folder = done
    found = read(folder)
    assert ended.returncode == int(bool(found["findings"])), ended.stderr
    assert found["searched"]["complete"] is True
    assert (found["searched"]["seed"], found["searched"]["budget"]) == (3, 1.0)
    (one,) = found["searched"]["operators"]
    assert one["operator"] == "relu"
    assert one["tried"] > 0
    assert ended.stderr.count(f"results: {folder}") == 1
    assert "1 operator searched" in ended.stdout
    for finding in found["findings"]:
        assert finding["replay"].startswith(f"autoperf hunt --replay {folder} ")


def test_a_hunt_without_output_writes_to_the_cache_folder(program: Program, tmp_path: Path) -> None:
    cache = {CACHE_VARIABLE: str(tmp_path / "cache")}
    # With what is remembered of this machine, which takes seconds to measure.
    shutil.copytree(cache_folder(), tmp_path / "cache", ignore=shutil.ignore_patterns("hunts"))
    ended = program(*RELU, *BUDGET, cwd=tmp_path, env=cache)
    assert ended.returncode in (0, 1), ended.stderr
    (folder,) = (tmp_path / "cache" / "hunts").iterdir()
    assert read(folder)["searched"]["complete"] is True
    assert ended.stderr.count(f"results: {folder}") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_the_log_tells_everything(done: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    _, folder = done
    header, iterated = read_log(folder / "log.ndjson")
    events = list(iterated)
    assert header.operators == ("relu",)
    assert isinstance(events[-1], HuntFinished)
    assert events[-1].complete
    assert sum(isinstance(one, InputTried) for one in events) >= read(folder)["searched"]["operators"][0]["tried"] > 0
    assert [one.at for one in events] == sorted(one.at for one in events)


def test_another_hunts_log_gives_inputs(
    done: tuple[subprocess.CompletedProcess[str], Path], program: Program, tmp_path: Path
) -> None:
    log = done[1] / "log.ndjson"
    output = tmp_path / "again"
    ended = program(*RELU, *BUDGET, "--seed", "4", "--cases", str(log), "--folder", str(output))
    assert ended.returncode in (0, 1), ended.stderr
    tried = {one.id for one in read_log(output / "log.ndjson")[1] if isinstance(one, InputTried)}
    assert tried & {one.id for one in read_log(log)[1] if isinstance(one, InputTried)}


def test_a_case_file_gives_inputs(program: Program, tmp_path: Path) -> None:
    folder, cases, output = tmp_path / "files", tmp_path / "cases.ndjson", tmp_path / "hunt"
    assert program("generate", "--operator", "relu", "--seed", "77", "--folder", str(folder)).returncode == 0
    made = next(folder.rglob("cases.ndjson"), None) or next(folder.rglob("*.ndjson"))
    made.rename(cases)
    ended = program(*RELU, *BUDGET, "--cases", str(cases), "--folder", str(output))
    assert ended.returncode in (0, 1), ended.stderr
    wanted = [json.loads(line)["id"] for line in cases.read_text().splitlines()[1:]]
    tried = {one.id for one in read_log(output / "log.ndjson")[1] if isinstance(one, InputTried)}
    assert tried & set(wanted)


def test_findings_are_a_case_file(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    with HuntFolder(folder, HEADER) as writing:
        writing.write(FOUND)
    ended = program("run", "--cases", str(folder / "hunt.ndjson"), *QUICK, "--run-file", str(tmp_path / "run.ndjson"))
    assert ended.returncode == 0, ended.stderr
    assert {one.case for one in read_run(tmp_path / "run.ndjson").outcomes} == {SOFTMAX.case.id, SOFTMAX.contrast.id}


def test_an_operator_without_a_rule_says_why(program: Program, tmp_path: Path) -> None:
    ended = program("hunt", "--operator", "_contrib_fft", *BUDGET, "--folder", str(tmp_path / "hunt"))
    assert ended.returncode == 0, ended.stderr
    assert "only a GPU kernel is registered" in ended.stdout
    (one,) = read(tmp_path / "hunt")["searched"]["operators"]
    assert (one["tried"], one["ended"]) == (0, "nothing")
    assert "only a GPU kernel" in one["reason"]


def test_a_budget_that_is_too_little_is_said_and_kept(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    ended = program("hunt", "--category", "unary", "--time-budget", "2s", "--folder", str(folder))
    assert ended.returncode in (0, 1), ended.stderr
    first = ended.stderr.splitlines()[0]
    assert first.startswith("15 operators share 2 s (0.1 s each), and each needs 5 s or more to be searched")
    assert first.endswith("select at most 1 (--operator, --category), or use --time-budget 2m")
    searched = read(folder)["searched"]["operators"]
    late = [one for one in searched if one["reason"] == "the budget was used up before its search"]
    assert all((one["tried"], one["ended"]) == (0, "budget") for one in late)
    assert len({one["operator"] for one in searched}) == len(searched) > len(late)


def test_other_forms(program: Program, tmp_path: Path) -> None:
    ended = program(*RELU, *BUDGET, "--format", "json", "--folder", str(tmp_path / "hunt"))
    assert ended.returncode in (0, 1), ended.stderr
    assert json.loads(ended.stdout) == read(tmp_path / "hunt")
    again = program("hunt", "--resume", str(tmp_path / "hunt"), "--format", "md")
    assert again.returncode == ended.returncode
    assert "1 operator searched" in again.stdout


def interrupted(folder: Path, *more: str) -> tuple[int, str]:
    """A hunt that is interrupted as soon as it has tried ten inputs: its exit code, and what it said."""
    command = [sys.executable, "-m", "autoperf", "hunt", *more, "--time-budget", "10m", "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    log = folder / "log.ndjson"
    while process.poll() is None and not (log.exists() and log.read_bytes().count(b'"tried"') >= 10):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    return process.returncode, errors


def test_an_interrupted_hunt_hands_over_and_goes_on_without_asking_again(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    code, errors = interrupted(folder, "--operator", "relu", "--operator", "shape_array")
    assert code == 130
    assert f"resume with `autoperf hunt --resume {folder}`" in errors
    first = read(folder)["searched"]
    assert first["complete"] is False
    # The second one is named too, though it had no turn.
    ended_by_name = {one["operator"]: one["ended"] for one in first["operators"]}
    assert ended_by_name == {"relu": "interrupted", "shape_array": "interrupted"}
    before = [one for one in read_log(folder / "log.ndjson")[1] if isinstance(one, InputTried)]
    # So that it ends soon: the budget that is left is what the header says.
    lines = (folder / "log.ndjson").read_text().splitlines()
    header = json.loads(lines[0])
    header["options"]["budget"] = first["seconds"] + 2.0
    (folder / "log.ndjson").write_text("\n".join([json.dumps(header), *lines[1:], ""]))

    ended = program("hunt", "--resume", str(folder))
    again = read(folder)
    assert ended.returncode == int(bool(again["findings"])), ended.stderr
    assert again["searched"]["complete"] is True
    assert {one["operator"]: one["ended"] for one in again["searched"]["operators"]}.keys() == {"relu", "shape_array"}
    events = list(read_log(folder / "log.ndjson")[1])
    resumed = next(number for number, one in enumerate(events) if isinstance(one, HuntResumed))
    assert [one for one in events[:resumed] if isinstance(one, InputTried)] == before
    later = [one.id for one in events[resumed:] if isinstance(one, InputTried)]
    assert later[:1] != [before[0].id]


def test_a_log_that_was_cut_off_is_taken_up(
    done: tuple[subprocess.CompletedProcess[str], Path], program: Program, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(done[1], tmp_path / "hunt"))
    log = folder / "log.ndjson"
    kept = [line for line in log.read_bytes().splitlines(keepends=True) if b'"type":"tried"' in line][:3]
    header = log.read_bytes().splitlines(keepends=True)[0]
    log.write_bytes(b"".join([header, *kept]) + kept[0][:40])
    ended = program("hunt", "--resume", str(folder))
    assert ended.returncode in (0, 1), ended.stderr
    events = list(read_log(log)[1])
    assert sum(isinstance(one, OperatorSearched) for one in events) == 1
    assert isinstance(events[-1], HuntFinished)


def test_a_hunt_whose_cases_have_changed_is_not_taken_up(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cases, folder = tmp_path / "mine.yaml", tmp_path / "hunt"
    cases.write_text("- {operator: relu, inputs: {data: 8x8}}")
    program(*RELU, *BUDGET, "--cases", "mine.yaml", "--folder", str(folder))
    log = folder / "log.ndjson"
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    monkeypatch.chdir(folder)
    assert program("hunt", "--resume", str(folder)).returncode in (0, 1)
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    cases.write_text("- {operator: relu, inputs: {data: 9x9}}")
    changed = program("hunt", "--resume", str(folder))
    assert (changed.returncode, changed.stdout) == (2, "")
    assert f"{folder} can't be resumed: {cases} has changed since the hunt began" in changed.stderr


def test_the_paths_of_a_hunt_are_stored_for_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules").mkdir()
    for name in ("mine.yaml", "rules/mine.py"):
        Path(name).write_text(name)
    between = SidesRequest(libraries=("2.0.0b1", "build"))
    plain = HuntRequest(seed=0, budget=1.0, least=2.0, timeout=1.0, cases=("mine.yaml",), rules=("rules",))
    stored = msgspec.structs.replace(plain, library="build", sides=between).located()
    monkeypatch.chdir("rules")
    assert (stored.cases, stored.rules) == ((str(tmp_path / "mine.yaml"),), (str(tmp_path / "rules"),))
    assert stored.library == str(tmp_path / "build")
    assert stored.sides == SidesRequest(libraries=("2.0.0b1", str(tmp_path / "build")))
    assert set(stored.digests) == {str(tmp_path / "mine.yaml"), str(tmp_path / "rules" / "mine.py")}
    assert stored.located() == stored


CODE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a variable of a side": (
        {"sides": {"environments": [{"LD_AUDIT": "/x.so"}, {}], "libraries": []}},
        {
            "sides": [
                {"words": "", "mxnet": "1.9.1", "env": {}},
                {"words": "", "mxnet": "1.9.1", "env": {"LD_AUDIT": "/x.so"}},
            ]
        },
        "--env A:LD_AUDIT=/x.so`",
    ),
    "variables of one side alone": (
        {"sides": {"environments": [{}], "libraries": []}},
        {},
        "log.ndjson: invalid options in the header: invalid environments: expected those of two sides, got 1",
    ),
    "a side that the options lack": (
        {},
        {"sides": [{"words": "", "mxnet": "1.9.1", "env": {"LD_PRELOAD": "/x.so"}}] * 2},
        "invalid sides in the header",
    ),
    "a build": ({"library": "/x/libmxnet.so"}, {}, "--mxnet /x/libmxnet.so`"),
    "rules": ({"rules": ["/x/rules.py"]}, {}, "--rules /x/rules.py`"),
    "another MXNet": ({}, {"mxnet": "1.8.0"}, "can't be resumed: expected MXNet 1.8.0, as when it began, got 1.9.1"),
    "a variable of the scripts": ({}, {"environment": {"LD_PRELOAD": "/x.so"}}, "its environment had LD_PRELOAD=/x.so"),
}


@pytest.mark.parametrize("what", CODE)
def test_a_log_that_names_code_or_another_mxnet_runs_none(
    done: tuple[subprocess.CompletedProcess[str], Path], program: Program, tmp_path: Path, what: str
) -> None:
    options, fields, words = CODE[what]
    folder = Path(shutil.copytree(done[1], tmp_path / "hunt"))
    header = json.loads((folder / "log.ndjson").read_text().splitlines()[0])
    header["options"] |= options
    header["environment"]["settings"] |= fields.pop("environment", {})
    log = json.dumps({**header, **fields}) + "\n"
    (folder / "log.ndjson").write_text(log)
    ended = program("hunt", "--resume", str(folder))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert (folder / "log.ndjson").read_text() == log


def test_a_hunt_that_is_done_stays_so(
    done: tuple[subprocess.CompletedProcess[str], Path], program: Program, tmp_path: Path
) -> None:
    _, folder = done
    before = (folder / "log.ndjson").read_bytes()
    ended = program("hunt", "--resume", str(folder))
    assert ended.returncode == int(bool(read(folder)["findings"]))
    assert "is complete: nothing to resume" in ended.stderr
    assert (folder / "log.ndjson").read_bytes() == before


def test_a_hunt_with_findings_that_is_done_shows_them_again(
    done: tuple[subprocess.CompletedProcess[str], Path], program: Program, tmp_path: Path
) -> None:
    folder = tmp_path / "hunt"
    options = read_log(done[1] / "log.ndjson")[0].options
    with HuntFolder(folder, msgspec.structs.replace(HEADER, options=options)) as writing:
        writing.write(FOUND)
        writing.write(OperatorSearched(at=2.0, searched=SEARCHED[0]))
        writing.write(HuntFinished(at=3.0))
    ended = program("hunt", "--resume", str(folder))
    assert ended.returncode == 1
    assert FOUND.finding.family in " ".join(ended.stdout.split())
    again = program("hunt", "--resume", str(folder), "--format", "json")
    assert json.loads(again.stdout) == read(folder)


MISTAKES = [
    (("--operator", "relu", "--time-budget", "0"), "0"),
    (("--operator", "relu", "--time-budget", "soon"), "soon"),
    (("--operator", "no_such_operator"), "no_such_operator"),
    (("--category", "no_such_category"), "no_such_category"),
    (("--operator", "relu", "--ctx", "gpu(0)"), "gpu(0)"),
    (("--operator", "relu", "--cases", "/nowhere/cases.ndjson"), "/nowhere/cases.ndjson"),
    (("--operator", "relu", "--at-least", "1"), "1"),
    (("--operator", "relu", "--mxnet", "/nowhere/libmxnet.so"), "/nowhere"),
    (("--operator", "relu", "--rules", "/nowhere/rules.py"), "/nowhere/rules.py"),
    (("--resume", "/nowhere/hunt"), "/nowhere/hunt"),
]


@pytest.mark.parametrize(("options", "word"), MISTAKES, ids=[" ".join(options[-2:]) for options, _ in MISTAKES])
def test_a_mistake_is_one_line_and_leaves_no_folder(
    program: Program, tmp_path: Path, options: tuple[str, ...], word: str
) -> None:
    folder = tmp_path / "hunt"
    output = () if "--resume" in options else ("--folder", str(folder))
    ended = program("hunt", *options, *output)
    assert ended.returncode == 2, ended.stdout
    assert word in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not folder.exists()


def test_a_folder_that_is_not_empty_is_left_alone(program: Program, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    ended = program(*RELU, *BUDGET, "--folder", str(tmp_path))
    assert ended.returncode == 2
    assert "is not empty" in ended.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


def test_a_hunt_goes_on_as_it_was_asked_for(
    done: tuple[subprocess.CompletedProcess[str], Path], program: Program
) -> None:
    ended = program("hunt", "--resume", str(done[1]), "--seed", "9")
    assert ended.returncode == 2
    assert "leave out --seed" in ended.stderr


@pytest.mark.parametrize("text", ["", "{}\n", "nothing\n", '{"type":"hunt","version":99}\n'])
def test_a_log_that_is_none_is_said(program: Program, tmp_path: Path, text: str) -> None:
    (tmp_path / "log.ndjson").write_text(text)
    ended = program("hunt", "--resume", str(tmp_path))
    assert ended.returncode == 2
    assert str(tmp_path / "log.ndjson") in ended.stderr
    assert "Traceback" not in ended.stderr
    assert (tmp_path / "log.ndjson").read_text() == text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_is_read_only_is_said(program: Program, tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    ended = program(*RELU, *BUDGET, "--folder", str(tmp_path / "hunt"))
    assert ended.returncode == 2
    assert "can't make the folder" in ended.stderr


def test_a_place_where_no_folder_can_be_is_said(program: Program) -> None:
    ended = program(*RELU, *BUDGET, "--folder", "/proc/hunt")
    assert ended.returncode == 2
    assert "can't make the folder /proc/hunt" in ended.stderr
    assert "Traceback" not in ended.stderr
