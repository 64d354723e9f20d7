"""`autoperf doctor`."""

from __future__ import annotations

import click

from autoperf.cli.command import Command
from autoperf.cli.option_types import DURATION
from autoperf.cli.options import format_option, library_option
from autoperf.core.coverage import Health, worst
from autoperf.core.errors import Exit, UsageError
from autoperf.front.output import show_report, tell

GATE_SECONDS = 600.0


@click.command(cls=Command)
@library_option
@click.option(
    "--calibrate",
    is_flag=True,
    help="Measure the machine's roofline and its reference speed again; this takes three to ten seconds.",
)
@click.option(
    "--gate",
    is_flag=True,
    help="Measure the build against itself, and tell which threshold of a gate is honest on this machine.",
)
@click.option(
    "--time-budget",
    "seconds",
    type=DURATION,
    help="Time of --gate, which takes at least two rounds (default: 10m).",
)
@format_option("doctor")
def doctor(library: str | None, calibrate: bool, gate: bool, seconds: float | None, form: str) -> int:
    """Check versions, system libraries, threads, governor, load and memory, and advise on each problem.

    The roofline of the machine (bandwidth, operations per second, seconds per call) is measured once and cached for a
    month. Exits with 1 if a problem prevents measurements.

    With --gate, the build is measured against itself for ten minutes: which thresholds of `autoperf gate` have hardly
    any false alarm here.
    """
    if gate:
        from autoperf.backends.releases import INSTALLED
        from autoperf.front.self_comparison import compared_with_itself

        show_report("self_comparison", form, compared_with_itself(library or INSTALLED, seconds or GATE_SECONDS))
        return Exit.FINE
    if seconds is not None:
        raise UsageError("--time-budget is the time of --gate: add --gate, or leave it out")
    from autoperf.machine.doctor import DoctorReport, checked_roofline, examine, speed_check

    checks = list(examine(library))
    roofline = None
    if worst(checks) is not Health.PROBLEM:
        check, roofline = checked_roofline(library, anew=calibrate, tell=tell)
        checks += [check, speed_check(anew=calibrate)]
    show_report("doctor", form, DoctorReport(checks, roofline))
    return Exit.FINDING if worst(checks) is Health.PROBLEM else Exit.FINE
