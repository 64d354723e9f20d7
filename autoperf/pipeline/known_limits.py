"""Known limits of a build on a processor: a failure that the rule of an operator states is a skip, with its reason."""

from __future__ import annotations

import msgspec

from autoperf.core.outcome import Outcome, Status
from autoperf.pipeline.sides import Side
from autoperf.rules.rule import Rule


def with_known_limit(side: Side, outcome: Outcome) -> Outcome:
    """The outcome; a failed case whose rule states MXNet's words as a limit becomes skipped."""
    if outcome.status is not Status.FAILED:
        return outcome
    operator = side.operators.get(outcome.operator)
    rule = side.release.catalog.find(operator) if operator else None
    limits = rule.limits if isinstance(rule, Rule) else {}
    limit = next((text for words, text in limits.items() if words in outcome.reason), None)
    if limit is None:
        return outcome
    reason = f"a known limit on this processor: {limit}: {outcome.reason}"
    return msgspec.structs.replace(outcome, status=Status.SKIPPED, reason=reason)
