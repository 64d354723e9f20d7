"""The process that has MXNet loaded and answers the registry's client; `python -m autoperf.registry.service PATH`.

It can crash at any request: the client starts another. Whatever MXNet prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from autoperf.capi.library import open_library
from autoperf.capi.linux import die_with_parent
from autoperf.core.errors import AutoperfError
from autoperf.registry.crawl import crawl
from autoperf.registry.inference import Inference
from autoperf.registry.protocol import (
    CompleteRequest,
    CompletionReply,
    CrawlRequest,
    Failure,
    GradientReply,
    GradientRequest,
    Reader,
    RegistryReply,
    Reply,
    Request,
    send,
)


class Service:
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
            yield Failure(type(error).__name__, str(error))
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


def serve(path: Path, requests: int, replies: int) -> None:
    """Answer requests from one descriptor on another until there are no more."""
    service, reader = Service(path), Reader(requests)
    with contextlib.suppress(BrokenPipeError):
        while (request := reader.request()) is not None:
            answers = service.answers(request)
            flush = request.flush if isinstance(request, CompleteRequest) else 1
            while some := list(islice(answers, flush)):
                send(replies, some)


def main() -> None:
    """Serve on the standard streams, out of reach of whatever MXNet reads or prints."""
    die_with_parent()
    # Ctrl-C reaches the whole group of processes; the client ends this one in its own time.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device, not a path of ours
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    serve(Path(sys.argv[1]), requests, replies)
    # MXNet's engine can hang or crash on the way out, and there is nothing left to save.
    os._exit(0)


if __name__ == "__main__":
    main()
