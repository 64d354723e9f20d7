"""Messages arrive whole, one at a time, or the reader is told why not."""

from __future__ import annotations

import os
import threading
import time

import pytest

from autoperf.core.outcome import Memory, PassMemory, Status
from autoperf.core.tensors import ArrayType
from autoperf.executor import channel
from autoperf.executor.channel import Channel, ChannelClosed, ChannelGarbled, ChannelSilent
from autoperf.executor.messages import Facts, Gone, Ready, Refused, Task, Wish

FACTS = Facts((ArrayType((2, 3), "float32"),), Wish(("data",)), ("exp",), (), Memory(PassMemory(1, 1, 0)))


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    channel = Channel(reading, writing)
    yield channel, writing
    channel.close()


@pytest.mark.parametrize("message", [Ready(), Gone(3), Refused(Status.FAILED, "no"), Task("f", "g", "c", FACTS), FACTS])
def test_messages_arrive_as_they_were_sent(pipe, message) -> None:
    pipe[0].send(message)
    assert pipe[0].receive() == message


def test_two_messages_are_read_one_at_a_time(pipe) -> None:
    pipe[0].send(Gone(1))
    pipe[0].send(Gone(2))
    assert (pipe[0].receive(), pipe[0].receive()) == (Gone(1), Gone(2))


def test_a_message_larger_than_a_pipe_arrives(pipe) -> None:
    message = Refused(Status.FAILED, "x" * 1_000_000)
    writer = threading.Thread(target=pipe[0].send, args=(message,))
    writer.start()
    assert pipe[0].receive(time.monotonic() + 60) == message
    writer.join()


def test_silence_ends_at_the_deadline(pipe) -> None:
    with pytest.raises(ChannelSilent):
        pipe[0].receive(time.monotonic() - 1)


def test_half_a_message_is_silence(pipe) -> None:
    os.write(pipe[1], b"\x00\x00\x00\x09half")
    with pytest.raises(ChannelSilent):
        pipe[0].receive(time.monotonic() + 0.01)


def test_a_message_without_its_rest_is_garbled(pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "REST_PATIENCE", 0.01)
    os.write(pipe[1], b"\x00\x00\x00\x09half")
    with pytest.raises(ChannelGarbled):
        pipe[0].receive(time.monotonic() + 1000)


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"\x00\x00\x00\x02{}", b"\x00\x00\x00\x00"])
def test_what_is_no_message_is_garbled(pipe, data: bytes) -> None:
    os.write(pipe[1], data)
    with pytest.raises(ChannelGarbled):
        pipe[0].receive(time.monotonic() + 1)


def test_a_closed_end_is_told() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    _, other = os.pipe()
    with pytest.raises(ChannelClosed):
        Channel(reading, other).receive()
    os.close(reading)
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(ChannelClosed):
        Channel(other, writing).send(Ready())
    os.close(writing)
