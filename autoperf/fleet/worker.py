"""A measuring machine: MXNet is there, the machine's speed is known, and Dask's own worker waits for batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import dask
from distributed.cli.dask_worker import main
from distributed.comm.addressing import get_address_host_port

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.core.errors import ClusterError, UsageError
from autoperf.fleet.clusters import WORKER_CONFIGURATION
from autoperf.fleet.fleet import MEASURING
from autoperf.measurement.machine_state import roofline
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor

OPTIONS = (
    *("--nthreads", "1", "--nworkers", "1", "--memory-limit", "0", "--no-dashboard"),
    *("--resources", f"{MEASURING}=1"),
)


def prepare(hints: Sequence[str | None]) -> Iterator[str]:
    """Measures the reference speed and the roofline with each build; yields a line about it. Raises AutoperfError."""
    backend = backend_of(MXNET)
    backend.check({})
    for hint in hints:
        library = backend.find(hint)
        with scratch_folder() as scratch, Executor(library, Settings(processes=1), scratch) as executor:
            speed = f"probe {executor.reference.us:.2f} us" if executor.reference else "no reference speed"
            version = executor.build.version
        figures = roofline(library)
        yield f"MXNet {version} at {library}: {speed}, {figures.bandwidth / 1e9:.1f} GB/s"


def serve(scheduler: str, options: Sequence[str]) -> None:
    """Runs Dask's worker until it is ended. Raises click's errors for unknown `options`, and ClusterError."""
    with dask.config.set(WORKER_CONFIGURATION):
        try:
            main.main([scheduler, *OPTIONS, *options], prog_name="autoperf worker", standalone_mode=False)
        except (OSError, RuntimeError) as error:
            reason = error.__cause__ or error
            raise ClusterError(
                f"Dask's worker can't start for {scheduler}: {reason}; is the scheduler running there?"
            ) from error


def check_scheduler(scheduler: str) -> None:
    """Raises UsageError for an address that Dask can't read."""
    try:
        get_address_host_port(scheduler)
    except ValueError as error:
        raise UsageError(f"invalid SCHEDULER {scheduler!r}: {error}; expected tcp://head:8786") from error
