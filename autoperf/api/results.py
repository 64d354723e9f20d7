"""Stored runs and comparisons as Python values: records, data frames, tables in a terminal and in a notebook."""

from __future__ import annotations

import html
import io
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar, overload

import msgspec
from rich.console import Console

from autoperf.comparison.comparison import ComparedFigure, Comparison
from autoperf.comparison.report import ComparisonReport, sentence
from autoperf.core.errors import UsageError
from autoperf.core.files import expanded_path
from autoperf.core.outcome import Outcome
from autoperf.core.texts import count
from autoperf.front.output import FILE_WIDTH, check_report, screen_width, write_report
from autoperf.hunt.report import HuntReport
from autoperf.reports.columns import Column, View, csv_columns
from autoperf.reports.formats import Kind, form_of, function_named, names, usual_suffixes
from autoperf.reports.formats import load as load_format
from autoperf.reports.table import Report, Table
from autoperf.reports.units import describe_inputs, describe_params, one_line
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import Machine, RunEnd, RunHeader
from autoperf.summary.exports import OpperfReport, opperf_report
from autoperf.summary.runs import RunReport

MAX_ROWS = 200
"""The rows of a part of a table; of more, the last line gives the number."""
_TONES = {"slower": "bad", "faster": "good", "undecided": "doubtful"}
PathText: TypeAlias = str | PathLike[str]
Record: TypeAlias = dict[str, Any]
_Row = TypeVar("_Row")
_STATISTICS = ("median", "low", "high", "mean", "std", "min", "p90", "p99", "max", "count")


def html_text(reports: Iterable[Report]) -> str:
    """The reports; every text is escaped. Colours fit the notebook's theme, and the layout the width of the cell."""
    parts = (part for report in reports for part in _parts(report))
    return f'<div class="autoperf"><style>{_style()}</style>{"".join(parts)}</div>'


@cache
def _style() -> str:
    return resources.files("autoperf.reports.html").joinpath("static/notebook.css").read_text(encoding="utf-8").strip()


def _parts(report: Report) -> Iterator[str]:
    """The parts in the order of a terminal; notes are folded, those that question the result are not."""
    yield from (_element("p", text, "answer") for text in filter(None, (report.title, *report.answer)))
    for table in report.tables:
        yield from _table(table)
    yield from (_element("p", text, "doubtful") for text in report.notices)
    legends = (text for table in report.tables for text in table.legends(table.shown))
    if notes := [_element("li", text) for text in (*legends, *report.notes) if text]:
        yield f"<details><summary>Notes</summary><ul>{''.join(notes)}</ul></details>"
    if lines := [f"<li>{_escaped(label)}: {_element('code', command)}</li>" for label, command in report.commands]:
        yield f"<details><summary>Commands</summary><ul>{''.join(lines)}</ul></details>"
    yield from (_element("p", text) for text in report.sums)


def _table(table: Table[Any]) -> Iterator[str]:
    columns = table.shown
    heading = "".join(_element("th", column.title, _side(column)) for column in columns)
    for name, title, rows in table.titled_parts():
        body = "".join(f"<tr>{''.join(_cells(columns, row))}</tr>" for row in rows[:MAX_ROWS])
        grid = f'<div class="grid"><table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table></div>'
        more = _element("p", count(len(rows) - MAX_ROWS, "more row")) if len(rows) > MAX_ROWS else ""
        if name in table.folded:
            yield f"<details><summary>{_escaped(title)}</summary>{grid}{more}</details>"
        else:
            yield f"{_element('h4', title) if title else ''}{grid}{more}"


def _cells(columns: Sequence[Column[Any]], row: Any) -> Iterator[str]:
    for column in columns:
        text = column.spell(row)
        names = f"{_side(column)} {_TONES.get(text, '')}".strip()
        yield f'<td class="{names}" data-title="{_escaped(column.title)}">{_escaped(text)}</td>'


def _side(column: Column[Any]) -> str:
    return "right" if column.right else "left"


def _element(tag: str, text: str, name: str = "") -> str:
    return f"<{tag}{f' class={name}' if name else ''}>{_escaped(text)}</{tag}>"


def _escaped(text: str) -> str:
    return html.escape(one_line(text))


def path_of(path: PathText) -> Path:
    """The path with `~` expanded. Raises UsageError for what is no path, None too."""
    if not isinstance(path, str | PathLike):
        raise UsageError(f"invalid path {path!r}: expected a path")
    return expanded_path(path, "path")


class Results(Sequence[_Row], ABC):
    """Results as a sequence of rows, as records, as a data frame, and as reports."""

    kind: ClassVar[Kind]

    @property
    @abstractmethod
    def rows(self) -> tuple[_Row, ...]:
        """The members of the sequence."""

    @property
    @abstractmethod
    def records(self) -> list[Record]:
        """A dictionary for each row."""

    @property
    @abstractmethod
    def report(self) -> RunReport | ComparisonReport | HuntReport:
        """The results as report formats receive them."""

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> _Row: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[_Row, ...]: ...

    def __getitem__(self, index: int | slice) -> _Row | tuple[_Row, ...]:
        return self.rows[index]

    def _repr_html_(self) -> str:
        return html_text(function_named(load_format(self.kind, "md").prepare)(self.report))

    def to_dataframe(self) -> Any:
        """The records as a pandas DataFrame. Raises UsageError without pandas."""
        return _data_frame(self.records)

    def save(self, path: PathText) -> None:
        """Writes a report to a new file in the format of its suffix: .json, .md, .csv, .html, or .txt for a table.

        Raises UsageError for an unknown suffix, OutputError for a file that exists or can't be written.
        """
        file = path_of(path)
        offered = names(self.kind)
        form = form_of(file, offered) if file.suffix else "table"
        if form is None:
            raise UsageError(
                f"invalid path {file}: no report has the suffix {file.suffix}; expected one of "
                f"{', '.join(usual_suffixes(offered))}, or none for a table"
            )
        check_report(file)
        write_report(file, self.kind, form, self.report)

    def __str__(self) -> str:
        """The report as a table of text, as wide as the terminal, if there is one, or as COLUMNS says."""
        width = screen_width(FILE_WIDTH)
        # In a notebook, a console would display its output too.
        console = Console(width=width, file=io.StringIO(), color_system=None, force_terminal=False, force_jupyter=False)
        with console.capture() as captured:
            for piece in load_format(self.kind, "table").pieces(self.report, width):
                console.print(piece)
        return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _data_frame(records: Sequence[Record]) -> Any:
    try:
        import pandas as pd  # noqa: PLC0415 - pandas is optional
    except ImportError:
        raise UsageError("a DataFrame needs pandas: run `pip install 'pandas<3'`, or use `records`") from None
    return pd.DataFrame.from_records(records)


@dataclass(frozen=True)
class RunResults(Results[Outcome]):
    """The results of a run: a sequence of outcomes, one for each case, in the order of measurement."""

    kind = "run"
    path: Path

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All outcomes with their samples. Raises CaseFileError if the file has changed."""
        with RunReader(self.path) as run:
            return tuple(run)

    @cached_property
    def header(self) -> RunHeader:
        """The first line of the run file: versions and options."""
        with RunReader(self.path) as run:
            return run.header

    @cached_property
    def machines(self) -> tuple[Machine, ...]:
        """The machines that measured the run: environment, reference speed and roofline of each."""
        with RunReader(self.path) as run:
            return run.machines

    @cached_property
    def end(self) -> RunEnd | None:
        """The last line of the run file, with the totals; None if the run was cut off."""
        with RunReader(self.path) as run:
            return run.end

    @property
    def records(self) -> list[Record]:
        """A dictionary for each case, with the columns of the CSV; times are in microseconds, memory in bytes."""
        columns = csv_columns(View(), self.report.columns, self.outcomes)
        return [{column.csv: column.value(outcome) for column in columns} for outcome in self.outcomes]

    @property
    def rows(self) -> tuple[Outcome, ...]:
        """The outcomes."""
        return self.outcomes

    @property
    def tidy(self) -> list[Record]:
        """A dictionary for each measurement, of one pass by one clock; a case without any has one with its reason."""
        return [row for outcome in self.outcomes for row in _measurements(outcome)]

    def to_dataframe(self, *, tidy: bool = False) -> Any:
        """The records, or with `tidy` the measurements, as a pandas DataFrame. Raises UsageError without pandas."""
        return _data_frame(self.tidy if tidy else self.records)

    def to_opperf(self) -> OpperfReport:
        """The results by operator, with opperf's keys and units."""
        return opperf_report(self.report)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {count(len(self), 'case')} in {self.path}>"

    @property
    def report(self) -> RunReport:
        """The run as report formats receive it."""
        return RunReport(self.header, self.outcomes, self.end, machines=self.machines)


def _measurements(outcome: Outcome) -> Iterator[Record]:
    """The measurements of a case; one of none if it wasn't measured."""
    case = {
        "case": outcome.case,
        "operator": outcome.operator,
        "profile": outcome.profile,
        "inputs": describe_inputs(outcome),
        "params": describe_params(outcome),
        "status": outcome.status.value,
        "reason": outcome.reason,
    }
    measured = [
        (pass_, metric, series) for pass_, run in outcome.passes.items() for metric, series in run.metrics.items()
    ]
    for pass_, metric, series in measured:
        statistics = {name: getattr(series, name) for name in _STATISTICS}
        warnings = " ".join(warning.value for warning in series.warnings)
        yield {**case, "pass": pass_, "clock": metric.name, "unit": metric.unit, **statistics, "warnings": warnings}
    if not measured:
        yield case


@dataclass(frozen=True)
class ComparisonResults(Results[ComparedFigure]):
    """The result of a comparison: a sequence of measurements; `comparison` also has its notices."""

    kind = "comparison"
    comparison: Comparison

    @property
    def rows(self) -> tuple[ComparedFigure, ...]:
        """The compared measurements."""
        return tuple(self.comparison.cases)

    @property
    def report(self) -> ComparisonReport:
        """The comparison as report formats receive it."""
        return ComparisonReport(self.comparison)

    @property
    def records(self) -> list[Record]:
        """A dictionary for each figure: the case, its pass and clock, both times, the ratio, the verdict."""
        return [msgspec.to_builtins(compared) for compared in self.comparison.cases]

    @property
    def lost(self) -> list[Record]:
        """A dictionary for each case, or figure of a case, that base measured and new lacks, with the reason."""
        return [msgspec.to_builtins(entry) for entry in self.comparison.lost]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {sentence(self.comparison)}>"
