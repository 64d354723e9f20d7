"""Asks MXNet about its registry without loading it here: a child process answers, and may crash."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from autoperf.capi.profiler import UNBULKED
from autoperf.core.errors import EngineError, LibraryError, RegistryError
from autoperf.core.operator import Registry
from autoperf.processes.channel import ChannelClosed, ChannelGarbled, ChannelSilent
from autoperf.processes.child_process import ChildProcess
from autoperf.processes.failures import address_space_note
from autoperf.registry import cache
from autoperf.registry.calls import Completion, Gradient, InferenceCall
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
    reply_decoder,
)

BATCH = 512
FLUSH = 32
LIMIT = 60.0
END_PATIENCE = 10.0
GRADIENT_LIMIT = 10.0
_FAILURES = {kind.__name__: kind for kind in (LibraryError, RegistryError, EngineError)}


class CrashError(Exception):
    """The service died, or had to be ended; the text says how, and `killed` whether that was by SIGKILL."""

    def __init__(self, text: str, *, killed: bool = False) -> None:
        super().__init__(text)
        self.killed = killed


class RegistryClient:
    """The registry, inference and gradients of one library. Close it, or use it as a context.

    Nothing is started before an answer is needed that the cache does not have. Not for several threads at once.
    """

    def __init__(self, library: Path, *, cached: bool = True) -> None:
        self._library = library
        self._cache = cache.Cache(library) if cached else None
        self._registry: Registry | None = None
        self._service: ChildProcess[Request, Reply] | None = None

    def __enter__(self) -> RegistryClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def registry(self) -> Registry:
        """Everything that is registered; from the cache if this very library was crawled before.

        Raises LibraryError if the library can't be loaded, RegistryError if its registry can't be understood.
        """
        if self._registry is None:
            found = self._cache.registry() if self._cache else None
            self._registry = found or self._crawl()
        return self._registry

    def _crawl(self) -> Registry:
        try:
            (reply,) = self._replies(CrawlRequest(), 1, LIMIT)
        except CrashError as crash:
            raise LibraryError(
                f"MXNet {crash} while its registry was read from {self._library}{address_space_note()}"
            ) from None
        if not isinstance(reply, RegistryReply):
            raise _unexpected(reply)
        if self._cache:
            self._cache.save_registry(reply.registry)
        return reply.registry

    def complete(self, calls: Sequence[InferenceCall]) -> list[Completion]:
        """A completion for each call, in their order; a call on which MXNet crashes gets an error that says so."""
        answers, careful, spared = list[Completion](), False, -1
        while len(answers) < len(calls):
            flush = 1 if careful else FLUSH
            batch = tuple(calls[len(answers) : len(answers) + (FLUSH if careful else BATCH)])
            try:
                for reply in self._replies(CompleteRequest(batch, flush), len(batch), LIMIT):
                    answers.append(_completion(reply))
                careful = False
            except CrashError as crash:
                # One of the next calls did it: they are asked for again, one answer at a time, to see which.
                if careful and (not crash.killed or spared == len(answers)):
                    answers.append(Completion(error=f"MXNet {crash} while inferring shapes"))
                    careful = False
                    continue
                # A first SIGKILL may have come from outside.
                spared = len(answers) if careful else spared
                careful = True
        return answers

    def gradients(self, calls: Sequence[InferenceCall]) -> list[Gradient]:
        """Whether each call can be differentiated, and by which kernels; answers are cached with the library."""
        known = self._cache.gradients() if self._cache else {}
        keys = [cache.call_key(call) for call in calls]
        missing = {key: call for key, call in zip(keys, calls, strict=True) if key not in known}
        if missing:
            try:
                fresh = self._ask_gradients(tuple(missing.values()))
            except CrashError as crash:
                # The service isolates each call itself, so that its end says nothing of them, and isn't kept.
                lost = Gradient(error=f"MXNet {crash} while looking for gradients")
                return [known.get(key, lost) for key in keys]
            known |= zip(missing, fresh, strict=True)
            if self._cache:
                self._cache.save_gradients(known)
        return [known[key] for key in keys]

    def _ask_gradients(self, calls: tuple[InferenceCall, ...]) -> list[Gradient]:
        """The service goes through all before the first answer. If it is killed, it is asked once more."""
        request = GradientRequest(calls, GRADIENT_LIMIT)
        limit = LIMIT + 2 * GRADIENT_LIMIT * len(calls)
        try:
            replies = list(self._replies(request, len(calls), limit))
        except CrashError as crash:
            if not crash.killed:
                raise
            replies = list(self._replies(request, len(calls), limit))
        return [_gradient(reply) for reply in replies]

    def _replies(self, request: Request, count: int, limit: float) -> Iterator[Reply]:
        """The replies to one request, each within `limit` seconds; raises CrashError if the service dies of it.

        What the service says has failed is raised as it says.
        """
        service = self._running()
        complete = False
        try:
            number = service.channel.post(request, time.monotonic() + limit, answers=count)
            for place in range(number, number + count):
                reply = service.channel.answer(place, time.monotonic() + limit)
                if isinstance(reply, ErrorReply):
                    raise _FAILURES.get(reply.kind, RegistryError)(reply.message)
                yield reply
            complete = True
        except ChannelSilent:
            raise CrashError(f"gave no answer within {limit:g} s") from None
        except ChannelClosed:
            end = service.exit_status(END_PATIENCE)
            raise CrashError(f"crashed ({end.describe('{}')})", killed=end.killed) from None
        except ChannelGarbled:
            raise CrashError("wrote garbage in place of an answer") from None
        finally:
            # Whatever interrupts the exchange, Ctrl-C too, leaves a part of it in the pipes.
            if not complete:
                self.close()

    def _running(self) -> ChildProcess[Request, Reply]:
        if self._service is None:
            self._service = ChildProcess("autoperf.registry.service", [str(self._library)], reply_decoder, UNBULKED)
        return self._service

    def close(self) -> None:
        """End the service, if there is one."""
        service, self._service = self._service, None
        if service is not None:
            # It holds nothing worth a goodbye, and may be stuck in MXNet.
            service.kill()


def _completion(reply: Reply) -> Completion:
    if not isinstance(reply, CompletionReply):
        raise _unexpected(reply)
    return reply.completion


def _gradient(reply: Reply) -> Gradient:
    if not isinstance(reply, GradientReply):
        raise _unexpected(reply)
    return reply.gradient


def _unexpected(reply: Reply) -> RegistryError:
    return RegistryError(f"the registry's service answered {type(reply).__name__} to another question")
