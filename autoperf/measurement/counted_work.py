"""Counts the work of measured cases, and their throughput."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeVar

import msgspec

from autoperf.backends.contents import differentiable_inputs
from autoperf.cases.release import Release, subject
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError
from autoperf.core.files import Closable
from autoperf.core.machine import Roofline, dtype_of, throughput_of
from autoperf.core.modes import HYBRIDIZE, NETWORK
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import Outcome, Pass
from autoperf.core.tensors import ArrayType
from autoperf.core.work import PassWorks, Work, work_of
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import Side
from autoperf.networks.calls import NetworkCall, NetworkGraph, case_of, gradient_places
from autoperf.networks.tracing_client import TracingClient
from autoperf.registry.calls import InferredNode, call_of
from autoperf.rules.rule import Draft, Rule


class LayerWork(Closable):
    """Counts the work of layers, whose graphs a process that imports the front end traces; use it as a context."""

    def __init__(self, release: Release, settings: Settings) -> None:
        self._release = release
        self._client = TracingClient(release.library, settings.timeout, settings.bytes_allowed)
        self._known: dict[str, PassWorks] = {}
        self._subject = cache(partial(subject, release))

    def close(self) -> None:
        """Ends the process that traces."""
        self._client.close()

    def of(self, case: Case) -> PassWorks:
        """The work of a layer's passes; None if it has no graph, or if a call in it can't be made by itself."""
        params = {name: value for name, value in case.params.items() if name != HYBRIDIZE}
        plain = msgspec.structs.replace(case, params=params)
        if plain.digest not in self._known:
            self._known[plain.digest] = self._works(plain)
        return self._known[plain.digest]

    def _works(self, case: Case) -> PassWorks:
        layer = if_known(lambda: self._traced(case))
        if layer is None:
            return PassWorks()
        return PassWorks(if_known(lambda: _sum(self._forward(layer))), if_known(lambda: _sum(self._backward(layer))))

    def _forward(self, layer: _TracedLayer) -> Iterator[tuple[int, Work]]:
        for call in layer.network.distinct_calls():
            case, rule = self._call(call, layer)
            yield call.count, rule.forward_work(case) if rule else work_of(case)

    def _backward(self, layer: _TracedLayer) -> Iterator[tuple[int, Work]]:
        """The work of the backward pass of each call that gets gradients. Raises ValueError if it isn't known."""
        if layer.network.nested:
            raise ValueError("the gradients of loops and branches aren't followed")
        calls = {number: self._call(call, layer) for number, call in layer.network.calls_by_node()}
        flow = gradient_places(
            layer.network.graph, layer.gets_gradient, lambda number: self._is_differentiable(*calls[number])
        )
        for number, places in flow.items():
            case, rule = calls[number]
            work = rule.backward_work(case, tuple(case.inputs[place].name for place in places)) if rule else None
            if work is None:
                raise ValueError(f"no formula for the backward pass of {case.operator}")
            yield 1, work

    def _is_differentiable(self, case: Case, rule: Rule | None) -> bool:
        """Whether a call has a gradient: its rule counts the work of that, or MXNet doesn't deny one."""
        if rule and rule.backward:
            return True
        (gradient,) = self._release.client.gradients([call_of(case)])
        return gradient.differentiable is not False

    def _call(self, call: NetworkCall, layer: _TracedLayer) -> tuple[Case, Rule | None]:
        """A call of the layer as a case, and the operator's rule. Raises ValueError if it isn't valid by itself."""
        operator = self._subject(call.operator)
        made = case_of(call, operator, training=layer.training)
        if not isinstance(made, Case):
            raise ValueError(made.reason)
        return made, operator.rule

    def _traced(self, case: Case) -> _TracedLayer:
        traced = self._client.trace_layer(case, self._release.layers)
        # A layer may leave an input unused.
        variables = traced.variables
        types = {variables[item.name]: item.tensor.type for item in case.inputs if item.name in variables}
        known = {name: ArrayType(kind.shape, kind.dtype) for name, kind in types.items()}
        drafts = {name: Draft(kind.shape, kind.dtype) for name, kind in types.items()}
        network = NetworkGraph(self._release.client.graph(traced.text, known), drafts)
        differentiable = (variables[name] for name in differentiable_inputs(case) if name in variables)
        return _TracedLayer(network, frozenset(types) - frozenset(differentiable), case.training)


@dataclass(frozen=True)
class _TracedLayer:
    """A layer's graph, and the names of its inputs that get no gradient; its parameters do."""

    network: NetworkGraph
    constants: frozenset[str]
    training: bool

    def gets_gradient(self, variable: InferredNode) -> bool:
        """Whether a variable gets a gradient."""
        return variable.name not in self.constants


def _sum(counted: Iterable[tuple[int, Work]]) -> Work:
    """The work of several calls. Raises ValueError for none: the layer's work is elsewhere."""
    works = list(counted)
    if not works:
        raise ValueError("no calls")
    return Work(
        bytes_in=math.fsum(number * work.bytes_in for number, work in works),
        bytes_out=math.fsum(number * work.bytes_out for number, work in works),
        elements=max((work.elements for _, work in works), default=0.0),
        flops=math.fsum(number * work.flops for number, work in works),
    )


T = TypeVar("T")


def if_known(formula: Callable[[], T]) -> T | None:
    """The formula's result; None if it doesn't apply, for instance to an input beyond its domain."""
    try:
        return formula()
    except (AutoperfError, ArithmeticError, LookupError, TypeError, ValueError):
        return None


@dataclass(frozen=True)
class WorkCounter:
    """Counts work by the rules of a side, as a share of the roofline if that is known."""

    side: Side
    roofline: Roofline | None
    layers: LayerWork

    def counted(self, outcome: Outcome, case: Case | None) -> dict[str, Work | Pass | None]:
        """The fields of the outcome that its case's work fills: the work of its passes, and they with throughput."""
        if case is None or not outcome.forward:
            return {}
        works = self._works(case, outcome.backward)
        dtype = dtype_of(outcome.inputs, outcome.outputs)
        counted = {"work": works.forward, "backward_work": works.backward}
        return {
            **{name: work for name, work in counted.items() if work},
            "forward": self._with_throughput(outcome.forward, works.forward, dtype),
            "backward": self._with_throughput(outcome.backward, works.backward, dtype),
        }

    def _works(self, case: Case, backward: Pass | None) -> PassWorks:
        """The work of a case's passes; None where no formula applies.

        The work of a network is counted in its calls, of a composite in its operators; a layer has the sum over the
        calls in its graph.
        """
        if case.category in (NETWORK, COMPOSITE_NAMESPACE):
            return PassWorks()
        if case.way == "layer":
            works = self.layers.of(case)
            return works if backward else PassWorks(works.forward)
        rule = self.side.rule(case.operator)
        return PassWorks(
            if_known(lambda: rule.forward_work(case) if rule else work_of(case)),
            if_known(lambda: _backward_work(case, rule, backward)),
        )

    def _with_throughput(self, run: Pass | None, work: Work | None, dtype: str) -> Pass | None:
        series = run.ranking_series() if run else None
        if run is None or work is None or series is None:
            return run
        throughput = throughput_of(work, series.median, self.roofline, dtype)
        return msgspec.structs.replace(run, throughput=throughput or msgspec.UNSET)


def _backward_work(case: Case, rule: Rule | None, backward: Pass | None) -> Work | None:
    """The work of a backward pass; None without a formula, or if the written gradients aren't known."""
    if rule is None or backward is None or not backward.gradients:
        return None
    return rule.backward_work(case, backward.gradients)
