"""The messages between the registry's client and its service; replies have consecutive numbers from their request's."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.core.operator import Registry
from autoperf.core.tensors import ArrayType
from autoperf.registry.calls import Completion, Gradient, InferenceCall, InferredGraph


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


class GraphRequest(msgspec.Struct, frozen=True, tag="graph"):
    """Requests the nodes of a network with their shapes and dtypes; `inputs` are the known variables, by name."""

    text: str
    inputs: dict[str, ArrayType]


class ValueReply(msgspec.Struct, frozen=True, tag="value"):
    """An encoded result: the registry, a network's nodes, or the completion or gradient of one call, in their order."""

    value: msgspec.Raw


class ErrorReply(msgspec.Struct, frozen=True, tag="failure"):
    """The request failed: the library can't be loaded, or its registry can't be read."""

    kind: str
    message: str


Request: TypeAlias = CrawlRequest | CompleteRequest | GradientRequest | GraphRequest
Reply: TypeAlias = ValueReply | ErrorReply

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
reply_decoder: msgspec.msgpack.Decoder[tuple[int, Reply]] = msgspec.msgpack.Decoder(tuple[int, Reply])


def value_reply(value: Registry | Completion | Gradient | InferredGraph) -> ValueReply:
    """The reply with this result."""
    return ValueReply(msgspec.Raw(msgspec.msgpack.encode(value)))
