"""Notices of a run or a hunt about the machine that it shares: its load, and concurrent runs."""

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
    """Registers the command with concurrent runs for the block, and at its end reports those that have started."""
    with ConcurrentRuns(cache_folder() / "running", command, now()) as others:
        yield others
        notify(sink, notices_at_end(others.later))


def notify_machine_use(others: ConcurrentRuns, sink: Sink) -> None:
    """Emits notices of the load and of concurrent runs."""
    notify(sink, (*load_notices(), *notices_at_start(others.earlier)))


def load_notices() -> Iterator[str]:
    """A notice if the machine is busy."""
    check = load_check(os.getloadavg()[0], os.cpu_count() or 1)
    if check.advice:
        yield f"this machine is busy: load {check.finding}; {check.advice}"


def notify(sink: Sink, lines: Iterable[str]) -> None:
    """Emits a notice for each line."""
    for line in lines:
        sink.handle(Notice(line))


def now() -> str:
    """The current time, in UTC and ISO 8601."""
    return dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds")
