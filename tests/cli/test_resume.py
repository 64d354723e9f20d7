"""A run that was killed goes on where it was, as it was; what would make it another run is refused."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.forked_program import Program
from tools.stored_run import read_run

QUICK = ("--warmup", "0", "--samples", "2", "--processes", "1")
Change = Callable[[bytes], bytes]


def generate(program: Program, folder: Path, draws: int) -> Path:
    """Small cases of two operators."""
    selection = ("--operator", "exp", "--operator", "sin", "--input-profile", "small", "--input-profile", "drawn")
    limits = ("--draws", str(draws), "--max-elements", "64")
    assert program("generate", *selection, *limits, "--folder", str(folder)).returncode == 0
    return folder / "cases.ndjson"


@pytest.fixture(scope="module")
def suite(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate(program, tmp_path_factory.mktemp("suite") / "made", draws=5)


@pytest.fixture(scope="module")
def complete(program: Program, suite: Path) -> Path:
    """A run of them that came to its end."""
    file = suite.parent / "run.ndjson"
    assert program("run", "--cases", str(suite), *QUICK, "--run-file", str(file)).returncode == 0
    return file


@pytest.fixture
def cut(complete: Path, tmp_path: Path) -> Path:
    """The same run as if it had been killed within its fourth outcome."""
    lines = complete.read_bytes().splitlines(keepends=True)
    file = tmp_path / "run.ndjson"
    file.write_bytes(b"".join(lines[:5]) + lines[5][:100])
    return file


def ids(suite: Path) -> Counter[str]:
    return Counter(json.loads(line)["id"] for line in suite.read_text().splitlines()[1:])


def outcomes(file: Path) -> int:
    """The number of its lines after the header, without records of machines: of another processor, there is another."""
    written = file.read_bytes() if file.exists() else b""
    return max(0, written.count(b"\n") - 1 - written.count(b'{"type":"machine"'))


def processes(mark: str) -> list[str]:
    """The ids of all processes with this in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def kill_after(command: Sequence[str], file: Path, number: int, pause: float, mark: str) -> None:
    """kill -9 of the command, and of all its process group, once the file has so many outcomes, and a pause later."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "RUN_MARK": mark},
    )  # fmt: skip
    while outcomes(file) < number:
        assert process.poll() is None
        time.sleep(0.005)
    time.sleep(pause)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def test_a_run_that_is_killed_again_and_again_has_every_case_once(program: Program, tmp_path: Path) -> None:
    """Its children end with it, whoever they are, and its scratch folder with the next run."""
    # The last kill leaves more cases than a quick machine runs within the pause before it.
    suite = generate(program, tmp_path / "suite", draws=19)
    file, scratch = tmp_path / "run.ndjson", tmp_path / "scratch"
    scratch.mkdir()
    rng = random.Random(4)
    mark = f"mark-{os.getpid()}"
    begin = [sys.executable, "-m", "autoperf", "run", "--cases", str(suite), *QUICK, "--run-file", str(file)]
    again = [sys.executable, "-m", "autoperf", "run", "--resume", str(file)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(scratch))
        for command, number in ((begin, 2), (again, 5), (again, 9)):
            kill_after(command, file, number, rng.uniform(0, 0.1), mark)
            deadline = time.monotonic() + 60
            while processes(mark) and time.monotonic() < deadline:
                time.sleep(0.01)
            assert processes(mark) == []
            assert len(list(scratch.iterdir())) == 1
        done = program(*again[3:])
        assert not list(scratch.iterdir())
    assert done.returncode == 0, done.stderr
    run = read_run(file)
    assert Counter(one.case for one in run.outcomes) == ids(suite)
    assert run.end
    assert (run.end.asked, run.end.measured, run.end.complete) == (40, 40, True)
    assert 1 <= run.end.resumed <= 3
    assert "40 cases = 40 measured" in done.stdout


def test_drawn_cases_are_the_same_again(program: Program, tmp_path: Path) -> None:
    """Without a file of cases, the seed and the selection stand in the run file."""
    file = tmp_path / "run.ndjson"
    options = (
        "--operator",
        "negative",
        "--seed",
        "7",
        "--draws",
        "3",
        "--max-elements",
        "64",
        "--input-profile",
        "drawn",
    )
    whole = program("run", *options, *QUICK, "--run-file", str(file))
    assert whole.returncode == 0, whole.stderr
    cases = Counter(one.case for one in read_run(file).outcomes)
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:3]))
    done = program("run", "--resume", str(file), "--format", "json", "--seed", "7")
    assert done.returncode == 0, done.stderr
    assert "1 outcome kept; the run is resumed" in done.stderr
    assert Counter(one.case for one in read_run(file).outcomes) == cases
    shown = json.loads(done.stdout)
    assert [one["case"] for one in shown["outcomes"]] == [one.case for one in read_run(file).outcomes]
    assert [("resumed" in one) for one in shown["outcomes"]] == [False, True, False]


def test_a_case_that_was_interrupted_is_measured_again(program: Program, complete: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    note = b'"notes":["1 of 2 processes gave no samples: skipped: interrupted"]'
    file.write_bytes(complete.read_bytes().replace(b'"notes":[]', note, 1))
    assert note in file.read_bytes()
    done = program("run", "--resume", str(file))
    assert done.returncode == 0, done.stderr
    assert "11 outcomes kept; the run is resumed" in done.stderr
    assert "1 case whose measurement was interrupted: measured again" in done.stderr
    assert "12 cases = 12 measured" in done.stdout
    assert note not in file.read_bytes()
    assert Counter(one.case for one in read_run(file).outcomes) == Counter(
        one.case for one in read_run(complete).outcomes
    )


def test_a_case_of_two_files_is_measured_once(program: Program, suite: Path, tmp_path: Path) -> None:
    copy, file = shutil.copy(suite, tmp_path / "copy.ndjson"), tmp_path / "run.ndjson"
    words = ("--warmup", "0", "--samples", "2", "--processes", "2", "--visits", "2")
    done = program("run", "--cases", str(suite), "--cases", str(copy), *words, "--run-file", str(file))
    assert done.returncode == 0, done.stderr
    assert "12 cases = 12 measured" in done.stdout
    assert Counter(one.case for one in read_run(file).outcomes) == ids(suite)


def test_profiles_that_several_dtypes_refuse_have_an_outcome_for_each(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    dtypes = ("--dtype", "int8,int32,float32", "--input-profile", "small")
    done = program("run", "--operator", "BatchNorm", *dtypes, *QUICK, "--run-file", str(file))
    assert "3 cases = 1 measured + 2 skipped" in done.stdout, done.stderr
    assert [one.case for one in read_run(file).outcomes][:2] == ["BatchNorm/small", "BatchNorm/small-2"]


def test_a_complete_run_says_so(program: Program, complete: Path) -> None:
    before = complete.read_bytes()
    done = program("run", "--resume", str(complete), "--config", "none")
    assert (done.returncode, complete.read_bytes()) == (0, before)
    assert "is complete: nothing to resume" in done.stderr
    assert "12 cases = 12 measured" in done.stdout


REFUSED = {
    "another option": (("--samples", "3"), "--samples differs from the options of"),
    "another selection": (("--operator", "exp"), "--operator differs from the options of"),
    "other cases": (("--cases", "other.ndjson"), "--cases differs from the options of"),
    "another release": (("--mxnet", "2.0.0b1"), "--mxnet differs from the options of"),
    "another output": (("--run-file", "other.ndjson"), "leave out --run-file"),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_asks_for_something_else_is_refused(program: Program, cut: Path, reason: str) -> None:
    options, words = REFUSED[reason]
    before = cut.read_bytes()
    done = program("run", "--resume", str(cut), *options)
    assert (done.returncode, done.stdout, cut.read_bytes()) == (2, "", before)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


CHANGED: dict[str, tuple[Change, dict[str, str], str]] = {
    "MXNet": (
        lambda text: text.replace(b'"mxnet":"1.9.1"', b'"mxnet":"1.8.0"', 1),
        {},
        "expected MXNet 1.8.0, as when it began, got",
    ),
    "autoperf": (lambda text: text.replace(b'"autoperf":"', b'"autoperf":"9', 1), {}, "expected autoperf 9"),
    "a variable": (lambda text: text, {"OMP_NUM_THREADS": "1"}, "OMP_NUM_THREADS"),
    "a feature": (lambda text: text.replace(b'"BLAS_OPEN":', b'"BLAS_SHUT":', 1), {}, "MXNet's feature BLAS_"),
    "the cases": (lambda text: text.replace(b'"digests":{"', b'"digests":{"/elsewhere', 1), {}, "was removed since"),
    "options that make no sense": (
        lambda text: text.replace(b'"draws":', b'"samples":"many","was":', 1),
        {},
        "can't be resumed",
    ),
    "another command": (
        lambda text: text.replace(b'"command":"run"', b'"command":"compare"', 1),
        {},
        "can't be resumed",
    ),
}


@pytest.mark.parametrize("what", CHANGED)
def test_what_is_different_here_is_refused(program: Program, cut: Path, what: str) -> None:
    change, env, words = CHANGED[what]
    before = cut.read_bytes()
    changed = change(before)
    assert env or changed != before
    cut.write_bytes(changed)
    done = program("run", "--resume", str(cut), env=env)
    assert (done.returncode, done.stdout, cut.read_bytes()) == (2, "", changed)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


# Each makes the file name code: a variable, or the path of a file that its resume would import or load.
CODE: dict[str, tuple[tuple[str, ...], Any, str]] = {
    "a variable": (("settings", "env"), {"LD_PRELOAD": "/x.so"}, "its header sets the variables LD_PRELOAD"),
    "a library": (("mxnet",), ["/x/lib.so"], "--resume {} --mxnet /x/lib.so`"),
    "rules": (("rules",), ["/x/rules.py"], "--resume {} --rules /x/rules.py`"),
    "a case file": (("cases",), ["/x/case.py"], "--resume {} --cases /x/case.py`"),
}


def test_processors_of_another_machine_are_refused(program: Program, cut: Path) -> None:
    text = cut.read_text()
    assert '"cpus":null' in text
    cut.write_text(text.replace('"cpus":null', '"cpus":[9999]', 1))
    done = program("run", "--resume", str(cut))
    assert done.returncode == 2
    assert "can't be resumed: invalid options in its header: invalid cpus: processor 9999 isn't usable" in done.stderr


@pytest.mark.parametrize("what", CODE)
def test_a_file_that_names_code_runs_none(program: Program, cut: Path, what: str) -> None:
    (*groups, name), value, words = CODE[what]
    first, *lines = cut.read_bytes().splitlines(keepends=True)
    header = json.loads(first)
    options = header["options"]
    for group in groups:
        options = options[group]
    options[name] = value
    files = [*header["options"]["cases"], *header["options"]["rules"]]
    header["options"]["digests"] = {**dict.fromkeys(files, ""), **header["options"]["digests"]}
    if name == "cases":
        header["options"]["digests"] = {value[0]: ""}
    changed = b"".join([json.dumps(header).encode(), b"\n", *lines])
    cut.write_bytes(changed)
    done = program("run", "--resume", str(cut))
    assert (done.returncode, done.stdout, cut.read_bytes()) == (2, "", changed)
    assert words.format(cut) in done.stderr
    assert "Traceback" not in done.stderr


def test_code_that_the_command_line_names_too_is_run(program: Program, tmp_path: Path) -> None:
    rules, file = tmp_path / "rules.py", tmp_path / "run.ndjson"
    rules.write_text(
        "from autoperf.rules.rule import inputs, rule, tensor\n\n"
        'CANONICAL = {"small": inputs(data=tensor(3)), "common": inputs(data=tensor(4))}\n\n\n'
        '@rule("exp", category="unary", canonical=CANONICAL)\n'
        "def exp(draw, spec):\n    return inputs(data=tensor(5))\n"
    )
    chosen = ("--operator", "exp", "--input-profile", "small", "--input-profile", "common")
    done = program("run", "--rules", str(rules), *chosen, *QUICK, "--run-file", str(file))
    assert done.returncode == 0, done.stderr
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:3]))
    again = program("run", "--resume", str(file))
    assert again.returncode == 2
    assert f"`autoperf run --resume {file} --rules {rules}`" in again.stderr
    again = program("run", "--resume", str(file), "--rules", str(rules))
    assert again.returncode == 0, again.stderr
    assert "2 cases = 2 measured" in again.stdout


def test_cases_that_have_changed_are_refused(program: Program, suite: Path, tmp_path: Path) -> None:
    cases, file = tmp_path / "cases.ndjson", tmp_path / "run.ndjson"
    shutil.copy(suite, cases)
    assert program("run", "--cases", str(cases), *QUICK, "--run-file", str(file)).returncode == 0
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:4]))
    cases.write_bytes(b"".join(cases.read_bytes().splitlines(keepends=True)[:-1]))
    done = program("run", "--resume", str(file))
    assert done.returncode == 2
    assert "cases.ndjson has changed since the run began" in done.stderr


def test_another_machine_is_told(program: Program, cut: Path) -> None:
    cut.write_bytes(cut.read_bytes().replace(b'"machine":"', b'"machine":"not ', 1))
    done = program("run", "--resume", str(cut))
    assert done.returncode == 0, done.stderr
    assert "machine: not " in done.stderr
    assert outcomes(cut) == 13


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file"),
        (b"", "is empty"),
        (b'{"type": "cases", "version": 1}\n', "invalid run file"),
        (b'{"type": "run", "version": 9}\n', "version 9"),
        (b"garbage\n", "line 1"),
    ],
)
def test_what_is_no_run_file_is_refused(program: Program, tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "run.ndjson"
    if content is not None:
        file.write_bytes(content)
    done = program("run", "--resume", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_all_releases_of_a_run_go_on(program: Program, next_library: Path, suite: Path, tmp_path: Path) -> None:
    """Each has a run file; any of them names the run, and one that was not made yet is made."""
    base = tmp_path / "run.ndjson"
    releases = ("--mxnet", str(next_library)) * 2
    whole = program("run", "--cases", str(suite), *QUICK, *releases, "--run-file", str(base))
    assert whole.returncode == 0, whole.stderr
    first, second = tmp_path / "run-2.0.0b1.ndjson", tmp_path / "run-2.0.0b1-2.ndjson"
    first.write_bytes(b"".join(first.read_bytes().splitlines(keepends=True)[:4]))
    second.unlink()
    done = program("run", "--resume", str(first), *releases)
    assert done.returncode == 0, done.stderr
    for file in (first, second):
        assert Counter(one.case for one in read_run(file).outcomes) == ids(suite)
    renamed = tmp_path / "other.ndjson"
    first.rename(renamed)
    assert "was renamed" in program("run", "--resume", str(renamed)).stderr
