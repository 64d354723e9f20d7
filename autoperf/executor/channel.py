"""Messages over a pair of pipes: four bytes of length, then msgpack."""

from __future__ import annotations

import os
import select
import time

import msgspec

from autoperf.executor.messages import Message

_HEAD = 4
REST_PATIENCE = 10.0
LARGEST = 64 * 1024 * 1024


class ChannelClosed(Exception):  # noqa: N818 - an end, not always an error
    """The other side has gone."""


class ChannelSilent(Exception):  # noqa: N818
    """The other side has said nothing in time."""


class ChannelGarbled(Exception):  # noqa: N818
    """The other side has said something that is no message."""


class Channel:
    """One end of a conversation; reads exactly one message at a time, so that a forked child can take the next."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(Message)

    def send(self, message: Message) -> None:
        """Writes a message; raises ChannelClosed if nobody is there to read it."""
        body = self._encoder.encode(message)
        data = memoryview(len(body).to_bytes(_HEAD, "big") + body)
        try:
            while data:
                data = data[os.write(self._writing, data) :]
        except BrokenPipeError:
            raise ChannelClosed from None

    def receive(self, deadline: float | None = None) -> Message:
        """Waits for a message, until `deadline` on the monotonic clock if there is one.

        Raises ChannelClosed, ChannelSilent or ChannelGarbled; that too where the rest of a message doesn't come.
        """
        length = int.from_bytes(self._exactly(_HEAD, deadline), "big")
        if length > LARGEST:
            raise ChannelGarbled
        body = self._body(length, deadline)
        try:
            message: Message = self._decoder.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise ChannelGarbled from None
        return message

    def close(self) -> None:
        """Closes both pipes."""
        for descriptor in (self._reading, self._writing):
            os.close(descriptor)

    def _body(self, length: int, deadline: float | None) -> bytes:
        """Messages are written at once, so that one whose writer lives is there in no time."""
        soon = time.monotonic() + REST_PATIENCE
        if deadline is None or deadline <= soon:
            return self._exactly(length, deadline)
        try:
            return self._exactly(length, soon)
        except ChannelSilent:
            raise ChannelGarbled from None

    def _exactly(self, size: int, deadline: float | None) -> bytes:
        parts: list[bytes] = []
        while size:
            if deadline is not None:
                self._wait(deadline)
            part = os.read(self._reading, size)
            if not part:
                raise ChannelClosed
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _wait(self, deadline: float) -> None:
        poll = select.poll()
        poll.register(self._reading, select.POLLIN)
        left = deadline - time.monotonic()
        if not poll.poll(max(0.0, left) * 1000):
            raise ChannelSilent
