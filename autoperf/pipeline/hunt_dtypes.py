"""The dtypes of a hunt: a rule that is restricted to some of them draws and edits inputs in these alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autoperf.core.errors import UsageError
from autoperf.pipeline.selection import Target


def in_dtypes(target: Target, dtypes: Sequence[str]) -> Target:
    """The target with a rule for these dtypes, of which the first is its natural one; empty means as it is.

    Raises UsageError if MXNet doesn't check dtypes and the operator takes none of these.
    """
    rule = target.rule
    if rule is None or not dtypes:
        return target
    taken = tuple(dtype for dtype in dtypes if not rule.dtypes or dtype in rule.dtypes)
    if not taken:
        raise UsageError(f"invalid --dtype {','.join(dtypes)}: {target.operator.name} takes {', '.join(rule.dtypes)}")
    return replace(target, rule=replace(rule, dtype=taken[0], dtypes=taken))
