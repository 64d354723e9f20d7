"""Findings of hunts in words, and a finding that was measured again."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.text import Text

from autoperf.core.case import Case
from autoperf.core.finding import MIN_ROUNDS, CauseRanking, Estimate, Evidence, Finding, Rechecked
from autoperf.reports.layout import beside, hanging
from autoperf.reports.units import count, describe_case, duration, factor, one_line, percent, split_words
from autoperf.results.huntfile import inputs_record

_TIME = 10
_RATIO = 8
_INTERVAL = 16
_FIGURES = _TIME + _RATIO + _INTERVAL
_HEAD = "slow  "
_SINGLE = "this input"
_SOURCES = {
    "model": "cost model",
    "kin": "equivalent operator",
    "forward": "forward pass",
    "side": "other side",
}


def inputs_of(slow: Case, fast: Case, sides: tuple[str, str] | None) -> tuple[str, str]:
    """The slow and the fast input in words, with another operator's name; between two sides it is one input on both."""
    if sides is None:
        name = "" if fast.operator == slow.operator else f"{fast.operator}: "
        return describe_case(slow), f"{name}{describe_case(fast)}"
    return f"{describe_case(slow)} on {sides[0]}", f"the same input on {sides[1]}"


def finding_inputs(finding: Finding) -> tuple[str, str]:
    """The slow and the fast input of a finding in words."""
    return inputs_of(finding.case, finding.contrast, finding.sides)


def finding_line(finding: Finding) -> str:
    """A finding in one line: `softmax backward: 4.20 times [4.07, 4.37] | data (4096, 64); axis=0 | its family`."""
    head = f"{finding.operator} {finding.pass_}: {factor(finding.estimate.ratio)} times {interval(finding.estimate)}"
    words = "" if finding.family.startswith(_SINGLE) else finding.family
    parts = map(one_line, (head, finding_inputs(finding)[0], words))
    return " | ".join(part for part in parts if part)


def interval(estimate: Estimate) -> str:
    """`[4.07, 4.37]`."""
    return f"[{factor(estimate.low)}, {factor(estimate.high)}]"


def kernels(finding: Finding) -> str:
    """Each kernel's mean time a call, with its time on the fast input: `softmax 1.20 ms (fast: 260 us)`."""
    names = dict.fromkeys((*finding.kernels, *finding.contrast_kernels))
    return ", ".join(
        f"{one_line(name)} {duration(finding.kernels.get(name))} (fast: {duration(finding.contrast_kernels.get(name))})"
        for name in names
    )


def family(finding: Finding) -> str:
    """The family. Earlier versions gave longer reasons why there is only a single input."""
    words = finding.family
    if not words.startswith(_SINGLE):
        return words
    return f"{_SINGLE} only{': the budget ended before others were tested' * ('budget' in words)}"


def held(finding: Finding) -> str:
    """The check of the family by fresh draws: `8 of 8 fresh inputs of it are slow, 7 of 8 others are not`.

    Empty for a single input. It also states that the budget ended the search for a wider family.
    """
    check = finding.check
    if check is None or check.single or not check.inside:
        return ""
    others = f", {check.outside_fast} of {check.outside} others are not" if check.outside else ""
    wider = "; the budget ended before a wider family was tested" if check.unfinished else ""
    return f"{check.inside_slow} of {check.inside} fresh inputs of it are slow{others}{wider}"


def evidence_source(evidence: Evidence) -> str:
    """The source of evidence in words."""
    return _SOURCES.get(evidence.oracle, evidence.oracle)


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


def is_command(reference: str) -> bool:
    """Whether the reference to a finding is the command that replays it, not the path of its script."""
    return reference.startswith("autoperf ")


def recheck_json(rechecked: Rechecked) -> str:
    """One document."""
    value = {
        "operator": rechecked.operator,
        "pass": rechecked.pass_,
        "holds": rechecked.holds,
        "ratio": rechecked.estimate.ratio,
        "low": rechecked.estimate.low,
        "high": rechecked.estimate.high,
        "above": rechecked.above,
        "slow": inputs_record(rechecked.slow),
        "slow_us": rechecked.slow_us,
        "fast": inputs_record(rechecked.fast),
        "fast_us": rechecked.fast_us,
        "rounds": rechecked.rounds,
        "mxnet": rechecked.mxnet,
        "threads": rechecked.threads,
        "sides": rechecked.sides,
    }
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def recheck_lines(rechecked: Rechecked, width: int) -> Iterator[Text]:
    """The heading, a row for each input, the conditions, and the verdict."""
    left = max(len(_HEAD) + 1, width - _FIGURES)
    titles = f"{'time':>{_TIME}}{'ratio':>{_RATIO}}{'95% interval':>{_INTERVAL}}"
    yield Text.assemble((f"{rechecked.operator} {rechecked.pass_}".ljust(left), "bold cyan"), (titles, "dim"))
    ratio = rechecked.estimate
    figures = f"{duration(rechecked.slow_us):>{_TIME}}{factor(ratio.ratio):>{_RATIO}}{interval(ratio):>{_INTERVAL}}"
    slow, fast = map(split_words, inputs_of(rechecked.slow, rechecked.fast, rechecked.sides))
    yield from beside(_HEAD, slow, figures, left)
    yield from beside("fast  ", fast, f"{duration(rechecked.fast_us):>{_TIME}}", left)
    yield from hanging("", _conditions(rechecked).split(), width, "dim")
    for note in _notes(rechecked):
        yield from hanging("note: ", note.split(), width, "yellow")
    yield from hanging("", _verdict(rechecked).split(), width, "bold red" if rechecked.holds else "bold green")


def _conditions(rechecked: Rechecked) -> str:
    threads = "" if rechecked.threads is None else f", {count(rechecked.threads, 'thread')}"
    builds = " and ".join(rechecked.sides or (f"MXNet {rechecked.mxnet}",))
    return f"by the wall clock in {count(rechecked.rounds, 'round')}, {builds}{threads}"


def _notes(rechecked: Rechecked) -> Iterator[str]:
    if rechecked.found_threads is not None and rechecked.threads not in (None, rechecked.found_threads):
        yield f"it was found with {count(rechecked.found_threads, 'thread')}; OMP_NUM_THREADS sets them"
    if rechecked.rounds < MIN_ROUNDS:
        rounds = count(rechecked.rounds, "round")
        yield f"{rounds} in the time given: too few for a 95% interval; --time-budget gives more"


def _verdict(rechecked: Rechecked) -> str:
    limit = factor(rechecked.above)
    if rechecked.holds:
        return f"reproduced: the ratio is above {limit}"
    if rechecked.estimate.high <= rechecked.above:
        return f"not reproduced: the ratio is below {limit}"
    return f"undecided: the interval reaches from below {limit} to above it; more --rounds may decide"
