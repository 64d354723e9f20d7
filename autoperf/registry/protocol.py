"""What the registry's client and its service say to each other; replies are numbered on from their request."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.core.operator import Registry
from autoperf.registry.calls import Completion, Gradient, InferenceCall


class CrawlRequest(msgspec.Struct, frozen=True, tag="crawl"):
    """Asks for the whole registry."""


class CompleteRequest(msgspec.Struct, frozen=True, tag="complete"):
    """Asks to complete calls; the answers come `flush` at a time, and those held back are lost in a crash."""

    calls: tuple[InferenceCall, ...]
    flush: int


class GradientRequest(msgspec.Struct, frozen=True, tag="gradients"):
    """Asks which calls can be differentiated; `limit` is the seconds that one of them may take."""

    calls: tuple[InferenceCall, ...]
    limit: float


class RegistryReply(msgspec.Struct, frozen=True, tag="registry"):
    """The registry."""

    registry: Registry


class CompletionReply(msgspec.Struct, frozen=True, tag="completion"):
    """The completion of one call; as many come as calls were sent, in their order."""

    completion: Completion


class GradientReply(msgspec.Struct, frozen=True, tag="gradient"):
    """The answer about one call; as many come as calls were sent, in their order."""

    gradient: Gradient


class ErrorReply(msgspec.Struct, frozen=True, tag="failure"):
    """The service can't do anything: the library can't be loaded, or its registry not be read."""

    kind: str
    message: str


Request: TypeAlias = CrawlRequest | CompleteRequest | GradientRequest
Reply: TypeAlias = RegistryReply | CompletionReply | GradientReply | ErrorReply

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
reply_decoder: msgspec.msgpack.Decoder[tuple[int, Reply]] = msgspec.msgpack.Decoder(tuple[int, Reply])
