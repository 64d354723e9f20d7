"""The times of composites as a table: eager calls beside the graph, dispatch, and the graph's saving."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from autoperf.analysis.modes import CompositeTime, CompositeTimes
from autoperf.core.modes import HYBRIDIZED, IMPERATIVE, STATIC
from autoperf.reports.columns import Column, Place, Value, fact, filled
from autoperf.reports.layout import INDENT, fitted, grouped, hanging
from autoperf.reports.markdown import bullets
from autoperf.reports.summary import STATUS_STYLE, verdict
from autoperf.reports.table import Table
from autoperf.reports.units import count, describe_inputs, duration, one_line, percent, profile_label, split_words
from autoperf.results.intervals import median

TITLE = "composites"
LEGEND = (
    "imperative, hybridized, static: the wall time of the operators called one after the other, of a CachedOp, and of "
    "one with static_alloc and static_shape. dispatch: the imperative time in which no kernel ran; each: that of one "
    "operator. saves: what the static graph saves of the imperative time"
)
_MIN_WORDS = 18


def composite_lines(composites: CompositeTimes, limit: int | None, width: int) -> Iterator[Text]:
    """The table on a terminal, the composites without a figure, and the notes below."""
    shown = composites.passes[:limit]
    columns = filled(FIGURES, shown)
    table = fitted(columns, width, _MIN_WORDS)
    if shown:
        yield from table.heading(TITLE, count(len(composites.passes), "pass", "passes"))
    for name, passes in grouped(shown, lambda time: time.name).items():
        operators = count(passes[0].operators, "operator")
        yield Text.assemble((one_line(name), "bold cyan"), (f" ({operators})", "dim"))
        for (profile, _), members in grouped(passes, lambda time: (time.profile, time.inputs)).items():
            head = f"{INDENT}{profile_label(profile)} "
            yield from hanging(head, split_words(describe_inputs(members[0])), width, "dim")
            for time in members:
                yield from table.rows(INDENT * 2, [time.pass_], [time])
    for outcome in composites.missing:
        words = [one_line(outcome.operator), profile_label(outcome.profile), *f"- {verdict(outcome)}".split()]
        yield from hanging("", words, width, STATUS_STYLE[outcome.status])
    yield Text()
    for note in composite_notes(composites, limit):
        yield from hanging("", note.split(), width, "dim")
    yield Text()


def composite_markdown(composites: CompositeTimes, limit: int | None) -> Iterator[str]:
    """The table as Markdown, with the notes below."""
    shown = composites.passes[:limit]
    yield f"### {TITLE}\n\n"
    yield from Table("", COLUMNS, shown).markdown()
    yield from bullets("", (f"{item.operator} {item.profile}: {verdict(item)}" for item in composites.missing))
    yield from bullets("", composite_notes(composites, limit))
    yield "\n"


def composite_records(composites: CompositeTimes) -> list[dict[str, Value]]:
    """Each pass as JSON has it, in microseconds."""
    return Table("", COLUMNS, composites.passes).records()


def composite_notes(composites: CompositeTimes, limit: int | None) -> Iterator[str]:
    """The median cost of dispatch and saving of the graph, the number of hidden passes, and the columns' meaning."""
    each = _known([time.dispatch_each_us for time in composites.passes])
    saved = _known([time.saved_share for time in composites.passes])
    if len(each) > 1:
        yield f"dispatch of an operator: {duration(median(each))} in the median of {count(len(each), 'composite')}"
    if len(saved) > 1:
        yield f"the static graph saves {percent(median(saved))} in the median of {count(len(saved), 'pass', 'passes')}"
    if limit is not None and limit < len(composites.passes):
        yield f"{limit} of {len(composites.passes)} passes shown; --limit sets how many"
    if composites.passes:
        yield LEGEND


def _known(values: Sequence[float | None]) -> list[float]:
    return sorted(value for value in values if value is not None)


def _saved(time: CompositeTime) -> str:
    share = time.saved_share
    return "" if share is None else percent(share) if share >= 0 else f"-{percent(-share)}"


def _way(way: str) -> Column[CompositeTime]:
    return _column(way, lambda time: time.wall_us(way), f"{way}_us")


def _column(name: str, value: Callable[[CompositeTime], Value], csv: str) -> Column[CompositeTime]:
    return Column(name, name, value, unit="us", csv=csv, place=Place.FIGURE, optional=True)


FIGURES: tuple[Column[CompositeTime], ...] = (
    _way(IMPERATIVE),
    _way(HYBRIDIZED),
    _way(STATIC),
    _column("dispatch", lambda time: time.dispatch_us, "dispatch_us"),
    _column("each", lambda time: time.dispatch_each_us, "dispatch_each_us"),
    Column(
        "saves", "saves", lambda time: time.saved_share, _saved, unit="share", csv="saved_share", place=Place.FIGURE,
        optional=True,
    ),
)  # fmt: skip
"""The wall time in each way to run a composite, and the cost of dispatch."""
COLUMNS: tuple[Column[CompositeTime], ...] = (
    fact("composite", lambda time: time.name, place=Place.LEAD),
    fact("profile", lambda time: time.profile, place=Place.LEAD),
    fact("inputs", describe_inputs, place=Place.LEAD),
    fact("pass", lambda time: time.pass_, place=Place.LEAD),
    Column("operators", "operators", lambda time: time.operators, csv="operators", place=Place.FIGURE),
    *FIGURES,
)
"""The columns that identify a row, and its times."""
