"""Stored results are shown as before: run files, comparisons, a hunt, several at once, and text that steers nothing."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.cli.main import run
from autoperf.cli.main import run as command_line
from autoperf.core.errors import Exit
from autoperf.front.streams import wrapped
from tests.values import outcome, passed, steady, write_run

STORED = Path(__file__).parents[1] / "data" / "stored"


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files in reports are relative."""
    monkeypatch.chdir(STORED)
    monkeypatch.setenv("COLUMNS", "120")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def code_of(command: str) -> Exit:
    """Both builds are one, of which most measurements are undecided. The hunt has findings."""
    if command.startswith("compare"):
        return Exit.INCONCLUSIVE
    return Exit.FINE if command.startswith("report") else Exit.FINDING


def to_ten_digits(text: str) -> str:
    """The text with numbers of at most ten digits: the last ones of sixteen depend on the processor."""
    return re.sub(r"\d+\.\d{10,}", lambda number: f"{float(number[0]):.10g}", text)


@pytest.mark.parametrize(
    "command",
    [
        "report base-2.ndjson --format table",
        "report base-2.ndjson --format csv",
        "report base-2.ndjson --format md",
        "compare base-2.ndjson new-2.ndjson --format table",
        "compare base-2.ndjson new-2.ndjson --format csv",
        "compare base-2.ndjson new-2.ndjson --format md",
        "compare base-2.ndjson new-2.ndjson --format junit",
        "hunt --resume hunt --format table",
        "hunt --resume hunt --format md",
        "hunt --resume hunt --format json",
    ],
)
def test_what_is_stored_is_shown_as_before(
    command: str, snapshot: SnapshotAssertion, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line(command.split()) == code_of(command)
    assert to_ten_digits(capsys.readouterr().out) == snapshot


@pytest.mark.parametrize("file", ["network-3.ndjson", "layers-3.ndjson", "composites-3.ndjson"])
@pytest.mark.parametrize("form", ["table", "md"])
def test_networks_layers_and_composites_have_tables_of_their_own(
    file: str, form: str, snapshot: SnapshotAssertion, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line(["report", file, "--format", form]) == Exit.FINE
    assert capsys.readouterr().out == snapshot


@pytest.mark.parametrize(
    ("file", "key"), [("network-3", "networks"), ("layers-3", "layers"), ("composites-3", "composites")]
)
def test_their_tables_are_in_json_too(file: str, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["report", f"{file}.ndjson", "--format", "json"]) == Exit.FINE
    assert json.loads(capsys.readouterr().out)[key]


def test_rows_of_several_nights_fit_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for file in ("base-2.ndjson", "new-2.ndjson"):
        assert command_line(["report", file, "--format", "csv"]) == Exit.FINE
        texts.append(capsys.readouterr().out)
    headings = {text.partition("\n")[0] for text in texts}
    assert len(headings) == 1
    nights = {(row["date"], row["release"], row["seed"], row["threads"]) for text in texts for row in rows(text)}
    assert nights == {(f"2026-11-22T11:00:{second}+00:00", "1.9.1", "3", "1") for second in (28, 32)}


@pytest.mark.parametrize("form", ["table", "csv", "md", "json"])
def test_every_format_says_where_its_figures_come_from(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["report", "base-2.ndjson"], ["compare", "base-2.ndjson", "new-2.ndjson"]):
        verbose = ["--verbose"] if form == "table" else []
        assert command_line([*command, *verbose, "--format", form]) == code_of(" ".join(command))
        text = " ".join(capsys.readouterr().out.replace("\\", "").split())
        for word in ("1.9.1", "libmxnet.so", "Intel(R) Xeon(R) Processor", "2026-11-22T11:00:28", "0.1.0", "--seed 3"):
            assert word in text


@pytest.mark.parametrize("form", ["table", "csv", "md", "json"])
def test_a_complete_run_is_shown_as_its_report(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "run.ndjson"
    copy.write_bytes((STORED / "base-2.ndjson").read_bytes())
    assert command_line(["report", str(copy), "--format", form]) == Exit.FINE
    report = capsys.readouterr().out
    assert command_line(["run", "--resume", str(copy), "--format", form]) == Exit.FINE
    assert capsys.readouterr().out == report


BASE, NEW, HUNT = str(STORED / "base-2.ndjson"), str(STORED / "new-2.ndjson"), str(STORED / "hunt")


@pytest.mark.parametrize(
    ("paths", "title"),
    [
        ((BASE,), "Operator benchmarks"),
        ((BASE, NEW), f"{NEW} (MXNet 1.9.1, "),
        ((BASE, NEW, BASE), "Operator benchmarks by release"),
        ((HUNT,), "Inputs that are unexpectedly slow"),
    ],
)
def test_html_is_of_what_is_given(paths: tuple[str, ...], title: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", *paths, "--format", "html"]) == 0
    assert f"<h1>{title}" in capsys.readouterr().out


def test_a_page_goes_to_its_file(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(["report", BASE, NEW, "--format", "html", "--report", str(page)]) == 0
    assert page.read_text().startswith("<!doctype html>")


def test_several_runs_stand_side_by_side_under_labels_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", BASE, NEW]) == 0
    assert " 1.9.1 1.9.1-2 ratio" in " ".join(capsys.readouterr().out.split())


def test_a_hunt_is_shown_as_the_hunt_showed_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", HUNT, "--format", "md"]) == 0
    shown = capsys.readouterr().out
    assert "operators searched" in shown or "operator searched" in shown


def test_a_baseline_says_nothing_of_kernels_that_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = str(tmp_path / "small.ndjson")
    assert run(["report", BASE, "--format", "baseline", "--report", small, "--quiet"]) == 0
    assert run(["report", small, "--verbose"]) == 0
    shown = capsys.readouterr().out
    assert "samples in 3 processes" in " ".join(shown.split())
    assert "own kernels" not in shown
    assert "dispatch" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((BASE, NEW, "--format", "baseline"), "--format baseline converts one run file: expected one path, got 2"),
        ((HUNT, "--format", "baseline"), f"--format baseline converts one run file: {HUNT} is a folder"),
        ((BASE, "--format", "baseline", "--weights", NEW), "--format baseline ranks nothing: leave out --weights"),
        ((HUNT, "--sort", "ratio"), "options of rows and columns don't apply to a hunt"),
        ((HUNT, "--format", "csv"), "unknown format 'csv'"),
        ((HUNT, BASE), "Is a directory"),
        ((str(STORED),), "expected a run file, or the folder of a hunt, which has a log.ndjson"),
        ((), "report takes run files, the folder of a hunt, or --history: give one of them"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", *arguments]) == 2
    assert message in capsys.readouterr().err


RED = "\x1b[31mRED"
SPELLED = b"\\u001b[31mRED"


def on_a_terminal(*arguments: str) -> bytes:
    """All that the command says to a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "autoperf", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        # Linux ends a terminal that nobody writes to any more with an error.
        with contextlib.suppress(OSError):
            while part := os.read(ours, 65536):
                said += part
        os.close(ours)
        assert process.wait() in (0, 2)
    return said


@pytest.mark.parametrize("form", ["table", "csv", "md", "json", "baseline"])
def test_a_run_file_steers_no_terminal(tmp_path: Path, form: str) -> None:
    plain = outcome(0, passed(steady(10.0)), operator=RED)
    one = msgspec.structs.replace(plain, category=RED, profile=RED)
    said = on_a_terminal("report", str(write_run(tmp_path / "run.ndjson", [one])), "--format", form)
    assert SPELLED in said.replace(b"\\x1b", b"\\u001b")
    assert RED.encode() not in said


def test_a_message_steers_no_terminal(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text(f"raise ValueError({RED!r})\n")
    said = on_a_terminal("discover", "--rules", str(file))
    assert SPELLED in said
    assert RED.encode() not in said


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_messages_are_broken_between_words_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "results: /a/long/path/of-a/run.ndjson, with a note"
    assert wrapped(text, Terminal()).splitlines() == ["results:", "/a/long/path/of-a/run.ndjson,", "with a note"]
    assert wrapped("", Terminal()) == ""
    assert wrapped(text, io.StringIO()) == text
    monkeypatch.delenv("COLUMNS")
    assert wrapped(text, Terminal()) == text, "a terminal of unknown width"


def test_an_error_breaks_no_word_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = on_a_terminal("discover", "--operator", "softmax", "--mxnet", "0.1").decode().splitlines()
    assert len(lines) > 1
    assert all(len(line) <= 80 for line in lines)
    assert "known releases are" in " ".join(lines)
