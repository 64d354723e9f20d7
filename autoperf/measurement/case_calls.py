"""The calls of a case by each clock, turn by turn, with disturbed ones repeated; and the samples that they give."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from autoperf.backends.protocol import Kernel, PreparedCall, Profiler
from autoperf.core.errors import EngineError
from autoperf.core.machine import Probes
from autoperf.measurement.attribution import Attributed, Boundaries, attribute, kernel_name
from autoperf.measurement.messages import ClockSamples, PassSamples
from autoperf.measurement.probe import Probe
from autoperf.measurement.runner import Counts, Runner
from autoperf.measurement.stopping_rules import SettledState
from autoperf.processes.counters import Counter

# The events of the profiler take some microseconds: less than a hundredth of passes that are longer, in such calls.
ONE_LOOP_SECONDS = 0.005
LONG_PASS_NS = 1_000_000
# The maximum number of times that a disturbed sample is taken again, so that a busy machine still gives samples.
MAX_RETAKES = 3
MAX_FRESH_RETAKES = 10
NOT_TRACED = Attributed((), {}, {}, ())

Turns: TypeAlias = Sequence[Sequence[Boundaries]]


def wall_block(runner: Runner, count: int, end: float, *, discard_first: bool = False) -> list[Boundaries]:
    """`count` calls by the wall clock; disturbed ones are repeated until `end` (monotonic seconds)."""
    return undisturbed(lambda size: runner.block(time.perf_counter_ns, size, discard_first=discard_first), count, end)


def traced_block(runner: Runner, count: int, end: float, *, discard_first: bool = False) -> list[Boundaries]:
    """As `wall_block`, with the profiler running."""
    return undisturbed(lambda size: runner.traced(size, discard_first=discard_first), count, end)


def undisturbed(take: Callable[[int], list[Boundaries]], count: int, end: float) -> list[Boundaries]:
    """`count` samples by `take`. Disturbed ones are taken again, three times at most, and once only after `end`.

    `end` is on the monotonic clock. Those that took fresh memory are not samples of the settled state, and are taken
    again ten times, whatever the time. Samples that were taken again are not counted; those of the last attempt are.
    """
    calls: list[Boundaries] = []
    for attempt in range(MAX_FRESH_RETAKES):
        block = take(count)
        has_time = attempt < MAX_RETAKES and (not attempt or time.monotonic() < end)
        again = [call.counted and (call.fresh or (has_time and call.disturbed)) for call in block]
        count = sum(again)
        if not count:
            return calls + block
        calls += [call._replace(counted=False) if repeat else call for call, repeat in zip(block, again, strict=True)]
    return calls + take(count)


def retaken_of(calls: Sequence[Boundaries]) -> int:
    """The number of samples that were taken again."""
    return sum((call.disturbed or call.fresh) and not call.counted for call in calls)


def joined(turns: Turns) -> list[Boundaries]:
    """The calls of all turns."""
    return [call for turn in turns for call in turn]


def counted(turns: Turns) -> list[list[Boundaries]]:
    """The calls of each turn that are samples."""
    return [[call for call in turn if call.counted] for turn in turns]


def heard(turns: Turns, silent: Sequence[int]) -> list[list[Boundaries]]:
    """The samples of each turn without the `silent` ones, by their places among all."""
    places, left_out = itertools.count(), frozenset(silent)
    return [[call for call in turn if next(places) not in left_out] for turn in turns]


class PythonCall:
    """A function of the package that makes a case's call, timed beside it; or the reason why there is none."""

    def __init__(self, make: Callable[[], tuple[str, PreparedCall]], probe: Probe, warmup: SettledState | int) -> None:
        """Warms up what `make` returns, the function's name and its call. An EngineError is the reason."""
        self.function = self.reason = ""
        self.turns: list[list[Boundaries]] = []
        self._runner: Runner | None = None
        try:
            self.function, call = make()
            runner = Runner(call, probe)
            runner.warm_up(warmup)
        except EngineError as error:
            self.reason = str(error)
        else:
            self._runner = runner

    def take(self, count: int, end: float, *, discard_first: bool) -> None:
        """Takes the samples of a block or of a turn, if there is a function."""
        if self._runner:
            block = wall_block(self._runner, count, end, discard_first=discard_first)
            # Without page faults, which are those of Python's own objects too.
            self.turns.append([call._replace(faults=(0, 0)) for call in block if call.counted])


class CaseCalls:
    """The calls of a case: by the wall clock, with the `recorder` running, by a function of Python, and counted.

    Turns are those of an interleaved comparison, or any blocks. `backward_note` is a remark on the backward pass.
    """

    def __init__(
        self,
        runner: Runner,
        recorder: Profiler | None = None,
        counter: Counter | None = None,
        python: PythonCall | None = None,
        *,
        backward_note: str = "",
        in_turns: bool = False,
    ) -> None:
        self.runner, self.recorder, self.counter, self.python = runner, recorder, counter, python
        self.traced: list[list[Boundaries]] = []
        self.is_one_loop = False
        """Whether traced calls give the wall times, too."""
        self._untraced: list[list[Boundaries]] = []
        self._counts: list[list[Counts]] = []
        self._notes = runner.call.note, backward_note
        self._in_turns = in_turns

    def choose_loop(self, iteration_seconds: float) -> None:
        """Decides whether traced calls give wall times, too: few events of one operator take nothing of long passes."""
        case, warm = self.runner.call.case, self.runner.warm_calls
        is_alone = self.recorder is not None and self.python is None and case.way == "call" and not case.graphs
        shortest = min((min(call.forward, call.backward or call.forward) for call in warm), default=0)
        self.is_one_loop = is_alone and iteration_seconds >= ONE_LOOP_SECONDS and shortest >= LONG_PASS_NS

    def take(self, count: int, end: float, *, discard_first: bool) -> None:
        """Takes `count` samples by the wall clock, and of the function of Python; disturbed ones again until `end`."""
        self._untraced.append(wall_block(self.runner, count, end, discard_first=discard_first))
        if self.python:
            self.python.take(count, end, discard_first=discard_first)

    def take_traced(self, count: int, end: float, *, discard_first: bool) -> None:
        """Takes `count` samples with the recorder running; disturbed ones again until `end` (monotonic seconds)."""
        self.traced.append(traced_block(self.runner, count, end, discard_first=discard_first))

    def count(self, count: int, *, discard_first: bool) -> None:
        """Counts the events of `count` iterations, if there is a counter."""
        if self.counter:
            self._counts.append(self.runner.counted(self.counter, count, discard_first=discard_first))

    @property
    def wall(self) -> list[list[Boundaries]]:
        """The samples of each turn by the wall clock."""
        return counted(self.traced if self.is_one_loop else self._untraced)

    def samples(self, kernels: Sequence[Kernel]) -> tuple[PassSamples, PassSamples | None]:
        """The samples of the forward and the backward pass; `kernels` are those of the traced calls."""
        forward = backward = NOT_TRACED
        stray: tuple[str, ...] = ()
        if self.recorder:
            operator = kernel_name(self.runner.call.case)
            forward, backward, stray = attribute(kernels, joined(self.traced), operator, self.recorder.roles)
        first = self._pass(forward, stray, backward=False)
        return first, self._pass(backward, backward=True) if self.runner.call.gradients else None

    def _pass(self, traced: Attributed, notes: tuple[str, ...] = (), *, backward: bool) -> PassSamples:
        """The samples of one pass; `notes` follow those on its kernels."""
        runner, python, samples = self.runner, self.python, counted(self.traced)
        calls = joined([*self._untraced, *self.traced])
        unheard = "no kernel of its own is in the trace" if self.recorder and not traced.totals else ""
        missing = python.reason if python and not backward else ""
        sizes = tuple(map(len, self._counts)) if self._in_turns else ()
        kernel = self._clock(heard(samples, traced.silent), traced.totals, backward=backward)
        every = (self._notes[backward], *traced.notes, *notes, unheard, missing)
        return PassSamples(
            wall=self._clock(self.wall, backward=backward),
            kernel=kernel if self.recorder else None,
            kernels=traced.kernels,
            helpers=traced.helpers,
            spans=traced.spans,
            notes=tuple(note for note in every if note),
            python=self._clock(python.turns, backward=backward) if python and python.turns else None,
            function=python.function if python else "",
            counts={
                name: ClockSamples(tuple(call[backward][place] for turn in self._counts for call in turn), turns=sizes)
                for place, name in enumerate(self.counter.names if self.counter else ())
            },
            retaken=retaken_of(calls),
            waited=sum(call.waited for call in joined([*self.wall, *samples])),
            first_us=runner.first_us and runner.first_us[backward],
            settled=runner.are_settled([call for call in calls if call.counted]),
            recompiled=runner.recompiled[backward] if runner.recompiled else None,
        )

    def _clock(self, turns: Turns, times: tuple[float, ...] | None = None, *, backward: bool) -> ClockSamples:
        calls = joined(turns)
        faults = tuple(call.faults[backward] for call in calls)
        return ClockSamples(
            tuple(call.us(backward=backward) for call in calls) if times is None else times,
            probes_of(calls),
            tuple(map(len, turns)) if self._in_turns else (),
            faults if any(faults) else (),
        )


def probes_of(calls: Sequence[Boundaries]) -> Probes | None:
    """The readings of the probe beside these calls in microseconds; None without a probe."""
    if not calls or not calls[0].before:
        return None
    return Probes(tuple(call.before / 1000 for call in calls), tuple(call.after / 1000 for call in calls))
