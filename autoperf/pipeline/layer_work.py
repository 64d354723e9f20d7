"""The work of layers: that of the operators' calls in their graphs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import msgspec

from autoperf.core.case import Case
from autoperf.core.closable import Closable
from autoperf.core.errors import AutoperfError
from autoperf.core.layers import HYBRIDIZE
from autoperf.core.tensors import ArrayType
from autoperf.core.work import Work, work_of
from autoperf.executor.settings import Settings
from autoperf.networks.call_cases import case_of
from autoperf.networks.calls import NetworkGraph
from autoperf.networks.tracing_client import TracingClient
from autoperf.pipeline.capture import subject
from autoperf.pipeline.release import Release
from autoperf.rules.rule import Draft


class LayerWork(Closable):
    """Counts the work of layers, whose graphs a process that imports the front end traces; use it as a context."""

    def __init__(self, release: Release, settings: Settings) -> None:
        self._release = release
        self._client = TracingClient(release.library, settings.timeout, settings.bytes_allowed)
        self._known: dict[str, Work | None] = {}
        self._subject = cache(lambda operator: subject(release, operator))

    def close(self) -> None:
        """Ends the process that traces."""
        self._client.close()

    def of(self, case: Case) -> Work | None:
        """The work of a layer; None if it has no graph, or if a call in it can't be made by itself."""
        params = {name: value for name, value in case.params.items() if name != HYBRIDIZE}
        plain = msgspec.structs.replace(case, params=params)
        if plain.digest not in self._known:
            try:
                self._known[plain.digest] = _sum(list(self._works(plain)))
            except (AutoperfError, ArithmeticError, LookupError, TypeError, ValueError):
                self._known[plain.digest] = None
        return self._known[plain.digest]

    def _works(self, case: Case) -> Iterator[tuple[int, Work]]:
        """The work of each distinct call, and how often the layer makes it."""
        for call in self._graph(case).distinct_calls():
            made = case_of(call, self._subject(call.operator), training=case.training)
            if not isinstance(made, Case):
                raise ValueError(made.reason)
            rule = self._subject(call.operator).rule
            yield call.count, work_of(made, rule.flops if rule else None)

    def _graph(self, case: Case) -> NetworkGraph:
        traced = self._client.trace_layer(case, self._release.layers)
        types = {traced.variables[item.name]: item.tensor.type for item in case.inputs}
        known = {name: ArrayType(kind.shape, kind.dtype) for name, kind in types.items()}
        drafts = {name: Draft(kind.shape, kind.dtype) for name, kind in types.items()}
        return NetworkGraph(self._release.client.graph(traced.text, known), drafts)


def _sum(works: list[tuple[int, Work]]) -> Work:
    return Work(
        bytes_in=math.fsum(number * work.bytes_in for number, work in works),
        bytes_out=math.fsum(number * work.bytes_out for number, work in works),
        elements=max((work.elements for _, work in works), default=0.0),
        flops=math.fsum(number * work.flops for number, work in works),
    )
