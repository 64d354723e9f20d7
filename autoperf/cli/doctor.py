"""`autoperf doctor`."""

from __future__ import annotations

import click

from autoperf.cli.command import Command
from autoperf.cli.options import format_option, library_option
from autoperf.core.errors import Exit


@click.command(cls=Command)
@library_option
@click.option(
    "--calibrate",
    is_flag=True,
    help="Measure the machine's roofline and its reference speed again; this takes three to ten seconds.",
)
@format_option("doctor")
def doctor(library: str | None, calibrate: bool, form: str) -> int:
    """Check versions, system libraries, threads, governor, load and memory, and advise on each problem.

    The roofline of the machine (bandwidth, operations per second, seconds per call) is measured once and cached for a
    month. Exits with 1 if a problem prevents measurements.
    """
    from autoperf.core.coverage import Health, worst
    from autoperf.front.output import show_report, tell, tolerating_closed_pipe
    from autoperf.machine.doctor import checked_roofline, examine, speed_check
    from autoperf.machine.report import DoctorReport

    checks = list(examine(library))
    roofline = None
    if worst(checks) is not Health.PROBLEM:
        check, roofline = checked_roofline(library, anew=calibrate, tell=tell)
        checks += [check, speed_check(anew=calibrate)]
    with tolerating_closed_pipe():
        show_report("doctor", form, DoctorReport(checks, roofline))
    return Exit.FINDING if worst(checks) is Health.PROBLEM else Exit.FINE
