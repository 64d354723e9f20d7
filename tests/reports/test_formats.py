"""Every line of the table of formats is offered, and nothing falls through to another."""

from __future__ import annotations

import csv
import inspect
import io
import re
from pathlib import Path
from typing import get_args

import click
import msgspec
import pytest

from autoperf.cli.main import autoperf as program
from autoperf.cli.main import run as command_line
from autoperf.comparison.comparison import Comparison, Unmatched, Verdict
from autoperf.comparison.report import ComparisonReport
from autoperf.core.coverage import ReleaseCoverage
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.coverage.report import CoverageView, LedgerReport
from autoperf.front.stored_reports import Shown, show_runs
from autoperf.machine.doctor import DoctorReport
from autoperf.reports.columns import View, csv_line
from autoperf.reports.formats import FORMATS, Kind, function_named, load, names
from tests.coverage.test_coverage_report import CHECK
from tests.finding_values import SEARCHED, hunt_report
from tests.hunt.test_hunt_report import FOUND
from tests.machine.test_doctor_report import CHECKS, rechecked
from tests.machine.test_doctor_report import ROWS as RELEASES
from tests.reports.report_values import REPORT, report, run_text, text_of
from tests.values import HEADER, PAIR, compared, comparison, ended, measured, outcome, passed, steady, timed, write_run

KINDS: tuple[Kind, ...] = get_args(Kind)


def compared_as(name: str) -> Comparison:
    """A comparison with this text wherever a file may have text."""
    one = compared("exp/1", "forward", "wall", 2.0, Verdict.SLOWER, inputs=name)
    first = msgspec.structs.replace(one, profile=name, case=name, operator=name)
    missing = Unmatched(case=name, operator=name, missing="base", reason=name)
    return comparison(first, base=name, new=name, notices=(name,), unmatched=(missing,))


def named(name: str) -> list[Outcome]:
    """A measured case and a failed one with this text wherever a file may have text."""
    succeeded = measured(name, name, PAIR, timed(3, 5, (name,)), category=name, digest=name, axis=name)
    return [succeeded, msgspec.structs.replace(ended(Status.FAILED, name, name), category=name, profile=name)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_report_has_a_table_first_and_every_line_names_functions(kind: Kind) -> None:
    assert names(kind)[0] == "table"
    assert list(FORMATS) == list(KINDS)
    for name in names(kind):
        form = load(kind, name)
        assert len(inspect.signature(function_named(form.write)).parameters) == 1 + form.fits
        assert form.fits is (name == "table")
        assert not form.prepare or len(inspect.signature(function_named(form.prepare)).parameters) == 1


@pytest.mark.parametrize("name", ["yaml", "jsn", "", "__init__", "../run/json"])
def test_an_unknown_format_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError):
        load("run", name)


@pytest.mark.parametrize(
    ("command", "kind"),
    [("run", "run"), ("report", "run"), ("compare", "comparison"), ("discover", "coverage"), ("hunt", "hunt"),
     ("doctor", "doctor")],
)  # fmt: skip
def test_commands_offer_the_formats_that_there_are(command: str, kind: Kind) -> None:
    subcommand = program.get_command(click.Context(program), command)
    assert subcommand
    (option,) = (parameter for parameter in subcommand.params if parameter.name == "form")
    assert isinstance(option.type, click.Choice)
    assert tuple(
        choice for choice in option.type.choices if choice not in ("baseline", "issue") or choice in names(kind)
    ) == names(kind)


@pytest.mark.parametrize("budget", [None, 5.0])
@pytest.mark.parametrize("form", ["table", "csv", "md", "json"])
def test_run_and_report_show_the_same_of_one_file(
    tmp_path: Path, form: str, budget: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    header = msgspec.structs.replace(HEADER, options={"settings": {"time_budget": budget}})
    # In the order of a time budget: one case of each operator, then a second of each.
    cases = [outcome(n, passed(steady(10.0 + n)), operator=("exp", "log")[n % 2]) for n in range(6)]
    file = write_run(tmp_path / "run.ndjson", cases, header)
    show_runs([file], Shown(form, View()), [""])
    ran = capsys.readouterr().out
    assert command_line(["report", str(file), "--format", form]) == 0
    assert capsys.readouterr().out == ran
    if form == "csv" and budget:
        operators = [row["operator"] for row in csv.DictReader(io.StringIO(ran))]
        assert operators == sorted(operators)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "  @"])
def test_formulas_in_names_are_escaped(start: str) -> None:
    name = f"{start}1+1"
    texts = [
        run_text(named(name), 9999, form="csv"),
        text_of("comparison", "csv", ComparisonReport(compared_as(name)), 9999),
    ]
    hostile = {"name": name, "reason": name, "aliases": (name,)}
    operators = tuple(msgspec.structs.replace(operator, **hostile) for operator in REPORT.operators)
    coverage = [ReleaseCoverage(name, msgspec.structs.replace(REPORT, operators=operators))] * 2
    texts += [text_of("coverage", "csv", CoverageView(releases), 9999) for releases in (coverage[:1], coverage)]
    for text in texts:
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert any(cell.endswith("1+1") for cell in cells)
        for cell in cells:
            assert not cell.startswith(("=", "+", "@", "\t", "\r", " "))
            assert not cell.startswith("-") or re.fullmatch(r"-[\d.e+-]+", cell)


def test_numbers_and_dashes_stay_as_they_are() -> None:
    assert csv_line(["-1", -1.5, None, 2, "a", "---"]) == "'-1,-1.5,,2,a,---\n"


MARKDOWN = {
    "a link": ("[x](http://evil.example)", "x]("),
    "a picture": ("![x](http://evil.example)", "x]("),
    "an address": ("see https://evil.example", "https://"),
    "an address without its scheme": ("see www.evil.example", "www.evil"),
    "a tag": ("<img src=x onerror=y>", " <img"),
    "a row": ("a | b", "a | b"),
    "code": ("`x", " `x"),
    "two lines": ("a\n\n# b", "\n# b"),
    "a mention": ("@someone", "@someone"),
    "an entity": ("&lt;b", " &lt;"),
    "a formula": ("$x$", " $x$"),
}


@pytest.mark.parametrize("trick", MARKDOWN)
def test_markdown_in_names_is_escaped(trick: str) -> None:
    name, read = MARKDOWN[trick]
    assert read in f" {name}"
    for text in (
        run_text(named(name), 9999, form="md"),
        run_text(named(name), 9999, form="md", sort="memory"),
        text_of("comparison", "md", ComparisonReport(compared_as(name)), 9999),
    ):
        assert read not in text


@pytest.mark.parametrize("width", range(1, 26))
def test_no_terminal_is_too_narrow(width: int, run: tuple[Outcome, ...]) -> None:
    """Nothing raises, and the sum is still there."""
    releases = [ReleaseCoverage("1.9.1", REPORT), ReleaseCoverage("2.0.0b1", REPORT)]
    reports: dict[Kind, list[object]] = {
        "run": [report(run), report([]), report(run, columns=("case", "seconds")), report(run, sort="-memory")],
        "comparison": [ComparisonReport(compared_as("exp"))],
        "coverage": [
            CoverageView(shown, detailed=detailed) for shown in (releases[:1], releases) for detailed in (0, 1)
        ],
        "hunt": [hunt_report(FOUND, SEARCHED)],
        "doctor": [DoctorReport(CHECKS)],
        "ledger": [LedgerReport(CHECK, "ledger.json", "autoperf")],
        "recheck": [rechecked(4.0, 3.0, 5.0)],
        "releases": [RELEASES],
    }
    for kind, shown in reports.items():
        for given in shown:
            assert text_of(kind, "table", given, width).strip()
    assert "9cases=5measured" in run_text(run, width).replace(" ", "").replace("\n", "")


@pytest.mark.parametrize("columns_", ["1", "25"])
def test_a_narrow_terminal_ends_no_command(tmp_path: Path, columns_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns_)
    file = write_run(tmp_path / "run.ndjson", [outcome(n, passed(steady(10.0 + n))) for n in range(3)])
    assert command_line(["report", str(file)]) == 0
    assert command_line(["compare", str(file), str(file)]) == 0


@pytest.mark.parametrize("columns_", ["50", "80", "200"])
def test_a_long_profile_is_cut_on_a_terminal_and_whole_in_files(
    tmp_path: Path, columns_: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns_)
    figures = passed(steady(10.0), steady(20.0))
    file = str(
        write_run(tmp_path / "run.ndjson", [msgspec.structs.replace(outcome(0, figures), profile="profile" * 1000)])
    )
    for words in (["report", file], ["compare", file, file]):
        assert command_line(words) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) < 40
        assert sum(line.count("profile") for line in lines) < 15
        assert any(line.count("profile") > 3 and "…" in line for line in lines)
    for form in ("csv", "md", "json"):
        assert command_line(["report", file, "--format", form]) == 0
        assert capsys.readouterr().out.count("profile" * 1000) == 1
    show_runs([Path(file)] * 2, Shown("table", View()), ["a", "b"])
    assert len(capsys.readouterr().out.splitlines()) < 40


MISTAKES = {
    "an unknown column": (["report", "RUN", "--columns", "case,memry"], "did you mean memory"),
    "an unknown column to sort by": (["report", "RUN", "--sort", "-forward_wal"], "did you mean forward_wall"),
    "no column": (["report", "RUN", "--columns", ""], "unknown column ''"),
    "no column to sort by": (["report", "RUN", "--sort", "-"], "expected a name"),
    "a column twice": (["report", "RUN", "--columns", "case,case"], "named twice"),
    "columns of JSON": (["report", "RUN", "--columns", "case", "--format", "json"], "--columns doesn't apply"),
    "columns of a run file": (
        ["report", "RUN", "--columns", "case", "--format", "baseline"],
        "leave out options of rows",
    ),
    "columns of a comparison": (["compare", "RUN", "RUN", "--columns", "rato"], "did you mean ratio"),
    "columns of JUnit": (["compare", "RUN", "RUN", "--columns", "ratio", "--format", "junit"], "doesn't apply"),
    "columns of a run": (["run", "--operator", "exp", "--columns", "memry"], "did you mean memory"),
    "a format of one run": (
        ["report", "RUN", "RUN", "--format", "junit"],
        "doesn't apply to several run files: expected table, csv, html, json, md",
    ),
    "a format of hunts": (["report", "RUN", "--format", "issue"], "--format issue doesn't apply to a run file"),
    "an operator that no case has": (["report", "RUN", "--format", "opperf_csv", "--operator", "log"], "'log'"),
    "the same in several": (["report", "RUN", "RUN", "--format", "json", "--operator", "log"], "'log'"),
    "an unknown format": (["report", "RUN", "--format", "yaml"], "'yaml' is not one of"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_ends_with_two(tmp_path: Path, mistake: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_run(tmp_path / "run.ndjson", [outcome(0, passed(steady(10.0)))])
    arguments, words = MISTAKES[mistake]
    assert command_line([str(file) if argument == "RUN" else argument for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words in printed.err


@pytest.mark.parametrize("form", ["table", "md", "json"])
def test_columns_of_several_releases_are_refused_where_there_are_none(tmp_path: Path, form: str) -> None:
    files = [write_run(tmp_path / f"{n}.ndjson", [outcome(0, passed(steady(10.0)))]) for n in range(2)]
    with pytest.raises(UsageError, match="--columns doesn't apply"):
        show_runs(files, Shown(form, View(("case",))), ["a", "b"])


def test_columns_of_several_releases_are_in_the_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [write_run(tmp_path / f"{n}.ndjson", [outcome(0, passed(steady(10.0 + n)))]) for n in range(2)]
    show_runs(files, Shown("csv", View(("forward_kernel",))), ["a", "b"])
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == ["release", "a", "b"]


def test_what_is_asked_for_on_the_command_line_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(write_run(tmp_path / "run.ndjson", [outcome(n, passed(steady(10.0 + n))) for n in range(3)]))
    options = ["--columns", "case,forward_kernel", "--sort", "-forward_kernel", "--format", "csv"]
    assert command_line(["report", file, *options]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [list(row) for row in rows] == [["case", "forward_kernel_median_us"]] * 3
    assert [round(float(row["forward_kernel_median_us"])) for row in rows] == [12, 11, 10]
    assert command_line(["compare", file, file, "--columns", "ratio,case", "--sort", "-base", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "ratio,case"


@pytest.mark.parametrize("form", ["table", "csv", "md", "json"])
def test_control_characters_of_names_reach_no_terminal(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b[31m\x07\x9b\u202e"
    hostile = msgspec.structs.replace(outcome(0, passed(steady(10.0)), operator=evil), category=evil, profile=evil)
    file = str(write_run(tmp_path / "run.ndjson", [hostile]))
    assert command_line(["report", file, "--format", form]) == 0
    assert command_line(["compare", file, file, "--format", form]) == 0
    target = tmp_path / "found"
    assert command_line(["compare", file, file, "--format", form, "--report", str(target)]) == 0
    printed = capsys.readouterr()
    for text in (printed.out, printed.err, target.read_text()):
        assert not set(evil) - set("[31m") & set(text)
