"""Client of the quick timing process, for hunts, which time thousands of inputs roughly and few precisely."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TypeVar

from autoperf.core.case import Case
from autoperf.core.closable import Closable
from autoperf.core.outcome import Status
from autoperf.executor.managed_process import ManagedProcess
from autoperf.executor.messages import (
    Build,
    CaseFailure,
    Close,
    Opened,
    OpenPass,
    PairedTimes,
    PairedTiming,
    QuickTimes,
    QuickTiming,
    Request,
    Turn,
    Turned,
)
from autoperf.executor.settings import Settings

T = TypeVar("T")
# The seconds that creating the arrays may take in addition to the samples. A virtual machine gets pages that it has
# never used from its host, which may take a second for each GB, and each array exists several times.
PATIENCE = 10.0
BYTES_A_SECOND = 5e7


class QuickTimingClient(Closable):
    """One child process, restarted after a crash; use it as a context manager.

    Entering it raises AutoperfError if the framework or the context can't be used; after that nothing raises.
    """

    def __init__(self, library: Path, settings: Settings, scratch: Path) -> None:
        self._settings = settings
        self._process = ManagedProcess("quick_timing", library, settings, scratch)

    def __enter__(self) -> QuickTimingClient:
        try:
            self._process.start()
            self._build = self._process.wait_ready()
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Ends the process; a second time does nothing."""
        self._process.stop()

    @property
    def build(self) -> Build:
        """The build of the process's library."""
        return self._build

    def renew(self) -> None:
        """Ends the process, so that the next request gets a fresh one."""
        self._process.stop()

    def time_case(self, request: QuickTiming) -> QuickTimes | CaseFailure:
        """The wall times of each pass, or the failure."""
        return self._ask(request, QuickTimes, request.seconds, request.case)

    def time_pair(self, request: PairedTiming) -> PairedTimes | CaseFailure:
        """The times of the pass of both cases, taken alternately, or the failure."""
        return self._ask(request, PairedTimes, request.seconds, request.first, request.second)

    def open_pass(self, case: Case, *, backward: bool, seconds: float) -> Opened | CaseFailure:
        """Opens a case for timing one pass in turns, which take about `seconds` seconds at most, or the failure."""
        return self._ask(OpenPass(case, backward), Opened, seconds, case)

    def take_turn(self, turn: Turn, case: Case, seconds: float) -> Turned | CaseFailure:
        """Takes the samples of a turn of the open case, or the failure."""
        return self._ask(turn, Turned, seconds, case)

    def close_pass(self) -> QuickTimes | CaseFailure:
        """Closes the open case: the mean microseconds of each turn, or the failure."""
        return self._ask(Close(), QuickTimes, 0.0)

    def _ask(self, request: Request, kind: type[T], seconds: float, *cases: Case) -> T | CaseFailure:
        needed = sum(case.input_bytes + case.output_bytes for case in cases)
        if needed > self._settings.bytes_allowed:
            return CaseFailure(Status.SKIPPED, f"inputs and outputs take {needed:,} bytes, more than the limit")
        limit = min(self._settings.timeout, seconds + PATIENCE + needed / BYTES_A_SECOND)
        return self._process.ask(request, kind, time.monotonic() + limit, limit)
