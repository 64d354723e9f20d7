"""The registry service: a process that loads a framework; it can crash at any request.

    python -m autoperf.backends.registry_service READING WRITING LIBRARY FRAMEWORK

reads requests from one descriptor and writes replies to another.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from autoperf.backends.lookup import backend_of
from autoperf.backends.protocol import Introspection
from autoperf.core.errors import AutoperfError
from autoperf.processes.channel import Channel, ChannelClosed
from autoperf.processes.forks import parent_channel
from autoperf.registry import calls


@cache
def _opened(path: Path, framework: str) -> Introspection:
    return backend_of(framework).introspect(path)


def replies(path: Path, framework: str, request: calls.Request) -> Iterator[calls.Reply]:
    """The replies to one request, each when it is ready; the first request loads the library."""
    try:
        opened = _opened(path, framework)
        if isinstance(request, calls.CrawlRequest):
            yield calls.value_reply(opened.registry())
        if isinstance(request, calls.GraphRequest):
            yield calls.value_reply(opened.graph(request.network, request.inputs))
    except AutoperfError as error:
        yield calls.ErrorReply(type(error).__name__, str(error))
        return
    if isinstance(request, calls.CompleteRequest):
        yield from (calls.value_reply(opened.complete(call)) for call in request.calls)
    if isinstance(request, calls.GradientRequest):
        yield from map(calls.value_reply, opened.gradients(request.calls, request.limit))


def serve(path: Path, framework: str, channel: Channel[calls.Reply, calls.Request]) -> None:
    """Serves requests until the channel is closed."""
    with contextlib.suppress(ChannelClosed):
        while True:
            number, request = channel.receive()
            answers = enumerate(replies(path, framework, request), number)
            flush = request.flush if isinstance(request, calls.CompleteRequest) else 1
            while batch := list(islice(answers, flush)):
                channel.send_all(batch)


def main() -> None:
    """Serves on the pipes that the command line names."""
    serve(Path(sys.argv[3]), sys.argv[4], parent_channel(sys.argv[1:], calls.request_decoder))
    # MXNet's engine can hang or crash at exit, and there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main()
