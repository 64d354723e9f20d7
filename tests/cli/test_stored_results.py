"""Stored results are shown as before: run files of both versions, comparisons, and a hunt."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.cli.main import run as command_line
from autoperf.core.exits import Exit
from autoperf.core.outcome import FigureWarning
from autoperf.results.run_reader import RunReader

STORED = Path(__file__).parents[1] / "data" / "stored"
# By the first commit that had version 0.1.0; base and new were two statistics there, and are one estimate now.
CHANGED = {"base_us", "new_us"}
# The suffix of the columns of warnings at that time.
OLDER_WARNINGS = "_doubts"


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files in reports are relative."""
    monkeypatch.chdir(STORED)
    monkeypatch.setenv("COLUMNS", "120")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("words", "file", "code"),
    [
        (["report", "base-1.ndjson"], "base-1.csv", Exit.FINE),
        (["compare", "base-1.ndjson", "new-1.ndjson"], "comparison-1.csv", Exit.FINE),
    ],
)
def test_version_1_has_the_figures_that_it_had_when_it_was_written(
    words: list[str], file: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line([*words, "--format", "csv"]) == code
    was = rows((STORED / file).read_text().replace(OLDER_WARNINGS, "_warnings"))
    now = rows(capsys.readouterr().out)
    names = was[0].keys() - CHANGED
    key = names & {"case", "pass", "clock"}
    by_key = {tuple(row[name] for name in sorted(key)): row for row in now}
    assert len(was) == len(now) == len(by_key)
    for row in was:
        found = by_key[tuple(row[name] for name in sorted(key))]
        assert {name: found[name] for name in names} == {name: row[name] for name in names}


def code_of(command: str) -> Exit:
    """Both builds are one, and no figure is judged changed. The hunt has findings."""
    return Exit.FINE if command.startswith(("report", "compare")) else Exit.FINDING


@pytest.mark.parametrize(
    "command",
    [
        "report base-2.ndjson --format table",
        "report base-2.ndjson --format csv",
        "report base-2.ndjson --format md",
        "report base-1.ndjson --format table",
        "compare base-2.ndjson new-2.ndjson --format table",
        "compare base-2.ndjson new-2.ndjson --format csv",
        "compare base-2.ndjson new-2.ndjson --format md",
        "compare base-2.ndjson new-2.ndjson --format junit",
        "compare base-1.ndjson new-2.ndjson --format table",
        "hunt --resume hunt --format table",
        "hunt --resume hunt --format md",
        "hunt --resume hunt --format json",
    ],
)
def test_what_is_stored_is_shown_as_before(
    command: str, snapshot: SnapshotAssertion, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line(command.split()) == code_of(command)
    assert capsys.readouterr().out == snapshot


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


@pytest.mark.parametrize("file", ["base-1.ndjson", "base-2.ndjson"])
def test_the_older_key_of_warnings_is_read(file: str) -> None:
    assert b'"doubts"' in (STORED / file).read_bytes()
    with RunReader(STORED / file) as run:
        readings = [series for outcome in run if outcome.forward for series in outcome.forward.metrics.values()]
    assert any(FigureWarning.NOISY in series.warnings for series in readings)


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
        assert command_line([*command, "--format", form]) == code_of(" ".join(command))
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
