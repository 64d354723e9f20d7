"""Numbered messages over a pair of pipes: four bytes of length, then msgpack of a number and the message.

An answer carries the number of its request, so that it can't be taken for the answer to another request.
"""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import msgspec

Sent = TypeVar("Sent")
Received = TypeVar("Received")

UNSOLICITED = 0
"""The number of a message that answers no request."""
REST_PATIENCE = 10.0
MAX_BYTES = 256 * 1024 * 1024
_HEAD = 4
_CHUNK = 1 << 16
_WATCH_SECONDS = 0.05


class ChannelError(Exception):
    """No more messages can be exchanged; the text gives the reason."""


class ChannelClosed(ChannelError):  # noqa: N818 - not always an error
    """The other side has closed its pipe or ended."""


class ChannelSilent(ChannelError):  # noqa: N818
    """The other side has neither sent nor read a message before the deadline."""


class ChannelGarbled(ChannelError):  # noqa: N818
    """The other side has sent an invalid message."""


class ChannelMismatched(ChannelGarbled):
    """The other side has answered another request."""


class Channel(Generic[Sent, Received]):
    """One end of a pair of pipes. It reads ahead: another process may share the pipes only while no message is in them.

    Where forks of the other side may hold the pipes open after its end, `ended` returns whether it has ended.
    """

    def __init__(
        self,
        reading: int,
        writing: int,
        decoder: msgspec.msgpack.Decoder[tuple[int, Received]],
        ended: Callable[[], bool] | None = None,
    ) -> None:
        self.reading, self.writing = reading, writing
        """The descriptors that messages come from and go to."""
        self._decoder, self._ended = decoder, ended
        self._encoder = msgspec.msgpack.Encoder()
        self._buffer = bytearray()
        self._number = UNSOLICITED

    def ask(self, request: Sent, deadline: float | None = None) -> Received:
        """The answer to a request, until `deadline` on the monotonic clock. Raises ChannelError."""
        return self.answer(self.post(request, deadline), deadline)

    def post(self, request: Sent, deadline: float | None = None, *, answers: int = 1) -> int:
        """Sends a request with `answers` answers; returns its number, also that of the first. Raises ChannelError."""
        number = self._number + 1
        self._number += max(1, answers)
        self.send(request, number, deadline)
        return number

    def answer(self, number: int, deadline: float | None = None) -> Received:
        """The next message, which must have this number. Raises ChannelError."""
        received, message = self.receive(deadline)
        if received != number:
            raise ChannelMismatched(f"message {received} came in place of {number}")
        return message

    def send(self, message: Sent, number: int = UNSOLICITED, deadline: float | None = None) -> None:
        """Writes a message. Raises ChannelClosed if there is no reader, ChannelSilent if it doesn't read in time.

        Raises ValueError, TypeError, OverflowError or RecursionError for a message that can't be encoded or is larger
        than MAX_BYTES; nothing is written then.
        """
        self.send_all(((number, message),), deadline)

    def send_all(self, messages: Iterable[tuple[int, Sent]], deadline: float | None = None) -> None:
        """Writes several messages in one write; raises as `send` does."""
        data = memoryview(b"".join(map(self._framed, messages)))
        while data:
            data = data[self._write(data, deadline) :]

    def receive(self, deadline: float | None = None) -> tuple[int, Received]:
        """A message and its number, until `deadline` (monotonic). Raises ChannelError, for a part ChannelGarbled."""
        self._fill(_HEAD, deadline)
        length = int.from_bytes(self._buffer[:_HEAD], "big")
        if length > MAX_BYTES:
            raise ChannelGarbled(f"invalid length of a message: expected at most {MAX_BYTES:,} bytes, got {length:,}")
        self._fill_rest(_HEAD + length, deadline)
        body = bytes(self._buffer[_HEAD : _HEAD + length])
        del self._buffer[: _HEAD + length]
        try:
            return self._decoder.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ChannelGarbled(str(error)) from None

    def close(self) -> None:
        """Closes both pipes."""
        for descriptor in (self.reading, self.writing):
            os.close(descriptor)

    def _write(self, data: memoryview, deadline: float | None) -> int:
        """The number of bytes written; 0 if the pipe was full and has room now."""
        try:
            return os.write(self.writing, data)
        except BlockingIOError:
            _wait(self.writing, select.POLLOUT, deadline, self._ended)
            return 0
        except BrokenPipeError:
            raise ChannelClosed("the pipe has no reader") from None

    def _framed(self, numbered: tuple[int, Sent]) -> bytes:
        body = self._encoder.encode(numbered)
        if len(body) > MAX_BYTES:
            raise ValueError(f"invalid message of {len(body):,} bytes: expected at most {MAX_BYTES:,}")
        return len(body).to_bytes(_HEAD, "big") + body

    def _fill_rest(self, size: int, deadline: float | None) -> None:
        """A message is written in one go, so its rest must arrive within REST_PATIENCE seconds."""
        rest_deadline = time.monotonic() + REST_PATIENCE
        if deadline is None or deadline <= rest_deadline:
            self._fill(size, deadline)
            return
        try:
            self._fill(size, rest_deadline)
        except ChannelSilent:
            raise ChannelGarbled("the message is incomplete") from None

    def _fill(self, size: int, deadline: float | None) -> None:
        while len(self._buffer) < size:
            if deadline is not None:
                _wait(self.reading, select.POLLIN, deadline, self._ended)
            part = os.read(self.reading, _CHUNK)
            if not part:
                raise ChannelClosed("the pipe has ended")
            self._buffer += part


def _wait(descriptor: int, event: int, deadline: float | None, ended: Callable[[], bool] | None) -> None:
    """Waits until a descriptor is ready. Raises ChannelSilent at the deadline, ChannelClosed if the other side ends."""
    poll = select.poll()
    poll.register(descriptor, event)
    while True:
        # Checked before the poll, so that messages from before the end are still read.
        has_ended = ended is not None and ended()
        left = math.inf if deadline is None else max(0.0, deadline - time.monotonic())
        patience = left if ended is None else min(left, 0.0 if has_ended else _WATCH_SECONDS)
        if poll.poll(None if patience == math.inf else patience * 1000):
            return
        if has_ended:
            raise ChannelClosed("the process has ended")
        if not left:
            raise ChannelSilent("the deadline has passed")
