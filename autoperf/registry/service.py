"""The process that has MXNet loaded and answers the registry's client; it can crash at any request.

    python -m autoperf.registry.service READING WRITING LIBRARY

takes requests from one descriptor and writes replies to another.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from autoperf.capi.library import open_library
from autoperf.core.errors import AutoperfError
from autoperf.processes.channel import Channel, ChannelClosed
from autoperf.processes.child_process import parent_channel
from autoperf.registry.crawl import crawl
from autoperf.registry.inference import Inference
from autoperf.registry.protocol import (
    CompleteRequest,
    CompletionReply,
    CrawlRequest,
    ErrorReply,
    GradientReply,
    GradientRequest,
    RegistryReply,
    Reply,
    Request,
    request_decoder,
)


class RegistryService:
    """MXNet's answers to requests; the library is loaded when the first one comes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded: Inference | None = None

    def answers(self, request: Request) -> Iterator[Reply]:
        """The replies to one request, each as soon as it is known."""
        try:
            inference = self._inference()
            if isinstance(request, CrawlRequest):
                yield RegistryReply(crawl(inference.library))
        except AutoperfError as error:
            yield ErrorReply(type(error).__name__, str(error))
            return
        if isinstance(request, CompleteRequest):
            for call in request.calls:
                yield CompletionReply(inference.complete(call))
        if isinstance(request, GradientRequest):
            # It brings NumPy, which would double the time that the service takes to start.
            from autoperf.registry.gradient import gradients  # noqa: PLC0415

            for answer in gradients(inference, request.calls, request.limit):
                yield GradientReply(answer)

    def _inference(self) -> Inference:
        if self._loaded is None:
            self._loaded = Inference(open_library(self._path))
        return self._loaded


def serve(path: Path, channel: Channel[Reply, Request]) -> None:
    """Answer requests until there are no more."""
    service = RegistryService(path)
    with contextlib.suppress(ChannelClosed):
        while True:
            number, request = channel.receive()
            answers = enumerate(service.answers(request), number)
            flush = request.flush if isinstance(request, CompleteRequest) else 1
            while some := list(islice(answers, flush)):
                channel.send_all(some)


def main() -> None:
    """Serve on the pipes that the command line names."""
    serve(Path(sys.argv[3]), parent_channel(sys.argv[1:], request_decoder))
    # MXNet's engine can hang or crash on the way out, and there is nothing left to save.
    os._exit(0)


if __name__ == "__main__":
    main()
