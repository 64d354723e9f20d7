"""The options of a measurement: by which clocks, how precisely, for how long, and in which processes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import click

from autoperf.cli.arguments import reject_options
from autoperf.cli.option_groups import Command, Option, grouped
from autoperf.cli.types import PERCENT_HELP, DurationType, FiniteRange, ProcessorsType, ShareType, SizeType
from autoperf.core.limits import DEFAULT_MAX_TIME, DEFAULT_PROCESSES, MAX_ITERATIONS, MAX_PROCESSES, MAX_SECONDS

_TIMING = ("profiler", "warmup", "runs", "precision", "max_time", "processes", "time_budget")
SETTINGS = (*_TIMING, "timeout", "memory_limit", "ctx", "cpus")
"""The parameters of the group, as click names them."""


def measuring_options(command: Command) -> Command:
    """--profiler, --precision, --processes and the other options of a measurement as `settings`: how it is measured."""
    return measuring_in(DEFAULT_PROCESSES, f"{DEFAULT_MAX_TIME:g}s")(command)


def measuring_in(processes: int, max_time: str) -> Option:
    """The measuring options, with other defaults for --processes and --max-time."""
    return functools.partial(_measuring, processes, max_time)


def _measuring(processes: int, max_time: str, command: Command) -> Command:
    options = (*_sampling_options(), *_time_options(processes, max_time), *_process_options())
    return grouped(command, "settings", SETTINGS, _settings, options)


def _sampling_options() -> tuple[Option, ...]:
    """How many samples are taken, and by which clocks."""
    return (
        click.option(
            "--profiler",
            type=click.Choice(("native", "python")),
            default="native",
            show_default=True,
            help="native: kernel time from MXNet's profiler, and wall time. python: wall time only.",
        ),
        click.option(
            "--warmup",
            type=click.IntRange(min=0, max=MAX_ITERATIONS),
            help="Exact number of warm-up iterations. Default: adaptive.",
        ),
        click.option(
            "--runs",
            type=click.IntRange(min=1, max=MAX_ITERATIONS),
            help="Exact number of samples per clock and process. Default: adaptive, see --precision.",
        ),
        click.option(
            "--precision",
            type=ShareType(),
            default="1%",
            show_default=True,
            help="Sample until the 95% confidence interval of the median is within this share of the median. "
            f"{PERCENT_HELP}",
        ),
    )


def _time_options(processes: int, max_time: str) -> tuple[Option, ...]:
    """How long a case and the whole run are measured, and in how many processes."""
    return (
        click.option(
            "--max-time",
            type=DurationType(),
            default=max_time,
            show_default=True,
            help="Maximum sampling time per case.",
        ),
        click.option(
            "--processes",
            type=click.IntRange(min=1, max=MAX_PROCESSES),
            default=processes,
            show_default=True,
            help="Number of processes that measure each case.",
        ),
        click.option(
            "--time-budget",
            type=DurationType(),
            help="Maximum time of the whole run: 90s, 10m, 1h30m. Operators share it; the rest is skipped.",
        ),
    )


def _process_options() -> tuple[Option, ...]:
    """Where the processes run, and what each may take."""
    return (
        click.option(
            "--timeout",
            type=FiniteRange(min=0, max=MAX_SECONDS, min_open=True),
            default=60.0,
            show_default=True,
            help="Maximum seconds per case.",
        ),
        click.option("--memory-limit", type=SizeType(), help="Maximum memory of a process: 500MB, 4GiB."),
        click.option("--ctx", default="cpu", show_default=True, help="The device: cpu or gpu(0)."),
        click.option(
            "--cpus",
            type=ProcessorsType(),
            help="The processors of the timed processes: 1, 2-3 or 0,2; any: Linux chooses. "
            "Default: one for each thread of MXNet.",
        ),
    )


# The classes are imported when a command runs, so that `--help` is fast.


def _settings(values: Mapping[str, Any]) -> object:
    from autoperf.executor.placement import check_processors, usable_processors
    from autoperf.executor.settings import Settings

    if values["runs"] is not None:
        reject_options(click.get_current_context(), ("precision",), "--runs sets the exact number of samples")
    if values["cpus"]:
        check_processors(values["cpus"], usable_processors())
    return Settings(**values)
