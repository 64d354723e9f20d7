"""What can go wrong around a run ends in one clear line, and what was measured is kept."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import autoperf
from autoperf.cli.main import run as command_line
from autoperf.core.errors import OutputError
from autoperf.measurement import schedules
from autoperf.measurement.scratch import Spool
from tests.forked_program import Program, to_nobody
from tools.stored_run import read_run

QUICK = ("--warmup", "0", "--samples", "2", "--processes", "1")
SMALL = ("--operator", "exp", "--input-profile", "small", *QUICK)
SUITE = """\
import os, time
from autoperf.bench import Suite, case, tensor
SUITE = Suite(operator="exp", category="test")
@case()
def waits():
    for _ in range(6000):
        if os.path.exists({flag!r}):
            break
        time.sleep(0.01)
    return dict(data=tensor((2, 2)))
"""
AUTOPERF = [sys.executable, "-m", "autoperf"]


def limited(size: int) -> Callable[[], None]:
    """No file may grow beyond so many bytes, which stands for a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def call(*arguments: str, limit: int) -> subprocess.CompletedProcess[str]:
    """A command whose files may have so many bytes."""
    command = [*AUTOPERF, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited(limit))


def lines(errors: str) -> list[str]:
    """What was said as a mistake."""
    assert "Traceback" not in errors
    return [line for line in errors.splitlines() if line.startswith("autoperf: ")]


def test_a_full_disk_keeps_what_was_measured_and_the_run_goes_on_later(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    header = tmp_path / "header.ndjson"
    program("run", *SMALL, "--run-file", str(header))
    sizes = [len(line) for line in header.read_bytes().splitlines(keepends=True)]
    options = ("--operator", "exp", "--operator", "sin", "--operator", "cos", "--input-profile", "small", *QUICK)
    done = call("run", *options, "--run-file", str(file), limit=sum(sizes[:2]) + sizes[2] * 5 // 2)
    assert done.returncode == 2
    (line,) = lines(done.stderr)
    kept = len(read_run(file).outcomes)
    assert f"can't write {file}: File too large; {kept} outcomes are kept in it" in line
    assert kept >= 1
    assert program("run", "--resume", str(file)).returncode == 0
    assert len({one.case for one in read_run(file).outcomes}) == len(read_run(file).outcomes) == 3


def test_a_full_disk_of_temporary_files_ends_a_run_as_ctrl_c_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schedules, "Spool", lambda _path, kind: Spool(Path("/dev/full"), kind))
    file = tmp_path / "run.ndjson"
    visits = ("--input-profile", "small", "--samples", "2", "--processes", "2", "--visits", "2")
    assert command_line(["run", "--operator", "exp,sin", *visits, "--run-file", str(file)]) == 2
    shown, errors = capsys.readouterr()
    assert lines(errors) == ["autoperf: can't write /dev/full: No space left on device; set TMPDIR to another folder"]
    assert f"interrupted, 1 case kept; resume with `autoperf run --resume {file}`\n" in errors
    assert "1 case = 1 measured" in shown
    end = read_run(file).end
    assert end
    assert (end.complete, end.asked) == (False, 1)
    monkeypatch.undo()
    assert command_line(["run", "--resume", str(file)]) == 0
    assert {one.operator for one in read_run(file).outcomes} == {"exp", "sin"}

    monkeypatch.setattr(schedules, "Spool", lambda _path, kind: Spool(Path("/dev/full"), kind))
    again, measured = tmp_path / "again.ndjson", tmp_path / "measured.ndjson"
    capsys.readouterr()
    assert command_line(["gate", str(file), "--run-file", str(again)]) == 2
    assert f"interrupted, 1 case kept; resume with `autoperf run --resume {again}`\n" in capsys.readouterr().err
    with pytest.raises(OutputError, match=f"TMPDIR to another folder; 1 outcome kept in {measured}; autoperf.load"):
        autoperf.measure(
            "exp", input_profile="small", samples=2, processes=2, visits=2, progress=False, run_file=measured
        )


def test_a_disk_that_is_full_from_the_start_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    done = call("run", *SMALL, "--run-file", str(file), limit=100)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = lines(done.stderr)
    assert "File too large" in line
    assert not file.exists()


@pytest.mark.parametrize("form", ["table", "json", "csv", "md"])
def test_results_that_nobody_can_write_leave_the_run_file(program: Program, tmp_path: Path, form: str) -> None:
    file = tmp_path / "run.ndjson"
    with Path("/dev/full").open("w") as full:
        done = program("run", *SMALL, "--run-file", str(file), "--format", form, stdout=full.fileno())
    assert done.returncode == 2
    assert lines(done.stderr) == ["autoperf: can't write the output: No space left on device"]
    run = read_run(file)
    assert run.end
    assert run.end.complete


@pytest.fixture(scope="module")
def finished(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("finished") / "run.ndjson"
    assert program("run", *SMALL, "--run-file", str(file)).returncode == 0
    return file


@pytest.mark.parametrize("form", ["table", "json", "csv", "md"])
def test_a_run_whose_reader_has_gone_is_measured_all_the_same(program: Program, tmp_path: Path, form: str) -> None:
    file = tmp_path / "run.ndjson"
    done = to_nobody(program, "run", *SMALL, "--run-file", str(file), "--format", form)
    assert done.returncode == 0
    assert lines(done.stderr) == []
    run = read_run(file)
    assert run.end
    assert run.end.complete


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "baseline"])
def test_a_report_whose_reader_has_gone_ends_without_a_word(program: Program, finished: Path, form: str) -> None:
    done = to_nobody(program, "report", str(finished), "--format", form)
    assert (done.returncode, done.stderr) == (0, "")


PLACES = {
    "a folder that is a file": (("--run-file", "FILE/run.ndjson"), {}, "doesn't exist; make it first"),
    "a folder that is read-only": (("--run-file", "/sys/run.ndjson"), {}, "can't write /sys/run.ndjson"),
    "a cache that is a file": ((), {"AUTOPERF_CACHE": "FILE"}, "can't make the folder"),
}


@pytest.mark.parametrize("what", PLACES)
def test_a_place_that_can_not_be_written_is_found_before_measuring(program: Program, tmp_path: Path, what: str) -> None:
    options, env, words = PLACES[what]
    (tmp_path / "file").touch()
    place = str(tmp_path / "file")
    variables = {name: value.replace("FILE", place) for name, value in env.items()}
    done = program("run", *SMALL, *(option.replace("FILE", place) for option in options), cwd=tmp_path, env=variables)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = lines(done.stderr)
    assert words in line
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_ctrl_c_while_autoperf_is_being_imported_is_silent() -> None:
    """The signal comes with the first import of the command line."""
    script = (
        "import os, signal, sys\n"
        "class Early:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Early())\n"
        "from autoperf.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
