"""`autoperf worker`: this machine joins a fleet."""

from __future__ import annotations

import click

from autoperf.cli.command import Command
from autoperf.cli.options import libraries_option
from autoperf.front.output import tell


@click.command(cls=Command, context_settings={"ignore_unknown_options": True})
@click.argument("scheduler", metavar="SCHEDULER")
@click.argument("dask_options", metavar="[-- DASK OPTIONS]", nargs=-1, type=click.UNPROCESSED)
@libraries_option
def worker(scheduler: str, dask_options: tuple[str, ...], libraries: tuple[str, ...]) -> None:
    """Measure on this machine for the runs of a Dask cluster, whose scheduler is at tcp://head:8786.

    MXNet's builds (--mxnet, default: the installed one) are checked, the machine's reference speed and roofline are
    measured, then Dask's worker starts, and measures one batch at a time. Options after -- are those of `dask worker`.
    Whoever reaches the scheduler can run code here: use TLS or a network of your own.

    \b
    dask scheduler --port 8786
    autoperf worker tcp://head:8786
    autoperf run --cluster tcp://head:8786 --category reduction
    """
    from autoperf.front.run_output import import_cluster

    import_cluster()
    from autoperf.fleet.worker import check_scheduler, prepare, serve

    check_scheduler(scheduler)
    tell(prepare(libraries or (None,)))
    serve(scheduler, dask_options)
