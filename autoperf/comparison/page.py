"""The pages of a comparison: of two runs, and of several releases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, methodcaller

from msgspec.structs import replace as replace_fields

from autoperf.comparison import release_matrix, report
from autoperf.comparison.comparison import CHANGED, ComparedFigure, Comparison, Unmatched, Verdict
from autoperf.comparison.deciding import deciding_command
from autoperf.comparison.documents import answer, reason, threshold_text
from autoperf.comparison.groups import grouped_comparison, network_table, views_line
from autoperf.comparison.headlines import NAMES, count_change, side_names
from autoperf.comparison.side_by_side import ReleaseFigures, ReleaseRun, methods_line, release_figures
from autoperf.core.clocks import metric_named
from autoperf.core.outcome import Status
from autoperf.core.texts import count
from autoperf.counts.functions import CodeDifference, FunctionChange
from autoperf.reports import totals
from autoperf.reports.columns import Column, View, fact, filled, markdown_columns, noted
from autoperf.reports.html import page
from autoperf.reports.units import describe_case, duration, one_line
from autoperf.summary.page import MAX_RANKED, page_table, rounded, side_fact

TONES = {
    Verdict.DIFFERS: "bad",
    Verdict.SLOWER: "bad",
    Verdict.FASTER: "good",
    Verdict.UNDECIDED: "doubtful",
    Verdict.ACCEPTED: "",
    Verdict.SAME: "",
}
FILTERS = ("verdict", "category", "pass", "clock")
SHOWN = (*report.FIRST, "operator", "profile", "inputs", "pass", "clock", "base", "new", "kernels")
"""The columns of the table; the others are shown on request."""


def comparison_page(compared: report.ComparisonReport) -> page.Page:
    """The verdicts, charts of the ratios, and a section for each operator."""
    comparison = compared.comparison
    ordered = list(compared.rows) if compared.view.sort else report.ranked(compared.rows)
    ordered.sort(key=lambda figure: not figure.network)
    figures = [replace_fields(each, operator=each.network) if each.network else each for each in ordered]
    base, new = side_names(comparison)
    if new == NAMES[1]:
        base, new = comparison.base, comparison.new
    limits = (("threshold", 1 + comparison.threshold), ("", 1 / (1 + comparison.threshold)))
    lines = tuple(page.ChartLine(label, ((1e-6, limit), (1e12, limit))) for label, limit in limits)
    charts = (
        page.Chart("Ratio new / base against the time of base", "base", "ratio", "verdict", "low", "high", lines),
        page.Chart("New against base", "base", "new", "verdict", lines=(page.EQUAL,)),
    )
    return page.Page(
        title=f"{new} compared with {base}",
        subtitle=report.sentence(comparison),
        answer=tuple(map(one_line, answer(comparison))),
        commands=tuple(deciding_command(comparison)),
        tiles=tuple(_tiles(comparison)),
        facts=(
            ("base", side_fact(comparison.base, comparison.base_provenance)),
            ("new", side_fact(comparison.new, comparison.new_provenance)),
            ("a change counts", f"from {threshold_text(comparison)} on"),
        ),
        notes=tuple(map(one_line, filter(None, (*comparison.notices, views_line(compared.operators_of_views))))),
        tables=tuple(_tables(compared, figures)),
        charts=charts if any(metric_named(figure.clock).is_time for figure in figures) else (),
        rankings=tuple(_rankings(figures, comparison.words)),
        details=tuple(_detail(figure, comparison.threshold_of(figure)) for figure in figures),
    )


def _tiles(comparison: Comparison) -> Iterator[page.Tile]:
    counts = comparison.summary
    if comparison.lost:
        yield page.Tile("missing in new", str(len(comparison.lost)), "bad")
    for verdict, tone in TONES.items():
        figures = getattr(counts, verdict.value)
        yield page.Tile(comparison.words[verdict], str(figures), tone if figures else "")


def _tables(compared: report.ComparisonReport, figures: Sequence[ComparedFigure]) -> Iterator[page.PageTable]:
    chosen = compared.view.chosen(compared.columns)
    known = report.columns_of(figures)
    by_name = {column.name: column for column in known}
    usual = [by_name[name] for name in SHOWN]
    columns = filled(dict.fromkeys((*chosen, *usual, *known)), figures)
    shown = chosen or usual
    hidden = [column.name for column in columns if column not in shown]
    yield page_table("Measurements", columns, figures, hidden=hidden, filters=FILTERS)
    for networks in network_table(compared.comparison):
        yield page_table("Networks", networks.shown, networks.rows)
    parts = (("Missing in new", compared.comparison.lost), ("Without a partner", report.not_lost(compared.comparison)))
    for title, entries in parts:
        if entries:
            yield page_table(title, _UNMATCHED, entries, filters=("missing", "reason"))
    means = grouped_comparison(replace(compared, brief=False, view=View(group_by="category")))
    yield page_table("Geometric means by category", markdown_columns(View(), means.columns), means.groups)


def _rankings(figures: Sequence[ComparedFigure], words: Mapping[Verdict, str]) -> Iterator[page.Ranking]:
    """The figures that changed most, by the logarithm of their ratio; both rankings have one scale."""
    logs = [abs(math.log(figure.ratio)) for figure in figures]
    order = sorted(range(len(figures)), key=lambda at: (-logs[at], at))
    most = {verdict: [at for at in order if figures[at].verdict is verdict][:MAX_RANKED] for verdict in CHANGED}
    longest = max((logs[at] for positions in most.values() for at in positions), default=0.0)
    for verdict, positions in most.items():
        shown = ((at, figures[at]) for at in positions)
        texts = ((at, count_change(each.ratio) if each.code else report.change(each) or "") for at, each in shown)
        rows = tuple(page.RankedRow(at, rounded(logs[at]), text) for at, text in texts)
        if rows:
            yield page.Ranking(words[verdict].capitalize(), rows, TONES[verdict], rounded(longest))


def _detail(figure: ComparedFigure, threshold: float) -> page.Detail:
    """The figure on both sides, in a sentence, and why it is undecided."""
    if figure.code:
        return _counted_detail(figure, figure.code)
    words = report.change(figure) or figure.verdict.value
    words += f", since {reason(figure, threshold)}" if figure.verdict is Verdict.UNDECIDED else ""
    sides = f"{report.reading(figure.base_us, figure)} -> {report.reading(figure.new_us, figure)}"
    ratio = f"ratio {report.spell(figure.ratio)} {report.interval(figure)}"
    processes = f"{figure.base_processes} and {figure.new_processes} processes"
    notes = filter(None, (*map(one_line, figure.notes or ()), report.parts_of(figure)))
    return page.Detail(notes=(f"{figure.pass_} {figure.clock}: {words}: {sides}, {ratio}, in {processes}", *notes))


_UNMATCHED: tuple[Column[Unmatched], ...] = (
    *(fact(name, attrgetter(name)) for name in ("operator", "case")),
    fact("missing", lambda entry: "both sides" if entry.missing == "both" else entry.missing),
    fact("figure", lambda entry: f"{entry.pass_} {entry.clock}" if entry.pass_ else ""),
    fact("reason", lambda entry: entry.reason),
)
MAX_ROWS = 12
"""Maximum number of functions that a page lists for a pass."""
_HEADS = ("function", "part", "base", "new", "change")


def _counted_detail(figure: ComparedFigure, code: CodeDifference) -> page.Detail:
    """The instructions of a pass's kernels on both sides, in a sentence, as bars and as a table of functions."""
    exact = "exact" if figure.low == figure.high else f"{figure.low:.5f} to {figure.high:.5f} in the counted calls"
    judged = "identical code" if code.identical else f"{count_change(figure.ratio)} ({exact})"
    words = f"{code.base:,} -> {code.new:,} instructions of kernels, {judged}"
    # A bar for each side, divided among the parts that either executes.
    bars = tuple(
        page.Bar(
            f"{side} {sum(sides[at] for sides in code.parts.values()):,}",
            tuple((name, float(sides[at]), f"{sides[at]:,} instructions") for name, sides in code.parts.items()),
        )
        for at, side in enumerate(NAMES)
    )
    changes, rest = [(one_line(each.name), each) for each in code.functions[:MAX_ROWS]], code.functions[MAX_ROWS:]
    if rest:
        base, new = sum(each.base for each in rest), sum(each.new for each in rest)
        changes.append((count(len(rest), "other"), FunctionChange("", "", base, new)))
    rows = ((name, each.part, f"{each.base:,}", f"{each.new:,}", f"{each.change:+,}") for name, each in changes)
    return page.Detail(
        notes=(f"{figure.pass_}: {words}", *map(one_line, figure.notes or ())),
        bars=() if code.identical else bars,
        tables=(page.DetailTable((_HEADS, *rows)),) if code.functions else (),
    )


def releases_page(runs: Sequence[ReleaseRun]) -> page.Page:
    """The matrices, charts of the last release against the first, and a section for each operator."""
    labels = [run.label for run in runs]
    first, last = labels[0], labels[-1]
    figures = list(release_figures(runs))
    operators = [row for row in release_matrix.group_ratios(figures, "operator") if any(row.ratios)]
    totals_of_runs = (f"{run.label}: {totals.summarise(run.run.selected).sentence()}" for run in runs)
    views = views_line([row.outcome.operator for row in figures if row.returns_view])
    notes = (*totals_of_runs, methods_line(runs), views)
    ratios = [step.ratio for row in figures for step in row.steps()]
    slower, faster = sum(ratio > 1 for ratio in ratios), sum(ratio < 1 for ratio in ratios)
    return page.Page(
        title="Operator benchmarks by release",
        subtitle=f"Releases {', '.join(labels)}; ratios are to the first release that has a figure",
        tiles=(
            page.Tile("operators", str(len({row.outcome.operator for row in figures}))),
            page.Tile("figures", str(len(figures))),
            page.Tile("became slower", str(slower), "bad" if slower else ""),
            page.Tile("became faster", str(faster), "good" if faster else ""),
        ),
        facts=tuple((run.label, side_fact("", run.run.provenance)) for run in runs if run.run.provenance),
        notes=tuple(filter(None, notes)),
        answer=tuple(release_matrix.release_answer(labels, figures, release_matrix.by_change(operators))),
        tables=tuple(_release_tables(labels, figures, operators)),
        main=2,
        charts=(page.Chart(f"{last} against {first}", f"time {first}", f"time {last}", lines=(page.EQUAL,)),),
        details=tuple(_release_detail(labels, row) for row in figures),
    )


def _release_tables(
    labels: Sequence[str], figures: Sequence[ReleaseFigures], operators: Sequence[release_matrix.GroupRatios]
) -> Iterator[page.PageTable]:
    """Changed operators first, then the others; the categories; every case."""
    filters = ("category", "profile", "pass")
    ordered = [*release_matrix.by_change(operators), *(row for row in operators if not row.steps)]
    categories = [row for row in release_matrix.group_ratios(figures, "category") if any(row.ratios)]
    yield page_table("Operators by release", list(_matrix(labels)), ordered, filters=("category",))
    # A category has no name of an operator, and no changes that all of its operators share.
    by_category = [column for column in _matrix(labels) if column.name not in ("operator", "changes")]
    yield page_table("Categories by release", by_category, categories)
    columns: list[Column[ReleaseFigures]] = [
        *(fact(name, attrgetter(f"outcome.{name}")) for name in ("operator", "profile")),
        fact("inputs", lambda row: describe_case(row.outcome)),
        fact("pass", lambda row: row.pass_),
    ]
    for at, label in enumerate(labels):
        columns.append(Column(f"time {label}", label, methodcaller("median", at), unit="us"))
        columns += [release_matrix.ratio_column(f"ratio {label}", f"{label} ratio", at, unit="ratio")] if at else []
    columns += [fact("changes", lambda row: release_matrix.changes_text(row.steps())), noted(lambda row: row.notes)]
    columns += (fact(name, attrgetter(f"outcome.{name}")) for name in ("category", "case"))
    yield page_table("Cases", filled(columns, figures), figures, hidden=("case",), filters=filters)


def _matrix(labels: Sequence[str]) -> Iterator[Column[release_matrix.GroupRatios]]:
    yield fact("operator", lambda row: row.name)
    yield fact("category", lambda row: row.category)
    yield fact("pass", lambda row: row.pass_)
    for at, label in enumerate(labels):
        yield release_matrix.ratio_column(f"ratio {label}", f"{label} ratio", at, unit="ratio")
    yield fact("changes", lambda row: release_matrix.changes_text(row.steps))


def _release_detail(labels: Sequence[str], row: ReleaseFigures) -> page.Detail:
    rows = [("release", "time", "ratio", "no figure because")]
    for at, (label, outcome) in enumerate(zip(labels, row.line.cells, strict=True)):
        # Empty where the release has a figure of the pass, or has no such pass.
        why = one_line(outcome.reason) if outcome else "not measured"
        if outcome and outcome.status is not Status.MEASURED:
            why = totals.verdict(outcome)
        rows.append((label, duration(row.median(at)), report.spell(row.ratio(at)), why))
    title = f"{row.outcome.profile} {row.pass_}: {describe_case(row.outcome)}"
    return page.Detail(title=title, tables=(page.DetailTable(tuple(rows)),))
