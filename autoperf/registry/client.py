"""The client of the registry service, a child process that may crash, and the cache of its answers."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import msgspec

from autoperf import __version__
from autoperf.core.errors import EngineError, LibraryError, RegistryError
from autoperf.core.files import Closable, cache_folder, write_atomic
from autoperf.core.graph import Graph
from autoperf.core.operator import Registry
from autoperf.core.tensors import ArrayType
from autoperf.processes.channel import ChannelError
from autoperf.processes.child_process import ChildProcess
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
    uses_np_shape,
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

    def __init__(self, framework: ServedFramework, library: Path, *, cached: bool = True) -> None:
        self._framework, self._library = framework, library
        self._cache = Cache(library, framework) if cached else None
        self._registry: Registry | None = None
        self._service: ChildProcess[Request, Reply] | None = None

    @property
    def title(self) -> str:
        """The framework's name in messages."""
        return self._framework.title

    def registry(self) -> Registry:
        """All registered operators, cached if the library was crawled before. Raises LibraryError and RegistryError."""
        if self._registry is None:
            self._registry = self._cache.registry() if self._cache else None
        if self._registry is None:
            try:
                (self._registry,) = self._replies(CrawlRequest(), Registry, 1, LIMIT)
            except CrashError as crash:
                files = self._framework.beside
                cause = f"; the likely cause is {' or '.join(map(str, files))}" if files else ""
                what = f"{self.title}'s registry in {self._library}"
                raise LibraryError(f"{what} can't be read: {crash}{cause}") from None
            if self._cache:
                self._cache.save_registry(self._registry)
        return self._registry

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
        """The nodes of a network in MXNet's JSON, or of a graph; `inputs` are known variables. Raises EngineError."""
        try:
            (graph,) = self._replies(GraphRequest(network, dict(inputs)), InferredGraph, 1, LIMIT)
        except CrashError as crash:
            raise EngineError(f"{self.title} can't infer the shapes of the network: {crash}") from None
        return graph

    def gradients(self, calls: Sequence[InferenceCall]) -> list[Gradient]:
        """The gradient of each call, in order; results are cached."""
        known = self._cache.gradients() if self._cache else {}
        keys = [call_key(call) for call in calls]
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
                self._cache.save_gradients({key: each for key, each in known.items() if not each.is_lost})
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
        """Each result of a request, within `limit` seconds. Raises CrashError if the service dies, and its error."""
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
            raise CrashError(service.no_answer(error, limit), killed=service.exit_status(0).killed) from None
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


FORMAT = 1
"""The format of stored registries."""


class ServedFramework(Protocol):
    """The framework that a registry service loads, and whose registries are stored."""

    @property
    def name(self) -> str:
        """The name by which the service finds it."""

    @property
    def title(self) -> str:
        """The framework's name in messages."""

    @property
    def code(self) -> tuple[Path, ...]:
        """The files whose content decides how operators are read."""

    @property
    def beside(self) -> tuple[Path, ...]:
        """Files that are loaded with every build."""

    def variables(self, kind: Literal["registry"], /) -> Mapping[str, str]:
        """The environment variables of the service."""


def library_key(library: Path, source: ServedFramework) -> str:
    """A digest of a library and the files loaded with it (paths, sizes, times), and of the code that reads it."""
    files = "\0".join(_identity(file) for file in (library, *source.beside))
    digest = hashlib.sha256(f"{files}\0{FORMAT}\0{__version__}".encode())
    for file in sorted((*Path(__file__).parent.glob("*.py"), *source.code)):
        with contextlib.suppress(OSError):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _identity(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return str(file)
    return f"{file}\0{status.st_size}\0{status.st_mtime_ns}"


def call_key(call: InferenceCall) -> str:
    """A digest of a call."""
    identity = {**msgspec.to_builtins(call), "np_shape": uses_np_shape(call)}
    return hashlib.sha256(msgspec.msgpack.encode(identity, order="deterministic")).hexdigest()[:24]


class Cache:
    """The cached registry and gradients of one library."""

    def __init__(self, library: Path, source: ServedFramework) -> None:
        key = library_key(library, source)
        self._registry = cache_folder() / f"registry-{key}.json"
        self._gradients = cache_folder() / f"gradients-{key}.json"

    def registry(self) -> Registry | None:
        """The cached registry, or None."""
        registry = load_cached(self._registry, Registry)
        return registry if registry and registry.format == FORMAT else None

    def save_registry(self, registry: Registry) -> None:
        """Store the registry."""
        save_cached(self._registry, msgspec.json.encode(registry))

    def gradients(self) -> dict[str, Gradient]:
        """Gradients by call key."""
        return load_cached(self._gradients, dict[str, Gradient]) or {}

    def save_gradients(self, gradients: dict[str, Gradient]) -> None:
        """Store gradients."""
        save_cached(self._gradients, msgspec.json.encode(gradients))


def load_cached(path: Path, kind: type[T]) -> T | None:
    """The value in a file; None for a missing or invalid one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def save_cached(path: Path, data: bytes) -> None:
    """Write a file atomically; ignores a folder that can't be written."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
