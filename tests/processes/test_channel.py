"""Messages arrive whole, one at a time and under their number, or the reader is told why not."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import msgspec
import pytest

from autoperf.processes import channel
from autoperf.processes.channel import (
    MAX_BYTES,
    Channel,
    ChannelClosed,
    ChannelGarbled,
    ChannelMismatched,
    ChannelSilent,
)

Loop = tuple[Channel[str, str], int]


@pytest.fixture
def pipe() -> Iterator[Loop]:
    """A channel to itself, and where others can write to it."""
    reading, writing = os.pipe()
    channel = Channel[str, str](reading, writing, msgspec.msgpack.Decoder(tuple[int, str]))
    yield channel, writing
    channel.close()


def soon(seconds: float = 60.0) -> float:
    return time.monotonic() + seconds


def test_messages_arrive_as_they_were_sent(pipe: Loop) -> None:
    pipe[0].send("first", 7)
    pipe[0].send_all([(8, "second"), (9, "")])
    assert [pipe[0].receive() for _ in range(3)] == [(7, "first"), (8, "second"), (9, "")]


def test_requests_have_numbers_of_their_own(pipe: Loop) -> None:
    numbers = [pipe[0].post("a"), pipe[0].post("b", answers=5), pipe[0].post("c", answers=0), pipe[0].post("d")]
    assert numbers == [1, 2, 7, 8]


def test_an_answer_belongs_to_its_request(pipe: Loop) -> None:
    number = pipe[0].post("echo")
    assert pipe[0].answer(number) == "echo"
    pipe[0].send("late", number)
    with pytest.raises(ChannelMismatched, match="message 1 came in place of 2"):
        pipe[0].answer(number + 1)


def test_a_message_larger_than_a_pipe_arrives(pipe: Loop) -> None:
    writer = threading.Thread(target=pipe[0].send, args=("x" * 1_000_000, 3))
    writer.start()
    assert pipe[0].receive(soon()) == (3, "x" * 1_000_000)
    writer.join()


def test_silence_ends_at_the_deadline(pipe: Loop) -> None:
    with pytest.raises(ChannelSilent):
        pipe[0].receive(soon(-1))


def test_a_request_that_nobody_reads_ends_at_the_deadline(pipe: Loop) -> None:
    os.set_blocking(pipe[1], False)
    with pytest.raises(ChannelSilent):
        pipe[0].send("x" * 1_000_000, deadline=soon(0.01))


def test_half_a_message_is_silence(pipe: Loop) -> None:
    os.write(pipe[1], b"\x00\x00\x00\x09half")
    with pytest.raises(ChannelSilent):
        pipe[0].receive(soon(0.01))


def test_a_message_without_its_rest_is_garbled(pipe: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "REST_PATIENCE", 0.01)
    os.write(pipe[1], b"\x00\x00\x00\x09half")
    with pytest.raises(ChannelGarbled):
        pipe[0].receive(soon(1000))


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        (MAX_BYTES + 1).to_bytes(4, "big"),
        b"\x00\x00\x00\x02{}",
        b"\x00\x00\x00\x00",
        b"\x00\x00\x00\x03\x92\x01\x02",
        b"\x00\x00\x00\x02\xa1x",
    ],
)
def test_what_is_no_message_is_garbled(pipe: Loop, data: bytes) -> None:
    os.write(pipe[1], data)
    with pytest.raises(ChannelGarbled):
        pipe[0].receive(soon())


def test_a_closed_end_is_told() -> None:
    decoder = msgspec.msgpack.Decoder(tuple[int, str])
    reading, writing = os.pipe()
    os.close(writing)
    with pytest.raises(ChannelClosed):
        Channel[str, str](reading, -1, decoder).receive()
    os.close(reading)
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(ChannelClosed):
        Channel[str, str](-1, writing, decoder).send("to nobody")
    os.close(writing)


def test_a_message_that_is_too_large_is_not_sent(pipe: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="invalid message of 104 bytes: expected at most 100"):
        pipe[0].send("x" * 100, 1)
    pipe[0].send("x" * 10, 2)
    assert pipe[0].receive(soon()) == (2, "x" * 10)
