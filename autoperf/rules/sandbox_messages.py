"""Requests to the process that runs a user's rules, and its replies."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.layers import UserLayer
from autoperf.core.operator import Operator
from autoperf.core.tensors import AnyContent
from autoperf.core.work import Work
from autoperf.rules.rule import Inputs, InputSpec, Reason


class DescribeRequest(msgspec.Struct, frozen=True, tag="describe"):
    """Asks to read the files, and for the rules and exclusions in them."""


class MatchRequest(msgspec.Struct, frozen=True, tag="match"):
    """Asks whether a rule by signature applies to an operator; rules are identified by number."""

    rule: int
    operator: Operator


class CanonicalRequest(msgspec.Struct, frozen=True, tag="canonical"):
    """Asks for a rule's canonical inputs."""

    rule: int
    spec: InputSpec


class DrawRequest(msgspec.Struct, frozen=True, tag="draw"):
    """Asks for draws number `start` to `start + size - 1` of a seed."""

    rule: int
    spec: InputSpec
    seed: str
    size: int
    start: int


class FlopsRequest(msgspec.Struct, frozen=True, tag="flops"):
    """Asks for the floating-point operations of a case."""

    rule: int
    case: Case


class BackwardWorkRequest(msgspec.Struct, frozen=True, tag="backward"):
    """Asks for the work of a case's backward pass, which writes the gradients of these inputs."""

    rule: int
    case: Case
    gradients: tuple[str, ...]


class RuleData(msgspec.Struct, frozen=True, kw_only=True):
    """A rule without its functions; `matches`, `flops` and `backward` say whether it has these. `layer`: see Rule."""

    names: tuple[str, ...]
    category: str
    source: str
    dtype: str
    fill: dict[str, AnyContent]
    rank: int
    inferable: bool
    dtypes: tuple[str, ...]
    matches: bool
    flops: bool
    backward: bool
    limits: dict[str, str]
    layer: UserLayer | None


class ExclusionData(msgspec.Struct, frozen=True):
    """An exclusion."""

    names: tuple[str, ...]
    reason: Reason
    evidence: str
    since: tuple[int, int] | None


class SandboxReady(msgspec.Struct, frozen=True, tag="ready"):
    """The process has started; nothing of the user's has run yet."""


class Entered(msgspec.Struct, frozen=True, tag="entered"):
    """This file is run next."""

    file: str


class Described(msgspec.Struct, frozen=True, tag="described"):
    """What stands in the files, in order."""

    rules: tuple[RuleData, ...]
    exclusions: tuple[ExclusionData, ...]


class Matched(msgspec.Struct, frozen=True, tag="matched"):
    """Whether the rule applies to the operator."""

    matches: bool


class Canonical(msgspec.Struct, frozen=True, tag="canonical"):
    """Canonical inputs by profile."""

    inputs: dict[str, Inputs]


class Drawn(msgspec.Struct, frozen=True, tag="drawn"):
    """Drawn inputs."""

    inputs: tuple[Inputs, ...]


class Counted(msgspec.Struct, frozen=True, tag="counted"):
    """Floating-point operations."""

    flops: float


class CountedBackward(msgspec.Struct, frozen=True, tag="counted_backward"):
    """The work of a backward pass."""

    work: Work


class RuleFailed(msgspec.Struct, frozen=True, tag="failed"):
    """What the user's code did wrong."""

    reason: str


Request: TypeAlias = (
    DescribeRequest | MatchRequest | CanonicalRequest | DrawRequest | FlopsRequest | BackwardWorkRequest
)
Reply: TypeAlias = (
    SandboxReady | Entered | Described | Matched | Canonical | Drawn | Counted | CountedBackward | RuleFailed
)

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
reply_decoder: msgspec.msgpack.Decoder[tuple[int, Reply]] = msgspec.msgpack.Decoder(tuple[int, Reply])
