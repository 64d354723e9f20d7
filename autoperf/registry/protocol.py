"""What the registry's client and its service say to each other: length-prefixed MessagePack, streamed one by one."""

from __future__ import annotations

import os
import select
import struct
import time
from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from autoperf.core.operator import Registry
from autoperf.registry.calls import Call, Completion, Gradient

_LENGTH = struct.Struct("<Q")
_CHUNK = 1 << 16


class CrawlRequest(msgspec.Struct, frozen=True, tag="crawl"):
    """Asks for the whole registry."""


class CompleteRequest(msgspec.Struct, frozen=True, tag="complete"):
    """Asks to complete calls; the answers come `flush` at a time, and those held back are lost in a crash."""

    calls: tuple[Call, ...]
    flush: int


class GradientRequest(msgspec.Struct, frozen=True, tag="gradients"):
    """Asks which calls can be differentiated; `limit` is the seconds that one of them may take."""

    calls: tuple[Call, ...]
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


class Failure(msgspec.Struct, frozen=True, tag="failure"):
    """The service can't do anything: the library can't be loaded, or its registry not be read."""

    kind: str
    message: str


Request: TypeAlias = CrawlRequest | CompleteRequest | GradientRequest
Reply: TypeAlias = RegistryReply | CompletionReply | GradientReply | Failure

_encoder = msgspec.msgpack.Encoder()
_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


class LateError(Exception):
    """The other side did not say anything in time."""


def send(descriptor: int, messages: Iterable[Request | Reply]) -> None:
    """Write some messages; raises BrokenPipeError if the other side is gone."""
    send_bodies(descriptor, map(_encoder.encode, messages))


def send_bodies(descriptor: int, bodies: Iterable[bytes]) -> None:
    """Write some byte strings, each with its length before it."""
    data = memoryview(b"".join(_LENGTH.pack(len(body)) + body for body in bodies))
    while data:
        data = data[os.write(descriptor, data) :]


class Reader:
    """Reads messages from a descriptor, as many at once as there are; None is the end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def request(self) -> Request | None:
        """The next request, however long it takes."""
        body = self.body(None)
        return None if body is None else _requests.decode(body)

    def reply(self, limit: float) -> Reply | None:
        """The next reply; raises LateError after `limit` seconds."""
        body = self.body(limit)
        return None if body is None else _replies.decode(body)

    def body(self, limit: float | None) -> bytes | None:
        """The bytes of the next message; raises LateError after `limit` seconds."""
        deadline = None if limit is None else time.monotonic() + limit
        if not self._filled(_LENGTH.size, deadline):
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
        if not self._filled(end, deadline):
            return None
        body = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return body

    def _filled(self, size: int, deadline: float | None) -> bool:
        """Read until the buffer has `size` bytes; false if the other side ends before."""
        while len(self._buffer) < size:
            wait = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
            if not self._poll.poll(wait):
                raise LateError
            part = os.read(self._descriptor, _CHUNK)
            if not part:
                return False
            self._buffer += part
        return True
