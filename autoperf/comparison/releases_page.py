"""The page of one run under several releases: each case and each operator by release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from autoperf.comparison.groups import views_line
from autoperf.comparison.release_matrix import (
    OperatorRatios,
    ReleaseFigures,
    by_change,
    category_ratios,
    operator_ratios,
    release_answer,
    release_figures,
)
from autoperf.comparison.report import spell
from autoperf.comparison.side_by_side import ReleaseRun
from autoperf.reports.columns import Column, Value, fact, filled, noted
from autoperf.reports.html.page import EQUAL, Chart, Detail, DetailTable, Page, PageTable, Tile
from autoperf.reports.totals import summarise
from autoperf.reports.units import NONE, describe_case, duration, one_line
from autoperf.summary.page_parts import page_table, side_fact


def releases_page(runs: Sequence[ReleaseRun]) -> Page:
    """The matrices, charts of the last release against the first, and a section for each operator."""
    labels = [run.label for run in runs]
    figures = list(release_figures(runs))
    operators = [row for row in operator_ratios(figures) if any(row.ratios)]
    return Page(
        title="Operator benchmarks by release",
        subtitle=f"Releases {', '.join(labels)}; ratios are to the first release that has a figure",
        tiles=tuple(_tiles(figures)),
        facts=tuple((run.label, side_fact("", run.run.provenance)) for run in runs if run.run.provenance),
        notes=tuple(_notes(runs, figures)),
        answer=tuple(release_answer(labels, by_change(operators))),
        tables=tuple(_tables(labels, figures, operators)),
        main=2,
        charts=tuple(_charts(labels)),
        details=tuple(_detail(labels, row) for row in figures),
    )


def _notes(runs: Sequence[ReleaseRun], figures: Sequence[ReleaseFigures]) -> Iterator[str]:
    yield from (f"{run.label}: {summarise(run.outcomes).sentence()}" for run in runs)
    if views := views_line([row.outcome.operator for row in figures if row.returns_view]):
        yield views


def _tiles(figures: Sequence[ReleaseFigures]) -> Iterator[Tile]:
    ratios = [step.ratio for row in figures for step in row.steps()]
    slower, faster = sum(ratio > 1 for ratio in ratios), sum(ratio < 1 for ratio in ratios)
    yield Tile("operators", str(len({row.outcome.operator for row in figures})))
    yield Tile("figures", str(len(figures)))
    yield Tile("became slower", str(slower), "bad" if slower else "")
    yield Tile("became faster", str(faster), "good" if faster else "")


def _tables(
    labels: Sequence[str], figures: Sequence[ReleaseFigures], operators: Sequence[OperatorRatios]
) -> Iterator[PageTable]:
    """Changed operators first, then the others; the categories; every case."""
    filters = ("category", "profile", "pass")
    ordered = [*by_change(operators), *(row for row in operators if not row.steps)]
    categories = [row for row in category_ratios(figures) if any(row.ratios)]
    yield page_table("Operators by release", list(_matrix(labels)), ordered, filters=("category",))
    # A category has no name of an operator, and no changes that all of its operators share.
    by_category = [column for column in _matrix(labels) if column.name not in ("operator", "changes")]
    yield page_table("Categories by release", by_category, categories)
    yield page_table("Cases", filled(_columns(labels), figures), figures, hidden=("case",), filters=filters)


def _columns(labels: Sequence[str]) -> Iterator[Column[ReleaseFigures]]:
    yield fact("operator", lambda row: row.outcome.operator)
    yield fact("profile", lambda row: row.outcome.profile)
    yield fact("inputs", lambda row: describe_case(row.outcome))
    yield fact("pass", lambda row: row.pass_)
    for at, label in enumerate(labels):
        yield Column(f"time {label}", label, _time(at), unit="us")
        if at:
            yield Column(f"ratio {label}", f"{label} ratio", _ratio(at), _spelled_ratio(at), unit="ratio")
    yield fact("changes", lambda row: "; ".join(step.sentence() for step in row.steps()))
    yield noted(lambda row: row.told)
    yield fact("category", lambda row: row.outcome.category)
    yield fact("case", lambda row: row.outcome.case)


def _time(at: int) -> Callable[[ReleaseFigures], Value]:
    return lambda row: row.median(at)


def _ratio(at: int) -> Callable[[ReleaseFigures], Value]:
    return lambda row: row.ratio(at)


def _spelled_ratio(at: int) -> Callable[[ReleaseFigures], str]:
    return lambda row: NONE if (ratio := row.ratio(at)) is None else spell(ratio)


def _matrix(labels: Sequence[str]) -> Iterator[Column[OperatorRatios]]:
    yield fact("operator", lambda row: row.operator)
    yield fact("category", lambda row: row.category)
    yield fact("pass", lambda row: row.pass_)
    for at, label in enumerate(labels):
        yield Column(f"ratio {label}", f"{label} ratio", _mean_ratio(at), _spelled_mean(at), unit="ratio")
    yield fact("changes", lambda row: "; ".join(step.sentence() for step in row.steps))


def _mean_ratio(at: int) -> Callable[[OperatorRatios], Value]:
    return lambda row: row.ratios[at]


def _spelled_mean(at: int) -> Callable[[OperatorRatios], str]:
    return lambda row: NONE if (ratio := row.ratios[at]) is None else spell(ratio)


def _charts(labels: Sequence[str]) -> Iterator[Chart]:
    first, last = labels[0], labels[-1]
    yield Chart(f"{last} against {first}", f"time {first}", f"time {last}", lines=(EQUAL,))


def _detail(labels: Sequence[str], row: ReleaseFigures) -> Detail:
    rows = [
        (label, duration(row.median(at)), _spelled_ratio(at)(row), one_line(row.reasons[at]))
        for at, label in enumerate(labels)
    ]
    return Detail(
        title=f"{row.outcome.profile} {row.pass_}: {describe_case(row.outcome)}",
        tables=(DetailTable((("release", "time", "ratio", "no figure because"), *rows)),),
    )
