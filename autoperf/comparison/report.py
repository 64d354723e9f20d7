"""A comparison as every format receives it: the listed figures, their order and columns, and the counts in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

import msgspec

from autoperf.comparison.comparison import CHANGED, ComparedFigure, Comparison, Unmatched, Verdict, verdict_counts
from autoperf.comparison.pairs import ABSENT
from autoperf.core.clocks import Metric, metric_named
from autoperf.core.texts import count
from autoperf.reports.columns import Column, NamedRow, Place, RowFilter, View, fact, noted, numeric
from autoperf.reports.layout import grouped
from autoperf.reports.provenance import provenance_columns
from autoperf.reports.units import NONE, change_words, duration, factor, one_line, quantity
from autoperf.runs.runfile import Provenance
from autoperf.summary.runs import computation, ranked_rows

VERDICT_STYLE = {
    Verdict.DIFFERS: "bold red", Verdict.SLOWER: "bold red", Verdict.FASTER: "green", Verdict.UNDECIDED: "yellow",
    Verdict.ACCEPTED: "dim", Verdict.SAME: "dim",
}  # fmt: skip
ORDER = tuple(VERDICT_STYLE)


@dataclass(frozen=True)
class ComparisonReport:
    """A comparison, as every format receives it. `brief`: only `Comparison.brief` is listed, the rest counted."""

    comparison: Comparison
    brief: bool = False
    view: View = field(default_factory=View)

    @cached_property
    def columns(self) -> tuple[Column[ComparedFigure], ...]:
        """The columns that it has, in the order of the CSV."""
        return (*columns_of(self.comparison.cases), *self.columns_of_sides)

    @property
    def columns_of_sides(self) -> tuple[Column[Any], ...]:
        """The provenance of both sides, as columns."""
        return provenance_of_sides(self.comparison.base_provenance, self.comparison.new_provenance)

    @property
    def provenances(self) -> dict[str, Provenance | None]:
        """The provenance of each side; None where it is unknown."""
        return {"base": self.comparison.base_provenance, "new": self.comparison.new_provenance}

    @cached_property
    def rows(self) -> Sequence[ComparedFigure]:
        """The listed figures in the requested order, as many as requested; without --sort the largest changes."""
        return self.view.limited(self._ordered)

    @cached_property
    def ranking(self) -> Sequence[ComparedFigure]:
        """The rows of tables: in a sorted report, operators with one kernel share a row."""
        return self.view.limited(self._without_aliases) if self.view.sort else self.rows

    @property
    def left_out(self) -> Iterator[str]:
        """The numbers of rows that --limit and shared rows hide, in words."""
        listed = self._without_aliases if self.view.sort else self._ordered
        yield self.view.limit_line(len(self.ranking), len(listed), "measurement")
        aliases = len(self._ordered) - len(listed)
        if aliases:
            number = count(aliases, "measurement")
            yield f"{number} of aliases share rows, their times being nearly equal; CSV has them all"

    @cached_property
    def _ordered(self) -> Sequence[ComparedFigure]:
        if self.view.sort:
            return self.view.ordered(self.listed, self.columns)
        return self.listed if self.view.limit is None else ranked(self.listed)

    @cached_property
    def _without_aliases(self) -> Sequence[ComparedFigure]:
        def key(figure: ComparedFigure) -> Hashable:
            # Another verdict has a row of its own.
            return computation(figure.operator), figure.pass_, figure.clock, figure.inputs, figure.verdict

        ranking = ranked_rows(self._ordered, key, attrgetter("new_us"), attrgetter("operator"))
        figures = ((self._ordered[row.position], row) for row in ranking)
        return [msgspec.structs.replace(figure, case=row.label(figure.case)) for figure, row in figures]

    @cached_property
    def listed(self) -> Sequence[ComparedFigure]:
        """The figures that a report lists, in the order of the comparison."""
        return self.comparison.brief if self.brief else self.comparison.cases

    @property
    def operators_of_views(self) -> list[str]:
        """The operators of the figures of which a side returns a view, which no mean includes."""
        return [figure.operator for figure in self.comparison.cases if figure.returns_view]

    @property
    def shown(self) -> Comparison:
        """The comparison with the listed figures alone; the summary still counts all."""
        return msgspec.structs.replace(self.comparison, cases=tuple(self.rows))


def known_columns() -> tuple[Column[ComparedFigure], ...]:
    """The columns of every comparison, with empty ones for the sides' provenance."""
    return (*COLUMNS, *provenance_of_sides(None, None))


def provenance_of_sides(base: Provenance | None, new: Provenance | None) -> tuple[Column[Any], ...]:
    """The columns of both provenances; without one its values are empty."""
    return (*provenance_columns(base, "base_"), *provenance_columns(new, "new_"))


def filtered(comparison: Comparison, rows: RowFilter, equal: Sequence[NamedRow]) -> Comparison:
    """The comparison of these rows and cases with equal results. Raises UnknownNameError for a name that no row has."""
    if not rows:
        return comparison
    rows.positions((*comparison.cases, *comparison.unmatched, *comparison.different, *equal))
    cases = tuple(filter(rows.keeps, comparison.cases))
    notice = f"{len(cases)} of {count(len(comparison.cases), 'measurement')} selected"
    return msgspec.structs.replace(
        comparison,
        cases=cases,
        unmatched=tuple(filter(rows.keeps, comparison.unmatched)),
        different=tuple(filter(rows.keeps, comparison.different)),
        summary=verdict_counts(cases),
        equal_results=sum(map(rows.keeps, equal)),
        notices=(notice, *comparison.notices) if comparison.cases else comparison.notices,
    )


def ranked(cases: Sequence[ComparedFigure]) -> list[ComparedFigure]:
    """Slower, faster, undecided, same; in each the largest change first."""
    return sorted(cases, key=lambda each: (ORDER.index(each.verdict), -max(each.ratio, 1 / each.ratio), each.case))


def sentence(comparison: Comparison) -> str:
    """The summary: `8 measurements = 1 faster + 2 slower + 3 same + 2 undecided; 1 missing in new`.

    Without a measurement: `9 cases = 7 with equal results + 2 with other results`.
    """
    numbers = {verdict: getattr(comparison.summary, verdict.value) for verdict in Verdict}
    rare = (Verdict.ACCEPTED, Verdict.DIFFERS)
    parts = [f"{number} {comparison.words[each]}" for each, number in numbers.items() if number or each not in rare]
    words = f"{count(sum(numbers.values()), 'measurement')} = {' + '.join(parts)}"
    words += f"; {count(len(comparison.differing), 'case')} with other results" if comparison.differing else ""
    if comparison.equal_results and not any(numbers.values()):
        equal, other = comparison.equal_results, len(comparison.different)
        words = f"{count(equal + other, 'case')} = {equal:,} with equal results + {other:,} with other results"
    lost = len(comparison.lost)
    others = len(comparison.unmatched) - lost
    partners = f"; {others} without a partner" if others else ""
    return f"{words}{f'; {lost} missing in new' if lost else ''}{partners}"


def without_partner(unmatched: Iterable[Unmatched]) -> Iterator[tuple[str, Sequence[Unmatched]]]:
    """Each reason with its figures or cases, the most frequent reason first."""
    groups = grouped(unmatched, lambda entry: (entry.missing, entry.reason))
    for (missing, reason), members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        side = "on both sides" if missing == "both" else f"in {missing}"
        # An entry for one measurement has a `pass`; one for a case was measured, or its status has the reason.
        figure = reason == ABSENT or members[0].pass_ is not None
        yield f"{reason} {side}" if figure else f"not measured {side} ({one_line(reason)})", members


def not_lost(comparison: Comparison) -> list[Unmatched]:
    """The entries without a partner that are no loss."""
    return [entry for entry in comparison.unmatched if not entry.lost]


def counted_operators(members: Sequence[Unmatched]) -> list[str]:
    """Each operator with how many of its cases, or measurements of a case, these are: `softmax (10 cases)`."""
    noun = "case" if members[0].pass_ is None else "measurement"
    return [f"{name} ({count(number, noun)})" for name, number in Counter(entry.operator for entry in members).items()]


SIDES = ("base", "new")
FIRST = ("verdict", "ratio", "interval")
"""The first columns of tables; the CSV has its own order."""


def counts_advice(counters: Iterable[Metric]) -> str:
    """A suffix for messages: the options that compare what both runs counted; empty if that is nothing."""
    names = ",".join(counter.name for counter in counters)
    return f"; `autoperf compare --clock none --counters {names}` compares their counts" if names else ""


def spell(ratio: float | None) -> str:
    """A ratio with three decimals, or three significant digits if small or large: `1.103`, `12.4`, `0.0052`, `-`."""
    return NONE if ratio is None else f"{ratio:.3f}" if 0.1 <= ratio < 10 else f"{ratio:.3g}"


def interval(figure: ComparedFigure) -> str:
    """`[1.05, 1.16]`, `exact` of equal counts."""
    ends = figure.low, figure.high
    texts = [f"{end:.2g}" if end < 0.1 else f"{end:.2f}" if end < 10 else factor(end) for end in ends]
    return "exact" if figure.code and figure.low == figure.high else f"[{', '.join(texts)}]"


def reading(value: float, figure: ComparedFigure) -> str:
    """A side's value in the unit of the figure's clock: `12.3 us`."""
    return quantity(value, metric_named(figure.clock).unit)


def change(figure: ComparedFigure) -> str | None:
    """The factor where the verdict is faster or slower, else None: `2.15x faster`."""
    return change_words(figure.ratio) if figure.verdict in CHANGED else None


def parts_of(figure: ComparedFigure) -> str:
    """Kernels, helpers and dispatch of both sides: `relu 1.04 ms -> 6.05 ms; dispatch 870 us -> 2.88 ms`."""
    if not figure.parts:
        return ""
    base, new = figure.parts
    sides = [{**{f"{name} (helper)": us for name, us in side.helpers.items()}, **side.kernels} for side in (base, new)]
    names = sorted(sides[0] | sides[1], key=lambda name: -max(side.get(name, 0.0) for side in sides))
    times = [(name, [side.get(name) for side in sides]) for name in names]
    times.append(("dispatch", [base.dispatch_us, new.dispatch_us]))
    return one_line("; ".join(f"{name} {' -> '.join(map(duration, pair))}" for name, pair in times))


def _time(side: str) -> Column[ComparedFigure]:
    value = attrgetter(f"{side}_us")
    return numeric(side, value, lambda row: reading(value(row), row), "us")


COLUMNS: tuple[Column[ComparedFigure], ...] = (
    fact("case", lambda row: row.case, place=Place.LEAD),
    fact("verdict", lambda row: row.verdict.value, place=Place.LEAD),
    *(fact(name, attrgetter(name)) for name in ("operator", "category", "profile")),
    fact("inputs", lambda row: row.inputs, place=Place.LEAD),
    fact("pass", lambda row: row.pass_, place=Place.FIGURE),
    fact("clock", lambda row: row.clock, place=Place.FIGURE, room=8),
    _time("base"),
    _time("new"),
    numeric("ratio", lambda row: row.ratio, lambda row: spell(row.ratio), room=8),
    numeric("interval", lambda row: row.high / row.low, interval, header="95% interval", csv="", room=16),
    Column("change", "change", change, lambda row: change(row) or NONE, optional=True, room=14),
    fact("statistic", lambda row: row.statistic),
    *(
        numeric(name, attrgetter(name), place=Place.REQUEST, header=name.replace("_", " "))
        for name in ("low", "high", "p", "q", "base_processes", "new_processes")
    ),
    noted(lambda row: row.notes or ()),
    fact("kernels", lambda row: parts_of(row) or None),
    fact("network", lambda row: row.network or None),
)
"""In the order of the CSV."""


def columns_of(figures: Sequence[ComparedFigure]) -> tuple[Column[ComparedFigure], ...]:
    """The columns of these measurements; the headers of the times name their statistic unless it is the median."""
    statistics = {figure.statistic for figure in figures}
    words = max((len(figure.clock) for figure in figures), default=0)

    def fitted(column: Column[ComparedFigure]) -> Column[ComparedFigure]:
        if column.name == "clock":
            return replace(column, room=max(column.room, words + 2))
        is_stated = column.name in SIDES and statistics == {"P10"}
        return replace(column, header=f"{column.header} P10") if is_stated else column

    return tuple(map(fitted, COLUMNS))
