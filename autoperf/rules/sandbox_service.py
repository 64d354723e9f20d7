"""The process that runs a user's rules; `python -m autoperf.rules.sandbox_service READING WRITING BYTES PATH...`.

It may end, hang or crash at any request: the sandbox reports it, and starts another. Its output goes to a log.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import traceback
from collections.abc import Sequence
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
    CallRequest,
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
    """Answers requests about the rules in these files over a channel; forks that a user's code has made answer none."""

    def __init__(self, channel: Channel[Reply, Request], paths: Sequence[Path]) -> None:
        self._channel, self._paths, self._owner = channel, paths, os.getpid()
        self._number = UNSOLICITED
        self._items: list[Rule | UserLine] = []

    def serve(self) -> None:
        """Answers requests until there are no more."""
        self._send(SandboxReady())
        with contextlib.suppress(ChannelClosed):
            while True:
                self._number, request = self._channel.receive()
                self._send(self._reply(request))

    def _reply(self, request: Request) -> Reply:
        try:
            return self._described() if isinstance(request, DescribeRequest) else self._returned(request)
        except AutoperfError as error:
            return RuleFailed(_text(str(error)))
        except BaseException as error:  # noqa: BLE001 - whatever a user's code raises is reported
            return RuleFailed(_text(f"{type(error).__name__}: {error}"))

    def _described(self) -> Described:
        """The rules, exclusions and lines in the files. Raises AutoperfError for mistakes of the user's code."""
        items = read_rules(self._paths, lambda file: self._send(Entered(str(file))))
        rules = [item for item in items if isinstance(item, Rule)]
        lines = [item for item in items if isinstance(item, UserLine)]
        self._items = [*rules, *lines]
        exclusions = tuple(item for item in items if isinstance(item, Exclusion))
        return Described(tuple(map(_rule_data, rules)), exclusions, tuple(lines))

    def _returned(self, request: CallRequest) -> Returned:
        function = FUNCTIONS[request.function]
        arguments = msgspec.msgpack.decode(request.arguments, type=function.arguments)
        return Returned(msgspec.Raw(msgspec.msgpack.encode(answer(self._items[request.rule], function, arguments))))

    def _send(self, reply: Reply) -> None:
        """Sends a reply; a fork ends here."""
        if os.getpid() != self._owner:
            os._exit(0)
        try:
            self._channel.send(reply, self._number)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            self._channel.send(RuleFailed(_text(f"the rules' values can't be sent: {error}")), self._number)


def _rule_data(rule: Rule) -> RuleData:
    data = {name: getattr(rule, name) for name in RuleData.__struct_fields__ if name != "functions"}
    data.update({name: dict(getattr(rule, name)) for name in ("limits", "dims", "varied")})
    data["functions"] = [function.name for function in OPTIONAL if getattr(rule, function.name) is not None]
    try:
        return msgspec.convert(msgspec.to_builtins(data), RuleData)
    except (msgspec.ValidationError, TypeError) as error:
        raise RuleError(f"{rule.source}: a value that no rule may have: {error}") from error


def _text(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def main(*arguments: str) -> None:
    """Serve within a limit of memory; the process ends whatever threads a user's code has left."""
    reading, writing, memory, *paths = arguments
    channel: Channel[Reply, Request] = parent_channel((reading, writing), request_decoder)
    faulthandler.disable()
    limit_memory(int(memory))
    try:
        SandboxService(channel, tuple(map(Path, paths))).serve()
    except BaseException:  # noqa: BLE001 - the log has it, and the sandbox sees the process end
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
