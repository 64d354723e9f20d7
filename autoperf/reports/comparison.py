"""A comparison as a person reads it: what changed first, and a line that says what it all comes to."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autoperf.analysis.comparison import CLOCKS, PASSES, Compared, Comparison, Unmatched, Verdict
from autoperf.reports.layout import grouped, hanging, listed
from autoperf.reports.units import count, duration, flow, one_line, split_words

VERDICT_STYLE = {
    Verdict.SLOWER: "bold red",
    Verdict.FASTER: "green",
    Verdict.UNDECIDED: "yellow",
    Verdict.SAME: "dim",
}
ORDER = tuple(VERDICT_STYLE)
INDENT = "  "
TEXT_WIDTH = 120
_LEAST_INPUTS = 26
_NAMES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    width: int
    value: Callable[[Compared], str]


def table(found: Comparison) -> ComparisonTable:
    """A renderable of the comparison."""
    return ComparisonTable(found)


def to_text(found: Comparison) -> str:
    """The table as plain text, for a file."""
    console = Console(width=TEXT_WIDTH, file=io.StringIO(), record=True, color_system=None)
    console.print(table(found))
    return "".join(f"{line.rstrip()}\n" for line in console.export_text().splitlines())


def ranked(cases: Sequence[Compared]) -> list[Compared]:
    """Slower, faster, undecided, same; in each the largest change first."""
    return sorted(cases, key=lambda one: (ORDER.index(one.verdict), -max(one.ratio, 1 / one.ratio), one.case))


def sentence(found: Comparison) -> str:
    """What it comes to: `8 figures = 1 faster + 2 slower + 3 same + 2 undecided; 1 without a partner`."""
    total = found.summary
    parts = [f"{getattr(total, verdict.value)} {verdict.value}" for verdict in Verdict]
    figures = total.faster + total.slower + total.same + total.undecided
    partners = f"; {len(found.unmatched)} without a partner" if found.unmatched else ""
    return f"{count(figures, 'figure')} = {' + '.join(parts)}{partners}"


def spell(ratio: float) -> str:
    """A ratio with the digits that it deserves: `1.103`, `12.4`, `0.0052`."""
    return f"{ratio:.3f}" if 0.1 <= ratio < 10 else f"{ratio:.3g}"


def interval(one: Compared) -> str:
    """`[1.05, 1.16]`."""
    return f"[{_short(one.low)}, {_short(one.high)}]"


_COLUMNS = (
    _Column("pass", 10, lambda one: one.pass_),
    _Column("clock", 8, lambda one: one.clock),
    _Column("base", 10, lambda one: duration(one.base_us)),
    _Column("new", 10, lambda one: duration(one.new_us)),
    _Column("ratio", 8, lambda one: spell(one.ratio)),
    _Column("95% interval", 16, interval),
)
_CHOICES = (
    _COLUMNS,
    tuple(column for column in _COLUMNS if column.title != "base"),
    tuple(column for column in _COLUMNS if column.title not in ("base", "new")),
)


def without_partner(found: Comparison) -> Iterator[tuple[str, Sequence[Unmatched]]]:
    """Why, and the figures or cases that it holds for, the most frequent reason first."""
    groups = grouped(found.unmatched, lambda one: (one.missing, one.reason))
    for (missing, reason), members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        side = "on both sides" if missing == "both" else f"in {missing}"
        words = one_line(reason)
        yield f"{side} {words}" if ":" in words else f"{words} {side}", members


class ComparisonTable:
    """Renders a comparison for whatever width the console has: figures stand in columns, inputs flow beside them."""

    def __init__(self, found: Comparison) -> None:
        self._found = found

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield a section for each verdict, then what has no partner, what to bear in mind, and the sum."""
        width = options.max_width
        for side, title in (("base", self._found.base), ("new", self._found.new)):
            yield from hanging(f"{side:<6}", one_line(title).split(), width)
        yield Text()
        for verdict, members in grouped(ranked(self._found.cases), lambda one: one.verdict).items():
            yield from _Section(verdict, members, width).lines()
            yield Text()
        yield from self._unmatched(width)
        for notice in self._found.notices:
            yield from hanging("note: ", one_line(notice).split(), width, "yellow")
        yield from hanging("", sentence(self._found).split(), width, "bold")

    def _unmatched(self, width: int) -> Iterator[Text]:
        groups = list(without_partner(self._found))
        if groups:
            yield Text("without a partner", style="bold")
        for reason, members in groups:
            names = list(dict.fromkeys(member.operator for member in members))
            more = [f"and {len(names) - _NAMES_SHOWN} more"] if len(names) > _NAMES_SHOWN else []
            words = [*f"{reason}:".split(), *listed([*names[:_NAMES_SHOWN], *more])]
            yield from hanging(f"{len(members):>5} ", words, width)
        if groups:
            yield Text()


class _Section:
    """The figures that got one verdict."""

    def __init__(self, verdict: Verdict, figures: Sequence[Compared], width: int) -> None:
        self._verdict = verdict
        self._figures = figures
        self._width = width
        self._columns = next((c for c in _CHOICES if width - _span(c) >= _LEAST_INPUTS), _CHOICES[-1])
        self._left = max(1, width - _span(self._columns))

    def lines(self) -> Iterator[Text]:
        """The heading, then each case with its figures."""
        style = VERDICT_STYLE[self._verdict]
        titles = "".join(f"{column.title:>{column.width}}" for column in self._columns)
        heading = f"{self._verdict.value} ({len(self._figures)})"
        yield Text.assemble((f"{heading:<{self._left}}", style), (titles, "dim"))
        for case, members in grouped(self._figures, lambda one: one.case).items():
            yield Text.assemble((one_line(case), "bold cyan"), f" {one_line(members[0].profile)}")
            yield from self._rows(members)

    def _rows(self, members: Sequence[Compared]) -> Iterator[Text]:
        room = max(1, self._left - len(INDENT) - 1)
        words = split_words(one_line(members[0].inputs))
        ordered = sorted(members, key=lambda one: (PASSES.index(one.pass_), CLOCKS.index(one.clock)))
        for number, one in enumerate(ordered):
            last = number == len(members) - 1
            first, *rest = flow(words, room, room)
            figures = "".join(f"{column.value(one):>{column.width}}" for column in self._columns)
            yield Text(f"{INDENT}{first:<{self._left - len(INDENT)}}{figures}")
            words = split_words(" ".join(rest))
            for line in rest if last else ():
                yield Text(INDENT + line)


def _span(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns)


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if 0.1 <= ratio < 100 else f"{ratio:.2g}"
