"""Runs in the formats of other tools, read by these tools or by their published schemas."""

from __future__ import annotations

import csv
import io
import json
import re
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
from autoperf.runs.run_reader import LazyOutcomes, RunReader
from autoperf.runs.runfile import RunEnd, RunHeader
from autoperf.summary.runs import RunReport
from tests.reports.report_values import report, run_text, text_of
from tests.values import HEADER, ended, measured, passed, series, stated, timed

STORED = Path(__file__).parents[1] / "data" / "stored" / "new-2.ndjson"
NAME = "softmax/"
NUMBER = {"type": "number"}
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
FORMATS = ("google_benchmark", "junit")


@pytest.fixture(scope="module")
def stored() -> Any:
    """A stored run in a format."""
    with RunReader(STORED) as reader:
        outcomes = tuple(LazyOutcomes(reader))
        header, machines = reader.header, reader.machines

    def exported(form: str) -> str:
        return text_of("run", form, RunReport(header, outcomes, machines=machines))

    return exported


def test_google_benchmark_fits_the_schema(stored: Any) -> None:
    document = json.loads(stored("google_benchmark"))
    validate(document, GOOGLE)
    assert NAME in json.dumps(document)


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


def test_google_benchmark_has_failures() -> None:
    entries = json.loads(run_text(outcomes(), form="google_benchmark"))["benchmarks"]
    assert [entry.get("error_message") for entry in entries] == [
        None, None, "failed: no <axis> & no end", "skipped: too large",
    ]  # fmt: skip


def test_google_benchmark_has_the_counts_of_what_was_not_timed() -> None:
    counted = measured("exp", "small", (), passed(instructions=stated(1000.0)), digest="1")
    (entry,) = json.loads(run_text([counted], form="google_benchmark"))["benchmarks"]
    assert (entry["name"], entry["error_message"], entry["instructions"]) == ("exp/1/forward", "it was not timed", 1000)


def test_google_benchmark_has_no_time_of_one_clock_as_that_of_the_other() -> None:
    kernel, wall = (
        msgspec.structs.replace(stated(median), processes=processes)
        for median, processes in ((4.0, (1, 1, 1)), (9.0, (1, 2, 0)))
    )
    entries = json.loads(run_text([measured("exp", "small", (), passed(kernel, wall), digest="1")], form=FORMATS[0]))
    assert [entry["cpu_time"] for entry in entries["benchmarks"]] == [2.0, 4.0]
    assert all(entry["real_time"] > entry["cpu_time"] for entry in entries["benchmarks"])


def test_google_benchmark_has_both_times_of_a_repetition_from_one_process() -> None:
    kernel = series([1.0], [2.0], [3.0])
    wall = msgspec.structs.replace(series([10.0], [30.0]), processes=(1, 0, 1))
    entries = json.loads(run_text([measured("exp", "small", (), passed(kernel, wall), digest="1")], form=FORMATS[0]))
    times = [(entry["real_time"], entry["cpu_time"]) for entry in entries["benchmarks"]]
    assert times == [(10.0, 1.0), (30.0, 3.0)]
    # Without a common process, there is one repetition of both medians.
    first, second = (
        msgspec.structs.replace(series([us]), processes=counts) for us, counts in ((1.0, (1, 0)), (9.0, (0, 1)))
    )
    apart = passed(first, second)
    (entry,) = json.loads(run_text([measured("exp", "small", (), apart, digest="1")], form=FORMATS[0]))["benchmarks"]
    assert (entry["real_time"], entry["cpu_time"], entry["repetitions"]) == (9.0, 1.0, 1)


def test_opperf_has_no_time_of_what_was_not_timed() -> None:
    counted = measured("exp", "small", (), passed(instructions=stated(1000.0)), digest="1")
    header = msgspec.structs.replace(HEADER, options={"settings": {"profiler": "python"}})
    entries = json.loads(text_of("run", "opperf_json", RunReport(header, [counted])))["exp"]
    assert entries == [{"inputs": {}}]
    assert "---" in text_of("run", "opperf_csv", RunReport(header, [counted]))


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_without_a_figure_is_a_document_too(form: str) -> None:
    text = text_of("run", form, report([ended(Status.SKIPPED, "too large")]))
    assert ET.fromstring(text) is not None if form == "junit" else json.loads(text) is not None


def exported(form: str, run: Sequence[Outcome], header: RunHeader | None = None, end: RunEnd | None = None) -> str:
    return "".join(map(str, load("run", form).pieces(RunReport(header, run, end), 100)))


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
    end = RunEnd(asked=9, seconds=1.5)
    document = msgspec.json.decode(exported("json", run, HEADER, end))
    assert list(document) == ["run", "machines", "outcomes", "summary", "anomalies", "provenance", "end"]
    assert msgspec.convert((document["run"], document["end"]), tuple[RunHeader, RunEnd]) == (HEADER, end)
    assert msgspec.convert(document["outcomes"], tuple[Outcome, ...]) == run
    assert document["summary"]["asked"] == len(run)


def test_json_of_a_run_without_outcomes_or_end() -> None:
    document = msgspec.json.decode(exported("json", [], {}))
    assert (document["outcomes"], document["end"], document["summary"]["asked"]) == ([], None, 0)


def test_exports_write_each_outcome_as_it_comes(run: tuple[Outcome, ...]) -> None:
    for pieces in (load("run", form).pieces(RunReport(None, run), 100) for form in ("csv", "json")):
        read = []
        for piece in pieces:
            read.append(piece)
            if run[0].case in str(piece):
                break
        assert run[3].case not in "".join(map(str, read))
