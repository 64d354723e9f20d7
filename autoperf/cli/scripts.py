"""`python FILE`: measures the cases of a rendered file, or times both inputs of a finding again, as `hunt --replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.measuring_options import measuring_options, run_file_option
from autoperf.cli.option_types import DurationType
from autoperf.cli.options import against_option, format_option, libraries_option, library_option
from autoperf.cli.report_options import quiet_option, shown_options
from autoperf.cli.table_options import option_of
from autoperf.core import options as table
from autoperf.core.errors import Exit
from autoperf.core.finding import MIN_ROUNDS

if TYPE_CHECKING:
    from autoperf.front.stored_reports import Shown
    from autoperf.hunt.recheck import Claim
    from autoperf.measurement.settings import Settings


@click.command(cls=Command)
@measuring_options()
@run_file_option()
@library_option
@shown_options("run")
@quiet_option
@click.pass_obj
def file(path: str, settings: Settings, output: Path | None, library: str | None, shown: Shown) -> int:
    """Measure the cases of this file: forward, backward, memory."""
    from autoperf.cases.build import Recipe
    from autoperf.cases.selection import Selection
    from autoperf.front.run_output import measure
    from autoperf.measurement.run_request import RunRequest

    libraries = (library,) if library else ()
    return measure(RunRequest(Selection(), Recipe(), settings, (Path(path),), output, libraries), shown)


STARTUP_SECONDS = 60.0
MAX_ROUNDS = 2000
ROUNDS = 31
SECONDS = 20.0


@click.command(cls=Command)
@click.option(
    "--rounds",
    type=click.IntRange(min=MIN_ROUNDS, max=MAX_ROUNDS),
    default=ROUNDS,
    show_default=True,
    help="Number of rounds; each times both inputs, one after the other.",
)
@click.option(
    "--time-budget",
    "seconds",
    type=DurationType(),
    default=f"{SECONDS:.0f}s",
    show_default=True,
    help="Maximum time of all rounds.",
)
@option_of(table.CTX)
@libraries_option
@against_option("Another version or interpreter of the framework that the finding is against.")
@format_option("recheck")
@click.pass_obj
def recheck(
    claim: Claim, rounds: int, seconds: float, ctx: str, libraries: tuple[str, ...], against: str | None, form: str
) -> int:
    """Time the slow input and the fast one in turn. Exits with 1 if the finding still holds, else with 0.

    A finding between two builds takes two --mxnet: the slow side's build, then the fast one's.
    """
    return time_again(claim, ctx, libraries, form, against=against, rounds=rounds, seconds=seconds)


def time_again(
    claim: Claim,
    ctx: str,
    libraries: tuple[str, ...],
    form: str,
    *,
    against: str | None = None,
    counters: tuple[str, ...] = (),
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
) -> int:
    """Times the two inputs of a claim in turn and shows them. Returns the exit code."""
    import os

    from autoperf.backends.lookup import MXNET, backend_of
    from autoperf.core.clocks import INSTRUCTIONS
    from autoperf.front.output import show_report, tolerating_closed_pipe
    from autoperf.hunt import recheck as replay
    from autoperf.hunt.code_counter import check_countable
    from autoperf.measurement.scratch import scratch_folder
    from autoperf.measurement.settings import Settings

    backend_of(MXNET).check(os.environ)
    check_countable(counters or ((INSTRUCTIONS.name,) if claim.code_above else ()), ctx, claim.against)
    settings = Settings(ctx=ctx, timeout=seconds + STARTUP_SECONDS)
    with scratch_folder() as scratch:
        sides = claim.claimed(libraries, against)
        result = replay.recheck(claim, sides, settings, scratch, rounds=rounds, seconds=seconds, counts=bool(counters))
    with tolerating_closed_pipe():
        show_report("recheck", form, result)
    return Exit.FINDING if result.holds else Exit.FINE
