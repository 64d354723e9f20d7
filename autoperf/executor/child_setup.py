"""What the child processes of the executor have in common: how they start, and where their cases come from."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import msgspec

from autoperf.capi import profiler
from autoperf.capi.devices import gpu_count, openmp_threads
from autoperf.capi.library import Library, open_library
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, CaseFileError, EngineError, UsageError
from autoperf.core.outcome import Status
from autoperf.executor.call import parse_context
from autoperf.executor.messages import Answer, Build, CaseFailure, Request, Service, Task, Unusable, request_decoder
from autoperf.executor.settings import Settings
from autoperf.executor.suite import SuiteFile
from autoperf.processes.channel import ChannelClosed
from autoperf.processes.child_process import parent_channel

# How the reason of a case begins that needed more memory than it may have.
EXHAUSTED = "out of memory"
_EXHAUSTED = re.compile(
    "bad_alloc|failed to allocate|out of memory|cannot allocate memory|resource temporarily unavailable", re.IGNORECASE
)


class SuiteCache:
    """The file of cases that was read last; most cases come from the same file as the one before."""

    def __init__(self) -> None:
        self._file: SuiteFile | None = None
        self._stamp: tuple[object, ...] = ()

    def case(self, task: Task) -> Case:
        """The case of a task; raises CaseFileError if the file doesn't have it, or has another."""
        path = Path(task.file)
        stamp = _stamp(path)
        if self._file is None or self._stamp != stamp:
            self._file, self._stamp = SuiteFile(path), stamp
        case = self._file.build(task.function)
        if case.id != task.case:
            raise CaseFileError(f"{path}: {task.function}() is {case.id} now, not {task.case}; did the file change?")
        return case


def _stamp(path: Path) -> tuple[object, ...]:
    """What differs once a file is written anew; a file that isn't there has no stamp, and can't be read either."""
    try:
        found = path.stat()
    except OSError:
        return (path,)
    return path, found.st_ino, found.st_size, found.st_mtime_ns


def run(arguments: Sequence[str], serve: Callable[[Service, Library, Settings], None], *, uses_gpu: bool) -> int:
    """Opens channel and library, reports the build, and serves; the exit code.

    The arguments are two file descriptors, the path of the library, and the settings as JSON.
    """
    channel: Service = parent_channel(arguments, request_decoder)
    settings = msgspec.json.decode(arguments[3], type=Settings)
    try:
        library = open_library(Path(arguments[2]))
        profiler.set_bulk_size(library, 0)
        gpus = require_context(library, settings.ctx) if uses_gpu else 0
    except AutoperfError as error:
        channel.send(Unusable(str(error), isinstance(error, UsageError)))
        return error.exit_code
    channel.send(
        Build(library.version, str(library.path), library.features(), openmp_threads(library), gpus),
    )
    serve(channel, library, settings)
    return 0


def require_context(library: Library, ctx: str) -> int:
    """How many GPUs there are, if `ctx` is none of them; raises UsageError if it names one that there isn't."""
    kind, index = parse_context(ctx)
    if kind != "gpu":
        return 0
    count = gpu_count(library)
    if index >= count:
        have = f"{count} GPU{'s' if count > 1 else ''}" if count else "no GPU"
        raise UsageError(f"--ctx {ctx}: MXNet {library.version} in {library.path} sees {have} here; use --ctx cpu")
    return count


def refusal(error: BaseException, limit: int) -> CaseFailure:
    """What went wrong with a case, as an answer."""
    text = str(error) if isinstance(error, AutoperfError) else f"{type(error).__name__}: {error}".removesuffix(": ")
    # What a file's own code raises is told by an error that says where, and was raised while handling it.
    exhausted = isinstance(error, MemoryError) or isinstance(error.__context__, MemoryError)
    exhausted |= isinstance(error, EngineError) and _EXHAUSTED.search(text) is not None
    if exhausted:
        text = f"{EXHAUSTED} within the limit of {limit / 2**20:.0f} MiB: {text}"
    return CaseFailure(Status.FAILED, text)


def serve_requests(channel: Service, answer: Callable[[Request], Answer]) -> NoReturn:
    """Answers one request after the other, each under its number, until the supervisor hangs up."""
    try:
        while True:
            number, request = channel.receive()
            channel.send(answer(request), number)
    except ChannelClosed:
        pass
    finally:
        quiet_exit(0)


def quiet_exit(code: int) -> NoReturn:
    """Ends the process without MXNet's own ways of ending, some of which hang."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
