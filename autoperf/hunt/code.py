"""The functions in which a finding's slow input spends more instructions for each unit of work than its fast one."""

from __future__ import annotations

import re
from typing import TypeAlias

from autoperf.core.counts import KERNELS, CodeCount, Functions
from autoperf.core.finding import Estimate, FindingCode, FunctionPair
from autoperf.counts.functions import shortened
from autoperf.reports.units import factor, one_line

# Functions are listed whose excess is at least this share of the instructions; a line has the first few.
MIN_EXCESS = 0.02
MAX_LISTED, MAX_SHOWN = 8, 3
MIN_RATIO = 1.2
"""The smallest ratio above which the times of a finding hold."""
_TEMPLATE = re.compile(r"<.*", re.DOTALL)
# The wrapper of all kernels of MXNet's: what it runs is its first argument.
_WRAPPER = re.compile(r"Kernel<(\w+)")


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


def shared_code(code: FindingCode) -> str:
    """The template or function that spends most more, without its arguments: operators of the same code share it.

    Empty where instructions don't show the finding.
    """
    pair = next(iter(code.functions), None)
    if pair is None or pair.excess(code.work) <= 0:
        return ""
    name = pair.name.removeprefix("below ")
    wrapped = _WRAPPER.match(name)
    return wrapped[1] if wrapped else _TEMPLATE.sub("", name)


def code_line(code: FindingCode) -> str:
    """`instructions 9.33 times for equal work: around_forward 950,338 (fast: 0), lround 884,736 (fast: 0)`."""
    shown = (pair for pair in code.functions[:MAX_SHOWN] if pair.excess(code.work) > 0)
    listed = ", ".join(f"{one_line(shortened(pair.name))} {pair.slow:,} (fast: {pair.fast:,})" for pair in shown)
    return f"instructions {factor(code.ratio)} times for equal work{f': {listed}' if listed else ''}"


def code_details(code: FindingCode | None, times: Estimate) -> list[tuple[str, str]]:
    """The line of a finding's code, and which of the two signals shows it, each with its label; empty if uncounted.

    `times` is the ratio of the finding's times.
    """
    return [] if code is None else [("code", code_line(code)), ("shown by", _SHOWN[shown_by(code, times)])]


def shown_by(code: FindingCode, times: Estimate) -> Shown:
    """Whether times and instructions show a finding: times by the smallest limit of a recheck."""
    return times.low > MIN_RATIO, code.shows(times.ratio)
