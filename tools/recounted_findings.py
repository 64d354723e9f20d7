"""Findings of earlier hunts by today's counts of work: which of them today's hunt wouldn't call a finding.

Rules learn to count what a call has to do, and steps that turn out to lead to other work are no longer taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from autoperf.backends.contents import differentiable_inputs
from autoperf.core.case import Case
from autoperf.core.errors import RuleError
from autoperf.core.finding import Finding
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.work import Work, work_of
from autoperf.hunt.contents import drawn_share
from autoperf.hunt.contrast import TOLERANCE, min_work_share
from autoperf.rules.rule import Rule

LESS = 0.99
"""A share below this part of the earlier one counts less work."""


def is_outdated(finding: Finding, rules: Mapping[str, Rule], least: float) -> bool:
    """Whether its ratio for equal work, at least `least` in the hunt, is less by today's count of work."""
    if finding.sides:
        return False
    share = work_share(finding.case, finding.contrast, rules, finding.pass_)
    earlier = finding.contrast_us / finding.expected_us
    ratio = finding.actual_us / finding.contrast_us * share
    return _permutes(finding) or (share < LESS * min(1.0, earlier) and ratio < TOLERANCE * least)


def work_share(slow: Case, fast: Case, rules: Mapping[str, Rule], pass_: PassName) -> float:
    """The work of the fast case as a share of the slow one's, at most 1; 1 where a count needs what a case lacks."""
    try:
        works = works_in(pass_, slow, fast, rules)
    except (ArithmeticError, LookupError, RuleError, StopIteration, TypeError, ValueError):
        works = None
    if slow.operator != fast.operator:
        return min(1.0, works[1].bytes / max(works[0].bytes, 1.0)) if works else 1.0
    return min(min_work_share(*works) if works else 1.0, drawn_share(slow, fast))


def works_in(pass_: PassName, slow: Case, fast: Case, rules: Mapping[str, Rule]) -> tuple[Work, Work] | None:
    """The work of both cases in a pass.

    The first logs that were kept lack outputs, so that only a rule's own count of operations says something of them.
    """
    rule, other = rules[slow.operator], rules[fast.operator]
    if slow.outputs and fast.outputs:
        if pass_ == PASSES[1]:
            backward = rule.backward_work(slow, differentiable_inputs(slow))
            of_fast = other.backward_work(fast, differentiable_inputs(fast))
            if backward and of_fast:
                return backward, of_fast
        return work_of(slow, rule.flops), work_of(fast, other.flops)
    if pass_ == PASSES[1] or not rule.flops or rule is not other:
        return None
    return Work(0.0, 0.0, 0.0, rule.flops(slow)), Work(0.0, 0.0, 0.0, rule.flops(fast))


def _permutes(finding: Finding) -> bool:
    """Whether axes were exchanged together with a parameter that orders all of them, as of `transpose`."""
    ranks = [len(item.tensor.shape) for item in finding.case.inputs]
    exchanged = {
        f"axes {first} and {second} exchanged" for first, second in combinations(range(max(ranks, default=0)), 2)
    }
    ordered = (value for name, value in finding.case.params.items() if name == "axes" and isinstance(value, tuple))
    return finding.step in exchanged and any(len(value) == max(ranks) > 1 for value in ordered)
