"""Tables and reports as values. Terminal, Markdown, CSV and JSON follow from them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeGuard, TypeVar

import msgspec
from rich.text import Text

from autoperf.reports.columns import (
    Column,
    Place,
    Value,
    View,
    csv_columns,
    fact,
    filled,
    markdown_columns,
    terminal_columns,
)
from autoperf.reports.layout import INDENT, FittedColumns, fitted, grouped, hanging, hidden_line
from autoperf.reports.markdown import cells, escape, heading
from autoperf.reports.units import one_line, split_words

Row = TypeVar("Row")
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows under columns.

    `view` is the user's choice of columns; None where the command has no such option. By default, terminal and Markdown
    show the columns that identify a row and the figures, CSV and JSON those with a CSV name. `section` divides the rows
    under headings.

    `words` name a row (default: its LEAD columns), on a terminal behind its `head`. `below` returns further lines of a
    row for a width. A `compact` table is as wide as its longest row, others as the terminal.
    """

    title: str
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    note: str = ""
    view: View | None = None
    section: Callable[[Row], str] | None = None
    words: Callable[[Row], Sequence[str]] | None = None
    head: Callable[[Row], str] = lambda _: INDENT
    below: Callable[[Row, int], Iterable[Text]] = lambda _row, _width: ()
    style: Callable[[Row], str] = lambda _: ""
    min_words: int = 30
    compact: bool = False

    @property
    def shown(self) -> list[Column[Row]]:
        """The columns of Markdown and pages, without optional ones that are empty in every row."""
        columns = filled(markdown_columns(self._view, self.columns), self.rows)
        if self.words is None:
            return columns
        return [fact("name", lambda row: " ".join(self._words(row)), header=" "), *columns]

    def fit(self, width: int) -> FittedColumns[Row]:
        """The columns that fit a terminal of this width in characters."""
        columns = filled(terminal_columns(self._view, self.columns), self.rows)
        if not self.compact:
            return fitted(columns, width, self.min_words, fixed=bool(self._view.columns))
        longest = max(map(len, (self._title, *(self.head(row) + " ".join(self._words(row)) for row in self.rows))))
        fit = fitted(columns, width, longest)
        return replace(fit, left=longest) if fit.left else fit

    def lines(self, width: int) -> Iterator[Text]:
        """The table on a terminal of this width in characters."""
        fit = self.fit(width)
        if fit.columns and self._title:
            yield from fit.heading(self._title, self.note)
        elif self.title:
            yield from hanging("", self.title.split(), width, "bold")
        for number, (name, rows) in enumerate(self._sections()):
            if number and not fit.columns:
                yield Text()
            yield from hanging("", split_words(one_line(name)), width, "bold cyan") if name else ()
            for row in rows:
                yield from self._row(fit, row)
                yield from self.below(row, width)

    def markdown(self) -> Iterator[str]:
        """The table as GitHub renders it, one for each section."""
        columns = self.shown
        title = heading([(column.title, column.right) for column in columns])
        for number, (name, rows) in enumerate(self._sections()):
            yield "\n" if number else ""
            yield f"### {escape(name)}\n\n{title}" if name else title
            yield from (cells(column.spell(row) for column in columns) for row in rows)

    def records(self) -> list[dict[str, Value]]:
        """The rows for JSON, under the names of the CSV."""
        columns = [column for column in self.columns if column.csv]
        return [{column.csv: column.value(row) for column in columns} for row in self.rows]

    @property
    def _view(self) -> View:
        return self.view or View()

    @property
    def _title(self) -> str:
        lead = next((column.header for column in self.columns if column.place is Place.LEAD), "")
        return self.title or lead

    def _words(self, row: Row) -> Sequence[str]:
        if self.words:
            return self.words(row)
        texts = (column.spell(row) for column in self.columns if column.place is Place.LEAD)
        return split_words(" ".join(filter(None, texts)))

    def _sections(self) -> Iterable[tuple[str, Sequence[Row]]]:
        return grouped(self.rows, self.section).items() if self.section else [("", self.rows)]

    def _row(self, fit: FittedColumns[Row], row: Row) -> Iterator[Text]:
        head, words, style = self.head(row), self._words(row), self.style(row)
        if not fit.columns:
            yield from hanging(head, words, fit.width, style)
            return
        for line in fit.rows(head, words, [row]):
            line.stylize(style)
            yield line


@dataclass(frozen=True)
class Report:
    """An answer in sentences, tables, and notes, below a title. Several in a row are one document."""

    title: str = ""
    answer: Sequence[str] = ()
    tables: Sequence[Table[Any]] = ()
    notes: Sequence[str] = ()


def terminal_lines(reports: Iterable[Report], width: int) -> Iterator[Text]:
    """The reports on a terminal: tables, notes, and the answer last, where the cursor is; blank lines between them."""
    is_first = True
    for report in reports:
        hidden = [
            hidden_line(table.fit(width).hidden, verbose=table.view.verbose) for table in report.tables if table.view
        ]
        parts: tuple[Iterable[Text], ...] = (
            _paragraphs([report.title], width, "bold"),
            *(table.lines(width) for table in report.tables),
            _paragraphs((*hidden, *report.notes), width, "dim"),
            _paragraphs(report.answer, width, "bold"),
        )
        for lines in filter(None, map(list, parts)):
            yield from () if is_first else (Text(),)
            yield from lines
            is_first = False


def _paragraphs(texts: Iterable[str], width: int, style: str) -> Iterator[Text]:
    for text in filter(None, texts):
        yield from hanging("", text.split(), width, style)


def markdown_lines(reports: Iterable[Report]) -> Iterator[str]:
    """The reports as GitHub renders them: title, answer, each table below its title, notes; blank lines between."""
    is_first = True
    for report in reports:
        parts = (
            [f"## {escape(report.title)}\n"] if report.title else (),
            (f"- {escape(text)}\n" for text in report.answer),
            *map(titled, report.tables),
            (f"- {escape(text)}\n" for text in report.notes if text),
        )
        for lines in filter(None, map(list, parts)):
            yield "" if is_first else "\n"
            yield from lines
            is_first = False


def titled(table: Table[Any]) -> Iterator[str]:
    """A table in Markdown below a line with its title and note."""
    note = f" ({table.note})" if table.note else ""
    if table.title:
        yield f"{escape(table.title + note)}\n\n"
    yield from table.markdown()


class Tabular(Protocol):
    """Rows with columns, of which a view may ask for some."""

    @property
    def view(self) -> View | None:
        """The user's choice of columns."""

    @property
    def columns(self) -> Sequence[Column[Any]]:
        """Every column."""

    @property
    def rows(self) -> Sequence[Any]:
        """The rows in their order."""


def csv_lines(table: Tabular) -> Iterator[str]:
    """The heading, and a line for each row as soon as it is read."""
    columns = csv_columns(table.view or View(), table.columns, table.rows)
    yield csv_line(column.csv or column.name for column in columns)
    for row in table.rows:
        yield csv_line(column.value(row) for column in columns)


def csv_line(values: Iterable[object]) -> str:
    """One line. Text has no line breaks and can't start a formula; numbers are unchanged."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_csv_cell(value) for value in values])
    return line.getvalue()


def _csv_cell(value: object) -> object:
    """The value. An apostrophe before text that a spreadsheet would evaluate marks it as text."""
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def json_lines(document: Mapping[str, object]) -> Iterator[str]:
    """A JSON object with each row on a line of its own, so that documents can be compared with diff."""
    separator = "{"
    for name, value in document.items():
        yield f"{separator}{json_text(name)}: "
        yield from _json_rows(value) if _has_rows(value) else [json_text(value)]
        separator = ",\n"
    yield "}\n"


def _has_rows(value: object) -> TypeGuard[Iterable[object]]:
    if isinstance(value, list | tuple):
        return bool(value) and isinstance(value[0], msgspec.Struct | dict)
    return isinstance(value, Iterator)


def _json_rows(values: Iterable[object]) -> Iterator[str]:
    separator = "[\n"
    for value in values:
        yield separator + json_text(value)
        separator = ",\n"
    yield "[]" if separator == "[\n" else "\n]"


def json_text(value: object) -> str:
    """The value as JSON on one line."""
    return msgspec.json.encode(value).decode()
