"""Runs in the formats of other tools, read by these tools or by their published schemas."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from jsonschema import validate
from syrupy.assertion import SnapshotAssertion

from autoperf.core.outcome import Outcome, Status
from autoperf.reports.columns import View, csv_columns
from autoperf.reports.formats import load
from autoperf.reports.run_columns import COLUMNS
from autoperf.reports.runs import RunReport
from autoperf.results.run_reader import LazyOutcomes, RunReader
from tests.reports.report_values import report, run_text, text_of
from tests.values import ended, measured, timed

STORED = Path(__file__).parents[1] / "data" / "stored" / "new-2.ndjson"
NAME = "softmax/"
NUMBER = {"type": "number"}
BENCHER = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {"value": NUMBER, "lower_value": NUMBER, "upper_value": NUMBER},
            "required": ["value"],
            "additionalProperties": False,
        },
    },
}
"""https://bencher.dev/docs/reference/bencher-metric-format"""
GITHUB_ACTION = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"}, "unit": {"type": "string"}, "value": NUMBER, "range": {"type": "string"},
            "extra": {"type": "string"},
        },
        "required": ["name", "unit", "value"],
    },
}  # fmt: skip
"""https://github.com/benchmark-action/github-action-benchmark#examples (customSmallerIsBetter)"""
GOOGLE = {
    "type": "object",
    "required": ["context", "benchmarks"],
    "properties": {
        "benchmarks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "run_name", "run_type"],
                "properties": {
                    "run_type": {"enum": ["iteration", "aggregate"]}, "real_time": NUMBER, "cpu_time": NUMBER,
                    "time_unit": {"enum": ["ns", "us", "ms", "s"]}, "repetition_index": {"type": "integer"},
                    "repetitions": {"type": "integer"}, "iterations": {"type": "integer"},
                },
            },
        }
    },
}  # fmt: skip
TRACE = {
    "type": "object",
    "required": ["traceEvents"],
    "properties": {
        "traceEvents": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "ph", "pid", "tid"],
                "if": {"properties": {"ph": {"const": "X"}}},
                "then": {"required": ["ts", "dur"], "properties": {"ts": NUMBER, "dur": {"minimum": 0}}},
            },
        }
    },
}
FORMATS = (
    "asv", "bencher", "chrome_trace", "github_action_benchmark", "google_benchmark", "junit",
    "pytest_benchmark",
)  # fmt: skip


@pytest.fixture(scope="module")
def stored() -> Any:
    """A stored run in a format."""
    with RunReader(STORED) as reader:
        outcomes = tuple(LazyOutcomes(reader))
        header, machines = reader.header, reader.machines

    def exported(form: str) -> str:
        return text_of("run", form, RunReport(header, outcomes, machines=machines))

    return exported


@pytest.mark.parametrize(
    ("form", "schema"),
    [
        ("bencher", BENCHER),
        ("github_action_benchmark", GITHUB_ACTION),
        ("google_benchmark", GOOGLE),
        ("chrome_trace", TRACE),
    ],
)
def test_a_document_fits_the_schema(stored: Any, form: str, schema: dict[str, Any]) -> None:
    document = json.loads(stored(form))
    validate(document, schema)
    assert NAME in json.dumps(document)


def test_pytest_benchmark_compares_a_run(stored: Any, tmp_path: Path) -> None:
    file = tmp_path / "0001_run.json"
    file.write_text(stored("pytest_benchmark"))
    command = [sys.executable, "-m", "pytest_benchmark", "compare", str(file), "--columns=median,rounds", "--sort=name"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "benchmark 'softmax': 4 tests" in done.stdout
    assert "argmax/fbf7e843/forward" in done.stdout


def test_asv_loads_a_run(stored: Any, tmp_path: Path) -> None:
    file = tmp_path / "machine" / "commit-environment.json"
    file.parent.mkdir()
    file.write_text(stored("asv"))
    script = (
        "import sys; from asv.results import Results; run = Results.load(sys.argv[1]); "
        "name = 'argmax/fbf7e843/forward'; "
        "print(run.get_result_value(name, []), run.env_name, run.params['machine'], run.get_result_stats(name, []))"
    )
    done = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with RunReader(STORED) as reader:
        wall = next(outcome for outcome in reader if outcome.case == "argmax/fbf7e843").forward.wall_us
    assert done.stdout.startswith(f"[{wall.median / 1e6}] mxnet-1.9.1 example ")


def test_repetitions_are_the_processes_at_reference_speed(stored: Any) -> None:
    benchmarks = json.loads(stored("google_benchmark"))["benchmarks"]
    members = [entry for entry in benchmarks if entry["name"] == "argmax/fbf7e843/forward"]
    assert [entry["repetition_index"] for entry in members] == [0, 1, 2]
    with RunReader(STORED) as reader:
        wall = next(outcome for outcome in reader if outcome.case == "argmax/fbf7e843").forward.wall_us
    assert wall.min < min(entry["real_time"] for entry in members) <= wall.median


def outcomes() -> list[Outcome]:
    return [
        measured("exp", "small", (), timed(4.0, 9.0), timed(6.0, 12.0), digest="1"),
        ended(Status.FAILED, "no <axis> & no end", "Pooling"),
        ended(Status.SKIPPED, "too large", "dot"),
    ]


def test_junit_has_a_case_for_each_case() -> None:
    suites = ET.fromstring(run_text(outcomes(), form="junit"))
    assert (suites.get("tests"), suites.get("failures"), suites.get("skipped")) == ("3", "1", "1")
    passed, failed, skipped = suites.iter("testcase")
    assert passed.find("system-out") is not None
    assert failed.find("failure").get("message") == "failed: no <axis> & no end"  # type: ignore[union-attr]
    assert skipped.find("skipped").get("message") == "skipped: too large"  # type: ignore[union-attr]


def test_a_trace_has_the_kernels_within_their_pass() -> None:
    events = [
        event for event in json.loads(run_text(outcomes(), form="chrome_trace"))["traceEvents"] if event["ph"] == "X"
    ]
    assert [(event["name"], event["ts"], event["dur"]) for event in events] == [
        ("forward", 0, 4.5), ("exp", 0, 4), ("Reorder", 4, 0.5),
        ("backward", 4.5, 6.75), ("exp", 4.5, 6), ("Reorder", 10.5, 0.75),
    ]  # fmt: skip


def test_google_benchmark_has_failures() -> None:
    entries = json.loads(run_text(outcomes(), form="google_benchmark"))["benchmarks"]
    assert [entry.get("error_message") for entry in entries] == [
        None, None, "failed: no <axis> & no end", "skipped: too large",
    ]  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_without_a_figure_is_a_document_too(form: str) -> None:
    text = text_of("run", form, report([ended(Status.SKIPPED, "too large")]))
    assert ET.fromstring(text) is not None if form == "junit" else json.loads(text) is not None


def exported(
    form: str, run: Sequence[Outcome], header: object = None, end: object = None, asked: int | None = None
) -> str:
    return "".join(map(str, load("run", form).pieces(RunReport(header, run, end, asked), 100)))


def test_csv(run: tuple[Outcome, ...], snapshot: SnapshotAssertion) -> None:
    assert exported("csv", run) == snapshot


def test_csv_rows_fit_their_columns(run: tuple[Outcome, ...]) -> None:
    rows = list(csv.DictReader(io.StringIO(exported("csv", run)), strict=True))
    assert len(rows) == len(run)
    assert all(None not in row and None not in row.values() for row in rows)
    forward, backward = run[0].forward, run[0].backward
    assert forward is not None
    assert forward.kernel_us is not None
    assert backward is not None
    assert backward.wall_us is not None
    assert float(rows[0]["forward_kernel_p90_us"]) == forward.kernel_us.p90
    assert float(rows[0]["backward_wall_min_us"]) == backward.wall_us.min
    assert rows[0]["forward_kernel_count"] == "3"
    assert rows[2]["backward_kernel_median_us"] == ""
    names = [column.csv for column in csv_columns(View(), COLUMNS, run)]
    assert len(set(names)) == len(names)


def test_markdown(run: tuple[Outcome, ...], snapshot: SnapshotAssertion) -> None:
    assert exported("md", run) == snapshot


def test_markdown_rows_have_as_many_cells_as_their_heading(run: tuple[Outcome, ...]) -> None:
    rows = [line for line in exported("md", run).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {16}


def test_json_is_one_document_with_the_lines_of_the_run_file(run: tuple[Outcome, ...]) -> None:
    header, end = {"type": "run", "version": 1}, {"type": "end", "asked": 9}
    document = msgspec.json.decode(exported("json", run, header, end))
    assert list(document) == ["run", "machines", "outcomes", "summary", "anomalies", "provenance", "end"]
    assert (document["run"], document["end"]) == (header, end)
    assert msgspec.convert(document["outcomes"], tuple[Outcome, ...]) == run
    assert document["summary"]["asked"] == len(run)


def test_json_of_a_run_without_outcomes_or_end() -> None:
    document = msgspec.json.decode(exported("json", [], {}, asked=4))
    assert (document["outcomes"], document["end"], document["summary"]["not_reached"]) == ([], None, 4)


def test_exports_write_each_outcome_as_it_comes(run: tuple[Outcome, ...]) -> None:
    for pieces in (load("run", form).pieces(RunReport({}, run), 100) for form in ("csv", "json")):
        read = []
        for piece in pieces:
            read.append(piece)
            if run[0].case in str(piece):
                break
        assert run[3].case not in "".join(map(str, read))
