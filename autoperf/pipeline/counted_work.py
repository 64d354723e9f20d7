"""Counts the work of measured cases, and gives their outcomes the throughput."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from autoperf.core.case import Case
from autoperf.core.modes import NETWORK
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import Outcome, Pass
from autoperf.core.roofline import Roofline
from autoperf.core.throughput import dtype_of, throughput_of
from autoperf.core.work import PassWorks, Work, work_of
from autoperf.pipeline.known_work import if_known
from autoperf.pipeline.layer_work import LayerWork
from autoperf.pipeline.sides import Side
from autoperf.rules.rule import Rule


@dataclass(frozen=True)
class WorkCounter:
    """Counts work by the rules of a side; percentages are of the roofline, if that is known."""

    side: Side
    roofline: Roofline | None
    layers: LayerWork

    def counted(self, outcome: Outcome, case: Case | None) -> Outcome:
        """The outcome with the work of its case's passes and their throughput, if they were measured."""
        if case is None or not outcome.forward:
            return outcome
        works = self._works(case, outcome.backward)
        dtype = dtype_of(outcome.inputs, outcome.outputs)
        return msgspec.structs.replace(
            outcome,
            work=works.forward or msgspec.UNSET,
            backward_work=works.backward or msgspec.UNSET,
            forward=self._with_throughput(outcome.forward, works.forward, dtype),
            backward=self._with_throughput(outcome.backward, works.backward, dtype),
        )

    def _works(self, case: Case, backward: Pass | None) -> PassWorks:
        """The work of a case's passes; None where a formula doesn't apply, as for an input beyond its domain.

        That of a whole network is in its calls, that of a composite in the operators of its graph, and that of a layer
        is the sum over the operators' calls in its graph.
        """
        if case.category in (NETWORK, COMPOSITE_NAMESPACE):
            return PassWorks()
        if case.way == "layer":
            works = self.layers.of(case)
            return works if backward else PassWorks(works.forward)
        operator = self.side.operators.get(case.operator)
        rule = self.side.release.catalog.find(operator) if operator else None
        known = rule if isinstance(rule, Rule) else None
        return PassWorks(
            if_known(lambda: work_of(case, known.forward_flops if known else None)),
            if_known(lambda: _backward_work(case, known, backward)),
        )

    def _with_throughput(self, run: Pass | None, work: Work | None, dtype: str) -> Pass | None:
        series = run.ranking_series() if run else None
        if run is None or work is None or series is None:
            return run
        throughput = throughput_of(work, series.median, self.roofline, dtype)
        return msgspec.structs.replace(run, throughput=throughput or msgspec.UNSET)


def _backward_work(case: Case, rule: Rule | None, backward: Pass | None) -> Work | None:
    """The work of a backward pass; None without a formula, and where it isn't known which gradients it wrote."""
    if rule is None or backward is None or not backward.gradients:
        return None
    return rule.backward_work(case, backward.gradients)
