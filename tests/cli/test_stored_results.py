"""Stored results are shown as before: run files, comparisons, and a hunt."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.cli.main import run as command_line
from autoperf.core.errors import Exit
from autoperf.results.run_reader import RunReader

STORED = Path(__file__).parents[1] / "data" / "stored"


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files in reports are relative."""
    monkeypatch.chdir(STORED)
    monkeypatch.setenv("COLUMNS", "120")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def code_of(command: str) -> Exit:
    """Both builds are one, and no figure is judged changed. The hunt has findings."""
    return Exit.FINE if command.startswith(("report", "compare")) else Exit.FINDING


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


def test_version_4_has_one_machine_in_its_header() -> None:
    with RunReader(STORED / "base-2.ndjson") as run:
        (machine,) = run.machines
        assert run.header.version == 4
        assert all(run.machine(outcome) == machine for outcome in run)
    assert machine.environment.processor.logical == 2
    assert machine.reference
    assert machine.reference.us == 1.604


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
