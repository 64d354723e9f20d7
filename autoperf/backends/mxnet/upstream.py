"""The calls that stand before a call in its network: they leave its inputs in the layout and the caches as there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from autoperf.backends.contents import contents_of
from autoperf.backends.context import Context
from autoperf.backends.mxnet.capi.invoke import Invocation, pass_mode, set_recording
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.backends.mxnet.python_operators import resolve_params
from autoperf.core.case import Case, Upstream
from autoperf.core.graph import Node, split_reference

MAX_COPIED_BYTES = 2**26
"""Weights of more bytes leave the caches by themselves between two calls."""


class UpstreamPasses:
    """Makes inputs of a call by the calls before it; `made` are these arrays by the names of the inputs.

    All of these calls run once. At each call of this object other memory takes the place of everything in the caches,
    as the rest of the network does; `alike`, the call itself with other weights, brings back what the network has used
    a moment ago, its code and the memory of its results; then the last of the calls before, whose results are the
    inputs, run again into the same arrays. A call with `inputs` has such a twin. Raises EngineError if MXNet rejects a
    call.
    """

    def __init__(self, library: Library, case: Case, upstream: Upstream, ctx: Context) -> None:
        self._library, self._case, self._ctx = library, case, ctx
        self.inputs: Mapping[str, NDArray] = {}
        self._others = np.ones(upstream.other_bytes // 8)
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

    @cached_property
    def alike(self) -> Invocation | None:
        """The call on the results of others and on copies of its weights; those that fill the caches are shared.

        The first pass makes it: a process that counts instructions needs none.
        """
        if not self.inputs:
            return None
        weights = [item for item in self._case.arguments if item.name not in self.made]
        is_copied = sum(item.tensor.nbytes for item in weights) < MAX_COPIED_BYTES
        copies = {item.name: self._copy(self.inputs[item.name]) for item in (weights if is_copied else ())}
        arrays = {**self.inputs, **copies}
        arguments = [arrays[item.name] for item in self._case.arguments]
        return Invocation(
            self._library, self._case.operator, arguments, resolve_params(self._library, self._case.params)
        )

    def _copy(self, array: NDArray) -> NDArray:
        return NDArray.from_numpy(self._library, array.to_numpy(), array.dtype, self._ctx, array.storage)

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
