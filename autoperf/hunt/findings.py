"""Findings of hunts in words, and a finding that was measured again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

import msgspec
from rich.text import Text

from autoperf.core.case import Case
from autoperf.core.finding import (
    MIN_ROUNDS,
    WALL_CLOCK,
    CauseRanking,
    Estimate,
    Evidence,
    Finding,
    FindingCode,
    FunctionPair,
    Rechecked,
)
from autoperf.core.texts import count
from autoperf.core.work import KERNELS, CodeCount, Functions
from autoperf.counts.functions import shortened
from autoperf.hunt.stored import inputs_record
from autoperf.reports.columns import Column, numeric
from autoperf.reports.layout import hanging
from autoperf.reports.table import Report, Table
from autoperf.reports.units import describe_case, duration, factor, one_line, percent, split_words

# Functions are listed whose excess is at least this share of the instructions; a line has the first few.
MIN_EXCESS = 0.02
MAX_LISTED, MAX_SHOWN = 8, 3
MIN_RATIO = 1.2
"""The smallest ratio above which the times of a finding hold."""

Shown: TypeAlias = tuple[bool, bool]
"""Whether times show a finding, and whether instructions do."""
_SHOWN: dict[Shown, str] = {
    (True, True): "times and instructions",
    (True, False): "times alone, so the cause is in caches, branch prediction, memory or threads",
    (False, True): "instructions alone: something else limits the time, such as memory or the call itself",
    (False, False): "neither times nor instructions",
}


def finding_code(slow: CodeCount, fast: CodeCount, work: float) -> FindingCode:
    """The code of a finding whose slow input does `work` times as much as the fast one."""
    before, after = _by_name(fast.functions), _by_name(slow.functions)
    pairs = [FunctionPair(*key, after.get(key, 0), before.get(key, 0)) for key in dict.fromkeys([*after, *before])]
    least = MIN_EXCESS * max(slow.kernels, work * fast.kernels)
    kept = [pair for pair in pairs if abs(pair.excess(work)) >= least]
    kept.sort(key=lambda pair: (-pair.excess(work), pair.name))
    return FindingCode(by=slow.by, slow=slow.kernels, fast=fast.kernels, work=work, functions=tuple(kept[:MAX_LISTED]))


def _by_name(functions: Functions) -> dict[tuple[str, str], int]:
    return {(item.name, item.part.value): item.instructions for item in functions if item.part in KERNELS}


def code_line(code: FindingCode) -> str:
    """`instructions 9.33 times for equal work: around_forward 950,338 (fast: 0), lround 884,736 (fast: 0)`."""
    shown = (pair for pair in code.functions[:MAX_SHOWN] if pair.excess(code.work) > 0)
    listed = ", ".join(f"{one_line(shortened(pair.name))} {pair.slow:,} (fast: {pair.fast:,})" for pair in shown)
    return f"instructions {factor(code.ratio)} times for equal work{f': {listed}' if listed else ''}"


def code_details(code: FindingCode | None, times: Estimate) -> list[tuple[str, str]]:
    """A finding's code, and which of both signals shows it beside the ratio `times`, labelled; empty if uncounted."""
    return [] if code is None else [("code", code_line(code)), ("shown by", _SHOWN[shown_by(code, times)])]


def shown_by(code: FindingCode, times: Estimate) -> Shown:
    """Whether times and instructions show a finding: times by the smallest limit of a recheck."""
    return times.low > MIN_RATIO, code.shows(times.ratio)


_LABEL = 9
SINGLE = "this input"
"""The beginning of a family that is the input alone."""
SCALED = 0.05
"""The difference of work from which the time of the fast input is scaled to that of the slow one."""
_SOURCES = {"model": "cost model", "kin": "equivalent operator", "forward": "forward pass", "side": "other side"}


def inputs_of(slow: Case, fast: Case, sides: tuple[str, str] | None) -> tuple[str, str]:
    """The slow and the fast input in words, with another operator's name; between two sides it is one input on both."""
    if sides is None:
        name = "" if fast.operator == slow.operator else f"{fast.operator}: "
        return describe_case(slow), f"{name}{describe_case(fast)}"
    return f"{describe_case(slow)} on {sides[0]}", f"the same input on {sides[1]}"


def finding_inputs(finding: Finding) -> tuple[str, str]:
    """The slow and the fast input of a finding in words."""
    return inputs_of(finding.case, finding.contrast, finding.sides)


def finding_sentence(finding: Finding) -> str:
    """Both inputs, the time and the ratio: `softmax forward: axis=0 takes 1.23 ms, 4.20 times [...] as long as ...`.

    Where the fast input does less work, its time is scaled: `4.20 times [...] the expected 293 us, scaled from ...`.
    """
    slow, fast = finding_inputs(finding)
    ratio = f"{factor(finding.estimate.ratio)} times {interval(finding.estimate)}"
    equal = " for equal work" if finding.is_equal_work and not finding.sides else ""
    expected, contrast = duration(finding.expected_us), duration(finding.contrast_us)
    is_scaled = abs(finding.expected_us / finding.contrast_us - 1) > SCALED
    other = f"the expected {expected}, scaled from {contrast} of {fast}" if is_scaled else f"as long as {fast}{equal}"
    return one_line(f"{finding.operator} {finding.pass_}: {slow} takes {duration(finding.actual_us)}, {ratio} {other}.")


def differing(slow: Sequence[str], fast: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Whether each word of the slow and of the fast input differs from the other's."""
    marks = [True] * len(slow), [True] * len(fast)
    for at, to, size in SequenceMatcher(None, slow, fast, autojunk=False).get_matching_blocks():
        for side, start in zip(marks, (at, to), strict=True):
            side[start : start + size] = [False] * size
    return marks


def finding_line(finding: Finding) -> str:
    """A finding in one line: `softmax backward: 4.20 times [4.07, 4.37] | data (4096, 64); axis=0 | its family`."""
    head = f"{finding.operator} {finding.pass_}: {factor(finding.estimate.ratio)} times {interval(finding.estimate)}"
    words = "" if finding.family.startswith(SINGLE) else finding.family
    parts = map(one_line, (head, finding_inputs(finding)[0], words))
    return " | ".join(part for part in parts if part)


def interval(estimate: Estimate | Evidence) -> str:
    """`[4.07, 4.37]`."""
    return f"[{factor(estimate.low)}, {factor(estimate.high)}]"


def kernels(finding: Finding) -> str:
    """Each kernel's mean time a call, with its time on the fast input: `softmax 1.20 ms (fast: 260 us)`.

    Another framework has other kernels: `softmax 1.20 ms (fast: aten::_softmax 260 us)`.
    """
    if finding.kernels and finding.contrast_kernels and not finding.kernels.keys() & finding.contrast_kernels:
        slow, fast = (
            ", ".join(f"{one_line(name)} {duration(us)}" for name, us in side.items())
            for side in (finding.kernels, finding.contrast_kernels)
        )
        return f"{slow} (fast: {fast})"
    return ", ".join(f"{name} {slow} (fast: {fast})" for name, slow, fast in kernel_rows(finding))


def kernel_rows(finding: Finding) -> list[tuple[str, str, str]]:
    """The name of each kernel, and its mean times a call on the slow and on the fast input."""
    slow, fast = finding.kernels, finding.contrast_kernels
    names = dict.fromkeys((*slow, *fast))
    return [(one_line(name), duration(slow.get(name)), duration(fast.get(name))) for name in names]


def family(finding: Finding) -> str:
    """The family. Logs have longer words for a single input, with the reason, which is noted once for the hunt."""
    return f"{SINGLE} only" if finding.family.startswith(SINGLE) else finding.family


def is_untested(finding: Finding) -> bool:
    """Whether the budget ended before other inputs, or a wider family, were tested."""
    is_single = finding.family.startswith(SINGLE)
    return "budget" in finding.family if is_single else bool(finding.check and finding.check.unfinished)


def held(finding: Finding) -> str:
    """`8 of 8 fresh inputs of it are slow, 7 of 8 others are not`: the family's check; empty for a single input."""
    check = finding.check
    if check is None or check.single or not check.inside:
        return ""
    others = f", {check.outside_fast} of {check.outside} others are not" if check.outside else ""
    return f"{check.inside_slow} of {check.inside} fresh inputs of it are slow{others}"


def evidence_source(evidence: Evidence) -> str:
    """The source of evidence in words."""
    return _SOURCES.get(evidence.oracle, evidence.oracle)


def by_strength(finding: Finding) -> list[Evidence]:
    """The evidence, the strongest first."""
    return sorted(finding.evidence, key=lambda evidence: -evidence.strength)


def evidence_text(evidence: Evidence) -> str:
    """`roofline 11.5 times [10.9, 12.1]: 2.10 MB at 19.5 GB/s take 107 us`."""
    return f"{evidence_source(evidence)} {factor(evidence.strength)} times {interval(evidence)}: {evidence.detail}"


def cost(ranking: CauseRanking, value: float, operators: int = 1) -> str:
    """A cost: `12%` of the time of each of the operators' common calls, or `1.20 ms` of the given calls."""
    return duration(1000 * value) if ranking.weighted else percent(value / operators)


def also(finding: Finding) -> str:
    """The other pass, if it is slow for the same cause: `backward 3.10 times [2.90, 3.20], 410 us`."""
    other = finding.other_pass
    if other is None:
        return ""
    where = "" if other.case.id == finding.case.id else f" for {describe_case(other.case)}"
    ratio = f"{factor(other.estimate.ratio)} times {interval(other.estimate)}"
    return f"{other.pass_} {ratio}, {duration(other.actual_us)}{where}"


def recheck_json(rechecked: Rechecked) -> str:
    """The recheck as a JSON document."""
    inputs = {"slow": inputs_record(rechecked.slow), "fast": inputs_record(rechecked.fast)}
    value = msgspec.to_builtins(rechecked) | inputs | {"holds": rechecked.holds}
    value |= value.pop("estimate")
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


@dataclass(frozen=True)
class InputRow:
    """An input of a finding with its time in microseconds; `words` that differ from the other input's have `marks`.

    `expected_us` and the ratio are the slow input's.
    """

    label: str
    words: Sequence[str]
    marks: Sequence[bool]
    us: float
    expected_us: float | None = None
    estimate: Estimate | None = None


_COLUMNS: tuple[Column[InputRow], ...] = (
    numeric("time", lambda row: row.us, unit="us", room=10),
    numeric(
        "expected", lambda row: row.expected_us, lambda row: duration(row.expected_us) if row.expected_us else "",
        priority=1, optional=True,
    ),
    numeric(
        "ratio", lambda row: row.estimate.ratio if row.estimate else None,
        lambda row: factor(row.estimate.ratio) if row.estimate else "", room=8,
    ),
    numeric(
        "interval", lambda row: row.estimate.low if row.estimate else None,
        lambda row: interval(row.estimate) if row.estimate else "", header="95% interval", room=16,
    ),
)  # fmt: skip


def input_label(text: str) -> str:
    """The label of an input or of a detail, before its words."""
    return f"  {text:<{_LABEL}}"


def inputs_table(
    title: str, inputs: tuple[str, str], us: tuple[float, float], estimate: Estimate, *,
    expected_us: float | None = None, below: Callable[[int], Iterable[Text]] = lambda _width: (),
) -> Table[InputRow]:  # fmt: skip
    """The slow and the fast input above each other, what differs marked; `below` has further lines for a width."""
    slow, fast = map(split_words, inputs)
    slow_marks, fast_marks = differing(slow, fast)
    rows = (InputRow("slow", slow, slow_marks, us[0], expected_us, estimate), InputRow("fast", fast, fast_marks, us[1]))
    return Table(
        title, _COLUMNS, rows, words=lambda row: row.words, marks=lambda row: row.marks,
        head=lambda row, _width: input_label(row.label), title_style=lambda _: "bold cyan",
        below=lambda row, width: below(width) if row is rows[1] else (),
    )  # fmt: skip


def recheck_reports(rechecked: Rechecked) -> list[Report]:
    """The verdict, both inputs, and the conditions."""
    inputs = inputs_of(rechecked.slow, rechecked.fast, rechecked.sides)
    times, name = (rechecked.slow_us, rechecked.fast_us), f"{rechecked.operator} {rechecked.pass_}"
    lines = code_details(rechecked.code, rechecked.estimate)

    def below(width: int) -> Iterator[Text]:
        for label, text in lines:
            yield from hanging(input_label(label), text.split(), width)

    threads = "" if rechecked.threads is None else f", {count(rechecked.threads, 'thread')}"
    rounds, builds = count(rechecked.rounds, "round"), " and ".join(rechecked.sides or (f"MXNet {rechecked.mxnet}",))
    is_wall = rechecked.clocks == WALL_CLOCK
    conditions = f"by {WALL_CLOCK} in {rounds}, {builds}" if is_wall else f"by {rechecked.clocks}, in {rounds}"
    notices = []
    if rechecked.found_threads is not None and rechecked.threads not in (None, rechecked.found_threads):
        notices.append(f"it was found with {count(rechecked.found_threads, 'thread')}; OMP_NUM_THREADS sets them")
    if rechecked.rounds < MIN_ROUNDS:
        notices.append(f"{rounds} in the time given: too few for a 95% interval")
    tables, notes = (inputs_table(name, inputs, times, rechecked.estimate, below=below),), (f"{conditions}{threads}",)
    return [Report(answer=(_verdict(rechecked),), tables=tables, notes=notes, notices=tuple(notices))]


def _verdict(rechecked: Rechecked) -> str:
    limit = factor(rechecked.above)
    if rechecked.code and rechecked.code_above is not None:
        answer, where = ("reproduced", "above") if rechecked.holds else ("not reproduced", "not above")
        return f"{answer}: the ratio of instructions is {where} {factor(rechecked.code_above)}"
    if rechecked.holds:
        return f"reproduced: the ratio is above {limit}"
    if rechecked.estimate.high <= rechecked.above:
        return f"not reproduced: the ratio is below {limit}"
    return f"undecided: the interval reaches from below {limit} to above it"
