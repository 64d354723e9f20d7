"""Table layout by terminal width: figures beside the words of a row, below them, or spelled out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.text import Text

from autoperf.reports.columns import Column
from autoperf.reports.layout import grouped, hanging
from autoperf.reports.units import flow, split_words

Row = TypeVar("Row")
INDENT = "  "
_GAP = 2
_MIN_BRACKET = 8


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Columns that fit `width` characters; those in `hidden` do not fit.

    `left` is the room for words beside the figures. Without any, the figures stand `below` the words of their row, and
    where they are too wide for that too, each is spelled with its name.
    """

    columns: Sequence[Column[Row]]
    width: int
    left: int = 0
    below: bool = False
    hidden: Sequence[Column[Row]] = ()

    def heading(self, title: str, note: str, style: str = "bold", *, figures: bool = True) -> Iterator[Text]:
        """The title over the words, and the headers over the figures, if any; `note` says more below the title."""
        upper, lower = self._headers() if figures else ("", "")
        if self.left and not upper.strip() and self._holds(f"{title} ({note})"):
            yield Text.assemble((f"{f'{title} ({note})':<{self.left}}", style), (lower, "dim"))
            return
        if self.left and self._holds(title) and self._holds(note):
            yield Text.assemble((f"{title:<{self.left}}", style), (upper, "dim"))
            yield Text(f"{note:<{self.left}}{lower}", style="dim")
            return
        yield from hanging("", [*title.split(), *f"({note})".split()], self.width, style)
        indent = " " * self._indent
        for line in (upper, lower) if self.below or self.left else ():
            if line.strip():
                yield Text(indent + line, style="dim")

    def _holds(self, text: str) -> bool:
        """Whether a text has room over the words of rows, with a gap before the headers."""
        return len(text) < self.left

    def rows(self, head: str, words: Sequence[str], rows: Sequence[Row]) -> Iterator[Text]:
        """The words behind a head, and the figures of these rows, one below the other."""
        if self.left:
            yield from self._beside(head, words, rows)
            return
        yield from hanging(head, words, self.width)
        for row in rows:
            if self.below:
                yield Text(" " * self._indent + self._figures(row))
            else:
                yield from self._spelled(row)

    @property
    def _indent(self) -> int:
        return max(0, self.width - _span(self.columns))

    def _beside(self, head: str, words: Sequence[str], rows: Sequence[Row]) -> Iterator[Text]:
        room, full = max(1, self.left - len(head)), max(1, self.width - len(head))
        for number, row in enumerate(rows):
            first, *rest = flow(words, room, full)
            yield Text(f"{head}{first:<{room}}{self._figures(row)}")
            head = " " * len(head)
            if number == len(rows) - 1:
                yield from (Text(head + line) for line in rest)
            words = split_words(" ".join(rest))

    def _spelled(self, row: Row) -> Iterator[Text]:
        for group, columns in grouped(self.columns, lambda column: column.group).items():
            shown = [column for column in columns if not (column.optional and column.value(row) in (None, ""))]
            words = ", ".join(f"{column.header} {column.spell(row)}" for column in shown).split()
            if not words:
                continue
            yield from hanging(f"{INDENT * 2}{group} ".rstrip() + " " if group else INDENT * 2, words, self.width)

    def _figures(self, row: Row) -> str:
        return "".join(f" {column.spell(row):>{column.width - 1}}" for column in self.columns)

    def _headers(self) -> tuple[str, str]:
        groups = grouped(self.columns, lambda column: column.group)
        upper = "".join(_bracket(group, _span(columns)) for group, columns in groups.items())
        ordered = (column for columns in groups.values() for column in columns)
        return upper, "".join(f"{column.header:>{column.width}}" for column in ordered)


def fitted(columns: Sequence[Column[Row]], width: int, least: int, *, fixed: bool = False) -> Table[Row]:
    """The table for this width, with `least` for the words beside the figures; `fixed` columns are never hidden."""
    columns = [column for group in grouped(columns, lambda column: column.group).values() for column in group]
    choices = [columns] if fixed else _choices(columns)
    for kept in choices:
        if width - _span(kept) >= least:
            return Table(kept, width, width - _span(kept), hidden=_without(columns, kept))
    for kept in choices:
        if width - _span(kept) >= 0:
            return Table(kept, width, below=True, hidden=_without(columns, kept))
    return Table(columns, width)


def _choices(columns: Sequence[Column[Row]]) -> list[Sequence[Column[Row]]]:
    """All columns, then without those of the highest priority, and so on, down to those that are never hidden."""
    limits = sorted({0, *(column.priority for column in columns)}, reverse=True)
    return [[column for column in columns if column.priority <= limit] for limit in limits]


def _without(columns: Sequence[Column[Row]], kept: Sequence[Column[Row]]) -> list[Column[Row]]:
    return [column for column in columns if column not in kept]


def hidden_line(columns: Sequence[Column[Row]], *, verbose: bool = False) -> str:
    """Which columns aren't shown, and how to see them; empty if all are. `verbose` has their names for --columns."""
    if not columns:
        return ""
    if verbose:
        names = ", ".join(f"{column.title} ({column.name})" for column in columns)
        return f"hidden at this width: {names}; --columns shows them"
    groups = {header: " and ".join(column.group for column in same) for header, same in _by_header(columns).items()}
    headers = grouped(groups, lambda header: groups[header])
    titles = "; ".join(f"{group} {', '.join(members)}".lstrip() for group, members in headers.items())
    return f"hidden at this width: {titles}; --columns shows them, --verbose has their names"


def _by_header(columns: Sequence[Column[Row]]) -> dict[str, list[Column[Row]]]:
    return grouped(columns, lambda column: column.header)


def _span(columns: Sequence[Column[Row]]) -> int:
    return sum(column.width for column in columns)


def _bracket(title: str, width: int) -> str:
    bracket = title if not title or width - len(title) < _MIN_BRACKET else f" {title} ".center(width - _GAP, "-")
    return f"{bracket:>{width}}"
