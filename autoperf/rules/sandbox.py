"""Rules of a user, read from files: for operators of custom builds, or for other inputs than the built-in ones.

They run in a process of their own, which may end, hang, crash or take too much memory. Lines in these files are
implementations of operators in other frameworks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import RuleError, SandboxError, UserRuleError
from autoperf.core.files import Closable
from autoperf.core.graph import UserLayer
from autoperf.core.operator import Operator
from autoperf.core.tensors import AnyContent
from autoperf.core.work import Work
from autoperf.implementations.expressions import UserLine
from autoperf.implementations.implementation import Implementation
from autoperf.processes.channel import UNSOLICITED, ChannelError
from autoperf.processes.child_process import ChildProcess
from autoperf.processes.failures import MISMATCH
from autoperf.rules.catalog import Catalog, catalog_of
from autoperf.rules.rule import Exclusion, Inputs, InputSpec, Rule

MODULE = "autoperf.rules.rule_files"
START_SECONDS = 120.0

R = TypeVar("R")


@dataclass(frozen=True)
class RuleFunction(Generic[R]):
    """A function of a rule: its name, its title in errors, and the types of its arguments and its result."""

    name: str
    title: str
    arguments: Any
    result: type[R]


MATCHES = RuleFunction("matches", "its matcher", tuple[Operator], bool)
CANONICAL = RuleFunction("canonical", "its canonical inputs", tuple[InputSpec], dict[str, Inputs])
DRAW = RuleFunction("draw", "its draw", tuple[InputSpec, str, int, int], list[Inputs])
FLOPS = RuleFunction("flops", "its flops", tuple[Case], float)
MOVES = RuleFunction("moves", "its moves", tuple[Case], float)
BACKWARD_WORK = RuleFunction("backward", "its backward work", tuple[Case, tuple[str, ...]], Work)
CONTENTS = RuleFunction("contents", "its contents", tuple[Case], dict[str, AnyContent])
STATES = RuleFunction("states", "its states", tuple[Case], tuple[str, ...])
COMPLETION = RuleFunction("completion", "its completion", tuple[Inputs, InputSpec], Inputs)
UNSAFE = RuleFunction("unsafe", "its check for safety", tuple[Case], str)
HOLDS = RuleFunction("holds", "its condition", tuple[Operator, Case], bool)
OPTIONAL: tuple[RuleFunction[Any], ...] = (
    MATCHES, FLOPS, MOVES, BACKWARD_WORK, CONTENTS, STATES, COMPLETION, UNSAFE,
)  # fmt: skip
"""The functions that a rule may lack; they have the names of the rule's fields."""
FUNCTIONS = {function.name: function for function in (*OPTIONAL, CANONICAL, DRAW, HOLDS)}


class DescribeRequest(msgspec.Struct, frozen=True, tag="describe"):
    """Asks to read the files, and for the rules, exclusions and lines in them."""


class CallRequest(msgspec.Struct, frozen=True, tag="call"):
    """Asks for the result of a rule's function; rules are identified by number, and after them the lines."""

    rule: int
    function: str
    arguments: msgspec.Raw


class RuleData(msgspec.Struct, frozen=True, kw_only=True):
    """A rule without its functions; `functions` names those of OPTIONAL that it has."""

    names: tuple[str, ...]
    category: str
    source: str
    dtype: str
    rank: int
    inferable: bool
    dtypes: tuple[str, ...]
    unread: tuple[str, ...]
    varied: dict[str, str]
    limits: dict[str, str]
    dims: dict[str, str]
    layer: UserLayer | None
    functions: tuple[str, ...]


class SandboxReady(msgspec.Struct, frozen=True, tag="ready"):
    """The process has started; none of the user's code has run yet."""


class Entered(msgspec.Struct, frozen=True, tag="entered"):
    """The process runs this file next."""

    file: str


class Described(msgspec.Struct, frozen=True, tag="described"):
    """The rules, exclusions and lines in the files, in order."""

    rules: tuple[RuleData, ...]
    exclusions: tuple[Exclusion, ...]
    lines: tuple[UserLine, ...] = ()


class Returned(msgspec.Struct, frozen=True, tag="returned"):
    """The result of a function."""

    value: msgspec.Raw


class RuleFailed(msgspec.Struct, frozen=True, tag="failed"):
    """The error that the user's code raised."""

    reason: str


Request: TypeAlias = DescribeRequest | CallRequest
Reply: TypeAlias = SandboxReady | Entered | Described | Returned | RuleFailed
Child: TypeAlias = ChildProcess[Request, Reply]

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
reply_decoder: msgspec.msgpack.Decoder[tuple[int, Reply]] = msgspec.msgpack.Decoder(tuple[int, Reply])


@dataclass(frozen=True)
class Limits:
    """Seconds that reading all files, or one answer, may take, and bytes of memory beyond those of Python itself."""

    seconds: float = 10.0
    memory: int = 4 * 2**30


class Sandbox(Closable):
    """The rules in these files, asked one request at a time. Close it, or use it as a context.

    If the process doesn't survive a request, this and every repetition of it raise SandboxError; the next request for
    another function or rule starts a new process. Ctrl-C doesn't reach the process.
    """

    def __init__(self, paths: Sequence[Path], limits: Limits | None = None) -> None:
        self._paths, self._limits = tuple(paths), limits or Limits()
        self._process: Child | None = None
        self._described: Described | None = None
        self._lost: dict[tuple[int, str], str] = {}
        self._failures: dict[str, None] = {}

    @property
    def failures(self) -> tuple[str, ...]:
        """The failures of rules so far, each once."""
        return tuple(self._failures)

    def describe(self) -> Described:
        """The rules in the files. Raises RuleError for a file that fails or that its process doesn't survive."""
        if self._described is None:
            self._running()
        if self._described is None:
            raise RuleError("the rules were not read")
        return self._described

    def call(self, rule: int, source: str, function: RuleFunction[R], *arguments: object) -> R:
        """The result of a function of rule number `rule`, named by `source`. Raises UserRuleError and SandboxError."""
        what = f"{source}: {function.title}"
        try:
            key = (rule, function.name)
            if key in self._lost:
                raise SandboxError(self._lost[key])
            encoded = msgspec.Raw(msgspec.msgpack.encode(arguments))
            reply = self._answer(CallRequest(rule, function.name, encoded), key, what)
            if isinstance(reply, RuleFailed):
                raise UserRuleError(reply.reason)
            if not isinstance(reply, Returned):
                raise SandboxError(f"{what}: {MISMATCH}")
            return msgspec.msgpack.decode(reply.value, type=function.result)
        except UserRuleError as error:
            self._failures[str(error)] = None
            raise

    def _answer(self, request: Request, key: tuple[int, str], what: str) -> Reply:
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
            # An exception during the exchange, such as Ctrl-C, leaves a part of a message in the pipes.
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
        """Ends the process, if there is one, and everything that it has started."""
        process, self._process = self._process, None
        if process:
            process.kill()


def _described(child: Child, seconds: float) -> Described:
    """The rules in the files. Raises RuleError, which names the file that was run last if the process is lost."""
    file = "the process for the rules"
    limit = START_SECONDS
    try:
        child.channel.answer(UNSOLICITED, time.monotonic() + limit)
        limit = seconds
        deadline = time.monotonic() + limit
        number = child.channel.post(DescribeRequest(), deadline)
        while isinstance(reply := child.channel.answer(number, deadline), Entered):
            file = reply.file
    except ChannelError as error:
        reason = child.no_answer(error, limit)
        raise RuleError(f"{file}: can't read the rules: {reason}; a file of rules only defines rules") from None
    if isinstance(reply, Described):
        return reply
    raise RuleError(reply.reason if isinstance(reply, RuleFailed) else f"{file}: {MISMATCH}")


@dataclass(frozen=True)
class UserRule(Rule):
    """A user's rule, whose functions run in the sandbox: they raise UserRuleError, or SandboxError if it is lost."""

    draw_block: Callable[[InputSpec, str, int, int], list[Inputs]] = field(kw_only=True)

    def drawn(self, spec: InputSpec, seed: str, size: int, start: int = 0) -> list[Inputs]:
        """Draws number `start` to `start + size - 1` of a seed, without those that the rule's strategy rejects."""
        return self.draw_block(spec, seed, size, start)


@dataclass(frozen=True)
class UserRules:
    """The rules of a user's files, and the sandbox that runs them; by number, the lines follow the rules."""

    catalog: Catalog
    sandbox: Sandbox
    lines: Mapping[int, UserLine] = field(default_factory=dict)

    def implementations(self, framework: str, operator: Operator, case: Case) -> Iterator[Implementation]:
        """The implementations in a framework by lines that hold for a case. Raises UserRuleError for a condition."""
        for number, entry in self.lines.items():
            line = entry.line
            if framework not in line.expressions or not set(line.operators) & set(operator.names):
                continue
            if not line.when or self.sandbox.call(number, entry.source, HOLDS, operator, case):
                yield msgspec.structs.replace(line.implementation(framework, operator.name), origin="user")


@contextmanager
def user_rules(paths: Sequence[Path], limits: Limits | None = None) -> Iterator[UserRules]:
    """A context with the rules and lines in these Python files and folders. Raises RuleError."""
    with Sandbox(paths, limits) as sandbox:
        described = sandbox.describe()
        rules = [_user_rule(sandbox, number, data) for number, data in enumerate(described.rules)]
        lines = dict(enumerate(described.lines, len(rules)))
        yield UserRules(catalog_of([*rules, *described.exclusions]), sandbox, lines)


def _user_rule(sandbox: Sandbox, number: int, data: RuleData) -> UserRule:
    def function(called: RuleFunction[Any]) -> Callable[..., Any]:
        return partial(sandbox.call, number, data.source, called)

    def draw(_draw: st.DrawFn, _spec: InputSpec) -> Inputs:
        raise RuleError(f"{data.source}: a user's rule draws in the sandbox only")

    fields = msgspec.structs.asdict(data)
    given = fields.pop("functions")
    functions: dict[str, Any] = {each.name: function(each) for each in OPTIONAL if each.name in given}
    return UserRule(**fields, **functions, canonical=function(CANONICAL), draw=draw, draw_block=function(DRAW))
