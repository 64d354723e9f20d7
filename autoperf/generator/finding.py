"""A stand-alone script for one finding: it states the slow input and the fast one, and says whether it is still so."""

from __future__ import annotations

import math
import shlex
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from autoperf.core.case import Case
from autoperf.core.finding import Finding
from autoperf.generator.views import FORMAT, imports, template, view

FINDING = "finding"
CONTRAST = "contrast"
"""The profiles of a finding's two cases."""
MIN_RATIO = 1.2
_WIDTH = 110
_INDENT = 11


@dataclass(frozen=True)
class Circumstances:
    """Under which a finding was made: the release, the seed, MXNet's threads, and variables without which it isn't."""

    mxnet: str
    seed: int
    threads: int | None = None
    variables: Mapping[str, str] = field(default_factory=dict)


def threshold(finding: Finding) -> float:
    """The ratio of both times above which it still holds: on a logarithmic scale half way to where it would be without.

    That is 1 where the contrast asks for at least as much work, and more where it asks for less. 1.2 at least.
    """
    cured = max(1.0, finding.expected_us / finding.contrast_us)
    ratio = cured * math.sqrt(finding.estimate.ratio)
    return max(MIN_RATIO, round(ratio, 2 if ratio < 10 else 1))


def cases_of(finding: Finding) -> tuple[Case, Case]:
    """The slow case and the fast one, by their profiles."""
    return (
        msgspec.structs.replace(finding.case, profile=FINDING),
        msgspec.structs.replace(finding.contrast, profile=CONTRAST),
    )


def render_finding(finding: Finding, found: Circumstances, filename: str) -> str:
    """The script's text. Raises AutoperfError for a value that has no literal."""
    slow, fast = cases_of(finding)
    above = threshold(finding)
    return template("finding.py.jinja").render(
        title=_title(finding, found),
        story=[line for head, text in _story(finding, found) for line in _paragraph(head, text)],
        command=" ".join([*_assignments(found.variables), "python", shlex.quote(filename)]),
        operator=finding.operator,
        category=slow.category,
        mxnet=found.mxnet,
        seed=found.seed,
        format=FORMAT,
        imports=imports((slow, fast), "contrast"),
        cases=[view(slow, "slow"), view(fast, "fast")],
        pass_=finding.pass_,
        above=above,
        threads=found.threads,
    )


def _title(finding: Finding, found: Circumstances) -> str:
    return (
        f"{finding.operator}, {finding.pass_}, on MXNet {found.mxnet}: "
        f"{_times(finding.estimate.ratio)} as slow as a neighbour that asks for as much work."
    )


def _story(finding: Finding, found: Circumstances) -> Iterator[tuple[str, str]]:
    """What there is to say of it, each under a word."""
    ratio = finding.estimate
    threads = "" if found.threads is None else f", with {found.threads} thread{'' if found.threads == 1 else 's'}"
    yield "slow", f"{_microseconds(finding.actual_us)} a call, where {_microseconds(finding.expected_us)} were expected"
    yield "fast", f"{_microseconds(finding.contrast_us)} a call"
    yield "step", finding.step
    yield "ratio", f"{_times(ratio.ratio)}, 95% interval {_ratio(ratio.low)} to {_ratio(ratio.high)}{threads}"
    yield "family", finding.family
    for one in finding.evidence:
        yield one.oracle, f"{_times(one.strength)}: {one.detail}"


def _paragraph(head: str, text: str) -> list[str]:
    """Lines that a docstring can hold, those that go on indented; none if there is nothing to say."""
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
