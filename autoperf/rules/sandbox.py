"""Runs a user's rules in a process of their own, which may end, hang, crash or take too much memory."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, TypeVar

import msgspec

from autoperf.core.child_environment import child_environment
from autoperf.core.errors import RuleError, SandboxError, UserRuleError
from autoperf.rules.sandbox_messages import (
    HEAD,
    MAX_MESSAGE,
    Answered,
    Asked,
    Described,
    DescribeRequest,
    Entered,
    Reply,
    Request,
    RuleFailed,
    SandboxReady,
    framed,
)

MODULE = "autoperf.rules.sandbox_service"
START_SECONDS = 120.0
_SLICE = 0.05
_CHUNK = 65536
_TAIL = 4096
_MAX_WORDS = 240
_PATIENCE = 5.0

R = TypeVar("R", bound=Reply)
_answered = msgspec.msgpack.Decoder(Answered)


@dataclass(frozen=True)
class Limits:
    """Seconds that reading all files, or one answer, may take, and bytes of memory beyond those of Python itself."""

    seconds: float = 10.0
    memory: int = 4 * 2**30


class _Gone(Exception):  # noqa: N818 - how the process came to its end
    """The process gives no answer; the text says why."""


class Sandbox:
    """The rules in these files, asked one request at a time. Close it, or use it as a context.

    A request that the process doesn't survive raises SandboxError, at once if it is asked again; the next one of
    another kind or rule starts a new process. Ctrl-C doesn't reach the process.
    """

    def __init__(self, paths: Sequence[Path], limits: Limits | None = None) -> None:
        self._paths, self._limits = tuple(paths), limits or Limits()
        self._process: _Process | None = None
        self._described: Described | None = None
        self._lost: dict[object, str] = {}
        self._failures: dict[str, None] = {}

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def failures(self) -> tuple[str, ...]:
        """What rules have done wrong so far, each once."""
        return tuple(self._failures)

    def describe(self) -> Described:
        """What stands in the files. Raises RuleError for a file that fails or that its process doesn't survive."""
        if self._described is None:
            self._running()
        if self._described is None:
            raise RuleError("the rules were not read")
        return self._described

    def ask(self, request: Request, kind: type[R], rule: int, what: str) -> R:
        """The answer about rule number `rule`; `what` names the rule and the function that is asked for.

        Raises UserRuleError for what the user's code raises, SandboxError where its process doesn't survive.
        """
        try:
            return self._asked(request, kind, (rule, kind), what)
        except UserRuleError as error:
            self._failures[str(error)] = None
            raise

    def _asked(self, request: Request, kind: type[R], key: object, what: str) -> R:
        if key in self._lost:
            raise SandboxError(self._lost[key])
        reply = self._answer(request, key, what)
        if isinstance(reply, RuleFailed):
            raise UserRuleError(reply.reason)
        if not isinstance(reply, kind):
            self.close()
            raise SandboxError(f"{what}: its process answered something else than it was asked for")
        return reply

    def _answer(self, request: Request, key: object, what: str) -> Reply:
        process = self._running()
        complete = False
        try:
            reply = process.ask(request, self._limits.seconds)
            complete = True
            return reply
        except _Gone as gone:
            self._lost[key] = f"{what}: {gone}"
            raise SandboxError(self._lost[key]) from None
        finally:
            # Whatever interrupts the exchange, Ctrl-C too, leaves a part of it in the pipes.
            if not complete:
                self.close()

    def _running(self) -> _Process:
        """A process that has read the files."""
        if self._process and self._process.alive:
            return self._process
        self.close()
        self._process = _Process(self._paths, self._limits.memory)
        try:
            described = self._process.read_files(self._limits.seconds)
        except BaseException:
            self.close()
            raise
        if self._described not in (None, described):
            self.close()
            raise UserRuleError(f"{', '.join(map(str, self._paths))}: the rules have changed since they were read")
        self._described = described
        return self._process

    def close(self) -> None:
        """End the process, if there is one, with whatever it has started."""
        process, self._process = self._process, None
        if process:
            process.kill()


class _Process:
    """One process, in a session of its own."""

    def __init__(self, paths: Sequence[Path], memory: int) -> None:
        self._number = 0
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process lives
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", MODULE, str(requests), str(replies), str(memory), *map(str, paths)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._log,
                pass_fds=(requests, replies),
                start_new_session=True,
                env=child_environment({}),
            )
        finally:
            os.close(requests)
            os.close(replies)
        self._poll = select.poll()
        self._poll.register(self._replies, select.POLLIN)

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def read_files(self, seconds: float) -> Described:
        """What stands in the files. Raises RuleError, which names the file that was run last if the process is lost."""
        file = "the process for the rules"
        try:
            self._receive(0, time.monotonic() + START_SECONDS, SandboxReady)
            number = self._send(DescribeRequest())
            deadline = time.monotonic() + seconds
            while isinstance(reply := self._receive(number, deadline), Entered):
                file = reply.file
        except _Gone as gone:
            where = f"{file}: {self._late(seconds)}" if gone.args == (_LATE,) else f"{file}: {gone}"
            raise RuleError(f"{where} when it was read; a file of rules defines them, and does nothing else") from None
        if isinstance(reply, RuleFailed):
            raise RuleError(reply.reason)
        if not isinstance(reply, Described):
            raise RuleError(f"{file}: its process answered something else than it was asked for")
        return reply

    def ask(self, request: Request, seconds: float) -> Reply:
        """The reply. Raises _Gone."""
        number = self._send(request)
        try:
            return self._receive(number, time.monotonic() + seconds)
        except _Gone as gone:
            raise (_Gone(self._late(seconds)) if gone.args == (_LATE,) else gone) from None

    def kill(self) -> None:
        """End the process and all of its session."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._requests)
        os.close(self._replies)
        self._log.close()

    def _late(self, seconds: float) -> str:
        return f"it didn't come to an end within {seconds:g} s"

    def _send(self, request: Request) -> int:
        self._number += 1
        view = memoryview(framed(Asked(self._number, request)))
        try:
            while view:
                view = view[os.write(self._requests, view) :]
        except BrokenPipeError:
            raise _Gone(self._end()) from None
        return self._number

    def _receive(self, number: int, deadline: float, kind: type[Reply] | None = None) -> Reply:
        """The reply to this request. Raises _Gone."""
        length = int.from_bytes(self._exactly(HEAD, deadline), "big")
        if length > MAX_MESSAGE:
            raise _Gone("its process answered something that is no message")
        try:
            answered = _answered.decode(self._exactly(length, deadline))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise _Gone(f"its process answered something that is no message: {error}") from None
        if answered.number != number or (kind and not isinstance(answered.reply, kind)):
            raise _Gone("its process answered another request than it was asked")
        return answered.reply

    def _exactly(self, size: int, deadline: float) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            self._wait(deadline)
            part = os.read(self._replies, min(_CHUNK, size - len(parts)))
            if not part:
                raise _Gone(self._end())
            parts += part
        return bytes(parts)

    def _wait(self, deadline: float) -> None:
        """Until there is something to read. What the process has forked may hold the pipe open when it has ended."""
        while True:
            ended = not self.alive
            left = max(0.0, deadline - time.monotonic())
            if self._poll.poll(min(left, 0.0 if ended else _SLICE) * 1000):
                return
            if ended:
                raise _Gone(self._end())
            if not left:
                raise _Gone(_LATE)

    def _end(self) -> str:
        """How the process ended, with the last line on its standard error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        code = self._process.returncode
        if code is None:
            return "it closed its pipe and lives on"
        end = f"it ended with {f'exit code {code}' if code >= 0 else _signal_name(-code)}"
        words = self._last_line()
        return f"{end}: {words}" if words else end

    def _last_line(self) -> str:
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - _TAIL))
        lines = self._log.read().decode(errors="replace").split("\n")
        return next((line.strip()[:_MAX_WORDS] for line in reversed(lines) if line.strip()), "")


_LATE = "late"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
