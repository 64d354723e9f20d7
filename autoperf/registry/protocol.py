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


class RegistryReply(msgspec.Struct, frozen=True, tag="registry"):
    """The registry."""

    registry: Registry


class CompletionReply(msgspec.Struct, frozen=True, tag="completion"):
    """The completion of one call; one reply per call, in order."""

    completion: Completion


class GradientReply(msgspec.Struct, frozen=True, tag="gradient"):
    """The gradient of one call; one reply per call, in order."""

    gradient: Gradient


class GraphReply(msgspec.Struct, frozen=True, tag="inferred"):
    """The nodes of a network."""

    graph: InferredGraph


class ErrorReply(msgspec.Struct, frozen=True, tag="failure"):
    """The request failed: the library can't be loaded, or its registry can't be read."""

    kind: str
    message: str


Request: TypeAlias = CrawlRequest | CompleteRequest | GradientRequest | GraphRequest
Reply: TypeAlias = RegistryReply | CompletionReply | GradientReply | GraphReply | ErrorReply

request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
reply_decoder: msgspec.msgpack.Decoder[tuple[int, Reply]] = msgspec.msgpack.Decoder(tuple[int, Reply])
