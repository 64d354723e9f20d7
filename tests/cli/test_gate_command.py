"""`autoperf gate` and the repository's file: what passes, what fails, and which lines have no effect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autoperf.core.errors import Exit
from tests.forked_program import Program
from tests.values import outcome, passed, steady, write_run
from tools.stored_run import read_run

QUICK = ("--input-profile", "small", "--draws", "0", "--warmup", "1", "--samples", "3", "--processes", "3")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two operators of five cases each; in new, one case of exp is 1.3 times slower, and one of log 1.08 times."""
    monkeypatch.chdir(tmp_path)
    names = [(number, "exp" if number < 5 else "log") for number in range(10)]
    factors = {3: 1.3, 7: 1.08}

    def case(number: int, name: str, factor: float) -> object:
        return outcome(number, passed(steady(factor * (100.0 + number)), steady(150.0 + number)), operator=name)

    write_run(tmp_path / "base.ndjson", [case(number, name, 1.0) for number, name in names])  # type: ignore[misc]
    write_run(tmp_path / "new.ndjson", [case(number, name, factors.get(number, 1.0)) for number, name in names])  # type: ignore[misc]
    return tmp_path


def _gate(program: Program, folder: Path, text: str = "", *more: str) -> tuple[int, dict[str, object]]:
    """The exit code of a gate with this file, and its comparison."""
    (folder / "autoperf.toml").write_text(text)
    (folder / "gate.json").unlink(missing_ok=True)
    done = program("gate", "base.ndjson", "new.ndjson", "--report", "gate.json", *more)
    assert done.returncode in (Exit.FINE, Exit.FINDING), done.stderr
    return done.returncode, json.loads((folder / "gate.json").read_text())


def _verdicts(comparison: dict[str, object]) -> dict[str, str]:
    cases = comparison["cases"]
    assert isinstance(cases, list)
    kernels = [each for each in cases if each["clock"] == "kernel"]
    return {each["case"]: each["verdict"] for each in kernels if each["verdict"] != "same"}


SLOW, SLIGHT = "exp/00000003", "log/00000007"
ACCEPT = '[[accept]]\noperator = "exp"\nratio = 1.3\nreason = "it checks its bounds"\nby = "ann"\n'


def test_without_a_file_whatever_is_slower_fails(program: Program, folder: Path) -> None:
    code, found = _gate(program, folder)
    assert (code, _verdicts(found)) == (1, {SLOW: "slower", SLIGHT: "slower"})


def test_a_gate_that_passes_has_nothing_to_confirm(program: Program, folder: Path) -> None:
    fails = program("gate", "base.ndjson", "new.ndjson")
    passes = program("gate", "base.ndjson", "new.ndjson", "--threshold", "50%")
    assert "not confirmed: the builds of both runs aren't there" in fails.stderr
    assert (passes.returncode, passes.stderr) == (Exit.FINE, "")


def test_selected_measurements_alone_are_judged(program: Program, folder: Path) -> None:
    assert _verdicts(_gate(program, folder, "", "--operator", "log")[1]) == {SLIGHT: "slower"}
    assert _gate(program, folder, "", "--operator", "log", "--threshold", "10%")[0] == 0


@pytest.mark.parametrize(
    ("text", "code", "verdicts"),
    [
        ('[compare]\nthreshold = "10%"', 1, {SLOW: "slower"}),
        (ACCEPT, 1, {SLOW: "accepted", SLIGHT: "slower"}),
        (f'{ACCEPT}[[threshold]]\noperator = "log"\nthreshold = "10%"', 0, {SLOW: "accepted"}),
        # Of two lines for one measurement the last counts.
        ('[[threshold]]\nthreshold = "50%"\n[[threshold]]\noperator = "log"\nthreshold = "5%"', 1, {SLIGHT: "slower"}),
        # A slowdown of 30% is more than one of 20%, and 5% beyond.
        (ACCEPT.replace("1.3", "1.2"), 1, {SLOW: "slower", SLIGHT: "slower"}),
        (ACCEPT.replace('"exp"', '"exp"\npass = "backward"'), 1, {SLOW: "slower", SLIGHT: "slower"}),
        (f"{ACCEPT}until = 2001-01-01", 1, {SLOW: "slower", SLIGHT: "slower"}),
    ],
)
def test_lines_decide(program: Program, folder: Path, text: str, code: int, verdicts: dict[str, str]) -> None:
    ended, found = _gate(program, folder, text)
    assert (ended, _verdicts(found)) == (code, verdicts)


def test_the_command_line_overrides_the_file(program: Program, folder: Path) -> None:
    assert _gate(program, folder, '[compare]\nthreshold = "10%"', "--threshold", "40%")[0] == 0
    assert _gate(program, folder, '[compare]\nthreshold = "40%"', "--config", "none")[0] == 1


def test_one_file_serves_both_commands(program: Program, folder: Path) -> None:
    text = '[compare]\nonly-changed = true\nno-confirm = true\naa = ["base.ndjson", "base.ndjson"]'
    assert _gate(program, folder, text)[0] == 1
    done = program("compare", "base.ndjson", "new.ndjson")
    assert (done.returncode, "only-changed True, aa base.ndjson, base.ndjson" in done.stderr) == (1, True)
    (folder / "autoperf.toml").write_text('[compare]\nconfig = "x"')
    assert "unknown option of [compare] 'config'" in program("compare", "base.ndjson", "new.ndjson").stderr


@pytest.mark.parametrize(
    ("setting", "words", "begin"),
    [
        ('format = "csv"', ("--report", "found.md"), "**new is "),
        ('report = "other.md"', ("--format", "json"), "{"),
        ('columns = ["ratio"]\nverbose = true', ("--format", "json"), "{"),
        ('columns = ["ratio"]', ("--format", "csv"), "ratio"),
    ],
)
def test_a_format_of_the_command_line_replaces_what_the_file_says_of_reports(
    program: Program, folder: Path, setting: str, words: tuple[str, str], begin: str
) -> None:
    (folder / "autoperf.toml").write_text(f"[compare]\n{setting}")
    done = program("compare", "base.ndjson", "new.ndjson", *words)
    assert done.returncode == 1, done.stderr
    text = (folder / words[1]).read_text() if words[0] == "--report" else done.stdout
    assert text.startswith(begin)
    assert not (folder / "other.md").exists()


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        (f"{ACCEPT}until = 2001-01-01", "has run out, and counts again"),
        (ACCEPT.replace("exp", "log").replace("1.3", "1.5"), None),
        (ACCEPT.replace("exp", "exp?"), "operator=exp? covers no measurement"),
        (ACCEPT.replace('"exp"', '"exp"\nclock = "wall"'), "no longer occurs: remove the line"),
        ('[[threshold]]\noperator = "tan"\nthreshold = "5%"', "operator=tan covers no measurement"),
        ('[[different]]\noperator = "exp"\nreason = "an approximation"', "the results of exp no longer differ"),
        ('[[different]]\noperator = "dot"\nreason = "an approximation"', "operator=dot covers no compared results"),
    ],
)
def test_lines_without_an_effect_are_told(program: Program, folder: Path, text: str, notice: str | None) -> None:
    notices = [each for each in _gate(program, folder, text)[1]["notices"] if "autoperf.toml" in each]  # type: ignore[attr-defined]
    assert [notice in each for each in notices] == ([True] if notice else []), notices


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gate]", "unknown table 'gate'; known are accept, compare, different, measure, threshold"),
        ("[measure]\nsed = 1", "unknown option of [measure] 'sed'; did you mean seed"),
        ('[compare]\nthreshold = "0.1"', "invalid percentage '0.1': expected 10% or 0.1%"),
        ('[compare]\nbase = "a.ndjson"', "unknown option of [compare] 'base'"),
        ("[[threshold]]\nthreshold = 0.1", 'invalid threshold 0.1 in threshold 1: expected a text, such as "10%"'),
        ('[[threshold]]\nthreshold = "5%"\nclock = "sun"', "invalid clock 'sun': expected kernel, wall"),
        ('[[accept]]\nratio = 0.9\nreason = "x"', "invalid ratio 0.9: expected more than 1"),
        ('[[accept]]\nratio = 1.5\nreason = " "', "invalid reason"),
        ('[[accept]]\nreason = "x"', "missing required field `ratio` in accept 1"),
        ('[[different]]\noperator = "erf"\nreson = "x"', "unknown field `reson` in different 1"),
        ('[[different]]\noperator = ""\nreason = "x"', "invalid operator: expected a name, or a glob"),
        ("[measure", "is no TOML"),
        (f"x = {'[' * 10_000}", "is no TOML"),
        (
            "[measure]\nseed = 2020-01-01",
            "invalid seed datetime.date(2020, 1, 1) in measure: expected a number, a text",
        ),
        ("[measure]\noperator = [[1]]", "invalid operator [[1]] in measure: expected a number, a text"),
        ("measure = 3", "Expected a table, got `int` in measure"),
        (
            '[[threshold]]\nthreshold = "-1%"',
            "invalid percentage '-1%': expected a percentage, such as 5% in threshold 1",
        ),
        (
            '[[accept]]\nratio = 2\nreason = "x"\nuntil = "soon"',
            "Expected a date, such as 2027-03-31 in accept 1, until",
        ),
    ],
)
def test_invalid_lines_are_the_users_mistake(program: Program, folder: Path, text: str, message: str) -> None:
    (folder / "autoperf.toml").write_text(text)
    done = program("gate", "base.ndjson", "new.ndjson")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
    assert "autoperf.toml" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool]\nautoperf = 3\n", "invalid tool.autoperf: expected a table"),
        ("[[tool.autoperf]]\n", "expected a table"),
    ],
)
def test_a_project_with_another_value_is_refused(program: Program, folder: Path, text: str, message: str) -> None:
    (folder / "pyproject.toml").write_text(text)
    done = program("gate", "base.ndjson", "new.ndjson", "--config", "pyproject.toml")
    assert (done.returncode, message in done.stderr) == (2, True)


def test_a_project_without_tools_has_no_options(program: Program, folder: Path) -> None:
    (folder / "pyproject.toml").write_text("tool = 3\n")
    assert program("gate", "base.ndjson", "base.ndjson", "--config", "pyproject.toml").returncode == 0


def test_the_nearest_file_counts(program: Program, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pyproject.toml").write_text('[tool.autoperf.compare]\nthreshold = "40%"\n')
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    runs = ("../base.ndjson", "../new.ndjson")
    assert program("gate", *runs).returncode == 0
    (folder / "inner" / ".git").mkdir()
    assert program("gate", *runs).returncode == 1


def test_reports_are_written_by_suffix(program: Program, folder: Path) -> None:
    files = ("gate.md", "gate.xml", "gate.html", "gate.csv")
    done = program("gate", "base.ndjson", "new.ndjson", *(word for name in files for word in ("--report", name)))
    assert done.returncode == 1
    begins = ("<!-- autoperf gate -->", "<?xml", "<!doctype html>", "case,")
    for name, begin in zip(files, begins, strict=True):
        assert (folder / name).read_text().startswith(begin)
    assert "gate: fails, 2 slower" in done.stdout
    refused = program("gate", "base.ndjson", "new.ndjson", "--report", "gate.pdf")
    assert refused.returncode == 2
    assert "expected one of the suffixes .csv, .html" in " ".join(refused.stderr.split())


def test_a_baseline_is_measured_again_in_the_same_way(program: Program, tmp_path: Path) -> None:
    run, again = tmp_path / "base.ndjson", tmp_path / "new.ndjson"
    done = program("run", "--operator", "exp,log,sum", "--seed", "7", *QUICK, "--run-file", str(run))
    assert done.returncode == 0, done.stderr
    (tmp_path / "a.toml").write_text('[compare]\noperator = "exp"\n')
    options = ("--config", str(tmp_path / "a.toml"), "--threshold", "1000%")
    done = program("gate", str(run), "--run-file", str(again), *options)
    assert done.returncode in (Exit.FINE, Exit.INCONCLUSIVE), done.stderr
    assert {each.operator for each in read_run(again).outcomes} == {"exp"}
    headers = [json.loads(path.read_text().splitlines()[0]) for path in (run, again)]
    ours, theirs = (header["options"] for header in headers)
    assert {name: ours[name] for name in ("selection", "recipe", "settings")} == {
        name: theirs[name] for name in ("selection", "recipe", "settings")
    }
    refused = program("gate", str(run), "--operator", "log")
    assert refused.returncode == 2
    assert "leave out --operator" in refused.stderr
    (tmp_path / "a.toml").write_text('[compare]\noperator = "exp"\ncategory = "reduction"\n')
    refused = program("gate", str(run), *options)
    assert refused.returncode == 2
    assert "[compare] of autoperf.toml selects no case of" in " ".join(refused.stderr.split())


def test_options_of_a_run_come_from_the_file(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "autoperf.toml").write_text(
        '[measure]\noperator = ["exp", "log"]\ninput-profile = "small"\ndraws = 0\nwarmup = 1\nsamples = 1\n'
        "processes = 1\nbackward = false\n"
    )
    done = program("run", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert "autoperf.toml: operator exp, log, input-profile small" in done.stderr
    assert [line.split(",")[1] for line in done.stdout.splitlines()[1:]] == ["exp", "log"]
    assert "--operator exp --operator log --input-profile small --draws 0" in done.stdout
    # An operator on the command line replaces those of the file.
    done = program("run", "--operator", "sin", "--format", "csv")
    assert [line.split(",")[1] for line in done.stdout.splitlines()[1:]] == ["sin"]
