"""Renders a stand-alone script for a finding: it has the slow and the fast input, and measures both again."""

from __future__ import annotations

import math
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autoperf.cases.render import FORMAT, imports, literal, template, view
from autoperf.core.finding import Finding, SideRecord, cases_of, clocks_of
from autoperf.hunt.code import MIN_RATIO

BOTH = "both"
"""The function of a case that runs on both sides."""
_WIDTH = 110
_INDENT = 11


@dataclass(frozen=True)
class Circumstances:
    """How a finding was measured: the release, the seed, the framework's threads, and required environment variables.

    `sides` are the slow and the fast side of a hunt between two.
    """

    mxnet: str
    seed: int
    threads: int | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    sides: Sequence[SideRecord] = ()


def threshold(finding: Finding) -> float:
    """The ratio of both times above which a finding is confirmed: the geometric mean of the ratios with and without it.

    The ratio without it is 1 if the contrast does at least as much work, and larger otherwise. The result is at least
    MIN_RATIO.
    """
    baseline = max(1.0, finding.expected_us / finding.contrast_us)
    ratio = baseline * math.sqrt(finding.estimate.ratio)
    return max(MIN_RATIO, round(ratio, 2 if ratio < 10 else 1))


def render_finding(finding: Finding, circumstances: Circumstances, filename: str) -> str:
    """The script's text. Raises AutoperfError for a value without a literal."""
    slow, fast = cases_of(finding)
    sides = circumstances.sides
    views = [view(slow, BOTH)] if sides else [view(slow, "slow"), view(fast, "fast", finding.operator)]
    return template("finding.py.jinja").render(
        title=_title(finding, circumstances),
        summary=[line for head, text in _summary(finding, circumstances) for line in _paragraph(head, text)],
        command=" ".join([*_assignments(circumstances.variables), "python", shlex.quote(filename)]),
        operator=finding.operator,
        category=slow.category,
        mxnet=circumstances.mxnet,
        seed=circumstances.seed,
        format=FORMAT,
        imports=imports((slow, fast), "contrast"),
        cases=views,
        claimed=[BOTH, BOTH] if sides else ["slow", "fast"],
        pass_=finding.pass_,
        above=threshold(finding),
        threads=circumstances.threads,
        sides=list(map(_side_source, sides)),
        needs=" and ".join(map(_build, sides)),
        clocks=clocks_of(sides),
    )


def _title(finding: Finding, circumstances: Circumstances) -> str:
    times = _times(finding.estimate.ratio)
    if finding.sides:
        slow, fast = finding.sides
        return f"{finding.operator}, {finding.pass_}: {times} as slow on {slow} as on {fast}."
    return (
        f"{finding.operator}, {finding.pass_}, on MXNet {circumstances.mxnet}: "
        f"{times} as slow as a neighbour that does {'equal' if finding.is_equal_work else 'similar'} work."
    )


def _side_source(side: SideRecord) -> str:
    """`{"mxnet": "1.9.1"}`, with the variables of its environment, if any; `{"framework": "torch"}`."""
    if side.framework:
        return f'{{"framework": {literal(side.framework)}}}'
    variables = ", ".join(f"{literal(name)}: {literal(value)}" for name, value in side.env.items())
    env = f', "env": {{{variables}}}' if variables else ""
    return f'{{"mxnet": {literal(side.library)}{env}}}'


def _build(side: SideRecord) -> str:
    """A build that a script needs: a release by its version, another by its path too; or a framework."""
    if side.framework:
        return f"{side.words} (`{side.framework}`)"
    is_path = side.library is not None and "/" in side.library
    return f"MXNet {side.mxnet} in {side.library}" if is_path else f"MXNet {side.mxnet}"


def _summary(finding: Finding, circumstances: Circumstances) -> Iterator[tuple[str, str]]:
    """The lines of the summary as label and text."""
    ratio = finding.estimate
    count = circumstances.threads
    threads = "" if count is None else f", with {count} thread{'' if count == 1 else 's'}"
    yield "slow", f"{_microseconds(finding.actual_us)} a call, where {_microseconds(finding.expected_us)} were expected"
    yield "fast", f"{_microseconds(finding.contrast_us)} a call"
    yield "step", finding.step
    yield "ratio", f"{_times(ratio.ratio)}, 95% interval {_ratio(ratio.low)} to {_ratio(ratio.high)}{threads}"
    yield "family", finding.family
    if finding.other_pass:
        other = finding.other_pass
        yield "also", f"{other.pass_}, {_times(other.estimate.ratio)}"
    for evidence in finding.evidence:
        yield evidence.oracle, f"{_times(evidence.strength)}: {evidence.detail}"


def _paragraph(head: str, text: str) -> list[str]:
    """Wrapped lines for a docstring, continuation lines indented; none for an empty text."""
    indent = " " * _INDENT
    lines = textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return [f"{head:<{_INDENT}}{line[_INDENT:]}" if number == 0 else line for number, line in enumerate(lines)]


def _assignments(variables: Mapping[str, str]) -> list[str]:
    return [f"{name}={shlex.quote(value)}" for name, value in sorted(variables.items())]


def _times(ratio: float) -> str:
    return f"{_ratio(ratio)} times"


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}" if ratio < 100 else f"{ratio:,.0f}"


def _microseconds(value: float) -> str:
    return f"{value:,.1f} us" if value < 100 else f"{value:,.0f} us"
