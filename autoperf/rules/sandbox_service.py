"""The process that runs a user's rules; `python -m autoperf.rules.sandbox_service REQUESTS REPLIES BYTES PATH...`.

It may end, hang or crash at any request: the sandbox says so, and starts another. What it prints goes to a log.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from autoperf.capi.linux import die_with_parent, limit_memory
from autoperf.core.errors import AutoperfError, RuleError
from autoperf.rules.rule import Exclusion, Rule
from autoperf.rules.rule_files import canonical_of, drawn_of, flops_of, matches, read_rules
from autoperf.rules.sandbox_messages import (
    HEAD,
    Answered,
    Asked,
    Canonical,
    CanonicalRequest,
    Counted,
    Described,
    DescribeRequest,
    Drawn,
    DrawRequest,
    Entered,
    ExclusionData,
    Matched,
    MatchRequest,
    Reply,
    Request,
    RuleData,
    RuleFailed,
    SandboxReady,
    framed,
)

_asked = msgspec.msgpack.Decoder(Asked)


class SandboxService:
    """Answers requests about the rules in these files; `enter` hears of each file before it is run."""

    def __init__(self, paths: Sequence[Path], enter: Callable[[Path], None]) -> None:
        self._paths, self._enter = paths, enter
        self._rules: list[Rule] = []

    def answer(self, request: Request) -> Reply:
        """The reply. Raises AutoperfError for what the user's code does wrong."""
        if isinstance(request, DescribeRequest):
            return self._described()
        rule = self._rules[request.rule]
        if isinstance(request, MatchRequest):
            return Matched(matches(rule, request.operator))
        if isinstance(request, CanonicalRequest):
            return Canonical(canonical_of(rule, request.spec))
        if isinstance(request, DrawRequest):
            return Drawn(tuple(drawn_of(rule, request.spec, request.seed, request.size, request.start)))
        return Counted(flops_of(rule, request.case))

    def _described(self) -> Described:
        items = read_rules(self._paths, self._enter)
        self._rules = [item for item in items if isinstance(item, Rule)]
        exclusions = (item for item in items if isinstance(item, Exclusion))
        return Described(
            tuple(map(_rule_data, self._rules)),
            tuple(ExclusionData(one.names, one.reason, one.evidence, one.since) for one in exclusions),
        )


def _rule_data(rule: Rule) -> RuleData:
    data = RuleData(
        names=rule.names,
        category=rule.category,
        source=rule.source,
        dtype=rule.dtype,
        fill=dict(rule.fill),
        rank=rule.rank,
        inferable=rule.inferable,
        dtypes=rule.dtypes,
        matches=rule.matches is not None,
        flops=rule.flops is not None,
    )
    try:
        return msgspec.convert(msgspec.to_builtins(data), RuleData)
    except (msgspec.ValidationError, TypeError) as error:
        raise RuleError(f"{rule.source}: a value that no rule may have: {error}") from error


def serve(requests: int, replies: int, paths: Sequence[Path]) -> None:
    """Answer requests from one descriptor on another until there are no more."""
    say = partial(_say, replies, os.getpid())
    number = 0
    service = SandboxService(paths, lambda file: say(Answered(number, Entered(str(file)))))
    say(Answered(0, SandboxReady()))
    while (asked := _next(requests)) is not None:
        number = asked.number
        say(Answered(number, _answer(service, asked.request)))


def _answer(service: SandboxService, request: Request) -> Reply:
    try:
        return service.answer(request)
    except AutoperfError as error:
        return RuleFailed(_text(str(error)))
    except BaseException as error:  # noqa: BLE001 - whatever a user's code raises, it is told
        return RuleFailed(_text(f"{type(error).__name__}: {error}"))


def _text(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _say(replies: int, owner: int, answered: Answered) -> None:
    """Write the answer, unless this is a copy of the process that a user's code has forked: that ends here."""
    if os.getpid() != owner:
        os._exit(0)
    try:
        data = framed(answered)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        data = framed(Answered(answered.number, RuleFailed(_text(f"the rules' values can't be sent: {error}"))))
    view = memoryview(data)
    while view:
        view = view[os.write(replies, view) :]


def _next(requests: int) -> Asked | None:
    """The next request; None if there is none any more."""
    length = _exactly(requests, HEAD)
    if length is None:
        return None
    body = _exactly(requests, int.from_bytes(length, "big"))
    return None if body is None else _asked.decode(body)


def _exactly(descriptor: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = os.read(descriptor, size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def main(requests: str, replies: str, limit: str, *paths: str) -> None:
    """Serve within `limit` bytes; the process ends whatever threads a user's code has left."""
    die_with_parent()
    faulthandler.disable()
    limit_memory(int(limit))
    try:
        serve(int(requests), int(replies), tuple(map(Path, paths)))
    except BaseException:  # noqa: BLE001 - the log has it, and the sandbox sees the process end
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
