"""Tables and reports as values. Terminal, Markdown, CSV and JSON follow from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from rich.text import Text

from autoperf.core.texts import count
from autoperf.reports import layout
from autoperf.reports.columns import (
    Column,
    Place,
    Value,
    View,
    csv_columns,
    csv_line,
    filled,
    markdown_columns,
    terminal_columns,
    with_room,
)
from autoperf.reports.units import heading_text, one_line, split_words, width_of

Row = TypeVar("Row")
Line = TypeVar("Line")


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows under columns.

    `view` is the user's choice of columns; None where the command has no such option. By default, terminal and Markdown
    show the columns that identify a row and the figures, CSV and JSON those with a CSV name.

    `part` divides the rows under titles, which count them by `noun`; Markdown folds the parts named in `folded`.
    `section` divides the rows of a part further, on a terminal alone: elsewhere columns say the same.

    `words` name a row on a terminal (default: its LEAD columns), behind its `head` for a width, in bold where `marks`
    are true; neighbouring rows of one `item` share them. A row may have a text `instead` of figures, and further lines
    `below` for a width. Rows of a section that are `alike` by a text are one line, which counts them. A `compact` table
    is at most as wide as its longest row, others are as wide as the terminal.
    """

    title: str
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    note: str = ""
    view: View | None = None
    part: Callable[[Row], str] | None = None
    noun: str = ""
    folded: Container[str] = ()
    section: Callable[[Row], str] | None = None
    words: Callable[[Row], Sequence[str]] | None = None
    marks: Callable[[Row], Sequence[bool]] = lambda _: ()
    head: Callable[[Row, int], str] = lambda _row, _width: layout.INDENT
    item: Callable[[Row], object] = lambda _: object()
    instead: Callable[[Row], str] = lambda _: ""
    alike: Callable[[Row], str] | None = None
    below: Callable[[Row, int], Iterable[Text]] = lambda _row, _width: ()
    style: Callable[[Row], str] = lambda _: ""
    title_style: Callable[[str], str] = lambda _: "bold"
    min_words: int = 30
    compact: bool = False

    @cached_property
    def shown(self) -> list[Column[Row]]:
        """The columns of Markdown and pages, without optional ones that are empty in every row."""
        return filled(markdown_columns(self._view, self.columns), self.rows)

    def fit(self, width: int) -> layout.FittedColumns[Row]:
        """The columns that fit a terminal of this width in characters."""
        if not self.compact:
            return layout.fitted(self._figures, width, self.min_words, fixed=bool(self._view.columns))
        rows = (self.head(row, width) + " ".join(self._words(row)) for row in self.rows)
        titles = (self._with_note(name or self._lead, members, name) for name, members in self._parts.items())
        longest = max(map(width_of, (self._lead, *titles, *rows)))
        fit = layout.fitted(self._figures, width, min(longest, self.min_words), fixed=bool(self._view.columns))
        return replace(fit, left=min(fit.left, longest))

    def lines(self, width: int) -> Iterator[Text]:
        """The table on a terminal of this width in characters."""
        fit = self.fit(width)
        for number, (name, rows) in enumerate(self._parts.items()):
            yield from (Text(),) if number else ()
            title, style = heading_text(name) or self._lead, self.title_style(name)
            if fit.columns and title:
                figures = any(not self.instead(row) for row in rows)
                yield from fit.heading(title, self._note(rows, name), style, figures=figures)
            elif name or self.title:
                yield from layout.hanging("", self._with_note(title, rows, name).split(), width, style)
            for section, members in _divided(rows, self.section).items():
                yield from layout.hanging("", split_words(heading_text(section)), width, "bold cyan") if section else ()
                yield from self._lines_of(fit, members)

    def markdown(self) -> Iterator[str]:
        """The table as GitHub renders it, each part below its title."""
        columns = self.shown
        for number, (name, text, rows) in enumerate(self.titled_parts()):
            title = layout.escape(text)
            yield "\n" if number else ""
            if name in self.folded:
                yield f"<details><summary>{title}</summary>\n\n"
            else:
                yield f"### {title}\n\n" if title else ""
            yield layout.heading([(column.title, column.right) for column in columns])
            yield from (layout.cells(column.spell(row) for column in columns) for row in rows)
            yield "\n</details>\n" if name in self.folded else ""

    def titled_parts(self) -> Iterator[tuple[str, str, Sequence[Row]]]:
        """The name of each part, its title with the note, and its rows."""
        for name, rows in self._parts.items():
            yield name, self._with_note(name or self.title, rows, name), rows

    def legends(self, columns: Iterable[Column[Row]]) -> Collection[str]:
        """The explanations of these columns, if a row has figures."""
        has_figures = any(not self.instead(row) for row in self.rows)
        return dict.fromkeys(column.legend for column in columns if column.legend and has_figures)

    def records(self) -> list[dict[str, Value]]:
        """The rows for JSON, under the names of the CSV."""
        columns = [column for column in self.columns if column.csv]
        return [{column.csv: column.value(row) for column in columns} for row in self.rows]

    @property
    def _view(self) -> View:
        return self.view or View()

    @cached_property
    def _figures(self) -> list[Column[Row]]:
        columns = filled(terminal_columns(self._view, self.columns), self.rows)
        if not self._view.columns:
            return columns
        return with_room(columns, (row for row in self.rows if not self.instead(row)))

    @cached_property
    def _parts(self) -> Mapping[str, Sequence[Row]]:
        return _divided(self.rows, self.part)

    @property
    def _lead(self) -> str:
        return self.title or next((column.header for column in self.columns if column.place is Place.LEAD), "")

    def _with_note(self, title: str, rows: Sequence[Row], part: str) -> str:
        note = self._note(rows, part)
        return f"{title} ({note})" if title and note else title

    def _note(self, rows: Sequence[Row], part: str) -> str:
        return count(len(rows), self.noun) if part and self.noun else self.note

    def _words(self, row: Row) -> Sequence[str]:
        if self.words:
            return self.words(row)
        texts = (column.spell(row) for column in self.columns if column.place is Place.LEAD)
        return split_words(" ".join(filter(None, texts)))

    def _lines_of(self, fit: layout.FittedColumns[Row], rows: Sequence[Row]) -> Iterator[Text]:
        """The rows of a section, those that are alike counted at its end."""
        groups = _divided(rows, self.alike) if self.alike else {}
        counted = {text: members for text, members in groups.items() if text and len(members) > 1}
        for _, members in groupby(rows, self.item):
            listed = [row for row in members if not (self.alike and self.alike(row) in counted)]
            yield from self._row(fit, listed) if listed else ()
        for text, same in counted.items():
            words = f"{count(len(same), self.noun)} {text}".split()
            yield from layout.hanging(layout.INDENT, words, fit.width, self.style(same[0]))

    def _row(self, fit: layout.FittedColumns[Row], rows: Sequence[Row]) -> Iterator[Text]:
        row = rows[0]
        head, words, style = self.head(row, fit.width), self._words(row), self.style(row)
        if text := self.instead(row):
            if words:
                yield from layout.hanging(head, words, fit.width)
                head = " " * width_of(head)
            yield from layout.hanging(head, text.split(), fit.width, style)
        elif fit.columns:
            for line in layout.emphasised(fit.rows(head, words, rows), words, self.marks(row)):
                line.stylize(style)
                yield line
        else:
            yield from layout.hanging(head, words, fit.width, style)
        for each in rows:
            yield from self.below(each, fit.width)


def _divided(rows: Sequence[Row], key: Callable[[Row], str] | None) -> Mapping[str, Sequence[Row]]:
    return layout.picked(rows, key) if key else {"": rows}


@dataclass(frozen=True)
class Report:
    """An answer in sentences, tables, notes, commands (each with its label) and sums; several are one document.

    The answer stands first, on a terminal last. `notices` are notes that question the result, `asides` are notes that a
    terminal shows with --verbose alone, and `brief` those that it shows in their place.
    """

    title: str = ""
    answer: Sequence[str] = ()
    tables: Sequence[Table[Any]] = ()
    notes: Sequence[str] = ()
    brief: Sequence[str] = ()
    asides: Sequence[str] = ()
    verbose: bool = False
    notices: Sequence[str] = ()
    commands: Sequence[tuple[str, str]] = ()
    sums: Sequence[str] = ()


def terminal_lines(reports: Iterable[Report], width: int) -> Iterator[Text | str]:
    """The reports on a terminal; answers stand last, where the cursor is. Commands, to be copied, aren't broken."""
    return _spaced(_document_parts(reports, width), Text())


def _document_parts(reports: Iterable[Report], width: int) -> Iterator[Iterable[Text | str]]:
    answers: list[str] = []
    for report in reports:
        answers += report.answer
        is_verbose = report.verbose or any(table.view and table.view.verbose for table in report.tables)
        notes = (*_explained(report.tables, width), *report.notes, *(report.asides if is_verbose else report.brief))
        yield _paragraphs([report.title], width, "bold")
        yield from (table.lines(width) for table in report.tables)
        yield chain(
            _paragraphs(dict.fromkeys(notes), width, "dim"),
            (line for text in report.notices for line in layout.hanging("note: ", text.split(), width, "yellow")),
        )
        yield (f"{label}: {one_line(command)}\n" for label, command in report.commands)
        yield _paragraphs(report.sums, width, "")
    yield _paragraphs(answers, width, "bold")


def _explained(tables: Iterable[Table[Any]], width: int) -> Iterator[str]:
    """The meaning of the columns, or the option that explains them; those that aren't shown, and how to see them."""
    others: dict[str, None] = {}
    for table in tables:
        fit = table.fit(width)
        legends = table.legends(fit.columns)
        if table.view is None or table.view.verbose:
            yield from legends
        elif legends:
            yield f"--verbose explains {', '.join(legend.partition(':')[0] for legend in legends)}"
        if table.view:
            yield layout.hidden_line(fit.hidden, verbose=table.view.verbose)
        else:
            others.update(dict.fromkeys(column.title for column in fit.hidden))
    if others:
        yield f"hidden at this width: {', '.join(others)}; a wider terminal and --format md show them"


def _paragraphs(texts: Iterable[str], width: int, style: str) -> Iterator[Text]:
    for text in filter(None, texts):
        yield from layout.hanging("", one_line(text).split(), width, style)


def _spaced(parts: Iterable[Iterable[Line]], gap: Line) -> Iterator[Line]:
    """The lines of the parts, with a gap between those that have any."""
    is_first = True
    for part in parts:
        lines = iter(part)
        for line in lines:
            yield from () if is_first else (gap,)
            yield line
            yield from lines
            is_first = False


def markdown_lines(reports: Iterable[Report]) -> Iterator[str]:
    """The reports as GitHub renders them, with blank lines between their parts."""
    return _spaced((part for report in reports for part in _markdown_parts(report)), "\n")


def _markdown_parts(report: Report) -> Iterator[Iterable[str]]:
    yield [f"## {layout.escape(report.title)}\n"] if report.title else ()
    first, *others = map(layout.escape, report.answer or [""])
    yield _spaced(([f"{text}\n"] for text in (f"**{first}**" if first else "", *others) if text), "\n")
    yield (f"- {layout.escape(text)}\n" for text in report.sums)
    yield from (table.markdown() for table in report.tables)
    legends = dict.fromkeys(text for table in report.tables for text in table.legends(table.shown))
    yield chain(
        (f"- {layout.escape(text)}\n" for text in (*report.notices, *legends, *report.notes, *report.asides) if text),
        (f"- {layout.escape(label)}: {layout.code(command)}\n" for label, command in report.commands),
    )


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


def json_lines(document: Mapping[str, object]) -> Iterator[str]:
    """A JSON object with each row on a line of its own, so that documents can be compared with diff."""
    separator = "{"
    for name, value in document.items():
        yield f"{separator}{json_text(name)}: "
        separator = ",\n"
        if isinstance(value, Iterator) or (
            isinstance(value, list | tuple) and value and isinstance(value[0], msgspec.Struct | dict)
        ):
            before = "[\n"
            for row in value:
                yield before + json_text(row)
                before = ",\n"
            yield "[]" if before == "[\n" else "\n]"
        else:
            yield json_text(value)
    yield "}\n"


def json_text(value: object) -> str:
    """The value as JSON on one line."""
    return msgspec.json.encode(value).decode()
