"""Columns of reports, each declared once; and the selection of rows by operator, category and profile."""

from __future__ import annotations

import csv
import enum
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.graph import PREFIX, profile_names
from autoperf.core.ndjson import Picked
from autoperf.core.texts import count
from autoperf.registry.names import layer_name, spellings
from autoperf.reports.units import one_line, quantity, width_of
from autoperf.rules.categories import CATEGORIES, GROUPS, find_group

_GLOB = frozenset("*?[")


class NamedRow(Protocol):
    """The attributes of a row that a filter reads."""

    @property
    def operator(self) -> str:
        """The operator's name."""

    @property
    def category(self) -> str:
        """The row's category."""

    @property
    def profile(self) -> str:
        """The profile of the case."""


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Names or globs of operators, categories or opperf's groups, and profiles; empty means all.

    A category may be one of a rule, or of the run alone, such as `network`. An operator may be named as in the run, or
    as Python calls it: `gluon.nn.Dense` for gluon_Dense, `np.add`.
    """

    operators: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.operators or self.categories or self.profiles)

    def positions(self, rows: Iterable[NamedRow], source: str = "run") -> list[int]:
        """The positions of the rows that it keeps. Raises UnknownNameError for a name that no row of the source has."""
        names: dict[str, set[str]] = {"operator": set(), "category": set(), "profile": set()}
        kept = []
        for position, row in enumerate(rows):
            for kind, known in names.items():
                known.update(profile_names(row.profile) if kind == "profile" else {getattr(row, kind)})
            if self.keeps(row):
                kept.append(position)
        for name in self.operators:
            if not any(_is_named(operator, name) for operator in names["operator"]):
                raise UnknownNameError(f"operator of this {source}", name, names["operator"])
        for name in self.categories:
            if name not in names["category"] and find_group(name) is None:
                raise UnknownNameError("category", name, {*names["category"], *CATEGORIES, *GROUPS})
        for name in self.profiles:
            if name not in names["profile"]:
                raise UnknownNameError(f"profile of this {source}", name, names["profile"])
        return kept

    def keeps(self, row: NamedRow) -> bool:
        """Whether a row is shown."""
        return (
            (not self.operators or any(_is_named(row.operator, name) for name in self.operators))
            and (not self.categories or any(_is_in(row, name) for name in self.categories))
            and (not self.profiles or not profile_names(row.profile).isdisjoint(self.profiles))
        )


def _is_named(name: str, pattern: str) -> bool:
    if name.startswith(PREFIX):
        # Not at the top: most reports need no rules, whose import takes a while.
        from autoperf.rules.gluon_layers.layer import gluon_layers_by_name  # noqa: PLC0415

        layer = gluon_layers_by_name().get(name)
        # Its names by the modules that have it: gluon_nn_Dense.
        names = layer.operator.names if layer else (name,)
        return any(fnmatchcase(known, layer_name(pattern)) for known in names)
    return fnmatchcase(name, pattern) if _GLOB & set(pattern) else name in spellings(pattern)


def _is_in(row: NamedRow, name: str) -> bool:
    group = find_group(name)
    return row.category == name or (group is not None and group.holds(row.category, (row.operator,)))


Row = TypeVar("Row")
Value: TypeAlias = str | int | float | None
_WIDTHS = {"us": 9, "bytes": 10, "share": 6, "": 10}
_GAP = 2


class Place(enum.Enum):
    """The default place of a column."""

    LEAD = "lead"
    """A column that identifies the row: words before the figures on a terminal, a cell in Markdown."""
    FIGURE = "figure"
    """A column of the terminal and of Markdown."""
    REQUEST = "request"
    """A column of the CSV if it has a CSV name; elsewhere it is shown only on request."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One quantity of a row.

    `name` is what `--columns` and `--sort` call it, `csv` what the CSV does; without one the CSV has it on request
    only. `group` stands above `header` on a terminal and before it in Markdown. `unit` is that of the value: `us`,
    `bytes`, `share` or none. `text` spells the row's value for a person; by default its unit decides. Where a
    terminal is narrow, columns of the highest `priority` are hidden first, and those of 0 never. An `optional` one
    is shown only where a row has a value, or one of `presence`, which several columns may share. `legend` explains
    it below the table. `right` is its alignment in Markdown, `room` its width on a terminal with the gap before it,
    where its unit and header don't give that. The CSV has an `always` column also where no row has a value.
    """

    name: str
    header: str
    value: Callable[[Row], Value]
    text: Callable[[Row], str] | None = None
    group: str = ""
    unit: str = ""
    csv: str = ""
    place: Place = Place.REQUEST
    priority: int = 0
    optional: bool = False
    presence: Callable[[Row], Value] | None = None
    legend: str = ""
    right: bool = True
    room: int = 0
    always: bool = False

    @property
    def title(self) -> str:
        """The header with its group: `forward kernel`."""
        return f"{self.group} {self.header}".lstrip()

    @property
    def width(self) -> int:
        """The width on a terminal in characters, with the gap before it."""
        # A share may have a sign that takes more room where it is spelled in ASCII.
        of_sign = width_of("±") - 1 if self.unit == "share" else 0
        return of_sign + (self.room or max(_WIDTHS[self.unit], len(self.header) + _GAP))

    def spell(self, row: Row) -> str:
        """The row's value as text on one line."""
        if self.text:
            return self.text(row)
        value = self.value(row)
        return one_line(value) if isinstance(value, str) else quantity(value, self.unit)


MACHINE = "machine"
"""The group that is no attribute of an outcome: its id alone is."""


@dataclass(frozen=True, slots=True)
class View:
    """The user's choice of columns, order, number and selection of rows; empty means the default.

    `sort` has names of columns with commas between them, each with a `-` before it for the largest first. `group_by` is
    `operator`, `category` or `machine`. `verbose` adds details that explain a figure or its origin.
    """

    columns: tuple[str, ...] = ()
    sort: str = ""
    limit: int | None = None
    group_by: str = ""
    rows: RowFilter = field(default_factory=RowFilter)
    verbose: bool = False

    @property
    def sort_keys(self) -> list[str]:
        """The columns to sort by, the most important first."""
        return [name.strip() for name in self.sort.split(",")] if self.sort else []

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are asked for: to show, and to sort by."""
        return (*self.columns, *(name.removeprefix("-") for name in self.sort_keys))

    def chosen(self, available: Sequence[Column[Row]]) -> list[Column[Row]]:
        """The requested columns, in that order. Raises UnknownNameError, UsageError for a column named twice."""
        columns = [_named(name, available) for name in self.columns]
        for index, column in enumerate(columns):
            if column in columns[:index]:
                raise UsageError(f"invalid --columns: {column.name} is named twice; name each column once")
        return columns

    def ordered(self, rows: Sequence[Row], available: Sequence[Column[Row]]) -> Sequence[Row]:
        """The rows in the requested order, those without a value last. Raises UnknownNameError."""
        if not self.sort:
            return rows
        columns = [(_named(name.removeprefix("-"), available).value, name.startswith("-")) for name in self.sort_keys]
        # Read together, since rows of a file are read on each access.
        keys = [[value(row) for value, _ in columns] for row in rows]
        order = list(range(len(keys)))
        for number, (_, descending) in reversed(list(enumerate(columns))):
            order = _sorted(order, [row_keys[number] for row_keys in keys], descending=descending)
        return Picked(rows, order)

    def limited(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The first rows, as many as requested."""
        return rows if self.limit is None or self.limit >= len(rows) else rows[: self.limit]

    def limit_line(self, shown: int, total: int, noun: str) -> str:
        """The number of rows that --limit hides, in words; empty if none."""
        return f"{shown} of {count(total, noun)} shown; --limit sets how many" if shown < total else ""

    def check(self, available: Sequence[Column[Row]]) -> None:
        """Raises UnknownNameError for an unknown column, and UsageError for a column named twice."""
        self.chosen(available)
        self.ordered([], available)


def fact(
    name: str,
    value: Callable[[Row], Value],
    text: Callable[[Row], str] | None = None,
    *,
    place: Place = Place.REQUEST,
    header: str = "",
    csv: str | None = None,
    room: int = 0,
) -> Column[Row]:
    """A column of words. Header and CSV name are `name` unless given."""
    csv = name if csv is None else csv
    return Column(name, header or name, value, text, csv=csv, place=place, right=False, room=room)


def numeric(
    name: str,
    value: Callable[[Row], Value],
    text: Callable[[Row], str] | None = None,
    unit: str = "",
    *,
    place: Place = Place.FIGURE,
    header: str = "",
    csv: str | None = None,
    **layout: Any,
) -> Column[Row]:
    """A column of numbers. Header and CSV name are `name` unless given; the CSV adds microseconds or bytes to it."""
    csv_name = f"{name}_{unit}" if unit in ("us", "bytes") else name
    csv = csv_name if csv is None else csv
    return Column(name, header or name, value, text, unit=unit, csv=csv, place=place, **layout)


def figure(
    name: str,
    value: Callable[[Row], Value],
    unit: str = "",
    group: str = "",
    text: Callable[[Row], str] | None = None,
    **layout: Any,
) -> Column[Row]:
    """As `numeric`, for an optional column, of which the CSV has the unit of times alone."""
    csv = f"{name}_us" if unit == "us" else name.replace(" ", "_")
    return numeric(name, value, text, unit, csv=csv, group=group, optional=True, **layout)


def noted(notes: Callable[[Row], Iterable[str]]) -> Column[Row]:
    """A column of the notes on a row, in the CSV and in Markdown, where a row has any."""
    return Column(
        "notes", "notes", lambda row: "; ".join(notes(row)), csv="notes", place=Place.LEAD, optional=True, right=False
    )


def csv_columns(view: View, available: Sequence[Column[Row]], rows: Iterable[Row]) -> list[Column[Row]]:
    """The columns of the CSV."""
    chosen = view.chosen(available)
    if chosen:
        return chosen
    columns = [column for column in available if column.csv]
    kept = filled(columns, rows)
    return [column for column in columns if column.always or column in kept]


def markdown_columns(view: View, available: Sequence[Column[Row]]) -> list[Column[Row]]:
    """The columns of a Markdown table."""
    return view.chosen(available) or [column for column in available if column.place is not Place.REQUEST]


def terminal_columns(view: View, available: Sequence[Column[Row]]) -> list[Column[Row]]:
    """The columns of a table on a terminal, without those that identify the row."""
    columns = view.chosen(available) or [column for column in available if column.place is Place.FIGURE]
    return [column for column in columns if column.place is not Place.LEAD]


def filled(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> list[Column[Row]]:
    """The columns, without optional ones that are empty in every row."""
    columns = list(columns)
    empty = {column.presence or column.value for column in columns if column.optional}
    for row in rows if empty else ():
        empty = {value for value in empty if value(row) in (None, "")}
        if not empty:
            break
    return [column for column in columns if not (column.optional and (column.presence or column.value) in empty)]


def with_room(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> list[Column[Row]]:
    """The columns, each with room for its longest text in a row: words that a user chooses have any length."""
    rooms = {column: column.width for column in columns}
    for row in rows:
        for column, room in rooms.items():
            length = width_of(column.spell(row))
            rooms[column] = room if length < room else length + _GAP
    return [replace(column, room=room) for column, room in rooms.items()]


def _named(name: str, available: Sequence[Column[Row]]) -> Column[Row]:
    named = next((column for column in available if name and name in (column.name, column.csv)), None)
    if named is None:
        raise UnknownNameError("column", name, (column.name for column in available))
    return named


def _sorted(order: Sequence[int], keys: Sequence[Value], *, descending: bool) -> list[int]:
    """The positions by their keys, equal ones in the given order, those without a key last."""
    with_key = [position for position in order if keys[position] not in (None, "")]
    with_key.sort(key=lambda position: (isinstance(keys[position], str), keys[position]), reverse=descending)
    return with_key + [position for position in order if keys[position] in (None, "")]


def csv_line(values: Iterable[object]) -> str:
    """One line. Text has no line breaks and can't start a formula; numbers are unchanged."""
    line = io.StringIO()
    # An apostrophe marks text that a spreadsheet would evaluate; dashes alone, opperf's, are none.
    cells = [one_line(value) if isinstance(value, str) else value for value in values]
    is_formula = [
        isinstance(cell, str) and cell.startswith(("=", "+", "-", "@")) and bool(cell.strip("-")) for cell in cells
    ]
    marked = [f"'{cell}" if marks else cell for cell, marks in zip(cells, is_formula, strict=True)]
    csv.writer(line, lineterminator="\n").writerow(marked)
    return line.getvalue()
