from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

import msgspec
from syrupy.assertion import SnapshotAssertion

from autoperf.core.outcome import Outcome
from autoperf.reports.columns import View, csv_columns
from autoperf.reports.formats import load
from autoperf.reports.run_columns import COLUMNS
from autoperf.reports.runs import RunReport


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
