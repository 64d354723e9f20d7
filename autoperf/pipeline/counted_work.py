"""Counts the work of measured cases, and gives their outcomes the throughput."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from autoperf.core.case import NETWORK, Case
from autoperf.core.errors import RuleError
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import Outcome, Pass
from autoperf.core.roofline import Roofline
from autoperf.core.throughput import Throughput, dtype_of, throughput_of
from autoperf.core.work import Work, work_of
from autoperf.pipeline.batches import Batch
from autoperf.pipeline.layer_work import LayerWork
from autoperf.pipeline.sides import Side
from autoperf.rules.rule import Rule


@dataclass(frozen=True)
class WorkCounter:
    """Counts work by the rules of a side; percentages are of the roofline, if that is known."""

    side: Side
    roofline: Roofline | None
    layers: LayerWork

    def counted(self, outcome: Outcome, batch: Batch) -> Outcome:
        """The outcome with the work of its case and the throughput of its forward pass, if it was measured."""
        forward = outcome.forward
        case = batch.cases.get(outcome.case) if forward else None
        work = self._work(case) if case else None
        if forward is None or work is None:
            return outcome
        throughput = self._throughput(outcome, forward, work)
        timed = msgspec.structs.replace(forward, throughput=throughput or msgspec.UNSET)
        return msgspec.structs.replace(outcome, work=work, forward=timed)

    def _work(self, case: Case) -> Work | None:
        """The work of a case; None where the rule's formula doesn't apply, as for an input beyond its domain.

        That of a whole network is in its calls, that of a composite in the operators of its graph, and that of a layer
        is the sum over the operators' calls in its graph.
        """
        if case.category in (NETWORK, COMPOSITE_NAMESPACE):
            return None
        if case.way == "layer":
            return self.layers.of(case)
        operator = self.side.operators.get(case.operator)
        rule = self.side.release.catalog.find(operator) if operator else None
        try:
            return work_of(case, rule.flops if isinstance(rule, Rule) else None)
        except (ArithmeticError, LookupError, TypeError, ValueError, RuleError):
            return None

    def _throughput(self, outcome: Outcome, forward: Pass, work: Work) -> Throughput | None:
        series = forward.ranking_series()
        dtype = dtype_of(outcome.inputs, outcome.outputs)
        return throughput_of(work, series.median, self.roofline, dtype) if series else None
