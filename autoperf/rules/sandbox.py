"""Runs a user's rules in a process of their own, which may end, hang, crash or take too much memory."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from autoperf.core.closable import Closable
from autoperf.core.errors import RuleError, SandboxError, UserRuleError
from autoperf.processes.channel import UNSOLICITED, ChannelError, ChannelMismatched
from autoperf.processes.child_process import ChildProcess
from autoperf.processes.failures import MISMATCH
from autoperf.rules.sandbox_messages import (
    Described,
    DescribeRequest,
    Entered,
    Reply,
    Request,
    RuleFailed,
    SandboxReady,
    reply_decoder,
)

MODULE = "autoperf.rules.sandbox_service"
START_SECONDS = 120.0

R = TypeVar("R", bound=Reply)
Child: TypeAlias = ChildProcess[Request, Reply]


@dataclass(frozen=True)
class Limits:
    """Seconds that reading all files, or one answer, may take, and bytes of memory beyond those of Python itself."""

    seconds: float = 10.0
    memory: int = 4 * 2**30


class Sandbox(Closable):
    """The rules in these files, asked one request at a time. Close it, or use it as a context.

    A request that the process doesn't survive raises SandboxError, at once if it is asked again; the next one of
    another kind or rule starts a new process. Ctrl-C doesn't reach the process.
    """

    def __init__(self, paths: Sequence[Path], limits: Limits | None = None) -> None:
        self._paths, self._limits = tuple(paths), limits or Limits()
        self._process: Child | None = None
        self._described: Described | None = None
        self._lost: dict[object, str] = {}
        self._failures: dict[str, None] = {}

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
            raise SandboxError(f"{what}: {MISMATCH}")
        return reply

    def _answer(self, request: Request, key: object, what: str) -> Reply:
        process = self._running()
        complete = False
        try:
            reply = process.channel.ask(request, time.monotonic() + self._limits.seconds)
            complete = True
            return reply
        except ChannelError as error:
            self._lost[key] = f"{what}: {process.no_answer(error, self._limits.seconds)}"
            raise SandboxError(self._lost[key]) from None
        finally:
            # Whatever interrupts the exchange, Ctrl-C too, leaves a part of it in the pipes.
            if not complete:
                self.close()

    def _running(self) -> Child:
        """A process that has read the files. Raises ProcessError if there can't be one."""
        if self._process and self._process.exit_code(0) is None:
            self._process.clear_log()
            return self._process
        self.close()
        arguments = (str(self._limits.memory), *map(str, self._paths))
        self._process = ChildProcess(MODULE, arguments, reply_decoder, {}, may_fork=True)
        try:
            described = _described(self._process, self._limits.seconds)
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


def _described(child: Child, seconds: float) -> Described:
    """The rules in the files. Raises RuleError, which names the file that was run last if the process is lost."""
    file = "the process for the rules"
    limit = START_SECONDS
    try:
        _check_ready(child.channel.answer(UNSOLICITED, time.monotonic() + limit))
        limit = seconds
        deadline = time.monotonic() + limit
        number = child.channel.post(DescribeRequest(), deadline)
        while isinstance(reply := child.channel.answer(number, deadline), Entered):
            file = reply.file
    except ChannelError as error:
        reason = child.no_answer(error, limit)
        raise RuleError(f"{file}: can't read the rules: {reason}; a file of rules only defines rules") from None
    if isinstance(reply, RuleFailed):
        raise RuleError(reply.reason)
    if not isinstance(reply, Described):
        raise RuleError(f"{file}: {MISMATCH}")
    return reply


def _check_ready(reply: Reply) -> None:
    if not isinstance(reply, SandboxReady):
        raise ChannelMismatched("the first message came in place of the one that the process is ready")
