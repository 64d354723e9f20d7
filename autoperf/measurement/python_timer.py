"""Takes wall times of a case's call through the framework's Python package, in blocks beside the other call's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from autoperf.backends.protocol import PreparedCall
from autoperf.core.errors import EngineError
from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.messages import PassSamples, PythonSamples
from autoperf.measurement.open_case import wall_block
from autoperf.measurement.probe import Probe
from autoperf.measurement.runner import Runner
from autoperf.measurement.sampling import SideTimer, probes_of
from autoperf.measurement.stopping_rules import WarmUpRule

Passes: TypeAlias = tuple[PassSamples, PassSamples | None]


class TimedCall:
    """The samples of a call that a function of the package makes."""

    def __init__(self, function: str, call: PreparedCall, probe: Probe, warmup: WarmUpRule) -> None:
        """Warms the call up."""
        self._function = function
        self._runner = Runner(call, probe)
        self._turns: list[list[Boundaries]] = []
        self._runner.warm_up(warmup)

    def take(self, count: int, end: float, *, discard_first: bool) -> None:
        """Takes the samples of a block or of a turn."""
        block = wall_block(self._runner, count, end, discard_first=discard_first)
        self._turns.append([call for call in block if call.counted])

    def added(self, passes: Passes) -> Passes:
        """The samples of both passes with those of the call in Python."""
        forward, backward = passes
        sizes = tuple(map(len, self._turns)) if forward.turns else ()
        replace = msgspec.structs.replace
        return (
            replace(forward, python=self._samples(sizes, backward=False)),
            backward and replace(backward, python=self._samples(sizes, backward=True)),
        )

    def _samples(self, turns: tuple[int, ...], *, backward: bool) -> PythonSamples:
        calls = [call for turn in self._turns for call in turn]
        times = [call.passed(backward=backward) for call in calls]
        wall = tuple(time / 1000 for time in times)
        return PythonSamples(self._function, wall, probes_of(calls), turns)


class NoCall:
    """Stands for a case that no function of the package calls, for this reason."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def take(self, count: int, end: float, *, discard_first: bool) -> None:
        """Takes nothing."""

    def added(self, passes: Passes) -> Passes:
        """The samples with a note of the reason."""
        forward, backward = passes
        return msgspec.structs.replace(forward, notes=(*forward.notes, self._reason)), backward


def python_timer(make: Callable[[], tuple[str, PreparedCall]], probe: Probe, warmup: WarmUpRule) -> SideTimer:
    """The timer of a function and the call that it makes; one that takes nothing if there is none (EngineError)."""
    try:
        return TimedCall(*make(), probe, warmup)
    except EngineError as error:
        return NoCall(str(error))
