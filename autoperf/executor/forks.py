"""A process that has loaded MXNet, and a fork of it for each case, so that a case costs itself only."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable
from typing import TypeAlias

from autoperf.capi.library import Library
from autoperf.capi.linux import die_with_parent
from autoperf.executor.channel import Channel, ChannelClosed
from autoperf.executor.child import quiet_exit
from autoperf.executor.messages import Facts, Gone, Ready, Refused, Task
from autoperf.executor.rehearsal import rehearse_call

Answer: TypeAlias = Callable[[Task], Facts | Refused]


def serve_forks(channel: Channel, library: Library, prepare: Callable[[], Answer]) -> None:
    """Forks a child ahead of each case; it takes the case from the channel itself, and this process only waits.

    `prepare` is what a child does before it has its case; it gives the function that answers.
    """
    rehearse_call(library)
    gc.collect()
    gc.freeze()
    while True:
        child = os.fork()
        if child == 0:
            die_with_parent()
            _answer_next(channel, prepare)
        _, status = os.waitpid(child, 0)
        channel.send(Gone(status))


def _answer_next(channel: Channel, prepare: Callable[[], Answer]) -> None:
    """What a forked child does; it doesn't return."""
    try:
        answer = prepare()
        channel.send(Ready())
        task = channel.receive()
        if isinstance(task, Task):
            channel.send(answer(task))
    except ChannelClosed:
        pass
    except Exception:  # noqa: BLE001 - the log has it, and the supervisor sees a fork that ends before it is ready
        traceback.print_exc()
    finally:
        quiet_exit(0)
