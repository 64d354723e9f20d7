"""Runs each case once in a fork of a process that has loaded the framework: a trial, of a layer too, or a dry run.

A crash ends only the fork, whose temporary space is unused before. Forks take no times, since MXNet disables OpenMP in
them. A warm-up runs before the case of a trial; a dry run finds out whether the forward pass runs at all.
"""

from __future__ import annotations

import sys

import msgspec

from autoperf.backends.passes import forward
from autoperf.backends.protocol import Engine, TrialResult
from autoperf.core.errors import EngineError
from autoperf.core.outcome import Memory
from autoperf.measurement.child_setup import AnswerTask, run, serve_forks, serve_trials
from autoperf.measurement.messages import Service, Task, Unusable
from autoperf.measurement.settings import Settings
from autoperf.processes.forks import limit_memory


def serve(channel: Service, engine: Engine, settings: Settings) -> None:
    """Answers one case at a time until the channel is closed."""
    serve_trials(channel, engine, settings, engine.trials(settings.call_options))


def serve_layers(channel: Service, engine: Engine, settings: Settings) -> None:
    """As `serve` for layers, whose memory is found; the process has imported the framework's Python package."""
    try:
        if engine.front_end is None:
            raise EngineError("the framework has no layers of Gluon")
        trials = engine.front_end.trials(settings.call_options, settings.timeout)
    except EngineError as error:
        channel.send(Unusable(str(error)))
        return
    serve_trials(channel, engine, settings, trials)


def serve_dry_runs(channel: Service, engine: Engine, settings: Settings) -> None:
    """As `serve`, of the forward pass alone, without profiler and warm-up."""

    options = msgspec.structs.replace(settings, backward=False).call_options

    def answer(task: Task) -> TrialResult:
        call = engine.prepare(task.case, options)
        outputs = call.describe(forward(call))
        return TrialResult(outputs, backward_request=None, forward_kernels=(), backward_kernels=(), memory=Memory())

    def prepare() -> AnswerTask:
        limit_memory(settings.bytes_allowed)
        return answer

    serve_forks(channel, engine, settings, prepare)


SERVICES = {"trial": serve, "layer_trial": serve_layers, "dry_run": serve_dry_runs}

if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], SERVICES[sys.argv[5]], takes_times=False))
