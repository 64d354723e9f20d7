"""The process that runs a user's rules; `python -m autoperf.rules.sandbox_service READING WRITING BYTES PATH...`.

It may end, hang or crash at any request: the sandbox reports it, and starts another. Its output goes to a log.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from autoperf.core.errors import AutoperfError, RuleError
from autoperf.implementations.expressions import UserLine
from autoperf.processes.channel import UNSOLICITED, Channel, ChannelClosed
from autoperf.processes.forks import limit_memory, parent_channel
from autoperf.rules.rule import Exclusion, Rule
from autoperf.rules.rule_files import answer, read_rules
from autoperf.rules.sandbox import (
    FUNCTIONS,
    OPTIONAL,
    Described,
    DescribeRequest,
    Entered,
    Reply,
    Request,
    Returned,
    RuleData,
    RuleFailed,
    SandboxReady,
    request_decoder,
)


class SandboxService:
    """Answers requests about the rules in these files; `enter` is called with each file before it is run."""

    def __init__(self, paths: Sequence[Path], enter: Callable[[Path], None]) -> None:
        self._paths, self._enter = paths, enter
        self._items: list[Rule | UserLine] = []

    def answer(self, request: Request) -> Reply:
        """The reply. Raises AutoperfError for mistakes of the user's code."""
        if isinstance(request, DescribeRequest):
            items = read_rules(self._paths, self._enter)
            rules = [item for item in items if isinstance(item, Rule)]
            lines = [item for item in items if isinstance(item, UserLine)]
            self._items = [*rules, *lines]
            exclusions = tuple(item for item in items if isinstance(item, Exclusion))
            return Described(tuple(map(_rule_data, rules)), exclusions, tuple(lines))
        function = FUNCTIONS[request.function]
        arguments = msgspec.msgpack.decode(request.arguments, type=function.arguments)
        return Returned(msgspec.Raw(msgspec.msgpack.encode(answer(self._items[request.rule], function, arguments))))


def _rule_data(rule: Rule) -> RuleData:
    data = {name: getattr(rule, name) for name in RuleData.__struct_fields__ if name != "functions"}
    data["limits"], data["dims"] = dict(rule.limits), dict(rule.dims)
    data["functions"] = [function.name for function in OPTIONAL if getattr(rule, function.name) is not None]
    try:
        return msgspec.convert(msgspec.to_builtins(data), RuleData)
    except (msgspec.ValidationError, TypeError) as error:
        raise RuleError(f"{rule.source}: a value that no rule may have: {error}") from error


def serve(channel: Channel[Reply, Request], paths: Sequence[Path]) -> None:
    """Answer requests until there are no more."""
    owner = os.getpid()
    number = UNSOLICITED
    service = SandboxService(paths, lambda file: _send(channel, Entered(str(file)), number, owner))
    _send(channel, SandboxReady(), number, owner)
    while True:
        try:
            number, request = channel.receive()
        except ChannelClosed:
            return
        _send(channel, _answer(service, request), number, owner)


def _answer(service: SandboxService, request: Request) -> Reply:
    try:
        return service.answer(request)
    except AutoperfError as error:
        return RuleFailed(_text(str(error)))
    except BaseException as error:  # noqa: BLE001 - whatever a user's code raises is reported
        return RuleFailed(_text(f"{type(error).__name__}: {error}"))


def _text(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _send(channel: Channel[Reply, Request], reply: Reply, number: int, owner: int) -> None:
    """Send the reply, unless this is a fork that a user's code has made: that ends here."""
    if os.getpid() != owner:
        os._exit(0)
    try:
        channel.send(reply, number)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        channel.send(RuleFailed(_text(f"the rules' values can't be sent: {error}")), number)


def main(*arguments: str) -> None:
    """Serve within a limit of memory; the process ends whatever threads a user's code has left."""
    reading, writing, memory, *paths = arguments
    channel: Channel[Reply, Request] = parent_channel((reading, writing), request_decoder)
    faulthandler.disable()
    limit_memory(int(memory))
    try:
        serve(channel, tuple(map(Path, paths)))
    except BaseException:  # noqa: BLE001 - the log has it, and the sandbox sees the process end
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
