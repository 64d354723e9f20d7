"""`autoperf upgrade`."""

from __future__ import annotations

from pathlib import Path

import click

from autoperf.cli import options
from autoperf.cli.command import Command, config_option
from autoperf.cli.option_types import BATCHES, DURATION, all_expanded, expanded
from autoperf.cli.options import option_of
from autoperf.cli.report_options import quiet_option
from autoperf.core import options as table
from autoperf.core.errors import Exit
from autoperf.front.output import show_report, tell, write_report
from autoperf.reports.formats import form_of, names

PROCESSES = 5


@click.command(cls=Command)
@click.argument("networks", nargs=-1, required=True, metavar="NETWORK...")
@click.option(
    "--to", required=True, metavar="TARGET", callback=options.checked_library,
    help="A release of MXNet (see `autoperf releases`), the path of its library, or a framework: torch, torch:compile, "
    "jax, jax:jit.",
)  # fmt: skip
@click.option(
    "--from", "origin", metavar="RELEASE", callback=options.checked_library,
    help="The release of MXNet that the network runs on. Default: the installed package.",
)  # fmt: skip
@click.option(
    "--input", "inputs", multiple=True, metavar="NAME=SHAPE",
    help="The shape of an input, with N for the batch size: data=Nx3x224x224. May be repeated. Models of the zoo need "
    "none.",
)  # fmt: skip
@click.option(
    "--batch", "batches", type=BATCHES, metavar="A,B,C", default=(), help="The batch size N, or several: 1,32."
)
@click.option(
    "--params-file", "parameters", metavar="FILE", callback=expanded,
    help="The network's stored parameters (model-0000.params): contents are drawn like theirs.",
)  # fmt: skip
@option_of(table.BACKWARD, help="Whether a training step is tried too, beside inference.")
@click.option(
    "--time-budget", type=DURATION, default="3m", show_default=True,
    help="How long both sides are timed, after all calls were tried.",
)  # fmt: skip
@option_of(table.PROCESSES, default=PROCESSES)
@option_of(table.TIMEOUT)
@option_of(table.MEMORY_LIMIT)
@options.rules_option
@options.extension_option
@options.run_file_option(help="Write the captured cases and the run files beside this path.")
@config_option
@click.option(
    "--report", "reports", metavar="FILE", multiple=True, callback=all_expanded,
    help="Write the report to this file, too: .html, .md, .json, .txt. May be repeated.",
)  # fmt: skip
@options.format_option("upgrade")
@quiet_option
def upgrade(
    networks: tuple[str, ...], to: str, origin: str | None, inputs: tuple[str, ...], batches: tuple[int, ...],
    parameters: Path | None, backward: bool, time_budget: float, processes: int, timeout: float,
    memory_limit: int | None, rules: tuple[Path, ...], output: Path | None, reports: tuple[Path, ...], form: str,
) -> int:  # fmt: skip
    """Show what becomes of a network on another release of MXNet, or in another framework.

    A network is what `capture` takes, or a file that it wrote. Each of its calls is tried there (under this or another
    name), its results are compared, then those of the whole; what computes the same is timed in turn. Exits with 1 if a
    call doesn't run there or computes something else, with 3 if nothing could be tried or the network doesn't run here,
    else with 0.

    \b
    autoperf upgrade resnet50_v1 --to 2.0.0b1
    autoperf upgrade net.py:make --to torch --input data=Nx3x224x224 --batch 8
    autoperf upgrade model-symbol.json --input data=1x3x224x224 --to jax --report page.html
    """
    from autoperf.cases.build import Recipe
    from autoperf.cases.selection import Selection
    from autoperf.front.stored_reports import check_reports
    from autoperf.front.upgrade import Target, UpgradeRequest, upgraded
    from autoperf.measurement.resumed_run import default_output
    from autoperf.measurement.run_request import RunRequest
    from autoperf.measurement.settings import Settings
    from autoperf.networks.capture import CaptureRequest
    from autoperf.networks.source import parse_inputs

    check_reports(reports, "upgrade")
    target = Target.of(to, origin)
    settings = Settings(
        processes=processes, max_time=table.SIDE_MAX_TIME, time_budget=time_budget, timeout=timeout,
        memory_limit=memory_limit, backward=backward,
    )  # fmt: skip
    path = output or default_output()
    captured = CaptureRequest(
        (), path, parse_inputs(inputs), batches, False, parameters, origin, max(timeout, 120.0), settings.bytes_allowed
    )
    run = RunRequest(Selection(), Recipe(), settings, output=path, rules=rules)
    result = upgraded(UpgradeRequest(networks, captured, run, target))
    if result is None:
        return Exit.INTERRUPTED
    for file in reports:
        write_report(file, "upgrade", form_of(file, names("upgrade")) or "table", result)
    tell(f"report: {file}" for file in reports)
    show_report("upgrade", form, result)
    if result.obstructed:
        return Exit.FINDING
    return Exit.INCONCLUSIVE if result.untried else Exit.FINE
