"""The values of `--cluster`: an address, `local`, a Dask configuration file, or a function that makes a cluster."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import dask
from distributed import Client, Nanny, Scheduler, SpecCluster
from distributed.deploy.cluster import Cluster
from distributed.security import Security

from autoperf.core.errors import ClusterError, UsageError
from autoperf.core.interrupts import SIGNALS
from autoperf.fleet.fleet import MEASURING
from autoperf.measurement.placement import OWN_PROCESSORS, own_processors, ranges, shares
from autoperf.measurement.scratch import scratch_folder

LOCAL = re.compile(r"local(?::([1-9]\d{0,3}))?")
FUNCTION = re.compile(r"(?!local:)[A-Za-z_][\w.]*:[A-Za-z_]\w*")
CONFIGURATIONS = (".yaml", ".yml")
EXPECTED = "expected tcp://head:8786, local, local:2, a Dask configuration file (.yaml), or module:function"
CONNECT_SECONDS = 10.0
LOGGERS = ("distributed", "dask_jobqueue", "tornado", "asyncio", "asyncssh")
SILENT = logging.CRITICAL + 1
LOOPBACK = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard": False}
WORKER_CONFIGURATION = {
    # The nanny sets one thread for OpenMP, which would change what is measured.
    "distributed.nanny.pre-spawn-environ": {},
    # What a worker does beside measuring disturbs it.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.tick.limit": "1 minute",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.worker-ttl": "60s",
}


def check_cluster(place: str) -> None:
    """Raises UsageError for a value of --cluster that names no cluster."""
    named = "://" in place or LOCAL.fullmatch(place) or FUNCTION.fullmatch(place)
    if not (named or place.endswith(CONFIGURATIONS)):
        raise UsageError(f"invalid --cluster {place!r}: {EXPECTED}")


@contextmanager
def opened_cluster(place: str) -> Iterator[Client]:
    """A client of the cluster. Raises UsageError, and ClusterError if it can't be reached."""
    check_cluster(place)
    with ExitStack() as stack:
        _silence(stack)
        stack.enter_context(dask.config.set(WORKER_CONFIGURATION))
        yield stack.enter_context(_client(_target(place, stack), place))


def _client(target: Any, place: str) -> Client:
    if str(target).startswith("tls://") and Security().get_connection_args("client")["ssl_context"] is None:
        raise UsageError(f"--cluster {place} needs certificates for TLS: name them in a Dask configuration file")
    try:
        return Client(target, set_as_default=False, timeout=CONNECT_SECONDS, direct_to_workers=False)
    except (OSError, asyncio.TimeoutError) as error:
        raise ClusterError(f"can't reach the Dask scheduler of {place}: {error}; is it running?") from error
    except (TypeError, ValueError) as error:
        # Dask's words for an address that is none.
        raise UsageError(f"invalid --cluster {place}: {error}; {EXPECTED}") from error


def _silence(stack: ExitStack) -> None:
    """Dask's log lines and warnings aren't for the user: what matters of them becomes an error or a notice."""
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in LOGGERS]:
        logger = logging.getLogger(name)
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(SILENT)
    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore")


def _target(place: str, stack: ExitStack) -> Any:
    """The argument of Dask's client."""
    local = LOCAL.fullmatch(place)
    if local:
        return stack.enter_context(_local_cluster(_local_workers(local[1])))
    if FUNCTION.fullmatch(place):
        return _made(place, stack)
    if not place.endswith(CONFIGURATIONS):
        return place
    stack.enter_context(dask.config.set(dict(_dotted(_configuration(place)))))
    address = dask.config.get("scheduler-address", None)
    if not address:
        raise UsageError(f"invalid --cluster {place}: it has no scheduler-address; {EXPECTED}")
    return address


def _configuration(place: str) -> Mapping[str, Any]:
    """The settings of a Dask configuration file. Raises UsageError if it can't be read."""
    if not Path(place).is_file():
        raise UsageError(f"invalid --cluster {place!r}: no such file; {EXPECTED}")
    try:
        return next(iter(dask.config.collect_yaml([place])), {})
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"invalid --cluster {place}: {reason}; {EXPECTED}") from error


def _dotted(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The settings by their whole names: a mapping as a value would replace Dask's own defaults beside it."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


@contextmanager
def _local_cluster(workers: int) -> Iterator[SpecCluster]:
    """A cluster on this machine, which listens on the loopback alone; each worker has processors of its own."""
    own = shares(own_processors(), workers)
    with scratch_folder() as scratch, dask.config.set({"temporary-directory": str(scratch)}), _script_hidden():
        with _signals_kept(ignored=(signal.SIGINT,)):
            cluster = SpecCluster(
                workers={number: {"cls": Nanny, "options": _worker_options(share)} for number, share in enumerate(own)},
                scheduler={"cls": Scheduler, "options": {**LOOPBACK, "dashboard_address": "127.0.0.1:0"}},
                silence_logs=SILENT,
            )
        try:
            yield cluster
        finally:
            with contextlib.suppress(TimeoutError, OSError):
                cluster.close()


def _worker_options(processors: tuple[int, ...]) -> dict[str, Any]:
    return {
        **LOOPBACK,
        "nthreads": 1,
        "memory_limit": 0,
        "resources": {MEASURING: 1},
        "silence_logs": SILENT,
        "env": {OWN_PROCESSORS: ranges(processors)},
    }


@contextmanager
def _script_hidden() -> Iterator[None]:
    """Hides the caller's script: multiprocessing would run it again in each worker, also in one that is restarted."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


@contextmanager
def _signals_kept(ignored: Sequence[int] = ()) -> Iterator[None]:
    """Restores the handlers of signals: dask-jobqueue has Ctrl-C end the program at once, with the exit code 0.

    Processes that are started meanwhile ignore the `ignored` ones. A terminal sends Ctrl-C to all of them, and the
    client ends them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: handler for number in SIGNALS if (handler := signal.getsignal(number)) is not None}
    try:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _local_workers(wanted: str | None) -> int:
    """The number that is wanted, or else one for each group of processors that MXNet's threads use, by default half.

    Raises UsageError for more than there are processors.
    """
    if wanted:
        most = os.cpu_count() or 1
        if int(wanted) > most:
            raise UsageError(
                f"invalid --cluster local:{wanted}: each worker needs a processor, expected 1 to {most} here"
            )
        return int(wanted)
    processors = len(own_processors()) or 1
    threads = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, processors // (int(threads) if threads.isdigit() and int(threads) else max(1, processors // 2)))


def _made(place: str, stack: ExitStack) -> Any:
    """The cluster that a function makes, or its address. Raises UsageError, also for an error of the user's module."""
    module, _, name = place.partition(":")
    try:
        with _signals_kept():
            made = getattr(importlib.import_module(module), name)()
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(f"invalid --cluster {place}: {reason}") from error
    # A cluster sets its own levels.
    _silence(stack)
    if isinstance(made, Cluster):
        return stack.enter_context(made)
    if isinstance(made, str):
        return made
    raise UsageError(f"invalid --cluster {place}: it returned {made!r}, expected a Dask cluster or an address")
