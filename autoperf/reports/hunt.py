"""The report of a hunt: causes of several operators, findings with contrasts and evidence, and searched operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from autoperf.core.finding import CauseRanking, Evidence, Finding, Fit, RegistryCause, Searched
from autoperf.reports.display import fitted
from autoperf.reports.findings import (
    also,
    cost,
    evidence_source,
    family,
    finding_inputs,
    finding_line,
    held,
    interval,
    is_command,
    kernels,
)
from autoperf.reports.layout import beside, cells, code, escape, grouped, hanging, heading, listed
from autoperf.reports.units import NONE, count, duration, factor, one_line, span, split_words

Findings = Mapping[str, Finding]
"""Findings by the paths of their scripts below the hunt's folder, or by the commands that replay them."""

_TIME = 10
_RATIO = 8
_INTERVAL = 16
_LABEL = 11
_COST = 12
_MIN_INPUTS = 30
_NAMES_SHOWN = 12
# The causes and the findings of one operator that fit on one screen of 24 lines.
CAUSES_SHOWN = 5
OWN_SHOWN = 5
WORST_SHOWN = 10
CAUSE_COLUMNS = (("cause", False), ("operators", True), ("ratio", True), ("cost", True), ("worst", False))
COLUMNS = (
    ("cost", True),
    ("operator", False),
    ("pass", False),
    ("simplest input", False),
    ("nearest fast neighbour", False),
    ("ratio", True),
    ("95% interval", True),
    ("time", True),
    ("expected", True),
    ("kernels", False),
    ("family", False),
)


@dataclass(frozen=True)
class HuntReport:
    """A hunt, as every format receives it. `document` returns its JSON document."""

    findings: Findings
    searched: Sequence[Searched]
    document: Callable[[], str]
    ranking: CauseRanking

    @property
    def ranked(self) -> list[tuple[str, Finding]]:
        """The references and findings: those of one operator, then those of each cause, costliest first."""
        return [(reference, self.findings[reference]) for reference in self.ranking.order]


def table_lines(report: HuntReport, width: int) -> Iterator[Text]:
    """The causes, details of the findings of one operator and of the first of each cause, notes, and the summary."""
    ranking = report.ranking
    if ranking.causes:
        yield from _overview(report, width)
    for reference in (*ranking.own, *(cause.findings[0] for cause in ranking.causes)):
        yield from _FindingEntry(reference, report.findings[reference], width).lines()
        yield Text()
    for note in notes(report.searched):
        yield from hanging("note: ", note.split(), width, "yellow")
    yield from hanging("", sentence(report.findings, report.searched).split(), width, "bold")


def markdown_lines(report: HuntReport) -> Iterator[str]:
    """The summary, a row for each cause, a row for each finding, and the evidence below the tables."""
    searched, ranking = report.searched, report.ranking
    yield f"{escape(sentence(report.findings, searched))}\n"
    rows = report.ranked
    if ranking.causes:
        yield f"\n{heading(CAUSE_COLUMNS)}"
        yield from (cells(cause_cells(ranking, cause)) for cause in ranking.causes)
    if rows:
        yield f"\n{heading(COLUMNS)}"
        yield from (cells((cost(ranking, ranking.costs[script]), *_cells(finding))) for script, finding in rows)
        yield "\n"
    for script, finding in rows:
        evidence = "; ".join(_evidence_text(each) for each in _by_strength(finding))
        title = escape(f"{finding.operator} {finding.pass_}")
        facts = "; ".join(filter(None, (evidence, also(finding), held(finding))))
        yield f"- {title} ({code(script)}): {escape(f'{finding.step}. {facts}')}\n"
    note_lines = [f"- note: {escape(note)}\n" for note in notes(searched)]
    yield from ["\n", *note_lines] if note_lines and not rows else note_lines


def json_text(report: HuntReport) -> str:
    """The JSON document."""
    return report.document()


def cost_words(ranking: CauseRanking) -> str:
    """The meaning of a cost."""
    if ranking.weighted:
        return "the time that the calls of --weights lose"
    return (
        "the share of the time of an operator's common calls that is lost, where one call in ten has a dtype, an axis, "
        "a shape or a parameter that isn't common; --weights ranks by calls of networks"
    )


def cause_cells(ranking: CauseRanking, cause: RegistryCause) -> tuple[str, ...]:
    """A cause as the cells of CAUSE_COLUMNS."""
    operators = len(cause.ratios)
    return (
        _cause_words(cause),
        str(operators),
        factor(cause.ratio),
        cost(ranking, cause.cost, operators),
        _worst(cause),
    )


def _cause_words(cause: RegistryCause) -> str:
    """The cause, with the kernels that its operators share if its own words don't name them."""
    kernels = [name for name in cause.kernels if name not in cause.words]
    return f"{cause.words} (shared kernels: {_name_list(kernels)})" if kernels else cause.words


def _worst(cause: RegistryCause) -> str:
    """The operators with the largest ratios: `softmax 6.80, topk 3.00`."""
    return ", ".join(f"{name} {factor(ratio)}" for name, ratio in [*cause.ratios.items()][:WORST_SHOWN])


def _overview(report: HuntReport, width: int) -> Iterator[Text]:
    """One screen: the costliest causes in two lines each, and the costliest findings of one operator in a line each."""
    ranking = report.ranking
    yield Text("Causes of several operators, costliest first", "bold")
    causes = [cause for cause in ranking.causes[:CAUSES_SHOWN] if cause.cost]
    own = [reference for reference in ranking.own[:OWN_SHOWN] if ranking.costs[reference]]
    for cause in causes:
        words, operators, ratio, costs, worst = cause_cells(ranking, cause)
        lost = costs if ranking.weighted else f"{costs} each"
        text = f"{words}: {operators} operators, geometric mean {ratio} times"
        yield from beside("  ", text.split(), f"{lost:>{_COST}}", max(1, width - _COST))
        yield fitted(Text(f"    {worst}", "dim"), width)
    yield from _further(ranking.causes[len(causes) :], "cause")
    if ranking.own:
        yield Text("Findings of one operator, costliest first", "bold")
    for reference in own:
        line = fitted(Text(f"  {finding_line(report.findings[reference])}"), max(1, width - _COST - 1))
        yield Text.assemble(line, cost(ranking, ranking.costs[reference]).rjust(width - line.cell_len))
    yield from _further(ranking.own[len(own) :], "finding")
    yield from hanging("", f"cost: {cost_words(ranking)}".split(), width, "dim")
    yield Text()


def _further(left_out: Sequence[object], noun: str) -> Iterator[Text]:
    """The number of causes or findings that the overview leaves out."""
    if left_out:
        yield Text(f"  {count(len(left_out), noun)} of less cost or none, with details below", "dim")


def sentence(findings: Findings, searched: Sequence[Searched]) -> str:
    """The summary: `2 findings: 3 operators searched, 200 inputs tried (7 refused), 6 suspects (4 dropped)`."""
    done = [search for search in searched if not search.reason and (search.tried or search.ended != "interrupted")]
    tried, refused, suspects, dropped = (
        sum(getattr(search, name) for search in searched) for name in ("tried", "refused", "suspects", "dropped")
    )
    if not searched:
        return count(len(findings), "finding")
    unsettled = max(0, suspects - dropped - len(findings))
    left = f", {unsettled} left undecided" if unsettled else ""
    return (
        f"{count(len(findings), 'finding')}: {count(len(done), 'operator')} searched in "
        f"{span(sum(search.seconds for search in searched))}, {count(tried, 'input')} tried ({refused} refused), "
        f"{count(suspects, 'suspect')} ({dropped} dropped{left})"
    )


def notes(searched: Sequence[Searched]) -> Iterator[str]:
    """Notes: sizes of inputs, poor cost models, operators that were not searched, with the reason, or interrupted."""
    yield from _sizes(searched)
    poor = [
        f"{search.operator} {pass_} ({_fit_text(fit)})"
        for search in searched
        for pass_, fit in search.fits.items()
        if fit.poor
    ]
    if 0 < len(poor) <= _NAMES_SHOWN:
        yield f"cost model ignored (poor fit): {_name_list(poor)}"
    elif poor:
        yield f"{count(len(poor), 'pass', 'passes')} have no cost model that fits; neighbours alone judge their inputs"
    for reason, members in grouped(
        (search for search in searched if search.reason), lambda search: search.reason
    ).items():
        yield f"nothing to search: {one_line(reason)}: {_name_list([search.operator for search in members])}"
    broken = [search for search in searched if search.ended == "interrupted"]
    for was_searched, words in ((True, "interrupted"), (False, "not searched, since the hunt was interrupted before")):
        names = [search.operator for search in broken if (search.tried > 0) is was_searched]
        if names:
            yield f"{words}: {_name_list(names)}"


def _sizes(searched: Sequence[Searched]) -> Iterator[str]:
    """The number of elements of the largest inputs, or their range over the operators."""
    sizes = sorted(search.largest for search in searched if search.largest)
    if sizes:
        least = "" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to "
        yield f"inputs of up to {least}{sizes[-1]:,} element{'s' * (sizes[-1] > 1)} were searched"


class _FindingEntry:
    """One finding. On a narrow terminal `expected` has a line instead of a column."""

    def __init__(self, script: str, finding: Finding, width: int) -> None:
        self._script = script
        self._finding = finding
        self._width = width
        figures = 2 * _TIME + _RATIO + _INTERVAL
        self._wide = width - figures >= _MIN_INPUTS
        self._left = max(_LABEL + 1, width - (figures if self._wide else figures - _TIME))

    def lines(self) -> Iterator[Text]:
        """The heading, both inputs with their figures, and the details."""
        finding = self._finding
        titles = self._row("time", "expected", "ratio", "95% interval")
        yield Text.assemble((f"{finding.operator} {finding.pass_}".ljust(self._left), "bold cyan"), (titles, "dim"))
        ratio = finding.estimate
        figures = self._row(
            duration(finding.actual_us), duration(finding.expected_us), factor(ratio.ratio), interval(ratio)
        )
        slow, fast = finding_inputs(finding)
        yield from beside(_label("slow"), split_words(slow), figures, self._left)
        contrast = self._row(duration(finding.contrast_us), "", "", "").rstrip()
        yield from beside(_label("fast"), split_words(fast), contrast, self._left)
        for label, text in self._words():
            yield from hanging(_label(label), one_line(text).split(), self._width) if text else ()

    def _row(self, time: str, expected: str, ratio: str, interval: str) -> str:
        second = f"{expected:>{_TIME}}" if self._wide else ""
        return f"{time:>{_TIME}}{second}{ratio:>{_RATIO}}{interval:>{_INTERVAL}}"

    def _words(self) -> Iterator[tuple[str, str]]:
        finding = self._finding
        yield "step", "" if finding.sides else finding.step
        yield "expected", "" if self._wide else duration(finding.expected_us)
        yield "kernels", kernels(finding)
        yield "family", family(finding)
        yield "tested", held(finding)
        yield "also", also(finding)
        for number, evidence in enumerate(_by_strength(finding)):
            yield "" if number else "evidence", _evidence_text(evidence)
        yield ("again" if is_command(self._script) else "script"), self._script


def _label(text: str) -> str:
    return f"  {text:<{_LABEL - 2}}"


def _by_strength(finding: Finding) -> list[Evidence]:
    return sorted(finding.evidence, key=lambda evidence: -evidence.strength)


def _evidence_text(evidence: Evidence) -> str:
    limits = f"[{factor(evidence.low)}, {factor(evidence.high)}]"
    return f"{evidence_source(evidence)} {factor(evidence.strength)} times {limits}: {evidence.detail}"


def _fit_text(fit: Fit) -> str:
    return f"errs by {factor(fit.factor)} times over {count(fit.inputs, 'input')}" if fit.factor else "too few inputs"


def _name_list(names: Sequence[str]) -> str:
    """The first of the names, and how many more there are."""
    more = [f"and {len(names) - _NAMES_SHOWN} more"] if len(names) > _NAMES_SHOWN else []
    return " ".join(listed([*names[:_NAMES_SHOWN], *more]))


def _cells(finding: Finding) -> tuple[str, ...]:
    return (
        finding.operator,
        finding.pass_,
        *finding_inputs(finding),
        factor(finding.estimate.ratio),
        interval(finding.estimate),
        duration(finding.actual_us),
        duration(finding.expected_us),
        kernels(finding) or NONE,
        family(finding),
    )
