"""A process that has loaded the framework and forks for each case, so that a crash affects that case only."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable
from typing import TypeAlias

from autoperf.backends.protocol import Engine, TrialResult, Trials
from autoperf.core.errors import EngineError, ProcessError
from autoperf.measurement.child_setup import case_failure, quiet_exit
from autoperf.measurement.messages import (
    Accepted,
    CaseFailure,
    ChildExited,
    Counted,
    ForkReady,
    Service,
    Task,
    Unusable,
)
from autoperf.measurement.results_check import checked_trial, with_results
from autoperf.measurement.settings import Settings
from autoperf.processes.channel import ChannelClosed
from autoperf.processes.forks import fork, limit_memory

AnswerTask: TypeAlias = Callable[[Task], TrialResult | Counted | CaseFailure]


def serve_trials(channel: Service, engine: Engine, settings: Settings, trials: Trials) -> None:
    """Runs one case at a time, each in a fork of its own, until the channel is closed."""

    def answer(task: Task) -> TrialResult | CaseFailure:
        try:
            if task.program:
                return checked_trial(engine, task, settings.call_options)
            result = trials.run(task.case, backward=task.backward)
            return with_results(trials.tried, task, result)
        except Exception as error:  # noqa: BLE001 - a case may raise anything; only that case fails
            return case_failure(engine, error, settings.bytes_allowed)

    def prepare() -> AnswerTask:
        limit_memory(settings.bytes_allowed)
        trials.prepare()
        return answer

    serve_forks(channel, engine, prepare)


def serve_forks(channel: Service, engine: Engine, prepare: Callable[[], AnswerTask]) -> None:
    """Forks a child ahead of each case. The child reads its case from the channel, and this process waits for its end.

    `prepare` runs in the child before it reads its case, and returns the function that answers.
    """
    try:
        engine.warm_up()
        gc.collect()
        gc.freeze()
        while True:
            child = fork()
            if child == 0:
                _answer_next(channel, prepare)
            _, status = os.waitpid(child, 0)
            channel.send(ChildExited(status))
    except (EngineError, ProcessError) as error:
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
