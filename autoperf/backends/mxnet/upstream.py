"""The calls that stand before a call in its network: they leave its inputs in the layout and the caches as there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autoperf.backends.contents import contents_of
from autoperf.backends.context import Context
from autoperf.backends.mxnet.capi.invoke import Invocation, pass_mode, set_recording
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.core.case import Case, Upstream
from autoperf.core.graph import Node, split_reference

CACHE_LINE = 64


class UpstreamPasses:
    """Makes inputs of a call by the calls before it; `made` are these arrays by the names of the inputs.

    All of these calls run once. At each call of this object other memory takes the place of everything in the caches,
    as the rest of the network does; `alike`, the call itself with other weights, brings back what the network has used
    a moment ago, its code and the memory of its results; then the last of the calls before, whose results are the
    inputs, run again into the same arrays. Raises EngineError if MXNet rejects a call.
    """

    def __init__(self, library: Library, case: Case, upstream: Upstream, ctx: Context) -> None:
        self._library = library
        # One number of each cache line is read: the caches are left as by all of them, in half the time.
        self._others = np.ones(upstream.other_bytes // 8)[:: CACHE_LINE // 8]
        self.alike: Invocation | None = None
        arrays: dict[str, Sequence[NDArray]] = {}
        for item in upstream.inputs:
            values, tensor = contents_of(case, item), item.tensor
            arrays[item.name] = [NDArray.from_numpy(library, values, tensor.dtype, ctx, tensor.storage)]
        with pass_mode(library, recording=False, training=case.training):
            for node in upstream.graph.nodes:
                handles = Invocation(library, node.operator, _inputs(node, arrays), node.params)()
                arrays[node.name] = [NDArray(library, handle) for handle in handles]
            library.wait_all()
        sources = [split_reference(text) for text in upstream.graph.outputs]
        self.made = {name: arrays[node][output] for name, (node, output) in zip(upstream.names, sources, strict=True)}
        last = {node for node, _ in sources}
        self._calls = [
            Invocation(library, node.operator, _inputs(node, arrays), node.params, arrays[node.name])
            for node in upstream.graph.nodes
            if node.name in last
        ]

    def __call__(self) -> None:
        """Leaves the caches as the rest of the network does. Runs unrecorded, and waits. Raises EngineError."""
        self._others.sum()
        recorded = set_recording(self._library, False)
        if self.alike:
            outputs = self.alike()
            self._library.wait_all()
            self.alike.free(outputs)
        for call in self._calls:
            call()
        self._library.wait_all()
        set_recording(self._library, recorded)


def _inputs(node: Node, arrays: Mapping[str, Sequence[NDArray]]) -> list[NDArray]:
    return [arrays[name][output] for name, output in map(split_reference, node.inputs)]
