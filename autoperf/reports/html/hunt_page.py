"""The page of a hunt."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from autoperf.core.finding import CauseRanking, Finding, RegistryCause, Searched
from autoperf.reports.columns import Column, fact
from autoperf.reports.findings import also, cost, evidence_source, family, finding_inputs, held, interval, is_command
from autoperf.reports.html.page import EQUAL, Chart, Detail, DetailTable, Page, RankedRow, Ranking, Tile
from autoperf.reports.html.page_parts import MAX_RANKED, page_table, rounded
from autoperf.reports.hunt import CAUSE_COLUMNS, HuntReport, cause_cells, cost_words, notes, sentence
from autoperf.reports.units import describe_case, duration, factor, one_line, span

Found: TypeAlias = tuple[str, Finding]
"""The path of a finding's script, and the finding."""


def hunt_page(report: HuntReport) -> Page:
    """The findings with both inputs of each, and the searched operators."""
    findings, ranking = report.ranked, report.ranking
    causes = (page_table("Causes of several operators", _causes(ranking), ranking.causes),) if ranking.causes else ()
    return Page(
        title=_title(findings),
        subtitle=sentence(report.findings, report.searched),
        tiles=(Tile("findings", str(len(findings)), "bad" if findings else "good"), *_totals(report.searched)),
        notes=(*([f"cost: {cost_words(ranking)}"] if findings else []), *notes(report.searched)),
        tables=(
            *causes,
            page_table("Findings", (_costs(ranking), *_FINDINGS), findings, filters=("operator", "pass")),
            page_table("Searched", _SEARCHED, report.searched, filters=("ended",)),
        ),
        charts=tuple(_charts(findings)),
        rankings=tuple(_rankings(ranking, findings)),
        details=tuple(_detail(script, finding) for script, finding in findings),
    )


def _totals(searched: Sequence[Searched]) -> Iterator[Tile]:
    """The extent of the search; kept findings may have no record of it."""
    if searched:
        yield Tile("operators searched", str(sum(not search.reason for search in searched)))
        yield Tile("inputs tried", str(sum(search.tried for search in searched)))


def _title(findings: list[Found]) -> str:
    """The title, with the sides of a hunt between two as far as findings name them."""
    sides = next((finding.sides for _, finding in findings if finding.sides), None)
    return f"Inputs that are slow on {sides[0]}, not on {sides[1]}" if sides else "Inputs that are unexpectedly slow"


def _charts(findings: list[Found]) -> Iterator[Chart]:
    if findings:
        yield Chart("Time against expected time", "expected", "time", lines=(EQUAL,))


def _causes(ranking: CauseRanking) -> list[Column[RegistryCause]]:
    """The columns of the table of causes."""

    def text(number: int) -> Callable[[RegistryCause], str]:
        return lambda cause: cause_cells(ranking, cause)[number]

    return [fact(name, text(number)) for number, (name, _) in enumerate(CAUSE_COLUMNS)]


def _costs(ranking: CauseRanking) -> Column[Found]:
    return Column("cost", "cost", lambda row: ranking.costs[row[0]], lambda row: cost(ranking, ranking.costs[row[0]]))


def _rankings(ranking: CauseRanking, findings: list[Found]) -> Iterator[Ranking]:
    positions = sorted(range(len(findings)), key=lambda position: -ranking.costs[findings[position][0]])
    costs = [(position, ranking.costs[findings[position][0]]) for position in positions[:MAX_RANKED]]
    rows = [RankedRow(position, rounded(value), cost(ranking, value)) for position, value in costs]
    if rows:
        yield Ranking("Largest costs", tuple(rows))


def _detail(script: str, finding: Finding) -> Detail:
    return Detail(
        title=f"{finding.pass_}: {factor(finding.estimate.ratio)} times {interval(finding.estimate)}",
        notes=tuple(one_line(f"{label}: {text}") for label, text in _sentences(finding) if text),
        tables=(
            DetailTable((("", "inputs", "time", "expected"), *_inputs(finding))),
            *_kernels(finding),
            DetailTable((("evidence", "times", "95% interval", "detail"), *_evidence(finding))),
        ),
        command=script if is_command(script) else shlex.join(("python", script)),
    )


def _sentences(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "step", finding.step
    yield "family", family(finding)
    yield "tested", held(finding)
    yield "also", also(finding)


def _inputs(finding: Finding) -> Iterator[tuple[str, ...]]:
    """Both inputs, and the one that was found before it was shrunk."""
    slow, fast = map(one_line, finding_inputs(finding))
    yield "slow", slow, duration(finding.actual_us), duration(finding.expected_us)
    yield "fast", fast, duration(finding.contrast_us), ""
    if finding.found != finding.case:
        yield "as found", one_line(describe_case(finding.found)), "", ""


def _evidence(finding: Finding) -> Iterator[tuple[str, ...]]:
    """The evidence, the strongest first."""
    for evidence in sorted(finding.evidence, key=lambda evidence: -evidence.strength):
        limits = f"[{factor(evidence.low)}, {factor(evidence.high)}]"
        yield evidence_source(evidence), factor(evidence.strength), limits, one_line(evidence.detail)


def _kernels(finding: Finding) -> Iterator[DetailTable]:
    names = dict.fromkeys((*finding.kernels, *finding.contrast_kernels))
    rows = [
        (one_line(name), duration(finding.kernels.get(name)), duration(finding.contrast_kernels.get(name)))
        for name in names
    ]
    if rows:
        yield DetailTable((("kernel", "slow", "fast"), *rows))


def _time(name: str, key: str) -> Column[Found]:
    return Column(name, name, lambda row: float(getattr(row[1], key)), unit="us")


_FINDINGS: tuple[Column[Found], ...] = (
    fact("operator", lambda row: row[1].operator),
    fact("pass", lambda row: row[1].pass_),
    Column("ratio", "ratio", lambda row: row[1].estimate.ratio, lambda row: factor(row[1].estimate.ratio)),
    Column("interval", "95% interval", lambda row: row[1].estimate.low, lambda row: interval(row[1].estimate)),
    _time("time", "actual_us"),
    _time("expected", "expected_us"),
    _time("fast time", "contrast_us"),
    fact("inputs", lambda row: finding_inputs(row[1])[0], header="slow input"),
    fact("fast input", lambda row: finding_inputs(row[1])[1]),
    fact("step", lambda row: row[1].step),
    fact("family", lambda row: family(row[1])),
    fact("script", lambda row: row[0]),
)
_SEARCHED: tuple[Column[Searched], ...] = (
    fact("operator", lambda search: search.operator),
    Column("tried", "tried", lambda search: search.tried),
    Column("refused", "refused", lambda search: search.refused),
    Column("suspects", "suspects", lambda search: search.suspects),
    Column("dropped", "dropped", lambda search: search.dropped),
    Column("seconds", "time", lambda search: search.seconds, lambda search: span(search.seconds)),
    fact("ended", lambda search: search.ended),
    fact("reason", lambda search: search.reason),
)
