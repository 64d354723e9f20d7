"""The registry service: a process that loads MXNet; it can crash at any request.

    python -m autoperf.registry.service READING WRITING LIBRARY

reads requests from one descriptor and writes replies to another.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from autoperf.backends.mxnet.capi.library import open_library
from autoperf.core.errors import AutoperfError
from autoperf.processes.channel import Channel, ChannelClosed
from autoperf.processes.child_process import parent_channel
from autoperf.registry.crawl import crawl
from autoperf.registry.graph_inference import inferred_graph
from autoperf.registry.inference import Inference
from autoperf.registry.protocol import (
    CompleteRequest,
    CompletionReply,
    CrawlRequest,
    ErrorReply,
    GradientReply,
    GradientRequest,
    GraphReply,
    GraphRequest,
    RegistryReply,
    Reply,
    Request,
    request_decoder,
)


class RegistryService:
    """Handles requests; the first one loads the library."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._cached_inference: Inference | None = None

    def replies(self, request: Request) -> Iterator[Reply]:
        """The replies to one request, each when it is ready."""
        try:
            inference = self._inference()
            if isinstance(request, CrawlRequest):
                yield RegistryReply(crawl(inference.library))
            if isinstance(request, GraphRequest):
                yield GraphReply(inferred_graph(inference, request.text, request.inputs))
        except AutoperfError as error:
            yield ErrorReply(type(error).__name__, str(error))
            return
        if isinstance(request, CompleteRequest):
            for call in request.calls:
                yield CompletionReply(inference.complete(call))
        if isinstance(request, GradientRequest):
            # It imports NumPy, which would double the service's start time.
            from autoperf.registry.gradient import gradients  # noqa: PLC0415

            for gradient in gradients(inference, request.calls, request.limit):
                yield GradientReply(gradient)

    def _inference(self) -> Inference:
        if self._cached_inference is None:
            self._cached_inference = Inference(open_library(self._path))
        return self._cached_inference


def serve(path: Path, channel: Channel[Reply, Request]) -> None:
    """Serve requests until the channel is closed."""
    service = RegistryService(path)
    with contextlib.suppress(ChannelClosed):
        while True:
            number, request = channel.receive()
            replies = enumerate(service.replies(request), number)
            flush = request.flush if isinstance(request, CompleteRequest) else 1
            while batch := list(islice(replies, flush)):
                channel.send_all(batch)


def main() -> None:
    """Serve on the pipes that the command line names."""
    serve(Path(sys.argv[3]), parent_channel(sys.argv[1:], request_decoder))
    # MXNet's engine can hang or crash at exit, and there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main()
