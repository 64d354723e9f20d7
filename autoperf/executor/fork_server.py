"""A process that has loaded MXNet and forks for each case, so that a crash affects that case only."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable
from typing import TypeAlias

from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.errors import ProcessError
from autoperf.executor.child_setup import quiet_exit
from autoperf.executor.messages import (
    Accepted,
    CaseFailure,
    ChildExited,
    ForkReady,
    Service,
    Task,
    TrialResult,
    Unusable,
)
from autoperf.executor.warm_up import warm_up_call
from autoperf.processes.channel import ChannelClosed
from autoperf.processes.forks import fork

AnswerTask: TypeAlias = Callable[[Task], TrialResult | CaseFailure]


def serve_forks(channel: Service, library: Library, prepare: Callable[[], AnswerTask]) -> None:
    """Forks a child ahead of each case. The child reads the case from the channel, and this process waits for its end.

    `prepare` runs in the child before it reads its case, and returns the function that answers.
    """
    warm_up_call(library)
    gc.collect()
    gc.freeze()
    try:
        while True:
            child = fork()
            if child == 0:
                _answer_next(channel, prepare)
            _, status = os.waitpid(child, 0)
            channel.send(ChildExited(status))
    except ProcessError as error:
        channel.send(Unusable(str(error)))


def _answer_next(channel: Service, prepare: Callable[[], AnswerTask]) -> None:
    """Runs in the child; never returns."""
    try:
        answer = prepare()
        channel.send(ForkReady())
        number, task = channel.receive()
        if isinstance(task, Task):
            channel.send(Accepted(), number)
            channel.send(answer(task), number)
    except ChannelClosed:
        pass
    except Exception:  # noqa: BLE001 - logged; the supervisor sees that the fork ended before it was ready
        traceback.print_exc()
    finally:
        quiet_exit(0)
