"""MXNet in the process that reads the operators of its library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autoperf.backends.mxnet.capi.graph_symbol import graph_text
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.crawl import crawl
from autoperf.backends.mxnet.graph_inference import inferred_graph
from autoperf.backends.mxnet.inference import Inference
from autoperf.core.graph import Graph
from autoperf.core.operator import Registry
from autoperf.core.tensors import ArrayType
from autoperf.registry.calls import Completion, Gradient, InferenceCall, InferredGraph


class MXNetIntrospection:
    """The library in the process that reads its operators."""

    def __init__(self, path: Path) -> None:
        """Loads the library. Raises LibraryError."""
        self._inference = Inference(open_library(path))

    def registry(self) -> Registry:
        """All operators that the library registers."""
        return crawl(self._inference.library)

    def complete(self, call: InferenceCall) -> Completion:
        """The call with the types that MXNet infers, or its error."""
        return self._inference.complete(call)

    def gradients(self, calls: Sequence[InferenceCall], limit: float) -> Iterable[Gradient]:
        """The gradients by MXNet's pass, or by runs in forks."""
        # It imports NumPy, which would double the service's start time.
        from autoperf.backends.mxnet.gradient import gradients  # noqa: PLC0415

        return gradients(self._inference, tuple(calls), limit)

    def graph(self, network: str | Graph, inputs: Mapping[str, ArrayType]) -> InferredGraph:
        """The nodes of a network in MXNet's JSON, or of a graph."""
        text = network if isinstance(network, str) else graph_text(self._inference.library, network)
        return inferred_graph(self._inference, text, dict(inputs))
