"""The report of a hunt: causes of several operators, findings with contrasts and evidence, and searched operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rich.text import Text

from autoperf.core.finding import WALL_CLOCK, CauseRanking, Finding, RegistryCause, Searched, clocks_of
from autoperf.core.texts import count
from autoperf.hunt.findings import (
    SINGLE,
    InputRow,
    also,
    by_strength,
    code_details,
    code_line,
    cost,
    evidence_text,
    family,
    finding_inputs,
    finding_sentence,
    held,
    input_label,
    inputs_table,
    interval,
    is_untested,
    kernels,
    shown_by,
)
from autoperf.hunt.registry_causes import Findings
from autoperf.hunt.stored import Hunted
from autoperf.reports.columns import Column, Place, fact, numeric
from autoperf.reports.layout import grouped, hanging, listed
from autoperf.reports.progress import fitted
from autoperf.reports.provenance import origin_line, provenance_lines
from autoperf.reports.table import Report, Table
from autoperf.reports.units import NONE, duration, factor, first_of, one_line, span, split_words
from autoperf.runs.runfile import Provenance, command_line

Found: TypeAlias = tuple[str, Finding]
"""The command that replays a finding, and the finding."""

_BAR, _NAMES_SHOWN, _REASONS_SHOWN = 40, 12, 6
# The causes and the findings of one operator that fit on one screen of 24 lines.
CAUSES_SHOWN, OWN_SHOWN, WORST_SHOWN = 3, 3, 10
BY_INSTRUCTIONS = "the search compared instructions, not times; only its findings are timed"
ANSWERED = 3
"""The findings that the answer names, where no cause is shared."""


@dataclass(frozen=True)
class HuntReport:
    """A hunt with the ranking of its findings, as every format receives it."""

    hunt: Hunted
    ranking: CauseRanking

    @property
    def provenance(self) -> Provenance:
        """The origin of its times."""
        header, environment = self.hunt.header, self.hunt.header.environment
        return Provenance(
            release=header.mxnet,
            build=str(environment.mxnet.get("library") or ""),
            revision=environment.git,
            machine=environment.machine,
            processor=environment.processor.model,
            threads=header.threads,
            date=header.started,
            autoperf=header.autoperf,
            seed=header.seed,
            command=command_line(header.command),
        )

    @property
    def summary(self) -> str:
        """The sums of the search in a sentence."""
        return sentence(self.hunt.findings, self.hunt.searched)

    @property
    def notes(self) -> list[str]:
        """Notes on the search, and the clocks of a hunt against another framework."""
        header, findings = self.hunt.header, self.hunt.findings.values()
        clocks = clocks_of(header.sides)
        untested, left = sum(map(is_untested, findings)), self.hunt.unfinished
        ended = "the budget ended before other inputs were tested, so a longer --time-budget says more"
        return [
            *([] if clocks == WALL_CLOCK else [f"times are by {clocks}"]),
            *([f"{count(untested, 'finding')} may be of a wider family: {ended}"] if untested else []),
            *([BY_INSTRUCTIONS] if header.options.get("signal") == "instructions" else []),
            *signals(findings),
            *notes(self.hunt.searched),
            *([f"the hunt still runs or was cut off before the end of {_name_list(left)}"] if left else []),
        ]

    @property
    def ranked(self) -> list[Found]:
        """The commands and findings: those of one operator, then those of each cause, costliest first."""
        return [(reference, self.hunt.findings[reference]) for reference in self.ranking.order]


def answer(report: HuntReport) -> Iterator[str]:
    """The costliest cause and the costliest finding of one operator, or several where no cause is shared."""
    ranking = report.ranking
    for cause in ranking.causes[:1]:
        worst, ratio = next(iter(cause.ratios.items()))
        operators = f"{len(cause.ratios)} operators, {factor(cause.ratio)} times in the geometric mean"
        yield one_line(f"{cause.words}: {operators}, at most {factor(ratio)} times ({worst}).")
    for reference in ranking.own[: 1 if ranking.causes else ANSWERED]:
        yield finding_sentence(report.hunt.findings[reference])
    for name, lost in list(ranking.lost.items())[:ANSWERED]:
        costliest = sorted(lost, key=lambda reference: -lost[reference])[:ANSWERED]
        parts = (f"{report.hunt.findings[each].operator} {duration(1000 * lost[each])}" for each in costliest)
        yield one_line(f"{name} loses {duration(1000 * sum(lost.values()))}: {', '.join(parts)}.")
    if not report.hunt.findings:
        other = f" beside {report.hunt.header.sides[1].words}" if report.hunt.header.sides else ""
        suspects = sum(search.suspects for search in report.hunt.searched)
        verb = "wasn't" if suspects == 1 else "weren't"
        is_known = any(search.tried for search in report.hunt.searched) and not (suspects or report.hunt.unfinished)
        known = "" if is_known else "known to be "
        rest = f"; {count(suspects, 'suspect')} {verb} confirmed" if suspects else ""
        yield f"No input is {known}unexpectedly slow{other}{rest}."


def terminal_reports(report: HuntReport) -> Iterator[Report]:
    """Details of the findings of one operator and of each cause; the costliest causes and findings, and the answer."""
    ranking = report.ranking
    shown = (*ranking.own, *(cause.findings[0] for cause in ranking.causes))
    yield Report(
        tables=tuple(_inputs_table(report, reference) for reference in shown),
        notes=(f"cost: {cost_words(ranking)}",) if ranking.causes else (),
        notices=tuple(report.notes),
    )
    yield Report(
        answer=tuple(answer(report)),
        tables=tuple(_overview(report)) if ranking.causes else (),
        notes=(origin_line({"": report.provenance}),),
        sums=(report.summary,),
    )


def markdown_reports(report: HuntReport) -> Iterator[Report]:
    """The answer, a row for each cause and for each finding, and below them the evidence with the commands."""

    def facts(finding: Finding) -> str:
        evidence = "; ".join(evidence_text(each) for each in by_strength(finding))
        listed = "; ".join(filter(None, (evidence, also(finding), held(finding))))
        return one_line(f"{finding.operator} {finding.pass_}: {finding.step}. {listed}")

    ranking, rows = report.ranking, report.ranked
    causes = (cause_table(ranking, ranking.causes),) if ranking.causes else ()
    findings = (Table("", finding_columns(report), rows),) if rows else ()
    yield Report(
        answer=tuple(answer(report)),
        tables=(*causes, *findings),
        notices=tuple(f"note: {note}" for note in report.notes),
        notes=tuple(provenance_lines(report.provenance)),
        commands=tuple((facts(finding), replay) for replay, finding in rows),
        sums=(report.summary,),
    )


def json_text(report: HuntReport) -> str:
    """The JSON document."""
    return report.hunt.json(report.ranking)


def cost_words(ranking: CauseRanking) -> str:
    """The meaning of a cost."""
    if ranking.weighted:
        return "the time that the calls of --weights lose"
    assumed, findings = len(ranking.assumed), len(ranking.costs)
    untimed = "" if assumed == findings else f" for {assumed} of {count(findings, 'finding')}"
    times = f"The log lacks these times{untimed}, so calls and passes count alike" if assumed else "They are measured"
    return (
        f"the share of the time of an operator's common calls that is lost. {times}; one call in ten is assumed to "
        "have a dtype, an axis, a shape or a parameter that isn't common. --weights ranks by calls of networks."
    )


def cause_table(ranking: CauseRanking, causes: Sequence[RegistryCause], title: str = "", note: str = "") -> Table[Any]:
    """A row for each cause; on a terminal with its slowest operators below."""

    def words(cause: RegistryCause) -> str:
        # The findings may share kernels that the cause's own words don't name.
        kernels = [name for name in cause.kernels if name not in cause.words]
        return f"{cause.words} (shared kernels: {_name_list(kernels)})" if kernels else cause.words

    def worst(cause: RegistryCause) -> str:
        return ", ".join(f"{name} {factor(ratio)}" for name, ratio in [*cause.ratios.items()][:WORST_SHOWN])

    def below(cause: RegistryCause, width: int) -> Iterator[Text]:
        yield fitted(Text(f"    {worst(cause)}", "dim"), width)

    columns: list[Column[RegistryCause]] = [
        fact("cause", words, place=Place.LEAD),
        numeric("operators", lambda cause: len(cause.ratios)),
        numeric("ratio", lambda cause: cause.ratio, lambda cause: factor(cause.ratio), room=8),
        numeric("cost", lambda cause: cause.cost, lambda cause: cost(ranking, cause.cost, len(cause.ratios))),
        fact("worst", worst, place=Place.LEAD),
    ]
    return Table(title, columns, causes, note, below=below, words=lambda cause: words(cause).split())


def _overview(report: HuntReport) -> Iterator[Table[Any]]:
    """One screen: the costliest causes in two lines each, and the costliest findings of one operator in a line each."""
    ranking = report.ranking
    causes = [cause for cause in ranking.causes[:CAUSES_SHOWN] if cause.cost]
    note = _further(ranking.causes[len(causes) :], "cause")
    yield cause_table(ranking, causes, "Causes of several operators, costliest first", note)
    shown = [reference for reference in ranking.own[:OWN_SHOWN] if ranking.costs[reference]]
    own = [(reference, report.hunt.findings[reference]) for reference in shown]
    if ranking.own:

        def words(row: Found) -> list[str]:
            where = finding_inputs(row[1])[0] if family(row[1]).startswith(SINGLE) else family(row[1])
            return split_words(one_line(f"{row[1].operator} {row[1].pass_}: {where}"))

        by_name = {column.name: column for column in finding_columns(report)}
        columns = [by_name["ratio"], by_name["cost"]]
        note = _further(ranking.own[len(own) :], "finding")
        yield Table("Findings of one operator, costliest first", columns, own, note, words=words)


def _further(left_out: Sequence[object], noun: str) -> str:
    return f"{count(len(left_out), noun)} of less cost or none, above" if left_out else ""


def finding_columns(report: HuntReport) -> list[Column[Found]]:
    """The columns of a finding, in Markdown and on the page."""
    ranking, is_counted = report.ranking, any(finding.code for finding in report.hunt.findings.values())

    def figure(name: str, value: Any, text: Any, room: int = 0) -> Column[Found]:
        return numeric(name, lambda row: value(row[1]), lambda row: text(row[1]), room=room)

    def words(name: str, text: Callable[[Finding], str], header: str = "") -> Column[Found]:
        return fact(name, lambda row: text(row[1]), header=header, place=Place.LEAD)

    return [
        numeric("cost", lambda row: ranking.costs[row[0]], lambda row: cost(ranking, ranking.costs[row[0]])),
        words("operator", lambda finding: finding.operator),
        words("pass", lambda finding: finding.pass_),
        words("inputs", lambda finding: finding_inputs(finding)[0], "simplest input"),
        words("fast input", lambda finding: finding_inputs(finding)[1], "nearest fast neighbour"),
        figure("ratio", lambda finding: finding.estimate.ratio, lambda finding: factor(finding.estimate.ratio), 8),
        figure("95% interval", lambda finding: finding.estimate.low, lambda finding: interval(finding.estimate)),
        figure("time", lambda finding: finding.actual_us, lambda finding: duration(finding.actual_us)),
        figure("expected", lambda finding: finding.expected_us, lambda finding: duration(finding.expected_us)),
        words("kernels", lambda finding: kernels(finding) or NONE),
        *([words("code", lambda finding: code_line(finding.code) if finding.code else NONE)] if is_counted else []),
        words("family", family),
    ]


def sentence(findings: Findings, searched: Sequence[Searched]) -> str:
    """The summary, with an addition: `...; 6 suspects = 1 finding + 1 of their families + 4 dropped (... 3, ... 1)`."""
    found = count(len(findings), "finding")
    if not searched:
        return found
    tried, refused, suspects, dropped, joined = (
        sum(getattr(search, name) for search in searched)
        for name in ("tried", "refused", "suspects", "dropped", "joined")
    )
    reasons = sum((Counter(search.dropped_for) for search in searched), Counter[str]())
    why = ", ".join(f"{one_line(reason)} {number}" for reason, number in reasons.most_common())
    parts = [found, *([f"{joined} of their families"] if joined else [])]
    parts += [f"{dropped} dropped{f' ({why})' if why else ''}"] if dropped else []
    unsettled = suspects - dropped - joined - len(findings)
    parts += [f"{unsettled} left undecided"] if unsettled > 0 else []
    addition = f"{count(suspects, 'suspect')} = {' + '.join(parts)}" if suspects else "no suspect"
    if unsettled < 0:
        # Of a kept log, whose findings come from several hunts.
        addition = f"{count(suspects, 'suspect')} ({dropped} dropped)"
    begun = count(sum(search.has_begun for search in searched), "operator")
    seconds = span(sum(search.seconds for search in searched))
    return f"{found}: {begun} searched in {seconds}, {count(tried, 'input')} tried ({refused} refused); {addition}"


def notes(searched: Sequence[Searched]) -> Iterator[str]:
    """Notes: sizes of inputs, poor cost models, and what wasn't compared, searched or finished, with the reasons."""
    sizes = sorted(search.largest for search in searched if search.largest)
    if sizes:
        least = "" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to "
        yield f"inputs of up to {least}{sizes[-1]:,} element{'s' * (sizes[-1] > 1)} were searched"
    fits = ((search.operator, pass_, fit) for search in searched for pass_, fit in search.fits.items() if fit.poor)
    poor = []
    for operator, pass_, fit in fits:
        errs = f"errs by {factor(fit.factor)} times over {count(fit.inputs, 'input')}"
        poor.append(f"{operator} {pass_} ({errs if fit.factor else 'too few inputs'})")
    if 0 < len(poor) <= _NAMES_SHOWN:
        yield f"cost model ignored (poor fit): {_name_list(poor)}"
    elif poor:
        yield f"{count(len(poor), 'pass', 'passes')} have no cost model that fits; neighbours alone judge their inputs"
    uncompared = sum((Counter(search.uncompared) for search in searched), Counter[str]())
    for reason, inputs in uncompared.most_common(_REASONS_SHOWN):
        yield f"not compared: {count(inputs, 'input')}: {one_line(reason)}"
    if more := [inputs for _, inputs in uncompared.most_common()[_REASONS_SHOWN:]]:
        yield f"not compared: {count(sum(more), 'input')} for {count(len(more), 'other reason')}, in the JSON document"
    failed = grouped((search for search in searched if search.reason), lambda search: search.reason)
    for reason, members in failed.items():
        yield f"nothing to search: {one_line(reason)}: {_name_list([search.operator for search in members])}"
    broken = [search for search in searched if search.ended == "interrupted"]
    for was_searched, words in ((True, "interrupted"), (False, "not searched, since the hunt was interrupted before")):
        names = [search.operator for search in broken if (search.tried > 0) is was_searched]
        if names:
            yield f"{words}: {_name_list(names)}"


def signals(findings: Iterable[Finding]) -> Iterator[str]:
    """How many of the counted findings are shown by instructions, and how many by times alone."""
    shown = [shown_by(finding.code, finding.estimate) for finding in findings if finding.code]
    if shown:
        parts = {"both": (True, True), "times alone": (True, False), "instructions alone": (False, True)}
        numbers = (f"{shown.count(way)} by {words}" for words, way in parts.items() if way in shown)
        yield f"{count(len(shown), 'counted finding')}: {', '.join(numbers)}"


def _inputs_table(report: HuntReport, reference: str) -> Table[InputRow]:
    """The inputs of a finding, and below them the ratio as a bar and the details."""
    finding = report.hunt.findings[reference]
    evidence = [evidence_text(each) for each in by_strength(finding)]
    details = [
        ("step", "" if finding.sides else finding.step),
        ("kernels", kernels(finding)),
        *code_details(finding.code, finding.estimate),
        *(("family", family(finding)), ("tested", held(finding)), ("also", also(finding))),
        *zip(["evidence", *[""] * len(evidence)], evidence, strict=False),
        ("again", reference),
    ]

    def below(width: int) -> Iterator[Text]:
        label, key = input_label("bar"), " █ expected"
        room = max(1, min(_BAR, width - len(label) - len(key)))
        expected = min(room, max(1, round(room / max(1.0, finding.estimate.ratio))))
        yield Text.assemble(label, ("█" * expected, "blue"), ("░" * (room - expected), "yellow"), (key, "dim"))
        for name, text in details:
            yield from hanging(input_label(name), one_line(text).split(), width) if text else ()

    return inputs_table(
        f"{finding.operator} {finding.pass_}", finding_inputs(finding), (finding.actual_us, finding.contrast_us),
        finding.estimate, expected_us=finding.expected_us, below=below,
    )  # fmt: skip


def _name_list(names: Sequence[str]) -> str:
    return " ".join(listed(first_of(names, _NAMES_SHOWN)))
