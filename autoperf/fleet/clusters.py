"""The values of `--cluster`, and a hunt on a fleet, whose machines search operators at the same time."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import itertools
import logging
import math
import os
import random
import re
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import dask
import msgspec
from distributed import Client, Nanny, Scheduler, SpecCluster
from distributed.deploy.cluster import Cluster
from distributed.security import Security

from autoperf.backends.lookup import MXNET, parse_other_framework
from autoperf.backends.user_code import extensions
from autoperf.cases.selection import Target
from autoperf.core import events
from autoperf.core.case import Case
from autoperf.core.errors import ClusterError, UsageError
from autoperf.core.finding import SearchEnd
from autoperf.core.interrupts import SIGNALS, interrupts_deferred
from autoperf.fleet.fleet import MEASURING, Answered, DaskFleet, Fleet, Lost, allowed_failures
from autoperf.fleet.messages import Greeting, HuntDone, HuntMessage, Reply, Session, shipped, wanted_side
from autoperf.hunt.operators import MIN_SECONDS_PER_OPERATOR, unsearched
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.session import FinishedHunt, HuntSession
from autoperf.hunt.sides import HuntSides
from autoperf.hunt.stored import HuntFolder
from autoperf.measurement.placement import OWN_PROCESSORS, own_processors, ranges, shares
from autoperf.measurement.run_request import BuildHints
from autoperf.measurement.scratch import scratch_folder

LOCAL = re.compile(r"local(?::([1-9]\d{0,3}))?")
FUNCTION = re.compile(r"(?!local:)[A-Za-z_][\w.]*:[A-Za-z_]\w*")
CONFIGURATIONS = (".yaml", ".yml")
EXPECTED = "expected tcp://head:8786, local, local:2, a Dask configuration file (.yaml), or module:function"
CONNECT_SECONDS = 10.0
LOGGERS = ("distributed", "dask_jobqueue", "tornado", "asyncio", "asyncssh")
SILENT = logging.CRITICAL + 1
LOOPBACK = {"host": "127.0.0.1", "protocol": "tcp://", "dashboard": False}
NANNY = {**LOOPBACK, "nthreads": 1, "memory_limit": 0, "resources": {MEASURING: 1}, "silence_logs": SILENT}
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
WAIT_SECONDS = 0.5
TOGETHER_SECONDS = 30.0
"""Operators with less time each are searched by the same machine one after the other, since each start takes time."""


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
        target = _target(place, stack)
        if str(target).startswith("tls://") and Security().get_connection_args("client")["ssl_context"] is None:
            raise UsageError(f"--cluster {place} needs certificates for TLS: name them in a Dask configuration file")
        try:
            client = Client(target, set_as_default=False, timeout=CONNECT_SECONDS, direct_to_workers=False)
        except (OSError, asyncio.TimeoutError) as error:
            raise ClusterError(f"can't reach the Dask scheduler of {place}: {error}; is it running?") from error
        except (TypeError, ValueError) as error:
            # Dask's words for an address that is none.
            raise UsageError(f"invalid --cluster {place}: {error}; {EXPECTED}") from error
        yield stack.enter_context(client)


def _silence(stack: ExitStack) -> None:
    """Dask's log lines and warnings aren't for the user: what matters of them becomes an error or a notice."""
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in LOGGERS]:
        logger = logging.getLogger(name)
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(SILENT)
    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore")


def _target(place: str, stack: ExitStack) -> Any:
    """The argument of Dask's client. Raises UsageError, also for a configuration that can't be read."""
    local = LOCAL.fullmatch(place)
    if local:
        return stack.enter_context(_local_cluster(_local_workers(local[1])))
    if FUNCTION.fullmatch(place):
        return _made(place, stack)
    if not place.endswith(CONFIGURATIONS):
        return place
    if not Path(place).is_file():
        raise UsageError(f"invalid --cluster {place!r}: no such file; {EXPECTED}")
    try:
        configuration = next(iter(dask.config.collect_yaml([place])), {})
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"invalid --cluster {place}: {reason}; {EXPECTED}") from error
    stack.enter_context(dask.config.set(dict(_dotted(configuration))))
    address = dask.config.get("scheduler-address", None)
    if not address:
        raise UsageError(f"invalid --cluster {place}: it has no scheduler-address; {EXPECTED}")
    return address


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
    with scratch_folder() as scratch, dask.config.set({"temporary-directory": str(scratch)}), ExitStack() as stack:
        # The caller's script is hidden: multiprocessing would run it again in each worker, also a restarted one.
        stack.callback(sys.modules.__setitem__, "__main__", sys.modules["__main__"])
        sys.modules["__main__"] = ModuleType("__main__")
        with _signals_kept(ignored=(signal.SIGINT,)):
            cluster = SpecCluster(
                workers={
                    number: {"cls": Nanny, "options": {**NANNY, "env": {OWN_PROCESSORS: ranges(share)}}}
                    for number, share in enumerate(own)
                },
                scheduler={"cls": Scheduler, "options": {**LOOPBACK, "dashboard_address": "127.0.0.1:0"}},
                silence_logs=SILENT,
            )
        try:
            yield cluster
        finally:
            with contextlib.suppress(TimeoutError, OSError):
                cluster.close()


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
    """The number wanted, or one for each group of processors of MXNet's threads. Raises UsageError for too many."""
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


def hunt_on(place: str, session: HuntSession) -> FinishedHunt:
    """Hunts on a cluster until the budget is used up, nothing is left, or Ctrl-C is pressed. Raises AutoperfError."""
    sink = session.sink
    session.request.check()
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_folder())
        sides = session.sides(stack)
        recorded = session.recorded(sides, scratch)
        selected = session.targets(sides, recorded)
        client = stack.enter_context(opened_cluster(place))
        opened = DaskFleet[tuple[str, ...]](client, place, _session(session.request, sides), Greeting(), sink)
        fleet = stack.enter_context(closing(opened))
        machine = fleet.first().machines[sides.searched.number]
        header = session.header(sides, selected, machine.environment)
        folder = stack.enter_context(session.opened_folder(header))
        sink.handle(events.HuntStarted())
        sink.handle(events.BudgetStarted(session.request.budget, folder.used))
        hunt = FleetHunt(fleet, folder, sink, session.request.budget, recorded)
        complete = hunt.run(selected, session.request.seed)
    return FinishedHunt(folder, complete, (*sides.rule_failures, *hunt.rule_failures))


def _session(request: HuntRequest, sides: HuntSides) -> Session:
    # Machines search in folders of their own.
    request = request.located()
    wanted = []
    for side in sides.ordered:
        hints = BuildHints(MXNET, side.hint or request.library, None)
        if side.framework:
            # Every machine of a hunt against another framework needs MXNet's build, too.
            choice = parse_other_framework(side.framework)
            hints = BuildHints(choice.name, choice.hint, request.hints[0])
        wanted.append(wanted_side(side.side, side.settings, hints))
    return Session(
        sides=tuple(wanted),
        files=shipped([*extensions(), *map(Path, request.rules)]),
        extensions=tuple(map(str, extensions())),
        hunt=request,
    )


class FleetHunt:
    """Shares the seconds of a budget, on all machines together, among the operators."""

    def __init__(
        self,
        fleet: Fleet[tuple[str, ...]],
        folder: HuntFolder,
        sink: events.Sink,
        budget: float,
        recorded: Mapping[str, Sequence[Case]] = {},
    ) -> None:
        """`recorded` has the cases to try first, by operator."""
        self._fleet, self._folder, self._sink = fleet, folder, sink
        self._budget, self._begin = budget, time.monotonic() - folder.used
        self._recorded = recorded
        self._losses: Counter[str] = Counter()
        self._left: list[str] = []
        self.rule_failures: tuple[str, ...] = ()

    def run(self, targets: Sequence[Target], seed: int) -> bool:
        """Searches all targets. Returns False if interrupted; findings that have arrived are in the folder."""
        done = {searched.operator for searched in self._folder.searched if searched.ended != "interrupted"}
        left = [target for target in targets if target.operator.name not in done]
        for target in left:
            if target.rule is None:
                self._finish(target.operator.name, "nothing", target.reason)
        self._left = [target.operator.name for target in left if target.rule]
        if self._budget * self._machines < MIN_SECONDS_PER_OPERATOR * len(self._left):
            random.Random(seed).shuffle(self._left)  # noqa: S311 - reproducible, not secret
        try:
            self._search()
        except KeyboardInterrupt:
            for name in (*itertools.chain(*self._fleet.in_flight), *self._left):
                self._finish(name, "interrupted")
            self._emit(events.HuntFinished(complete=False))
            return False
        for name in self._left:
            self._finish(name, "budget", "the budget was used up before its search")
        self._emit(events.HuntFinished())
        return True

    def _search(self) -> None:
        while True:
            for address in self._fleet.idle:
                if self._left and self._remaining > 0:
                    self._submit(address)
            if not self._fleet.in_flight and (not self._left or self._remaining <= 0):
                return
            match self._fleet.wait(WAIT_SECONDS):
                case Answered(reply=Reply(answer=HuntDone(events=logged, rule_failures=failures))):
                    self.rule_failures += tuple(each for each in failures if each not in self.rule_failures)
                    # The fleet no longer has these operators: an interrupt would drop the rest.
                    with interrupts_deferred():
                        for event in logged:
                            self._emit(event)
                case Answered(work=names):
                    self._lost(names, "another answer came")
                case Lost(work=names, losses=0):
                    self._left += names
                case Lost(work=names, reason=reason):
                    self._lost(names, reason)

    @property
    def _remaining(self) -> float:
        return self._budget - (time.monotonic() - self._begin)

    @property
    def _machines(self) -> int:
        return max(1, len(self._fleet.machines))

    def _submit(self, address: str) -> None:
        """Gives a machine its next operators, with their share of the seconds that all machines have left."""
        share = self._remaining * self._machines / len(self._left)
        fair = math.ceil(len(self._left) / self._machines)
        count = max(1, min(fair, round(TOGETHER_SECONDS / share)))
        names, self._left = tuple(self._left[:count]), self._left[count:]
        recorded = {name: tuple(self._recorded[name]) for name in names if name in self._recorded}
        message = HuntMessage(names, min(self._remaining, share * count), recorded)
        self._fleet.submit(address, message, names)

    def _lost(self, names: tuple[str, ...], reason: str) -> None:
        """Searches the operators again, unless one has lost too many machines."""
        for name in names:
            self._losses[name] += 1
            if self._losses[name] > allowed_failures():
                self._finish(name, "nothing", f"given up after {self._losses[name]} workers: {reason}")
            else:
                self._left.append(name)
        self._sink.handle(events.Notice(f"{', '.join(names)}: {reason}"))

    def _emit(self, event: events.LoggedEvent) -> None:
        if isinstance(event, events.OperatorSearched):
            self._sink.handle(events.OperatorStarted(event.searched.operator))
        self._folder.write(msgspec.structs.replace(event, at=time.monotonic() - self._begin))
        self._sink.handle(event)

    def _finish(self, name: str, ended: SearchEnd, reason: str = "") -> None:
        self._emit(events.OperatorSearched(searched=unsearched(name, reason, ended)))
