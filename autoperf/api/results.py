"""Stored runs and comparisons as Python values: records, data frames, plots, tables in a terminal and in a notebook."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, overload

import msgspec
from rich.console import Console

from autoperf.analysis.comparison import ComparedFigure, Comparison, Verdict
from autoperf.api.plots import BLUE, GREY, MAX_MARKS, ORANGE, PURPLE, Mark, dot_chart
from autoperf.cli.output import FILE_WIDTH, check_report, screen_width, write_report
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome
from autoperf.core.paths import expanded_path
from autoperf.reports.columns import filled
from autoperf.reports.comparison import ComparisonReport, ranked, sentence
from autoperf.reports.exports.opperf import OpperfReport, opperf_report
from autoperf.reports.formats import Kind, form_of, function_named, names, usual_suffixes
from autoperf.reports.formats import load as load_format
from autoperf.reports.hunt import HuntReport
from autoperf.reports.notebook import html_text
from autoperf.reports.run_columns import COLUMNS
from autoperf.reports.runs import RunReport
from autoperf.reports.summary import figure, slowest
from autoperf.reports.units import describe_case, one_line
from autoperf.results.environment import Machine
from autoperf.results.run_reader import RunReader
from autoperf.results.runfile import RunEnd, RunHeader

PathText: TypeAlias = str | PathLike[str]
Record: TypeAlias = dict[str, Any]


class Results(ABC):
    """Results as records, as a data frame, and as reports."""

    kind: ClassVar[Kind]
    _chart: ClassVar[tuple[str, str, float | None]]
    """The title of a plot, the label of its axis, and the value of its line."""

    @property
    @abstractmethod
    def records(self) -> list[Record]:
        """A dictionary for each row."""

    @property
    @abstractmethod
    def report(self) -> RunReport | ComparisonReport | HuntReport:
        """The results as report formats receive them."""

    @abstractmethod
    def marks(self) -> Iterator[Mark]:
        """The dots of a plot, the most important row first."""

    def plot(self, axes: Any = None, *, limit: int = MAX_MARKS) -> Any:
        """A chart of matplotlib: a dot with its 95% interval for each row, of at most `limit` rows.

        It is drawn into `axes`, or into a new figure that is as high as its rows need. Returns the axes. Raises
        UsageError without matplotlib, and without a row that has a value.
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise UsageError(f"invalid limit {limit!r}: expected the number of rows, at least 1")
        marks = list(self.marks())
        names = list(dict.fromkeys(mark.name for mark in marks))
        chosen = frozenset(names[:limit])
        shown = [mark for mark in marks if mark.name in chosen]
        more = f", {limit} of {len(names):,} rows" if len(names) > limit else ""
        title, label, equal = self._chart
        return dot_chart(shown, f"{title}{more}", label, axes, equal)

    def _repr_html_(self) -> str:
        """The answer and the tables of the report, as a notebook shows them."""
        return html_text(function_named(load_format(self.kind, "md").prepare)(self.report))

    def to_dataframe(self) -> Any:
        """The records as a pandas DataFrame. Raises UsageError without pandas."""
        try:
            import pandas as pd  # noqa: PLC0415 - pandas is optional
        except ImportError:
            raise UsageError("a DataFrame needs pandas: run `pip install 'pandas<3'`, or use `records`") from None
        return pd.DataFrame.from_records(self.records)

    def save(self, path: PathText) -> None:
        """Writes a report to a new file in the format of its suffix: .json, .md, .csv, .html, or .txt for a table.

        Raises UsageError for an unknown suffix, OutputError for a file that exists or can't be written.
        """
        file = expanded_path(str(path), "path")
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


@dataclass(frozen=True)
class RunResults(Results, Sequence[Outcome]):
    """The results of a run: a sequence of outcomes, one for each case, in the order of measurement."""

    kind = "run"
    _chart = "Median times with their 95% intervals", "microseconds", None
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
        columns = filled((column for column in COLUMNS if column.csv), self.outcomes)
        return [{column.csv: column.value(outcome) for column in columns} for outcome in self.outcomes]

    def to_opperf(self) -> OpperfReport:
        """The results by operator, with opperf's keys and units."""
        return opperf_report(self.report)

    def __len__(self) -> int:
        return len(self.outcomes)

    @overload
    def __getitem__(self, index: int) -> Outcome: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Outcome, ...]: ...

    def __getitem__(self, index: int | slice) -> Outcome | tuple[Outcome, ...]:
        return self.outcomes[index]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} cases in {self.path}>"

    def marks(self) -> Iterator[Mark]:
        """The times of both passes of each case, the slowest first."""
        for outcome in slowest(self.outcomes, len(self)):
            name = " ".join(filter(None, (outcome.operator, outcome.profile, describe_case(outcome))))
            for group, run, colour in (("forward", outcome.forward, BLUE), ("backward", outcome.backward, PURPLE)):
                series = figure(run)
                if series and series.median > 0:
                    low, high = (series.median if end is None else end for end in (series.low, series.high))
                    yield Mark(one_line(name), series.median, low, high, group, colour)

    @property
    def report(self) -> RunReport:
        """The run as report formats receive it."""
        return RunReport(self.header, self.outcomes, self.end, machines=self.machines)


@dataclass(frozen=True)
class ComparisonResults(Results):
    """The result of a comparison: `comparison` has all figures, verdicts and notices."""

    kind = "comparison"
    _chart = "Ratios of times, new / base, with their 95% intervals", "ratio", 1.0
    comparison: Comparison

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

    def __len__(self) -> int:
        return len(self.comparison.cases)

    def __iter__(self) -> Iterator[ComparedFigure]:
        return iter(self.comparison.cases)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {sentence(self.comparison)}>"

    def marks(self) -> Iterator[Mark]:
        """The ratio of each figure in the colour of its verdict, the largest changes first."""
        for compared in ranked(self.comparison.cases):
            name = f"{compared.operator} {compared.pass_} {compared.clock}: {compared.profile} {compared.inputs}"
            verdict = compared.verdict
            yield Mark(one_line(name), compared.ratio, compared.low, compared.high, verdict.value, _COLOURS[verdict])


_COLOURS = {Verdict.SLOWER: ORANGE, Verdict.FASTER: BLUE, Verdict.UNDECIDED: PURPLE, Verdict.SAME: GREY}
