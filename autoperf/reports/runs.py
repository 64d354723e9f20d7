"""A run's results as a person reads them: a table that fits the terminal, and one line a case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.reports.detail import details
from autoperf.reports.doubts import legend, marks
from autoperf.reports.layout import grouped, hanging, listed, picked
from autoperf.reports.summary import STATUS_STYLE, figure, peak, reasons, slowest, summarise
from autoperf.reports.units import (
    case_words,
    count,
    describe_case,
    duration,
    flow,
    one_line,
    size,
    span,
    spread,
    within,
)

DETAILED_RUN = 2
LARGE_RUN = 20
WITHIN = "95%"
SLOWEST = 5
INDENT = "  "
GAP = "  "
_LEAST_INPUTS = 30
_LEAST_BRACKET = 8
_DIGEST_FROM = 110


@dataclass(frozen=True, slots=True)
class _Column:
    """A figure of an outcome, right-aligned under its title; `group` is the pass that the title belongs to."""

    group: str
    title: str
    width: int
    value: Callable[[Outcome], str]


_COLUMNS = (
    _Column("forward", "kernel", 9, lambda one: _kernel(one.forward)),
    _Column("forward", WITHIN, 6, lambda one: _within(one.forward)),
    _Column("forward", "P90", 6, lambda one: spread(one.forward.kernel_us) if one.forward else "-"),
    _Column("forward", "wall", 9, lambda one: _wall(one.forward)),
    _Column("backward", "kernel", 10, lambda one: _kernel(one.backward)),
    _Column("backward", WITHIN, 6, lambda one: _within(one.backward)),
    _Column("backward", "P90", 6, lambda one: spread(one.backward.kernel_us) if one.backward else "-"),
    _Column("backward", "wall", 9, lambda one: _wall(one.backward)),
    _Column("peak", "memory", 10, lambda one: size(peak(one))),
)
_CHOICES = (
    _COLUMNS,
    tuple(c for c in _COLUMNS if c.title != "P90"),
    tuple(c for c in _COLUMNS if c.title != "P90" and (c.group, c.title) != ("backward", WITHIN)),
    tuple(c for c in _COLUMNS if c.title not in ("P90", WITHIN)),
    tuple(c for c in _COLUMNS if c.title == "kernel"),
)
_MARKS = _Column("", "marks", 7, marks)


def table(outcomes: Iterable[Outcome], asked: int | None = None) -> RunTable:
    """A renderable of these outcomes by category and operator; `asked`: how many cases the run set out with."""
    return RunTable(outcomes, asked)


def plain_line(outcome: Outcome) -> str:
    """One outcome in one line, its figures first: for logs, and for terminals while a run goes on."""
    result = _figures(outcome) if outcome.status is Status.MEASURED else verdict(outcome)
    inputs = describe_case(outcome)
    line = f"{f'{outcome.operator} {outcome.profile}'.rstrip()}: {result}"
    return one_line(f"{line} | {inputs}" if inputs else line)


def verdict(outcome: Outcome) -> str:
    """The status and its reason: `failed: MXNet's words`."""
    reason = one_line(outcome.reason)
    return f"{outcome.status.value}: {reason}" if reason else outcome.status.value


class RunTable:
    """Renders a run for whatever width the console has: figures stand in columns, inputs flow round them."""

    def __init__(self, outcomes: Iterable[Outcome], asked: int | None = None) -> None:
        self._outcomes = outcomes if isinstance(outcomes, Sequence) else tuple(outcomes)
        self._asked = asked

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield all lines."""
        yield from self.lines(options.max_width)

    def lines(self, width: int) -> Iterator[Text]:
        """The categories, then what stands out, then the sum, a line at a time, so that none has to be kept."""
        detailed = len(self._outcomes) <= DETAILED_RUN
        for category, members in picked(self._outcomes, lambda one: one.category).items():
            yield from _Section(category, members, width, detailed=detailed).lines()
            yield Text()
        yield from self._legend(width)
        if len(self._outcomes) > LARGE_RUN:
            yield from self._highlights(width)
        yield from self._sum(width)

    def _legend(self, width: int) -> Iterator[Text]:
        lines = [line for text in legend(self._outcomes) for line in hanging("", text.split(), width, "dim")]
        yield from lines
        if lines:
            yield Text()

    def _sum(self, width: int) -> Iterator[Text]:
        summary = summarise(self._outcomes, self._asked)
        times = f"{count(summary.operators, 'operator')} in {span(summary.seconds)}"
        for line in flow(f"{summary.sentence()}; {times}".split(), width, width):
            yield Text(line, style="bold")

    def _highlights(self, width: int) -> Iterator[Text]:
        yield Text("slowest forward", style="bold")
        for outcome in slowest(self._outcomes, SLOWEST):
            series = figure(outcome.forward)
            head = f"{duration(series.median if series else None):>9}  "
            words = [one_line(outcome.operator), one_line(outcome.profile), *case_words(outcome)]
            yield from hanging(head, words, width)
        yield Text()
        groups = reasons(self._outcomes)
        if groups:
            yield Text("without a figure", style="bold")
        for status, reason, members in groups:
            words = [*f"{reason}:".split(), *listed(members)]
            yield from hanging(f"{members.total():>5} {status.value:<8} ", words, width, STATUS_STYLE[status])
        if groups:
            yield Text()


class _Section:
    """The lines of one category; `detailed` tells of each case what its time consists of."""

    def __init__(self, category: str, outcomes: Sequence[Outcome], width: int, *, detailed: bool = False) -> None:
        self._category = one_line(category)
        self._outcomes = outcomes
        self._width = width
        self._profile = max(len(one_line(outcome.profile)) for outcome in outcomes)
        self._digest = width >= _DIGEST_FROM
        self._detailed = detailed
        doubted = (_MARKS,) if any(map(marks, outcomes)) else ()
        choices = [(*columns, *doubted) for columns in _CHOICES]
        self._columns = next((c for c in choices if width - _span(c) >= _LEAST_INPUTS), choices[-1])
        self._left = width - _span(self._columns)

    def lines(self) -> Iterator[Text]:
        """The heading, and for each operator its name and its cases."""
        yield from self._heading()
        for operator, members in picked(self._outcomes, lambda one: one.operator).items():
            yield Text(one_line(operator), style="bold cyan")
            for outcome in members:
                yield from self._row(outcome)

    def _heading(self) -> Iterator[Text]:
        groups = grouped(self._columns, lambda column: column.group)
        upper = "".join(_bracket(name, _span(columns)) for name, columns in groups.items())
        lower = "".join(f"{column.title:>{column.width}}" for column in self._columns)
        total = count(len(self._outcomes), "case")
        yield Text.assemble((self._category, "bold"), " " * (self._left - len(self._category)), (upper, "dim"))
        yield Text.assemble((f"{total:<{self._left}}{lower}", "dim"))

    def _row(self, outcome: Outcome) -> Iterator[Text]:
        head = self._head(outcome)
        if outcome.status is Status.MEASURED:
            yield from self._measured(outcome, head)
        else:
            yield from self._unmeasured(outcome, head)
        for note in _notes(outcome):
            yield from hanging(" " * len(head), ["note:", *note.split()], self._width, "dim")
        for detail in details(outcome) if self._detailed else ():
            yield from hanging(" " * len(head), detail.split(), self._width, "dim")

    def _head(self, outcome: Outcome) -> str:
        digest = f"{one_line(outcome.case.rpartition('/')[2]):<8}  " if self._digest else ""
        return f"{INDENT}{one_line(outcome.profile):<{self._profile}}  {digest}"

    def _measured(self, outcome: Outcome, head: str) -> Iterator[Text]:
        room = max(0, self._left - len(head))
        first, *more = flow(case_words(outcome), room, self._width - len(head))
        figures = "".join(f"{column.value(outcome):>{column.width}}" for column in self._columns)
        yield Text(f"{head}{first:<{room}}{figures}")
        for line in more:
            yield Text(" " * len(head) + line)

    def _unmeasured(self, outcome: Outcome, head: str) -> Iterator[Text]:
        words = case_words(outcome)
        if words:
            yield from hanging(head, words, self._width)
            head = " " * len(head)
        yield from hanging(head, verdict(outcome).split(), self._width, STATUS_STYLE[outcome.status])


def _span(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns)


def _bracket(title: str, width: int) -> str:
    bracket = title if width - len(title) < _LEAST_BRACKET else f" {title} ".center(width - len(GAP), "-")
    return f"{bracket:>{width}}"


def _kernel(run: Pass | None) -> str:
    return duration(run.kernel_us.median if run and run.kernel_us else None)


def _within(run: Pass | None) -> str:
    return within(figure(run))


def _wall(run: Pass | None) -> str:
    return duration(run.wall_us.median if run and run.wall_us else None)


def _notes(outcome: Outcome) -> Iterator[str]:
    for name, run in (("forward", outcome.forward), ("backward", outcome.backward)):
        for note in run.notes if run else ():
            yield f"{name}: {one_line(note)}"


def _figures(outcome: Outcome) -> str:
    parts = [
        f"{name} {_kernel(run)} (wall {_wall(run)})"
        for name, run in (("forward", outcome.forward), ("backward", outcome.backward))
        if run is not None
    ]
    return ", ".join([*parts, f"peak {size(peak(outcome))}"])
