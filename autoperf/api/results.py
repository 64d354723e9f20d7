"""Stored runs and comparisons as Python values: records, data frames, tables in a terminal and in a notebook."""

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

from autoperf.analysis.comparison import ComparedFigure, Comparison
from autoperf.api.notebook_tables import comparison_table, run_table
from autoperf.cli.output import FILE_WIDTH, check_report, screen_width, write_report
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome
from autoperf.core.paths import expanded_path
from autoperf.reports.columns import filled
from autoperf.reports.comparison import ComparisonReport, sentence
from autoperf.reports.exports.opperf import OpperfReport, opperf_report
from autoperf.reports.formats import Kind, form_of, names, usual_suffixes
from autoperf.reports.formats import load as load_format
from autoperf.reports.run_columns import COLUMNS
from autoperf.reports.runs import RunReport
from autoperf.results.environment import Machine
from autoperf.results.run_reader import RunReader
from autoperf.results.runfile import RunEnd, RunHeader

PathText: TypeAlias = str | PathLike[str]
Record: TypeAlias = dict[str, Any]


class Results(ABC):
    """Results as records, as a data frame, and as reports."""

    kind: ClassVar[Kind]

    @property
    @abstractmethod
    def records(self) -> list[Record]:
        """A dictionary for each row."""

    @property
    @abstractmethod
    def report(self) -> RunReport | ComparisonReport:
        """The results as report formats receive them."""

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

    def _repr_html_(self) -> str:
        return run_table(self.outcomes)

    @property
    def report(self) -> RunReport:
        """The run as report formats receive it."""
        return RunReport(self.header, self.outcomes, self.end, machines=self.machines)


@dataclass(frozen=True)
class ComparisonResults(Results):
    """The result of a comparison: `comparison` has all figures, verdicts and notices."""

    kind = "comparison"
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

    def _repr_html_(self) -> str:
        return comparison_table(self.comparison)
