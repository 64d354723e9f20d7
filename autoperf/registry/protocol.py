"""The messages between the registry's client and its service; replies have consecutive numbers from their request's."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.core.operator import Registry
from autoperf.registry.calls import Completion, Gradient, InferenceCall


class CrawlRequest(msgspec.Struct, frozen=True, tag="crawl"):
    """Requests the whole registry."""


class CompleteRequest(msgspec.Struct, frozen=True, tag="complete"):
    """Requests completions; replies are sent in batches of `flush`, and a crash loses the current batch."""

    calls: tuple[InferenceCall, ...]
    flush: int


class GradientRequest(msgspec.Struct, frozen=True, tag="gradients"):
    """Requests gradients; `limit` is the time limit of one call in seconds."""

    calls: tuple[InferenceCall, ...]
    limit: float


class RegistryReply(msgspec.Struct, frozen=True, tag="registry"):
    """The registry."""

    registry: Registry


class CompletionReply(msgspec.Struct, frozen=True, tag="completion"):
    """The completion of one call; one reply per call, in order."""

    completion: Completion


class GradientReply(msgspec.Struct, frozen=True, tag="gradient"):
    """The gradient of one call; one reply per call, in order."""

    gradient: Gradient


class ErrorReply(msgspec.Struct, frozen=True, tag="failure"):
    """The request failed: the library can't be loaded, or its registry can't be read."""

    kind: str
    message: str


Request: TypeAlias = CrawlRequest | CompleteRequest | GradientRequest
Reply: TypeAlias = RegistryReply | CompletionReply | GradientReply | ErrorReply

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
reply_decoder: msgspec.msgpack.Decoder[tuple[int, Reply]] = msgspec.msgpack.Decoder(tuple[int, Reply])
