"""Asks what inputs take, remembers the answers, and keeps count of both."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from autoperf.core.case import Case
from autoperf.core.events import InputTried, PairTimed, Sink
from autoperf.core.finding import Estimate
from autoperf.core.outcome import PassName, Status
from autoperf.executor.messages import CaseFailure, PairedTimes, QuickTimes
from autoperf.hunt.point import Point
from autoperf.hunt.ratio import ratio_of

# One input may take this long, a duel so many times longer.
PROBE_SECONDS = 0.5
DUEL_SECONDS = 3.0
# After so many inputs without a backward pass, or so many whose backward pass ends the process, none is asked for.
BARREN = 12
MAX_CRASHES = 3
MAX_KNOWN = 50_000
# After so many refusals, and nothing else, an operator is given up.
HOPELESS = 100


class Times(NamedTuple):
    """The least microseconds that each pass of an input was seen to take; disturbance only ever adds to them."""

    forward: float
    backward: float | None

    def of(self, pass_: PassName) -> float | None:
        """Those of one pass."""
        return self.forward if pass_ == "forward" else self.backward  # noqa: S105 - a pass of an operator


class TimingSource(Protocol):
    """Says what cases take, or why it can't; `executor/quick_timing_client.py` asks MXNet."""

    def probe(self, case: Case, *, backward: bool, count: int, seconds: float) -> QuickTimes | CaseFailure:
        """So many times of each pass, fewer if they would take longer than `seconds`."""

    def duel(
        self, first: Case, second: Case, pass_: PassName, *, rounds: int, seconds: float, seed: int = 0
    ) -> PairedTimes | CaseFailure:
        """Both cases' times of one pass, taken in turn."""

    def renew(self) -> None:
        """What was asked before leaves no trace in the next answer."""


class InputTimings:
    """What one operator's inputs take, until a deadline on a clock that counts seconds.

    A suspect that was met before the deadline may be followed until `limit`, `grace` seconds later.
    """

    def __init__(
        self,
        prober: TimingSource,
        deadline: float,
        sink: Sink,
        *,
        backward: bool = True,
        clock: Callable[[], float] = time.monotonic,
        grace: float = 10.0,
    ) -> None:
        self.tried = 0
        self.refused = 0
        self.refusal = ""
        self.deadline = deadline
        self.limit = deadline + grace
        self.clock = clock
        self._prober = prober
        self._sink = sink
        self._backward = backward
        self._crashes = 0
        self._barren = 0
        self._known: dict[str, tuple[Times | None, int]] = {}
        self._duels = 0
        self._least: dict[PassName, float] = {}

    @property
    def hopeless(self) -> bool:
        """Whether so many inputs were refused, and none taken, that there is none to be expected."""
        return self.refused == self.tried >= HOPELESS

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.clock() >= self.deadline

    @property
    def passes(self) -> tuple[PassName, ...]:
        """The passes that are timed."""
        return ("forward", "backward") if self._backward else ("forward",)

    def times(self, point: Point, count: int = 1) -> Times | None:
        """The least of `count` samples at least; None for an input that can't be run."""
        known, samples = self._known.get(point.key, (None, 0))
        if samples >= count:
            return known
        answer = self._probe(point.case, count - samples)
        if isinstance(answer, CaseFailure):
            self._remember(point, None, 10**6)
            return None
        self._learn(answer)
        found = Times(min(answer.forward_us), min(answer.backward_us, default=None))
        merged = _least(known, found)
        for pass_ in self.passes:
            if (us := merged.of(pass_)) is not None:
                self._least[pass_] = min(us, self._least.get(pass_, us))
        self._remember(point, merged, count)
        return merged

    def _remember(self, point: Point, times: Times | None, samples: int) -> None:
        """The oldest is forgotten where there are very many, so that a long hunt doesn't grow."""
        self._known[point.key] = times, samples
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]

    def overhead_us(self, pass_: PassName) -> float:
        """The least that any input took: what a call costs by itself, or more."""
        return self._least.get(pass_, 0.0)

    def duel(self, slow: Point, fast: Point, pass_: PassName, rounds: int) -> Estimate | None:
        """How much longer the one takes than the other; None if one of them has no such pass."""
        answer = self._duel(slow, fast, pass_, rounds, DUEL_SECONDS)
        return ratio_of(answer.first_us, answer.second_us) if isinstance(answer, PairedTimes) else None

    def confirm(self, slow: Point, fast: Point, pass_: PassName, rounds: int) -> PairedTimes | None:
        """Both inputs' times, in turn, in a process that has run nothing else."""
        self._prober.renew()
        answer = self._duel(slow, fast, pass_, rounds, 2 * DUEL_SECONDS)
        return answer if isinstance(answer, PairedTimes) else None

    def _duel(
        self, slow: Point, fast: Point, pass_: PassName, rounds: int, seconds: float
    ) -> PairedTimes | CaseFailure:
        self._duels += 1
        answer = self._prober.duel(slow.case, fast.case, pass_, rounds=rounds, seconds=seconds, seed=self._duels)
        self._sink.handle(_pair_timed(pass_, slow.case, fast.case, answer))
        return answer

    def _probe(self, case: Case, count: int) -> QuickTimes | CaseFailure:
        answer = self._prober.probe(case, backward=self._backward, count=count, seconds=PROBE_SECONDS)
        if self._backward and isinstance(answer, CaseFailure) and answer.status is Status.CRASHED:
            self._crashes += 1
            self._backward = self._crashes < MAX_CRASHES
            answer = self._prober.probe(case, backward=False, count=count, seconds=PROBE_SECONDS)
        self.tried += 1
        if isinstance(answer, CaseFailure):
            self.refused += 1
            self.refusal = answer.reason
        self._sink.handle(_input_tried(case, answer))
        return answer

    def _learn(self, answer: QuickTimes) -> None:
        if answer.backward_us:
            self._barren = -(10**9)
        else:
            self._barren += 1
        if self._barren >= BARREN:
            self._backward = False


def _least(known: Times | None, found: Times) -> Times:
    if known is None:
        return found
    backward = [one for one in (known.backward, found.backward) if one is not None]
    return Times(min(known.forward, found.forward), min(backward, default=None))


def _input_tried(case: Case, answer: QuickTimes | CaseFailure) -> InputTried:
    if isinstance(answer, CaseFailure):
        return InputTried(case, refused=answer.reason)
    return InputTried(case, answer.forward_us, answer.backward_us)


def _pair_timed(pass_: PassName, slow: Case, fast: Case, answer: PairedTimes | CaseFailure) -> PairTimed:
    if isinstance(answer, CaseFailure):
        return PairTimed(pass_, slow, fast, refused=answer.reason)
    return PairTimed(pass_, slow, fast, answer.first_us, answer.second_us)
