"""Options: their values, those that contradict each other, come twice or have no effect; and where a report goes."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from autoperf.cli.command import set_names
from autoperf.cli.option_types import DURATION, SHARE
from autoperf.cli.report_options import VIEW
from autoperf.core.errors import Exit
from autoperf.front.output import view_places
from autoperf.reports.formats import Kind, names
from tests.cli.test_run_faults import SMALL, limited
from tests.forked_program import Program
from tests.values import outcome, passed, steady, write_run
from tools.stored_run import read_run

ONCE = "is given 2 times: expected once"
MISTAKES = {
    "two dtypes": (
        ("run", "--dtype", "float16", "--dtype", "float32"),
        f"--dtype {ONCE}, with commas between its values",
    ),
    "a dtype twice": (("run", "--dtype", "float16,float16"), "float16 is given twice"),
    "an unknown dtype in a list": (("run", "--dtype", "float16,float3"), "did you mean float32"),
    "a list with a gap": (("run", "--operator", "exp,,log"), "invalid list: expected a name"),
    "two seeds": (("generate", "--folder", "x", "--seed", "1", "--seed", "2"), f"--seed {ONCE}"),
    "samples by two names": (("run", "--samples", "3", "--runs", "3"), "--samples is given 2 times"),
    "a format by two names": (
        ("run", "--format", "md", "--output-format", "csv"),
        "--format and --output-format exclude each other",
    ),
    "two releases of a check": (("doctor", "--mxnet", "1.9.1", "--mxnet", "2.0.0b1"), f"--mxnet {ONCE}"),
    "two formats of a list": (("releases", "list", "--format", "json", "--format", "json"), f"--format {ONCE}"),
    "two statuses": (("discover", "--covered", "--uncovered"), "--covered and --uncovered exclude each other"),
    "a limit that is no number": (("run", "--timeout", "nan"), "invalid duration 'nan': expected 90s, 10m"),
    "an endless limit": (("run", "--timeout", "inf"), "invalid duration 'inf'"),
    "a ratio that is no number": (
        ("hunt", "--at-least", "nan"),
        "invalid number 'nan': expected a number in the range 1.2<=x<=1000",
    ),
    "an endless ratio": (("hunt", "--at-least", "inf"), "inf is not in the range"),
    "a negative limit of a hunt": (("hunt", "--timeout", "-1"), "invalid duration '-1'"),
    "no number for a hunt's limit": (("hunt", "--timeout", "NaN"), "invalid duration 'NaN'"),
    "a threshold that is no number": (("compare", "a", "b", "--threshold", "nan%"), "invalid percentage 'nan%'"),
    "a precision without end": (("run", "--precision", f"{'9' * 400}%"), "invalid percentage"),
    "a budget that is no number": (("hunt", "--time-budget", "nan"), "invalid duration 'nan'"),
    "a precision beside exact runs": (("run", "--samples", "3", "--precision", "1%"), "leave out --precision"),
    "a precision beside files": (("compare", "a", "b", "--precision", "1%"), "leave out --precision, or the files"),
    "defaults beside files": (("compare", "a", "b", "--seed", "0"), "leave out --seed, or the files"),
    "places beside files": (("compare", "a", "b", "--run-file", "x"), "leave out --run-file, or the files"),
    "a default beside cases": (("run", "--cases", "a.py", "--draws", "2"), "leave out --draws"),
    "a default beside a folder": (("hunt", "--resume", "x", "--seed", "0"), "leave out --seed"),
    "a default beside a ledger": (("discover", "--write-ledger", "x", "--format", "table"), "leave out --format"),
    "a report that is the run file": (("run", *SMALL, "--run-file", "x", "--report", "x"), "invalid --report x"),
    "a report that is the run file by another path": (
        ("run", *SMALL, "--run-file", "x", "--report", "/proc/self/cwd/x"),
        "invalid --report x",
    ),
    "a report that is the run file of a side": (
        ("compare", "--env", "A:X=1", *SMALL, "--run-file", "x", "--report", "x-B"),
        "invalid --report x-B",
    ),
    "a report as the run file": (
        ("run", *SMALL, "--run-file", "x.md"),
        "invalid --run-file x.md: it becomes NDJSON; name it x.ndjson; a report goes to --report",
    ),
    "YAML as the run files": (
        ("compare", "--env", "A:X=1", *SMALL, "--run-file", "x.YAML"),
        "invalid --run-file x.YAML: it becomes NDJSON",
    ),
    "YAML as captured cases": (
        ("capture", "gluon.nn.Dense", "--cases-file", "x.yaml"),
        "it becomes NDJSON; name it x.nd",
    ),
    "a report of the run as NDJSON": (
        ("run", *SMALL, "--report", "x.ndjson"),
        "invalid file of the report x.ndjson: a report isn't NDJSON; name it x.json or x.txt, or give its --format",
    ),
    "a report of a stored run as NDJSON": (("report", "a", "--report", "y.NDJSON"), "a report isn't NDJSON; name it y"),
    "a comparison as NDJSON": (("compare", "a", "b", "--report", "z.ndjson"), "a report isn't NDJSON; name it z.json"),
    "a report in no folder": (("run", *SMALL, "--report", "no/where.md"), "doesn't exist; make it first"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_can_not_be_meant_is_refused(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    arguments, words = MISTAKES[mistake]
    monkeypatch.chdir(tmp_path)
    done = program(*arguments)
    assert (done.returncode, done.stdout) == (Exit.USER_MISTAKE, "")
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_what_says_the_same_twice_is_no_mistake(program: Program) -> None:
    done = program("discover", "--operator", "exp", "--operator", "sin", "--covered", "--covered")
    assert done.returncode == Exit.FINE
    assert "sin" in done.stdout


@pytest.mark.parametrize("command", ["run", "hunt"])
def test_a_mistake_comes_alone(program: Program, command: str) -> None:
    """Nothing is said of the machine as long as it isn't certain that anything is measured."""
    done = program(command, "--operator", "sofmax")
    assert done.returncode == Exit.USER_MISTAKE
    assert done.stderr.startswith("autoperf: unknown operator 'sofmax'; did you mean softmax")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "form", ["md", "csv", *(pytest.param(form, marks=pytest.mark.nightly) for form in ("table", "json"))]
)
def test_a_report_goes_to_its_file_in_its_format(program: Program, tmp_path: Path, form: str) -> None:
    run, report = tmp_path / "run.ndjson", tmp_path / "report"
    options = ("--format", form, "--report", str(report))
    done = program("run", *SMALL, "--run-file", str(run), *options)
    assert done.returncode == Exit.FINE
    assert re.fullmatch(rf"report: {report}\n1 of 1 case measured, .*; the slowest: exp forward .*\n", done.stdout)
    assert f"results: {run}\n" in done.stderr
    text = report.read_text()
    printed = program("report", str(run), "--format", form).stdout
    assert text == printed
    if form == "md":
        assert text.startswith("**1 of 1 case measured")
    elif form == "csv":
        assert next(csv.DictReader(text.splitlines()))["operator"] == "exp"
    elif form == "json":
        assert json.loads(text)["outcomes"][0]["operator"] == "exp"
    assert read_run(run).end
    again = program("report", str(run), *options)
    assert again.returncode == Exit.USER_MISTAKE
    assert "exists already" in again.stderr


def test_a_report_without_a_run_file_leaves_that_where_it_usually_is(program: Program, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    report = ("--format", "md", "--report", str(tmp_path / "x.md"))
    done = program("run", *SMALL, *report, env={"AUTOPERF_CACHE": str(cache)})
    assert done.returncode == Exit.FINE
    (run,) = cache.glob("runs/*.ndjson")
    assert done.stderr.count("results") == done.stderr.count(str(run)) == 1
    assert (tmp_path / "x.md").read_text().startswith("**1 of 1 case measured")


@pytest.mark.parametrize("option", ["--report", "--output-file"])
@pytest.mark.parametrize(("command", "runs"), [("report", 1), ("compare", 2)])
def test_the_suffix_of_a_report_decides_its_format(
    program: Program, tmp_path: Path, command: str, runs: int, option: str
) -> None:
    run = write_run(tmp_path / "run.ndjson", [outcome(0, passed(steady(1.0)))])
    for suffix, form in (("json", "json"), ("MD", "md"), ("xml", "junit"), ("txt", "table")):
        files = [tmp_path / f"named.{suffix}", tmp_path / f"asked.{form}"]
        arguments = (command, *[str(run)] * runs)
        assert program(*arguments, option, str(files[0])).returncode == Exit.FINE
        assert program(*arguments, "--format", form, option, str(files[1])).returncode == Exit.FINE
        named, asked = (file.read_text() for file in files)
        assert named.replace(str(files[0]), "") == asked.replace(str(files[1]), "")


@pytest.mark.parametrize("command", ["report", "compare"])
def test_a_report_that_can_not_be_written_leaves_nothing_behind(program: Program, tmp_path: Path, command: str) -> None:
    """A limit on the size of files stands for a full disk; the next try isn't blocked."""
    run = write_run(tmp_path / "run.ndjson", [outcome(n, passed(steady(1.0 + n))) for n in range(40)])
    report = tmp_path / "report.json"
    files = [str(run)] * (2 if command == "compare" else 1)
    arguments = (command, *files, "--format", "json", "--report", str(report))
    words = [sys.executable, "-m", "autoperf", *arguments]
    full = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=limited(1000))
    assert full.returncode == Exit.USER_MISTAKE
    assert f"autoperf: can't write {report}: File too large\n" in full.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.ndjson"]
    assert program(*arguments).returncode == Exit.FINE
    assert json.loads(report.read_text())


@pytest.mark.parametrize("kind", ["run", "runs", "comparison"])
def test_a_format_says_of_each_option_of_a_view_whether_it_has_a_place(kind: Kind) -> None:
    for form in names(kind):
        places = view_places(kind, form)
        assert places.keys() == set(VIEW)
        assert places["group_by"] is (form in names("groups"))


def test_two_sides_say_first_how_much_there_is_to_do(program: Program, tmp_path: Path) -> None:
    sides = ("--env", "A:MXNET_CPU_WORKER_NTHREADS=1", "--input-profile", "small", "--draws", "0", "--operator", "exp")
    exact = program(
        "compare", *sides, "--samples", "2", "--warmup", "0", "--processes", "1", "--run-file", str(tmp_path / "x")
    )
    assert "1 operator, about 1 case on each of two sides\n" in exact.stderr
    timed = program("compare", *sides, "--max-time", "10ms", "--processes", "1", "--run-file", str(tmp_path / "y"))
    assert "1 operator, about 1 case on each of two sides: about " in timed.stderr
    assert timed.stderr.index("two sides") < timed.stderr.index("results: side A")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("10m", 600.0),
        ("10 min", 600.0),
        ("1h30m", 5400.0),
        ("1h 30m 5s", 5405.0),
        ("200ms", 0.2),
        ("2", 2.0),
        (".5s", 0.5),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert DURATION.convert(text, None, None) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "0s", "-1s", "ten", "10 20", "5d", "1h,30m", "s", "1e9h", "inf", "9" * 400])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter, match="invalid duration"):
        DURATION.convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "share"), [("10%", 0.1), ("10", 0.1), ("1", 0.01), ("0.5%", 0.005), ("200 %", 2.0), ("0", 0.0)]
)
def test_a_bare_number_is_in_percent(text: str, share: float) -> None:
    assert SHARE.convert(text, None, None) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.05", "invalid percentage '0.05': expected 5% or 0.05%"),
        (".5", "expected 50% or 0.5%"),
        ("-1", "expected a percentage, such as 5%"),
        ("ten", "expected a percentage"),
        ("nan%", "expected a percentage"),
    ],
)
def test_a_number_that_may_be_a_share_needs_the_sign(text: str, words: str) -> None:
    with pytest.raises(click.BadParameter, match=re.escape(words)):
        SHARE.convert(text, None, None)


def test_options_of_the_repositorys_file_are_set_as_those_of_the_command_line() -> None:
    command = click.Command("x", params=[click.Option([f"--{name}"]) for name in "abc"])
    assert set_names(command.make_context("x", ["--a", "1"], default_map={"b": "2"})) == {"a", "b"}


def test_a_precision_of_the_command_line_wins_over_samples_of_the_repositorys_file(
    program: Program, tmp_path: Path
) -> None:
    config, file = tmp_path / "autoperf.toml", tmp_path / "run.ndjson"
    config.write_text("[measure]\nsamples = 5\n")
    quick = ("--operator", "exp", "--input-profile", "small", "--draws", "0", "--processes", "1", "--max-time", "10ms")
    done = program("run", *quick, "--precision", "1%", "--config", str(config), "--run-file", str(file))
    assert done.returncode == 0, done.stderr
    assert read_run(file).header.settings["runs"] is None
