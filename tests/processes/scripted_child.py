"""A child process for tests: it does what each request says, in Python, and answers with what that gives."""

from __future__ import annotations

import sys
from collections.abc import Callable

import msgspec

from autoperf.processes.channel import Channel, ChannelClosed
from autoperf.processes.child_process import ChildProcess
from autoperf.processes.forks import parent_channel

Start = Callable[..., ChildProcess[str, str]]


def main() -> None:
    channel: Channel[str, str] = parent_channel(sys.argv[1:], msgspec.msgpack.Decoder(tuple[int, str]))
    names: dict[str, object] = {"channel": channel}
    try:
        while True:
            number, request = channel.receive()
            exec(request, names)
            channel.send(str(names.get("answer", "")), number)
    except ChannelClosed:
        pass


if __name__ == "__main__":
    main()
