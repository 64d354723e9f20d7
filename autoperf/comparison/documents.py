"""A comparison as documents: the answer in sentences, tables by verdict, and JSON."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import msgspec
from rich.text import Text

from autoperf.comparison import report
from autoperf.comparison.comparison import (
    CHANGED,
    COUNT_WORDS,
    FALSE_DISCOVERIES,
    ComparedFigure,
    Comparison,
    Gate,
    Unmatched,
    Verdict,
)
from autoperf.comparison.deciding import deciding_command
from autoperf.comparison.different_results import different_answer, different_tables
from autoperf.comparison.groups import network_answer, network_table
from autoperf.comparison.headlines import MAX_NAMED, WIDE, counted, function_lines, headlines
from autoperf.core.clocks import METRICS
from autoperf.core.outcome import PASSES, VIEW
from autoperf.core.texts import count
from autoperf.reports import units
from autoperf.reports.columns import Column, Place, fact
from autoperf.reports.layout import INDENT, grouped, hanging, listed
from autoperf.reports.provenance import origin_line, provenance_lines
from autoperf.reports.table import Report, Table

CROWDED = "other programs had the processor in many samples, which can explain it"
UNCONFIRMED = "measuring again didn't confirm that it is slower"
NETWORKS = "whole networks"
"""The title of the measurements that stand first."""
COUNTED = COUNT_WORDS | {
    Verdict.SAME: "as many instructions",
    Verdict.UNDECIDED: "undecided by counts",
    Verdict.ACCEPTED: "more instructions, accepted",
    Verdict.DIFFERS: "other results, counted",
}
"""The titles of exact counts, by verdict."""
MAX_NOTES = 6
"""Maximum number of notes on figures that stand below the table."""
_MIN_INPUTS = 18
_JSON_FIRST = ("cases", "unmatched", "summary")
Entries: TypeAlias = tuple[str, Sequence[Unmatched]]
"""The reason for which figures or cases have no partner, and these."""


def json_document(compared: report.ComparisonReport) -> dict[str, object]:
    """A JSON object: `cases`, `unmatched`, `summary` and `gate` first, then their sources and settings."""
    parts = msgspec.structs.asdict(compared.shown)
    return {name: parts.pop(name) for name in _JSON_FIRST} | {"gate": compared.comparison.gate.value} | parts


def comparison_reports(compared: report.ComparisonReport) -> list[Report]:
    """The answer, cases with other results, those missing in new, figures by verdict, and the counts."""
    comparison = compared.comparison
    others = report.without_partner(report.not_lost(comparison))
    tables: list[Table[Any]] = [
        *different_tables(comparison),
        *network_table(comparison),
        *_entries("missing in new", report.without_partner(comparison.lost), report.VERDICT_STYLE[Verdict.SLOWER]),
        *([_table(compared)] if compared.rows else []),
        *_entries("without a partner", others, "bold", folded=True),
    ]
    threshold = (f"a change counts from {threshold_text(comparison)} on",) if comparison.cases else ()
    origin = []
    for side, provenance in compared.provenances.items():
        lines = provenance_lines(provenance) if provenance else ()
        origin += [f"{side}: {line}" for line in (getattr(comparison, side), *lines)]
    return [
        Report(
            answer=tuple(answer(comparison)),
            tables=tables,
            notes=(*compared.left_out, *threshold, *_figure_notes(compared.rows)),
            brief=(origin_line(compared.provenances),),
            verbose=compared.view.verbose,
            asides=tuple(origin),
            notices=comparison.notices,
            commands=tuple(deciding_command(comparison)),
            sums=(report.sentence(comparison),),
        )
    ]


def threshold_text(comparison: Comparison) -> str:
    """The smallest change that counts, of times and of counts."""
    of_counts = f"{100 * comparison.count_threshold:.3g}%"
    if all(figure.code for figure in comparison.cases):
        return of_counts
    of_times = f"{100 * comparison.threshold:.3g}%"
    return f"{of_times}, of counts from {of_counts}" if counted(comparison) else of_times


def answer(comparison: Comparison) -> Iterator[str]:
    """Cases with other results, headlines, what is accepted, what new lacks, what is undecided; the gate's verdict."""
    yield from different_answer(comparison)
    yield from headlines(comparison)
    accepted = (figure for figure in comparison.cases if figure.verdict is Verdict.ACCEPTED)
    for line, members in grouped(accepted, lambda figure: figure.accepted or "").items():
        yield _with_names(f"{count(len(members), 'measurement')} slower, as accepted ({line})", members)
    refuted = [figure for figure in comparison.cases if figure.again and figure.verdict is Verdict.SAME]
    if refuted:
        yield _with_names(f"{count(len(refuted), 'measurement')} slower at first, and not when measured again", refuted)
    yield from network_answer(comparison)
    if comparison.lost:
        yield f"{count(len(comparison.lost), 'case or measurement', 'cases or measurements')} of base missing in new"
    undecided = [figure for figure in report.ranked(comparison.cases) if figure.verdict is Verdict.UNDECIDED]
    kinds = grouped(undecided, lambda each: reason(each, comparison.threshold_of(each), of_several=True))
    for why, members in kinds.items():
        yield _with_names(f"{len(members)} undecided, since {why}", members)
    yield f"gate: {'; '.join(_gate(comparison))}"


def _gate(comparison: Comparison) -> Iterator[str]:
    """Whether the comparison fails a job, and why; the share of changes that may be chance, and the usual interval."""
    more = [figure for figure in counted(comparison) if figure.verdict is Verdict.SLOWER]
    confirmed = [figure for figure in comparison.cases if figure.again and figure.verdict is Verdict.SLOWER]
    numbers = (
        (len(comparison.differing), "with other results"),
        (comparison.summary.slower - len(more) - len(confirmed), "slower"),
        (len(confirmed), "slower, and again when measured again"),
        (len(more), "with more instructions"),
        (len(comparison.lost), "missing in new"),
    )
    failures = [f"{number} {words}" for number, words in numbers if number]
    yield f"{comparison.gate.value}, {' and '.join(failures) or doubts(comparison)}"
    timed = [figure for figure in comparison.cases if not figure.code]
    if any(figure.verdict in CHANGED for figure in timed):
        yield f"at most {FALSE_DISCOVERIES:.0%} of the changes are expected to be chance"
    widths = [math.log(figure.high / figure.low) / 2 for figure in timed if 0 < figure.low <= figure.high]
    if widths:
        yield f"half of the intervals reach at most ±{units.percent(math.expm1(statistics.median(widths)))}"
    if comparison.notices:
        yield f"{count(len(comparison.notices), 'note')} on the runs"


def doubts(comparison: Comparison) -> str:
    """Why a gate that doesn't fail is inconclusive, or passes."""
    if comparison.gate is Gate.PASSES:
        return "nothing is slower or missing in new"
    suspects = _with_names("", comparison.suspects) if comparison.suspects else ""
    share = f"{len(comparison.open)} of {count(len(comparison.cases), 'measurement')} may be slower"
    return f"nothing is known to be slower, but {share}{suspects}"


def _with_names(words: str, figures: Sequence[ComparedFigure]) -> str:
    return f"{words}: {', '.join(units.first_of(figures, MAX_NAMED, _named))}" if figures else words


def _named(figure: ComparedFigure) -> str:
    """`softmax backward kernel (axis=1) 1.52 times [1.49, 1.56]`; without the ratio if its interval is wide."""
    inputs = units.brief_inputs(figure.inputs, figure.profile)
    name = f"{figure.network or figure.operator} {figure.pass_} {figure.clock} ({inputs})"
    ratio = f" {units.factor(figure.ratio)} times {report.interval(figure)}" if figure.high <= WIDE * figure.low else ""
    return units.one_line(f"{name}{ratio}")


def reason(figure: ComparedFigure, threshold: float, *, of_several: bool = False) -> str:
    """Why a measurement is undecided; `of_several`: without its own numbers."""
    if figure.again or figure.crowded:
        return UNCONFIRMED if figure.again else CROWDED
    limits = (1 / (1 + threshold), 1 + threshold)
    texts = [f"{limit:.3g}" if abs(limit - 1) > 0.01 else f"{limit:.4g}" for limit in limits]
    enclosed = [text for limit, text in zip(limits, texts, strict=True) if figure.low <= limit <= figure.high]
    if enclosed and of_several:
        return f"the 95% interval encloses a threshold, {' or '.join(texts)}"
    if enclosed:
        return f"the 95% interval {report.interval(figure)} encloses {' and '.join(enclosed)}"
    return f"the q value {'' if of_several else f'{figure.q:.2g} '}isn't below 0.05"


def _table(compared: report.ComparisonReport) -> Table[ComparedFigure]:
    """The figures by verdict and case, or in the requested order."""
    view, rows = compared.view, compared.ranking
    columns = sorted(compared.columns, key=lambda column: column.name not in report.FIRST)
    if view.sort:
        total = count(len(rows), "measurement")
        return Table(f"by {view.sort}", columns, rows, total, view, min_words=_MIN_INPUTS, compact=True)
    # Whole networks, then the others by verdict, those of a case together; the largest changes first.
    order = sorted(report.ranked(rows), key=lambda figure: _part(figure) != NETWORKS)
    groups = grouped(order, lambda figure: (_part(figure), figure.case)).values()
    passes = [(pass_, metric.name) for pass_ in PASSES for metric in METRICS]
    in_order = (sorted(group, key=lambda figure: passes.index((figure.pass_, figure.clock))) for group in groups)
    ordered = [figure for group in in_order for figure in group]
    return Table(
        "", columns, ordered, view=view, part=_part, noun="measurement",
        folded=(Verdict.UNDECIDED.value, Verdict.SAME.value, COUNTED[Verdict.SAME]), section=_heading, item=_heading,
        words=_words, below=_lines_below(ordered, verbose=view.verbose),
        title_style=_title_style, min_words=_MIN_INPUTS,
        compact=True,
    )  # fmt: skip


def _title_style(part: str) -> str:
    if part == NETWORKS:
        return "bold"
    of_counts = (verdict for verdict, title in COUNTED.items() if title == part)
    return report.VERDICT_STYLE[next(of_counts, None) or Verdict(part)]


def _part(figure: ComparedFigure) -> str:
    return COUNTED[figure.verdict] if figure.code else NETWORKS if figure.network else figure.verdict.value


def _words(figure: ComparedFigure) -> list[str]:
    verdict = [f"{figure.verdict.value}:"] if _part(figure) == NETWORKS else []
    return [*verdict, *units.split_words(units.one_line(figure.inputs))]


def _lines_below(rows: Sequence[ComparedFigure], *, verbose: bool) -> Callable[[ComparedFigure, int], Iterator[Text]]:
    """Below the first measurement of a pass the note of a view, whose ratio needs it; the parts of both sides."""
    firsts = {(figure.case, figure.pass_): figure.clock for figure in reversed(rows)}

    def below(figure: ComparedFigure, width: int) -> Iterator[Text]:
        for note in figure.notes or ():
            if note.endswith(VIEW) and firsts[figure.case, figure.pass_] == figure.clock:
                yield from hanging(INDENT * 2, [figure.pass_, *units.one_line(note).split()], width, "dim")
        for line in function_lines(figure, all_of_them=verbose):
            yield from hanging(f"{INDENT * 2}{figure.pass_}: ", line.split(), width, "dim")
        if verbose and figure.parts and firsts[figure.case, figure.pass_] == figure.clock:
            yield from hanging(f"{INDENT * 2}{figure.pass_}: ", report.parts_of(figure).split(), width, "dim")

    return below


def _figure_notes(figures: Iterable[ComparedFigure]) -> Iterator[str]:
    """The other notes on the measurements, with their operators, those of the most operators first."""
    operators: dict[str, dict[str, None]] = {}
    for figure in figures:
        for note in (note for note in figure.notes or () if not note.endswith(VIEW)):
            operators.setdefault(note, {})[figure.operator] = None
    listed_notes = sorted(operators, key=lambda note: -len(operators[note]))
    yield from (f"{units.one_line(note)}: {', '.join(operators[note])}" for note in listed_notes[:MAX_NOTES])
    if len(listed_notes) > MAX_NOTES:
        yield f"{count(len(listed_notes) - MAX_NOTES, 'more note')} on measurements, which the CSV has"


def _heading(figure: ComparedFigure) -> str:
    return f"{units.heading_text(figure.network or figure.case)} {units.profile_label(figure.profile)}"


def _entries(
    title: str, groups: Iterable[tuple[str, Sequence[Unmatched]]], style: str, *, folded: bool = False
) -> Iterator[Table[Entries]]:
    """The figures and cases of one side alone, by reason; every operator with the number of its entries."""
    rows = list(groups)
    if rows:
        yield Table(
            "", _ENTRIES, rows, part=lambda _: title, folded=(title,) if folded else (),
            head=lambda row, _width: f"{len(row[1]):>5} ", title_style=lambda _: style,
            words=lambda row: [*f"{row[0]}:".split(), *listed(report.counted_operators(row[1]))],
        )  # fmt: skip


_ENTRIES: tuple[Column[Entries], ...] = (
    replace(fact("entries", lambda row: len(row[1]), place=Place.LEAD), right=True),
    fact("reason", lambda row: row[0], place=Place.LEAD),
    fact("operators", lambda row: ", ".join(report.counted_operators(row[1])), place=Place.LEAD),
)
