"""Line layout for a terminal and for Markdown: hanging indents, columns that fit a width, grouping by a key."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.text import Text

from autoperf.core.ndjson import Picked
from autoperf.reports.columns import Column
from autoperf.reports.units import flow, one_line, padded, split_words, width_of

# GitHub's Markdown syntax: emphasis, code, tables, HTML, entities, formulas; links, also bare addresses.
_SPECIAL = re.compile(r"[\\|`*<~$&]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[])|:(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_MENTION = re.compile(r"@(?=\w)")


def escape(text: str) -> str:
    """The text for a table cell: on one line, Markdown syntax escaped; underscores within a word need no escape."""
    # An empty comment is invisible and prevents a mention or an e-mail link.
    return _MENTION.sub("@<!-- -->", _SPECIAL.sub(r"\\\g<0>", one_line(text)))


def code(text: str) -> str:
    """The text as code; one with a backtick of its own is escaped text."""
    line = one_line(text)
    return escape(line) if "`" in line else f"`{line}`"


def heading(columns: Sequence[tuple[str, bool]]) -> str:
    """The two lines that open a table, from (title, whether it is right-aligned)."""
    rule = "|".join("---:" if right else "---" for _, right in columns)
    return cells(title for title, _ in columns) + f"|{rule}|\n"


def cells(values: Iterable[str]) -> str:
    """One row."""
    return f"| {' | '.join(map(escape, values))} |\n"


INDENT = "  "
MIN_ROOM = 12
_GAP = 2
_MIN_BRACKET = 8
Row = TypeVar("Row")
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def hanging(head: str, words: Sequence[str], width: int, style: str = "") -> Iterator[Text]:
    """The words behind a head, indented by it on as many lines as they need; below it if there is too little room."""
    if width - width_of(head) < MIN_ROOM < width:
        if head.strip():
            yield Text(head.rstrip())
        head = " " if head else head
    indent = width_of(head)
    room = max(1, width - indent)
    for number, line in enumerate(flow(words, room, room)):
        yield Text.assemble(head if number == 0 else " " * indent, (line, style))


def emphasised(lines: Iterable[Text], words: Sequence[str], marks: Sequence[bool]) -> Iterator[Text]:
    """The lines of these words, those that are marked in bold; words that a line breaks are left as they are."""
    left = list(zip(words, marks, strict=False))
    for line in lines:
        end = 0
        while left and (start := line.plain.find(left[0][0], end)) >= 0:
            word, is_marked = left.pop(0)
            end = start + len(word)
            line.stylize("bold" if is_marked else "", start, end)
        yield line


def listed(names: Iterable[str]) -> list[str]:
    """The distinct names with commas, as words to wrap between."""
    words = [f"{one_line(name)}," for name in dict.fromkeys(names)]
    return [*words[:-1], *(word.rstrip(",") for word in words[-1:])]


def picked(items: Sequence[T], key: Callable[[T], K]) -> dict[K, Picked[T]]:
    """Like `grouped`, for items that are read on each access."""
    positions: dict[K, array[int]] = {}
    for position, item in enumerate(items):
        positions.setdefault(key(item), array("Q")).append(position)
    return {name: Picked(items, members) for name, members in positions.items()}


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The items by key, in the order of first occurrence."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


@dataclass(frozen=True)
class FittedColumns(Generic[Row]):
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
        """The title over the words, with the `note` below, and the headers over the figures, if any."""
        upper, lower = self._headers() if figures else ("", "")
        text = f"{title} ({note})" if note else title
        if not upper.strip() and self._holds(text):
            yield Text.assemble((padded(text, self.left), style), (lower, "dim"))
            return
        if note and self._holds(title) and self._holds(note):
            yield Text.assemble((padded(title, self.left), style), (upper, "dim"))
            yield Text(f"{padded(note, self.left)}{lower}", style="dim")
            return
        yield from hanging("", text.split(), self.width, style)
        indent = " " * self._indent
        for line in (upper, lower) if self.below or self.left else ():
            if line.strip():
                yield Text(indent + line, style="dim")

    def _holds(self, text: str) -> bool:
        """Whether a text has room over the words of rows; the headers have a gap before them."""
        return self.left > 0 and width_of(text) <= self.left

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
        indent = width_of(head)
        room, full = self.left - indent, max(1, self.width - indent)
        for number, row in enumerate(rows):
            first, *rest = flow(words, room, full)
            if not first and (rest or (room < 0 and head.strip())):
                # The first word, or the head itself, is wider than the room.
                yield Text(head + "".join(rest[:1]))
                head, rest = " " * indent, rest[1:]
            yield Text(f"{padded((head + first).rstrip(), self.left)}{self._figures(row)}")
            head = " " * indent
            if number == len(rows) - 1:
                yield from (Text(head + line) for line in rest)
            words = split_words(" ".join(rest))

    def _spelled(self, row: Row) -> Iterator[Text]:
        for group, columns in grouped(self.columns, lambda column: column.group).items():
            shown = [column for column in columns if not (column.optional and column.value(row) in (None, ""))]
            words = ", ".join(f"{column.header.strip()} {column.spell(row).strip()}" for column in shown).split()
            if not words:
                continue
            yield from hanging(f"{INDENT * 2}{group} ".rstrip() + " " if group else INDENT * 2, words, self.width)

    def _figures(self, row: Row) -> str:
        texts = ((column.spell(row), column.width - 1) for column in self.columns)
        return "".join(f" {' ' * (room - width_of(text))}{text}" for text, room in texts)

    def _headers(self) -> tuple[str, str]:
        groups = grouped(self.columns, lambda column: column.group)
        upper = ""
        for group, width in ((group, _span(columns)) for group, columns in groups.items()):
            is_bracket = group and width - len(group) >= _MIN_BRACKET
            title = f" {group} ".center(width - _GAP, "-") if is_bracket else group
            upper += f"{title:>{width}}"
        ordered = (column for columns in groups.values() for column in columns)
        return upper, "".join(f"{column.header:>{column.width}}" for column in ordered)


def fitted(columns: Sequence[Column[Row]], width: int, least: int, *, fixed: bool = False) -> FittedColumns[Row]:
    """The table for this width, with `least` for the words beside the figures; `fixed` columns are never hidden."""
    columns = [column for group in grouped(columns, lambda column: column.group).values() for column in group]
    # All columns, then fewer by priority, down to the columns that are never hidden.
    limits = sorted({0, *(column.priority for column in columns)}, reverse=True)
    choices = [[column for column in columns if column.priority <= limit] for limit in limits]
    for room, below in ((least, False), (0, True)):
        for kept in [columns] if fixed else choices:
            left = width - _span(kept)
            if left >= room:
                hidden = [column for column in columns if column not in kept]
                return FittedColumns(kept, width, 0 if below else left, below, hidden)
    return FittedColumns(columns, width)


def hidden_line(columns: Sequence[Column[Row]], *, verbose: bool = False) -> str:
    """The hidden columns, and the option that shows them; empty if there are none. `verbose` adds their names."""
    if not columns:
        return ""
    if verbose:
        names = ", ".join(f"{column.title} ({column.name})" for column in columns)
        return f"hidden at this width: {names}; --columns shows them"
    by_header = grouped(columns, lambda column: column.header)
    groups = {header: " and ".join(column.group for column in same) for header, same in by_header.items()}
    headers = grouped(groups, lambda header: groups[header])
    titles = "; ".join(f"{group} {', '.join(members)}".lstrip() for group, members in headers.items())
    return f"hidden at this width: {titles}; --columns shows them, --verbose has their names"


def _span(columns: Sequence[Column[Row]]) -> int:
    return sum(column.width for column in columns)
