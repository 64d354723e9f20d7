"""The page of a hunt: its costliest causes and findings as cards, all findings, and what was searched."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from autoperf.core.finding import Finding, FunctionPair, Searched
from autoperf.core.texts import count
from autoperf.counts.functions import shortened
from autoperf.hunt import findings
from autoperf.hunt.report import Found, HuntReport, answer, cause_table, cost_words, finding_columns
from autoperf.reports.columns import Column, fact
from autoperf.reports.html.page import BAR_DIGITS, Card, CardSide, Detail, DetailTable, Page, RatioBar, Tile
from autoperf.reports.provenance import origin_line
from autoperf.reports.units import describe_case, duration, factor, one_line, span, split_words
from autoperf.summary.page import origin_facts, page_table

MAX_CARDS = 8
"""The cards of causes, and those of findings of one operator."""
_HIDDEN = ("fast time", "step", "command", "kernels")


def hunt_page(report: HuntReport) -> Page:
    """The answer, cards, the findings, the causes, and the searched operators."""
    ranked, ranking, provenance = report.ranked, report.ranking, report.provenance
    causes = cause_table(ranking, ranking.causes, "Causes of several operators")
    columns = [*finding_columns(report), *_MORE_COLUMNS]
    # Findings name the sides of a hunt between two.
    sides = next((finding.sides for _, finding in ranked if finding.sides), None)
    title = f"Inputs that are slow on {sides[0]}, not on {sides[1]}" if sides else "Inputs that are unexpectedly slow"
    tiles = [Tile("findings", str(len(ranked)), "bad" if ranked else "good")]
    tiles += [Tile("causes of several operators", str(len(ranking.causes)))] if ranking.causes else []
    if searched := report.hunt.searched:
        # Kept findings may have no record of the search.
        tiles.append(Tile("operators searched", str(sum(search.has_begun for search in searched))))
        tiles.append(Tile("inputs tried", str(sum(search.tried for search in searched))))
    return Page(
        title=title,
        subtitle=one_line(origin_line({"": provenance})),
        facts=origin_facts(provenance, report.hunt.header.environment),
        answer=tuple(map(one_line, answer(report))),
        cards=tuple(_cards(report)),
        tiles=tuple(tiles),
        notes=(report.summary, *([f"cost: {cost_words(ranking)}"] if ranked else []), *report.notes),
        tables=(
            page_table("All findings", columns, ranked, hidden=_HIDDEN, filters=("operator", "pass")),
            *([page_table(causes.title, causes.columns, ranking.causes)] if ranking.causes else []),
            page_table("Searched", _SEARCHED, report.hunt.searched, filters=("ended",)),
        ),
        details=tuple(_detail(finding, replay) for replay, finding in ranked),
    )


def _cards(report: HuntReport) -> Iterator[Card]:
    """The costliest causes, each with its costliest finding, and the costliest findings of one operator."""
    ranking = report.ranking
    places = {reference: position for position, reference in enumerate(ranking.order)}
    for cause in ranking.causes[:MAX_CARDS]:
        finding, times = report.hunt.findings[cause.findings[0]], f"{factor(cause.ratio)} times in the geometric mean"
        title = f"{cause.words}: {count(len(cause.ratios), 'operator')}, {times}"
        example = f"The costliest: {finding.operator} {finding.pass_}"
        yield Card(one_line(title), places[cause.findings[0]], (one_line(example),))
    for reference in ranking.own[:MAX_CARDS]:
        finding = report.hunt.findings[reference]
        yield Card(one_line(f"{finding.operator} {finding.pass_}"), places[reference])


def _detail(finding: Finding, command: str) -> Detail:
    """A section with both inputs, what differs marked, and the ratio as a bar; kernels and evidence below."""
    inputs = [split_words(one_line(text)) for text in findings.finding_inputs(finding)]
    slow, fast = (tuple(zip(*pair, strict=True)) for pair in zip(inputs, findings.differing(*inputs), strict=True))
    ratio = finding.estimate
    times = f"{factor(ratio.ratio)} times {findings.interval(ratio)}"
    shares = [round(min(1.0, 1 / value), BAR_DIGITS) for value in (ratio.ratio, ratio.high, ratio.low)]
    labels = (f"expected {duration(finding.expected_us)}", f"slow {duration(finding.actual_us)}")
    evidence = (
        (findings.evidence_source(each), factor(each.strength), findings.interval(each), one_line(each.detail))
        for each in findings.by_strength(finding)
    )
    rows = findings.kernel_rows(finding)
    return Detail(
        title=f"{finding.pass_}: {times}",
        sides=(
            CardSide("slow", duration(finding.actual_us), slow),
            CardSide("fast", duration(finding.contrast_us), fast),
        ),
        bar=RatioBar(times, shares[0], (shares[1], shares[2]), labels),
        notes=tuple(one_line(f"{label}: {text}") for label, text in _sentences(finding) if text),
        tables=(
            *([DetailTable((("kernel", "slow", "fast"), *rows))] if rows else []),
            *_functions(finding),
            DetailTable((("evidence", "times", "95% interval", "detail"), *evidence)),
        ),
        command=command,
    )


def _sentences(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "step", finding.step
    yield "family", findings.family(finding)
    yield "tested", findings.held(finding)
    yield "also", findings.also(finding)
    yield from findings.code_details(finding.code, finding.estimate)[1:]
    yield "as found", describe_case(finding.found) if finding.found not in (None, finding.case) else ""


def _functions(finding: Finding) -> Iterator[DetailTable]:
    if code := finding.code:
        pairs = (*code.functions, FunctionPair("all kernels", "", code.slow, code.fast))
        rows = [
            (one_line(shortened(pair.name)), f"{pair.slow:,}", f"{pair.fast:,}", f"{pair.excess(code.work):+,.0f}")
            for pair in pairs
        ]
        yield DetailTable((("function", "slow", "fast", "excess for equal work"), *rows))


_MORE_COLUMNS: tuple[Column[Found], ...] = (
    Column("fast time", "fast time", lambda row: row[1].contrast_us, unit="us"),
    fact("step", lambda row: row[1].step),
    fact("command", lambda row: row[0]),
)
_SEARCHED: tuple[Column[Searched], ...] = (
    fact("operator", attrgetter("operator")),
    *(Column(name, name, attrgetter(name)) for name in ("tried", "refused", "suspects", "dropped")),
    Column("seconds", "time", lambda search: search.seconds, lambda search: span(search.seconds)),
    *(fact(name, attrgetter(name)) for name in ("ended", "reason")),
)
