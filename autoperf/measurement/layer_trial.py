"""Runs each layer once in a fork of a process that has imported the framework's Python package, to find its memory."""

from __future__ import annotations

import sys

from autoperf.backends.protocol import Engine
from autoperf.core.errors import EngineError
from autoperf.measurement.child_setup import run, serve_trials
from autoperf.measurement.messages import Service, Unusable
from autoperf.measurement.settings import Settings


def serve(channel: Service, engine: Engine, settings: Settings) -> None:
    """Answers one case at a time until the channel is closed."""
    try:
        if engine.front_end is None:
            raise EngineError("the framework has no layers of Gluon")
        trials = engine.front_end.trials(settings.call_options, settings.timeout)
    except EngineError as error:
        channel.send(Unusable(str(error)))
        return
    serve_trials(channel, engine, settings, trials)


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=False))
