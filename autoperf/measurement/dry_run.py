"""Runs the forward pass of each case once in a fork, to find out whether the case runs."""

from __future__ import annotations

import sys

import msgspec

from autoperf.backends.passes import forward
from autoperf.backends.protocol import Engine, TrialResult
from autoperf.core.outcome import Memory
from autoperf.measurement.child_setup import AnswerTask, case_failure, run, serve_forks
from autoperf.measurement.messages import CaseFailure, Service, Task
from autoperf.measurement.settings import Settings
from autoperf.processes.forks import limit_memory


def serve(channel: Service, engine: Engine, settings: Settings) -> None:
    """Answers one case at a time until the channel is closed."""

    def prepare() -> AnswerTask:
        limit_memory(settings.bytes_allowed)
        return lambda task: _answer(engine, task, settings)

    serve_forks(channel, engine, prepare)


def _answer(engine: Engine, task: Task, settings: Settings) -> TrialResult | CaseFailure:
    options = msgspec.structs.replace(settings, backward=False).call_options
    try:
        call = engine.prepare(task.case, options)
        outputs = call.describe(forward(call))
    except Exception as error:  # noqa: BLE001 - a case may raise anything; only that case fails
        return case_failure(engine, error, settings.bytes_allowed)
    return TrialResult(outputs, backward_request=None, forward_kernels=(), backward_kernels=(), memory=Memory())


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=False))
