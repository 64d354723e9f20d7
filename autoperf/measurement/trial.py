"""Runs each case once in a fork of a process that has loaded the framework.

A crash ends only the fork, whose temporary space is unused before. Forks take no times, since MXNet disables OpenMP in
them. A warm-up runs before the case.
"""

from __future__ import annotations

import sys

from autoperf.backends.protocol import Engine
from autoperf.measurement.child_setup import run, serve_trials
from autoperf.measurement.messages import Service
from autoperf.measurement.settings import Settings


def serve(channel: Service, engine: Engine, settings: Settings) -> None:
    """Answers one case at a time until the channel is closed."""
    serve_trials(channel, engine, settings, engine.trials(settings.call_options))


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=False))
