"""What a run or a hunt tells of the machine that it shares: how busy it is, and which other runs there are."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from autoperf.core.events import Notice, Sink
from autoperf.core.paths import cache_folder
from autoperf.pipeline.concurrent_runs import ConcurrentRuns, notices_at_end, notices_at_start
from autoperf.pipeline.doctor import load_check


@contextmanager
def shared_machine(command: tuple[str, ...], sink: Sink) -> Iterator[ConcurrentRuns]:
    """Makes the command known to other runs as long as the block lasts, at whose end it tells of those that began."""
    with ConcurrentRuns(cache_folder() / "running", command, now()) as others:
        yield others
        tell(sink, notices_at_end(others.later))


def tell_machine_use(others: ConcurrentRuns, sink: Sink) -> None:
    """Tells of the load, and of the other runs that go on."""
    tell(sink, (*busy_machine(), *notices_at_start(others.earlier)))


def busy_machine() -> Iterator[str]:
    """That the machine is busy, if it is."""
    busy = load_check(os.getloadavg()[0], os.cpu_count() or 1)
    if busy.advice:
        yield f"this machine is busy: load {busy.finding}; {busy.advice}"


def tell(sink: Sink, lines: Iterable[str]) -> None:
    """A notice for each line."""
    for line in lines:
        sink.handle(Notice(line))


def now() -> str:
    """The time, in UTC and ISO 8601."""
    return dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds")
