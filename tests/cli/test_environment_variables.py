"""Widths, encodings, homes and scratch folders that the environment gives."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from autoperf.core.errors import Exit
from tests.cli.test_run_faults import SMALL
from tests.forked_program import Program
from tests.values import outcome, passed, steady, write_run
from tools.stored_run import read_run

AUTOPERF = [sys.executable, "-m", "autoperf"]


@pytest.fixture
def run(tmp_path: Path) -> str:
    made = [outcome(n, passed(steady(10.0 + n), steady(20.0 + n)), operator=f"operator_{n}") for n in range(3)]
    return str(write_run(tmp_path / "run.ndjson", made))


@pytest.mark.parametrize("columns", ["0", "1", "25", "49", "-3", "many"])
def test_any_width_will_do(program: Program, run: str, columns: str) -> None:
    for arguments in (("report", run), ("compare", run, run)):
        done = program(*arguments, env={"COLUMNS": columns})
        assert (done.returncode, done.stderr) == (Exit.FINE, "")
        assert done.stdout


def test_a_run_on_a_narrow_terminal_shows_its_results(program: Program, tmp_path: Path) -> None:
    done = program("run", *SMALL, "--run-file", str(tmp_path / "run.ndjson"), env={"COLUMNS": "5"})
    assert done.returncode == Exit.FINE
    assert "1 case = 1 measured" in " ".join(done.stdout.split())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1:strict"])
def test_what_an_encoding_lacks_is_spelled(tmp_path: Path, encoding: str) -> None:
    odd = outcome(0, passed(steady(10.0), steady(20.0)), operator="sinus_\N{GREEK SMALL LETTER ALPHA}")
    file = write_run(tmp_path / "run.ndjson", [odd])
    env = {**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "100"}
    for form in ("table", "csv", "json") if encoding == "ascii" else ("table",):
        done = subprocess.run(
            [*AUTOPERF, "report", str(file), "--format", form], capture_output=True, check=False, env=env
        )
        assert (done.returncode, done.stderr) == (Exit.FINE, b"")
        if encoding == "ascii":
            assert done.stdout.isascii()
            assert rb"sinus_\u03b1" in done.stdout


def test_signs_of_ours_have_an_ascii_spelling(program: Program, tmp_path: Path) -> None:
    done = program("run", *SMALL, "--run-file", str(tmp_path / "x.ndjson"), env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == Exit.FINE
    assert done.stdout.isascii()
    assert done.stderr.isascii()
    assert "\\u" not in done.stdout
    again = program("report", str(tmp_path / "x.ndjson"))
    assert again.stdout.count("\N{PLUS-MINUS SIGN}") == done.stdout.count("+/-")


def test_columns_hold_signs_in_their_ascii_spelling(program: Program, tmp_path: Path) -> None:
    wide = [msgspec.structs.replace(steady(10.0), low=10.0 * (1 - reach), high=10.0) for reach in (0.004, 0.12, 0.99)]
    made = [outcome(n, passed(kernel, steady(20.0)), operator=f"sinus_{n}") for n, kernel in enumerate(wide)]
    file = write_run(tmp_path / "run.ndjson", made)
    done = program("report", str(file), env={"PYTHONIOENCODING": "ascii", "COLUMNS": "60"})
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 60
    heading = next(line for line in lines if " 95% " in line)
    found = [match for line in lines if (match := re.search(r" \+/-[\d.]+%", line))]
    assert [match[0].strip() for match in found] == ["+/-0.4%", "+/-12%", "+/-99%"]
    assert {match.end() for match in found} == {heading.index(" 95% ") + len(" 95%")}


@pytest.mark.parametrize("variable", ["AUTOPERF_CACHE", "AUTOPERF_RELEASES", "AUTOPERF_EXTENSIONS", "AUTOPERF_MXNET"])
def test_a_home_that_nobody_has_is_told(program: Program, variable: str) -> None:
    done = program("discover", env={variable: "~nobody-here/x"})
    if variable != "AUTOPERF_RELEASES":
        assert done.returncode == Exit.USER_MISTAKE
        assert "Traceback" not in done.stderr
        assert variable in done.stderr
        assert "~nobody-here/x" in done.stderr
    listed = program("releases", "list", env={variable: "~nobody-here/x"})
    assert "Traceback" not in listed.stderr


def test_a_folder_of_releases_in_no_home_is_told(program: Program) -> None:
    done = program("releases", "list", env={"AUTOPERF_RELEASES": "~nobody-here/x"})
    assert (done.returncode, done.stdout) == (Exit.USER_MISTAKE, "")
    assert done.stderr.startswith("autoperf: invalid AUTOPERF_RELEASES '~nobody-here/x': ")


def test_the_cache_may_be_in_the_user_s_home(program: Program, tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    done = program("run", *SMALL, env={"HOME": str(home), "AUTOPERF_CACHE": "~/kept"}, cwd=here)
    assert done.returncode == Exit.FINE
    assert list((home / "kept" / "runs").glob("*.ndjson"))
    assert not list(here.iterdir())


def test_a_fifo_for_an_owner_holds_nobody_up(program: Program, tmp_path: Path) -> None:
    foreign = tmp_path / "autoperf-results"
    foreign.mkdir()
    os.mkfifo(foreign / "owner")
    (foreign / "notes").write_text("mine")
    other = tmp_path / "autoperf-other"
    other.mkdir()
    (other / "owner").write_text("me")
    done = program("run", *SMALL, "--run-file", str(tmp_path / "run.ndjson"), env={"TMPDIR": str(tmp_path)})
    assert done.returncode == Exit.FINE
    assert (foreign / "notes").read_text() == "mine"
    assert (other / "owner").read_text() == "me"


def test_too_few_files_are_told_as_such(tmp_path: Path) -> None:
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (14, 14))\n"
        "from autoperf.__main__ import main\n"
        f"sys.argv = ['autoperf', 'run', *{SMALL!r}, '--run-file', {str(tmp_path / 'run.ndjson')!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (Exit.USER_MISTAKE, "")
    assert "Traceback" not in done.stderr
    assert "can't write the output" not in done.stderr
    assert "raise the limit (`ulimit -n`)" in done.stderr


def run_without(run: Path, remove: Callable[[], None]) -> tuple[int, str]:
    """A run that is stopped once it has made its file, and goes on when this was removed: exit code and errors."""
    command = [*AUTOPERF, "run", *SMALL, "--operator", "sin", "--run-file", str(run)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while not run.exists() or not run.stat().st_size:
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        remove()
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate()
    return process.returncode, errors


def test_a_run_file_that_is_removed_meanwhile_is_written_again(tmp_path: Path) -> None:
    run = tmp_path / "run.ndjson"
    code, errors = run_without(run, run.unlink)
    assert code == Exit.FINE
    assert f"{run} was removed during the run, and was written again\n" in errors
    written = read_run(run)
    assert written.end
    assert written.end.measured == len(written.outcomes) == 2


def test_a_run_file_that_can_not_be_written_again_ends_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    code, errors = run_without(folder / "run.ndjson", lambda: shutil.rmtree(folder))
    assert code == Exit.USER_MISTAKE
    (line,) = [line for line in errors.splitlines() if line.startswith("autoperf: ")]
    assert line == (
        f"autoperf: {folder / 'run.ndjson'} was removed while the run went on, with its 0 outcomes, and can't be "
        "written again: No such file or directory"
    )
