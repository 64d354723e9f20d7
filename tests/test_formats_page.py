"""docs/reference/formats.md names every key, column, warning and exit code that the program has."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from autoperf.analysis.comparison import ComparedFigure, Comparison, Unmatched, VerdictCounts
from autoperf.analysis.network_times import network_times
from autoperf.core.case import Case
from autoperf.core.coverage import Check, Health
from autoperf.core.errors import Exit, of_signal
from autoperf.core.machine import Roofline, Throughput
from autoperf.core.outcome import FigureWarning, Memory, Outcome, Pass, PassMemory, Series, Status
from autoperf.core.work import Work
from autoperf.reports.comparison import COLUMNS as COMPARISON_COLUMNS
from autoperf.reports.networks import network_record
from autoperf.reports.runs import known_columns
from autoperf.results.anomalies import Anomaly
from autoperf.results.environment import Machine
from autoperf.results.runfile import Provenance, RunEnd, RunHeader
from tools.stored_run import read_run

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text below the heading that begins so."""
    return PAGE.partition(f"\n## {title}")[2].partition("\n## ")[0]


def words(text: str) -> set[str]:
    """What stands in code marks or quotes."""
    return set(re.findall(r"[\"`]([a-z0-9_]+)[\"`]", text))


def keys(*kinds: type[msgspec.Struct]) -> set[str]:
    return {field.encode_name for kind in kinds for field in msgspec.structs.fields(kind)}


def without_prefixes(names: Iterable[str]) -> set[str]:
    """Names of columns without the pass and the clock that they begin with."""
    return {re.sub(r"^(?:forward|backward)_", "", name) for name in names}


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("The run file", keys(RunHeader, Machine, RunEnd, Outcome, Pass, Series, Memory, PassMemory, Work, Throughput)),
        ("The run file", keys(Anomaly, Provenance)),
        ("The run file", {status.value for status in Status} | {warning.value for warning in FigureWarning}),
        ("The case file", keys(Case) - keys(Outcome) | {"id", "case", "mxnet", "seed", "autoperf"}),
        ("`autoperf compare --format json`", keys(Comparison, ComparedFigure, Unmatched, VerdictCounts)),
        ("`autoperf doctor", keys(Check, Roofline) | {health.value for health in Health}),
    ],
    ids=["run file", "provenance and anomalies", "statuses and warnings", "case file", "comparison", "doctor"],
)
def test_a_section_names_every_key(title: str, names: set[str]) -> None:
    assert len(names) > 3
    assert names - words(section(title)) == set()


def test_every_column_of_a_run_is_named() -> None:
    named = words(section("Columns").partition("Of a comparison:")[0])
    parts = {
        re.sub(r"^(?:kernel|wall|instructions|cycles|python(?!_function))_", "", name)
        for name in without_prefixes(column.name for column in known_columns())
    }
    assert parts - named == set()


def test_every_column_of_a_comparison_is_named() -> None:
    named = words(section("Columns").partition("Of a comparison:")[2])
    assert {column.name for column in COMPARISON_COLUMNS} - named == set()


def test_every_column_of_the_csv_is_named() -> None:
    text = section("The CSV of a run")
    names = without_prefixes(column.csv for column in known_columns() if column.csv)
    parts = {re.sub(r"^(?:kernel|wall|instructions|cycles|python(?!_function))(?=_)", "", name) for name in names}
    named = {word.lstrip("_") for word in words(text)}
    assert {part.lstrip("_") for part in parts} - named == set()


def test_every_key_of_a_network_is_named() -> None:
    run = read_run(Path(__file__).parent / "data" / "stored" / "network-3.ndjson")
    (network,) = network_times(run.outcomes)
    record = network_record(network)
    rows = [row for rows in record.values() if isinstance(rows, list) for row in rows]
    assert len(rows) > 10
    assert {*record, *(key for row in rows for key in row)} - words(section("The run file")) == set()


def test_every_exit_code_is_named() -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", section("Exit codes"), re.MULTILINE)}
    assert codes == {*map(int, Exit), of_signal(signal.SIGTERM), of_signal(signal.SIGHUP)}
