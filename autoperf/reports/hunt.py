"""What a hunt found, as a person reads it: each finding with its contrast, why it counts, and what was searched."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autoperf.core.finding import Estimate, Evidence, Finding, Fit, Searched
from autoperf.reports.layout import beside, grouped, hanging, listed
from autoperf.reports.markdown import cells, code, escape, heading
from autoperf.reports.units import NONE, count, describe_case, duration, factor, one_line, span, split_words

TEXT_WIDTH = 120
Findings = Mapping[str, Finding]
"""Findings by the paths of their scripts below the hunt's folder."""

_TIME = 10
_RATIO = 8
_INTERVAL = 16
_LABEL = 11
_MIN_INPUTS = 30
_NAMES_SHOWN = 12
COLUMNS = (
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
    """A hunt: what every format is handed. `document` gives the JSON document that its folder has."""

    findings: Findings
    searched: Sequence[Searched]
    document: Callable[[], str]


def table(findings: Findings, searched: Sequence[Searched]) -> HuntTable:
    """A renderable of these findings, and of what was done for each operator."""
    return HuntTable(findings, searched)


def to_text(findings: Findings, searched: Sequence[Searched]) -> str:
    """The table as plain text, for a file."""
    console = Console(width=TEXT_WIDTH, file=io.StringIO(), record=True, color_system=None)
    console.print(table(findings, searched))
    return "".join(f"{line.rstrip()}\n" for line in console.export_text().splitlines())


def to_markdown(findings: Findings, searched: Sequence[Searched]) -> str:
    """The sum, a row for each finding, and below the table what speaks for it."""
    return "".join(_markdown(findings, searched))


def ranked(findings: Findings) -> list[tuple[str, Finding]]:
    """The scripts' paths and findings, the largest ratio first, by what is certain of it."""
    return sorted(findings.items(), key=lambda item: (-item[1].estimate.low, item[0]))


def finding_line(finding: Finding) -> str:
    """A finding in one line: `softmax backward: 4.20 times [4.07, 4.37] | data (4096, 64); axis=0 | its family`."""
    head = f"{finding.operator} {finding.pass_}: {factor(finding.estimate.ratio)} times {interval(finding.estimate)}"
    parts = map(one_line, (head, describe_case(finding.case), finding.family))
    return " | ".join(part for part in parts if part)


def interval(estimate: Estimate) -> str:
    """`[4.07, 4.37]`."""
    return f"[{factor(estimate.low)}, {factor(estimate.high)}]"


def sentence(findings: Findings, searched: Sequence[Searched]) -> str:
    """What it comes to: `2 findings: 3 operators searched, 200 inputs tried (7 refused), 6 suspects (4 dropped)`."""
    done = [one for one in searched if not one.reason]
    tried, refused, suspects, dropped = (
        sum(getattr(one, name) for one in searched) for name in ("tried", "refused", "suspects", "dropped")
    )
    unsettled = max(0, suspects - dropped - len(findings))
    left = f", {unsettled} left undecided" if unsettled else ""
    return (
        f"{count(len(findings), 'finding')}: {count(len(done), 'operator')} searched in "
        f"{span(sum(one.seconds for one in searched))}, {count(tried, 'input')} tried ({refused} refused), "
        f"{count(suspects, 'suspect')} ({dropped} dropped{left})"
    )


def notes(searched: Sequence[Searched]) -> Iterator[str]:
    """What to bear in mind: where the model is poor, what wasn't searched and why, and what was broken off."""
    poor = [f"{one.operator} {pass_} ({_fit(fit)})" for one in searched for pass_, fit in one.fits.items() if fit.poor]
    if poor:
        yield f"the cost model is poor, and leaves the word to the other oracles, for {_some(poor)}"
    for reason, members in grouped((one for one in searched if one.reason), lambda one: one.reason).items():
        yield f"nothing to search: {one_line(reason)}: {_some([one.operator for one in members])}"
    broken = [one.operator for one in searched if one.ended == "interrupted"]
    if broken:
        yield f"interrupted: {_some(broken)}"


class HuntTable:
    """Renders findings for whatever width the console has: figures stand in columns, words flow below them."""

    def __init__(self, findings: Findings, searched: Sequence[Searched]) -> None:
        self._findings = findings
        self._searched = searched

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the findings, the largest ratio first, then what to bear in mind, and the sum."""
        width = options.max_width
        for script, finding in ranked(self._findings):
            yield from _FindingEntry(script, finding, width).lines()
            yield Text()
        for note in notes(self._searched):
            yield from hanging("note: ", note.split(), width, "yellow")
        yield from hanging("", sentence(self._findings, self._searched).split(), width, "bold")


class _FindingEntry:
    """One finding. `expected` has no column of its own where it is too narrow for that."""

    def __init__(self, script: str, finding: Finding, width: int) -> None:
        self._script = script
        self._finding = finding
        self._width = width
        figures = 2 * _TIME + _RATIO + _INTERVAL
        self._wide = width - figures >= _MIN_INPUTS
        self._left = max(_LABEL + 1, width - (figures if self._wide else figures - _TIME))

    def lines(self) -> Iterator[Text]:
        """The heading, both inputs with their figures, and what there is to say."""
        found = self._finding
        titles = self._row("time", "expected", "ratio", "95% interval")
        yield Text.assemble((f"{found.operator} {found.pass_}".ljust(self._left), "bold cyan"), (titles, "dim"))
        ratio = found.estimate
        figures = self._row(
            duration(found.actual_us), duration(found.expected_us), factor(ratio.ratio), interval(ratio)
        )
        yield from beside(_label("slow"), split_words(describe_case(found.case)), figures, self._left)
        contrast = self._row(duration(found.contrast_us), "", "", "").rstrip()
        yield from beside(_label("fast"), split_words(describe_case(found.contrast)), contrast, self._left)
        for label, text in self._words():
            yield from hanging(_label(label), one_line(text).split(), self._width) if text else ()

    def _row(self, time: str, expected: str, ratio: str, interval: str) -> str:
        second = f"{expected:>{_TIME}}" if self._wide else ""
        return f"{time:>{_TIME}}{second}{ratio:>{_RATIO}}{interval:>{_INTERVAL}}"

    def _words(self) -> Iterator[tuple[str, str]]:
        found = self._finding
        yield "step", found.step
        yield "expected", "" if self._wide else duration(found.expected_us)
        yield "kernels", kernels(found)
        yield "family", found.family
        for number, one in enumerate(_strongest(found)):
            yield "" if number else "oracles", _spoken(one)
        yield "script", self._script


def kernels(finding: Finding) -> str:
    """Each kernel's mean time a call, with its time on the fast input: `softmax 1.20 ms (fast: 260 us)`."""
    names = dict.fromkeys((*finding.kernels, *finding.contrast_kernels))
    return ", ".join(
        f"{one_line(name)} {duration(finding.kernels.get(name))} (fast: {duration(finding.contrast_kernels.get(name))})"
        for name in names
    )


def _label(text: str) -> str:
    return f"  {text:<{_LABEL - 2}}"


def _strongest(finding: Finding) -> list[Evidence]:
    return sorted(finding.evidence, key=lambda one: -one.strength)


def _spoken(one: Evidence) -> str:
    return f"{one.oracle} {factor(one.strength)} times [{factor(one.low)}, {factor(one.high)}]: {one.detail}"


def _fit(fit: Fit) -> str:
    return f"errs by {factor(fit.factor)} times over {count(fit.inputs, 'input')}" if fit.factor else "too few inputs"


def _some(names: Sequence[str]) -> str:
    """The first of the names, and how many more there are."""
    more = [f"and {len(names) - _NAMES_SHOWN} more"] if len(names) > _NAMES_SHOWN else []
    return " ".join(listed([*names[:_NAMES_SHOWN], *more]))


def _markdown(findings: Findings, searched: Sequence[Searched]) -> Iterator[str]:
    yield f"{escape(sentence(findings, searched))}\n"
    rows = ranked(findings)
    if rows:
        yield f"\n{heading(COLUMNS)}"
    for _, one in rows:
        yield cells(_cells(one))
    if rows:
        yield "\n"
    for script, one in rows:
        oracles = "; ".join(_spoken(testimony) for testimony in _strongest(one))
        yield f"- {escape(f'{one.operator} {one.pass_}')} ({code(script)}): {escape(f'{one.step}. {oracles}')}\n"
    said = [f"- note: {escape(note)}\n" for note in notes(searched)]
    yield from ["\n", *said] if said and not rows else said


def _cells(one: Finding) -> tuple[str, ...]:
    return (
        one.operator,
        one.pass_,
        describe_case(one.case),
        describe_case(one.contrast),
        factor(one.estimate.ratio),
        interval(one.estimate),
        duration(one.actual_us),
        duration(one.expected_us),
        kernels(one) or NONE,
        one.family,
    )
