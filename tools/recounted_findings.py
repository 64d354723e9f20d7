"""Findings of earlier hunts by today's rules: which of them today's hunt wouldn't call a finding.

Rules learn to count what a call has to do, and which tensors don't fit each other.
"""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.case import Case
from autoperf.core.errors import RuleError
from autoperf.core.finding import Finding
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.work import Work
from autoperf.hunt.contents import drawn_share
from autoperf.hunt.contrast import TOLERANCE, counted_share
from autoperf.hunt.point import works_of
from autoperf.rules.rule import Rule

LESS = 0.99
"""A share below this part of the earlier one counts less work."""


def is_outdated(finding: Finding, rules: Mapping[str, Rule], least: float) -> bool:
    """Whether tensors don't fit each other, or the ratio for equal work, at least `least` in the hunt, is now less."""
    known = [(rules[case.operator], case) for case in (finding.case, finding.contrast) if case.operator in rules]
    if any(rule.misfit(case) for rule, case in known):
        return True
    if finding.sides:
        return False
    share = work_share(finding.case, finding.contrast, rules, finding.pass_)
    earlier = finding.contrast_us / finding.expected_us
    ratio = finding.actual_us / finding.contrast_us * share
    return share < LESS * min(1.0, earlier) and ratio < TOLERANCE * least


def work_share(slow: Case, fast: Case, rules: Mapping[str, Rule], pass_: PassName) -> float:
    """The work of the fast case as a share of the slow one's, at most 1; 1 where a count needs what a case lacks."""
    try:
        works = works_in(pass_, slow, fast, rules)
    except (ArithmeticError, LookupError, RuleError, StopIteration, TypeError, ValueError):
        works = None
    if works:
        return counted_share(slow, fast, works)
    return drawn_share(slow, fast) if slow.operator == fast.operator else 1.0


def works_in(pass_: PassName, slow: Case, fast: Case, rules: Mapping[str, Rule]) -> tuple[Work, Work] | None:
    """The work of both cases in a pass.

    The first logs that were kept lack outputs, so that only a rule's own count of a forward pass says something.
    """
    rule, other = rules[slow.operator], rules[fast.operator]
    is_backward = pass_ == PASSES[1]
    if slow.outputs and fast.outputs:
        (forward, backward), (of_fast, back_of_fast) = works_of(slow, rule), works_of(fast, other)
        return (backward, back_of_fast) if is_backward and backward and back_of_fast else (forward, of_fast)
    if is_backward or not rule.counted or rule is not other:
        return None
    return Work(0.0, 0.0, 0.0, rule.counted(slow)), Work(0.0, 0.0, 0.0, rule.counted(fast))
