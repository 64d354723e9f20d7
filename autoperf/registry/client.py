"""The client of the registry service, a child process that loads a framework and may crash."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from autoperf.core.errors import EngineError, LibraryError, RegistryError
from autoperf.core.files import Closable
from autoperf.core.graph import Graph
from autoperf.core.operator import Registry
from autoperf.core.tensors import ArrayType
from autoperf.processes.channel import ChannelError
from autoperf.processes.child_process import ChildProcess
from autoperf.registry import cache
from autoperf.registry.calls import (
    CompleteRequest,
    Completion,
    CrawlRequest,
    ErrorReply,
    Gradient,
    GradientRequest,
    GraphRequest,
    InferenceCall,
    InferredGraph,
    Reply,
    Request,
    reply_decoder,
)

T = TypeVar("T")
BATCH = 512
FLUSH = 32
LIMIT = 60.0
GRADIENT_LIMIT = 10.0
_FAILURES = {kind.__name__: kind for kind in (LibraryError, RegistryError, EngineError)}


class CrashError(Exception):
    """The service gave no answer; the text says why, and `killed` whether SIGKILL ended it."""

    def __init__(self, text: str, *, killed: bool = False) -> None:
        super().__init__(text)
        self.killed = killed


class RegistryClient(Closable):
    """The registry, inference and gradients of one library. Close it, or use it as a context manager.

    The service starts at the first request that the cache can't answer. Not thread-safe.
    """

    def __init__(self, framework: cache.ServedFramework, library: Path, *, cached: bool = True) -> None:
        self._framework, self._library = framework, library
        self._cache = cache.Cache(library, framework) if cached else None
        self._registry: Registry | None = None
        self._service: ChildProcess[Request, Reply] | None = None

    @property
    def title(self) -> str:
        """The framework's name in messages."""
        return self._framework.title

    def registry(self) -> Registry:
        """All registered operators; from the cache if this library was crawled before.

        Raises LibraryError if the library can't be loaded, RegistryError if its registry can't be parsed.
        """
        if self._registry is None:
            cached = self._cache.registry() if self._cache else None
            self._registry = cached or self._crawl()
        return self._registry

    def _crawl(self) -> Registry:
        try:
            (registry,) = self._replies(CrawlRequest(), Registry, 1, LIMIT)
        except CrashError as crash:
            cause = f"; the likely cause is {' or '.join(map(str, files))}" if (files := self._framework.beside) else ""
            raise LibraryError(f"{self.title}'s registry in {self._library} can't be read: {crash}{cause}") from None
        if self._cache:
            self._cache.save_registry(registry)
        return registry

    def complete(self, calls: Sequence[InferenceCall]) -> list[Completion]:
        """A completion for each call, in order; a call that crashes MXNet gets an error."""
        answers, single, retried = list[Completion](), False, -1
        while len(answers) < len(calls):
            flush = 1 if single else FLUSH
            batch = tuple(calls[len(answers) : len(answers) + (FLUSH if single else BATCH)])
            try:
                # One by one: those before a crash count.
                for completion in self._replies(CompleteRequest(batch, flush), Completion, len(batch), LIMIT):
                    answers.append(completion)
                single = False
            except CrashError as crash:
                # One of the next calls caused it: repeat them one answer at a time to see which.
                if single and (not crash.killed or retried == len(answers)):
                    answers.append(Completion(error=f"{self.title} can't infer its shapes: {crash}"))
                    single = False
                    continue
                # A first SIGKILL may have an external cause, so the call is retried.
                retried = len(answers) if single else retried
                single = True
        return answers

    def graph(self, network: str | Graph, inputs: Mapping[str, ArrayType]) -> InferredGraph:
        """The nodes of a network in MXNet's JSON, or of a graph; `inputs` are its known variables.

        Raises EngineError if MXNet refuses the network or the inputs, or can't read it without crashing.
        """
        try:
            (graph,) = self._replies(GraphRequest(network, dict(inputs)), InferredGraph, 1, LIMIT)
        except CrashError as crash:
            raise EngineError(f"{self.title} can't infer the shapes of the network: {crash}") from None
        return graph

    def gradients(self, calls: Sequence[InferenceCall]) -> list[Gradient]:
        """The gradient of each call, in order; results are cached."""
        known = self._cache.gradients() if self._cache else {}
        keys = [cache.call_key(call) for call in calls]
        missing = {key: call for key, call in zip(keys, calls, strict=True) if key not in known}
        if missing:
            try:
                computed = self._request_gradients(tuple(missing.values()))
            except CrashError as crash:
                # The service isolates each call, so its crash is no call's result and isn't cached.
                lost = Gradient(error=f"{self.title} can't determine its gradient: {crash}")
                return [known.get(key, lost) for key in keys]
            known |= zip(missing, computed, strict=True)
            if self._cache:
                # One that a crowded machine kept from being determined is asked for again.
                found = {key: each for key, each in known.items() if not each.is_lost}
                self._cache.save_gradients(found)
        return [known[key] for key in keys]

    def _request_gradients(self, calls: tuple[InferenceCall, ...]) -> list[Gradient]:
        """The service processes all calls before its first reply. It is retried once if it is killed."""
        request = GradientRequest(calls, GRADIENT_LIMIT)
        limit = LIMIT + 2 * GRADIENT_LIMIT * len(calls)
        try:
            return list(self._replies(request, Gradient, len(calls), limit))
        except CrashError as crash:
            if not crash.killed:
                raise
        return list(self._replies(request, Gradient, len(calls), limit))

    def _replies(self, request: Request, kind: type[T], count: int, limit: float) -> Iterator[T]:
        """The results of one request, each within `limit` seconds; raises CrashError if the service dies.

        An ErrorReply is raised as its error.
        """
        service = self.start()
        complete = False
        try:
            number = service.channel.post(request, time.monotonic() + limit, answers=count)
            for reply_number in range(number, number + count):
                reply = service.channel.answer(reply_number, time.monotonic() + limit)
                if isinstance(reply, ErrorReply):
                    raise _FAILURES.get(reply.kind, RegistryError)(reply.message)
                yield msgspec.msgpack.decode(reply.value, type=kind)
            complete = True
        except msgspec.MsgspecError as error:
            raise CrashError(f"invalid answer of the registry service: {error}") from None
        except ChannelError as error:
            reason = service.no_answer(error, limit)
            raise CrashError(reason, killed=service.exit_status(0).killed) from None
        finally:
            # An interrupted exchange, also by Ctrl-C, leaves data in the pipes.
            if not complete:
                self.close()

    def start(self) -> ChildProcess[Request, Reply]:
        """The service, which starts unless it runs, without waiting for it. Raises ProcessError."""
        if self._service is None:
            arguments = [str(self._library), self._framework.name]
            variables = self._framework.variables("registry")
            self._service = ChildProcess("autoperf.backends.registry_service", arguments, reply_decoder, variables)
        return self._service

    def close(self) -> None:
        """Stop the service if it runs."""
        service, self._service = self._service, None
        if service is not None:
            # It has no state to save, and may hang in MXNet.
            service.kill()
