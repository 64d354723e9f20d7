"""Times the inputs of one operator, caches and counts the answers, and replays an earlier log."""

from __future__ import annotations

import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from autoperf.core.case import Case
from autoperf.core.events import Answer, InputTried, PairTimed, ResultsCompared, Sink
from autoperf.core.outcome import PassName, Status
from autoperf.hunt.point import Point
from autoperf.measurement.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.measurement.quick_timing_client import EqualResults

# Time limits of a quick timing, of a paired timing, and of one that confirms a finding.
INPUT_SECONDS = 0.5
PAIR_SECONDS = 1.0
CONFIRMING_SECONDS = 6.0
# Number of inputs without a backward pass, or with a crashing one, after which only the forward pass is timed.
MAX_WITHOUT_BACKWARD = 12
MAX_CRASHES = 3
MAX_KNOWN = 50_000
# Number of inputs, all of them refused, after which the search of an operator ends.
MAX_REFUSED_INPUTS = 100
# Reasons that differ in numbers, or after the result that differs, count as one.
_DIFFERING = re.compile(r"(the results differ: [^:]*):.*", re.DOTALL)
_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")
AnyAnswer = TypeVar("AnyAnswer", InputTried, PairTimed, ResultsCompared)


class Times(NamedTuple):
    """The minimum of each pass of an input in microseconds; noise only adds to a time."""

    forward: float
    backward: float | None

    @property
    def total(self) -> float:
        """The sum of both passes."""
        return self.forward + (self.backward or 0.0)

    def of(self, pass_: PassName) -> float | None:
        """The minimum of one pass; None if it was not timed."""
        return self.forward if pass_ == "forward" else self.backward  # noqa: S105 - a pass of an operator


class TimingSource(Protocol):
    """Times cases on numbered sides, or returns why it can't: `measurement/quick_timing_client.py` runs them."""

    def time_case(self, request: QuickTiming, side: int) -> QuickTimes | CaseFailure:
        """Samples of each pass of the case on a side."""

    def time_pair(self, request: PairedTiming, sides: tuple[int, int]) -> PairedTimes | CaseFailure:
        """Interleaved samples of the pass of both cases, each on its side."""

    def check_case(self, case: Case, side: int, seconds: float) -> EqualResults:
        """The passes of the case whose results on a side equal the other side's."""

    def renew(self) -> None:
        """Starts a fresh process for the next answer."""


class InputTimings:
    """Times of one operator's inputs, until a deadline in seconds of `clock`.

    A candidate found before the deadline may be investigated until `limit`, `grace` seconds later; nothing is timed
    after that. Only inputs on `side`, the searched one, are counted; `other_runs` is whether any input ran on the other
    side, and `other_refusal` the latest reason why one didn't. `uncompared` counts the given inputs that weren't
    compared, and those without the other side's results, by reason.
    """

    def __init__(
        self,
        source: TimingSource,
        deadline: float,
        sink: Sink,
        *,
        backward: bool = True,
        clock: Callable[[], float] = time.monotonic,
        grace: float = 10.0,
        side: int = 0,
        replay: Replay | None = None,
    ) -> None:
        """`replay` answers before `source` does."""
        self.tried = self.refused = 0
        self.refusal = self.other_refusal = ""
        self.deadline, self.grace, self.limit, self.clock = deadline, grace, deadline + grace, clock
        self._source, self._replay, self._sink = source, replay or Replay(), sink
        self._backward, self._side = backward, side
        self.other_runs = False
        self.uncompared: Counter[str] = Counter()
        self._equal: dict[str, ResultsCompared] = {}
        self._crashes = self._without_backward = self._pairs = 0
        self._known: dict[str, tuple[Times | None, int]] = {}
        self._minimum_us: dict[PassName, float] = {}

    @property
    def all_refused(self) -> bool:
        """Whether every input was refused, out of enough inputs to stop."""
        return self.refused == self.tried >= MAX_REFUSED_INPUTS

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.clock() >= self.deadline

    @property
    def closed(self) -> bool:
        """Whether the limit has passed."""
        return self.clock() >= self.limit

    @property
    def passes(self) -> tuple[PassName, ...]:
        """The passes that are timed."""
        return ("forward", "backward") if self._backward else ("forward",)

    def times(self, point: Point, count: int = 1) -> Times | None:
        """The minimum of at least `count` samples (fewer after the limit); None for an input that can't be run."""
        known, samples = self._known.get(point.key, (None, 0))
        if samples >= count or self.closed:
            return known
        tried = self._time_input(point, count - samples)
        if not tried.forward_us:
            self._remember(point, None, 10**6)
            return None
        forward, backward = tried.forward_us, tried.backward_us
        if known:
            forward = (known.forward, *forward)
            backward = (*([known.backward] if known.backward is not None else ()), *backward)
        merged = Times(min(forward), min(backward, default=None))
        if point.side == self._side:
            self._without_backward = -(10**9) if tried.backward_us else self._without_backward + 1
            self._backward = self._backward and self._without_backward < MAX_WITHOUT_BACKWARD
            for pass_ in self.passes:
                if (us := merged.of(pass_)) is not None:
                    self._minimum_us[pass_] = min(us, self._minimum_us.get(pass_, us))
        self._remember(point, merged, count)
        return merged

    def total_us(self, point: Point, count: int = 1) -> float:
        """The minimum of all passes together, as for `times`; 0 for an input that can't be run."""
        times = self.times(point, count)
        return times.total if times else 0.0

    def _remember(self, point: Point, times: Times | None, samples: int) -> None:
        """Stores a result; evicts the oldest entries, so that the memory of a long hunt is bounded."""
        self._known[point.key] = times, samples
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]

    def overhead_us(self, pass_: PassName) -> float:
        """The minimum over the searched side's inputs in microseconds: an upper bound of a call's overhead."""
        return self._minimum_us.get(pass_, 0.0)

    def leave_out(self, reason: str, inputs: int = 1) -> None:
        """Counts inputs that aren't compared."""
        self.uncompared[_NUMBER.sub("N", _DIFFERING.sub(r"\1", reason))] += inputs

    def has_equal_results(self, point: Point, pass_: PassName) -> bool:
        """Whether an input of the other side has the searched side's results in a pass; False after the limit."""
        if point.key not in self._equal:
            if self.closed:
                return False
            asked = ResultsCompared(case=point.case, side=point.side)
            compared = self._replay.answer(asked)
            if compared is None:
                found = self._source.check_case(asked.case, asked.side, self._within_limit(INPUT_SECONDS))
                compared = msgspec.structs.replace(asked, passes=found.passes, reason=found.reason)
            self._equal[point.key] = compared
            self._sink.handle(compared)
            if pass_ not in compared.passes:
                self.leave_out(compared.reason)
        return pass_ in self._equal[point.key].passes

    def time_pair(
        self, slow: Point, fast: Point, pass_: PassName, rounds: int, *, fresh: bool = False
    ) -> PairTimed | None:
        """Interleaved samples of both inputs; to confirm a finding from a `fresh` process, and with more time.

        None if either has no such pass, if the fast one is of the other side and has other results, or after the limit.
        """
        if fresh and not self.closed:
            self._source.renew()
        if self.closed or (slow.side != fast.side and not self.has_equal_results(fast, pass_)):
            return None
        self._pairs += 1
        asked = PairTimed(pass_=pass_, first=slow.case, second=fast.case, sides=(slow.side, fast.side))
        timed = self._replay.answer(asked)
        if timed is None:
            limit = self._within_limit(CONFIRMING_SECONDS if fresh else PAIR_SECONDS)
            request = PairedTiming(slow.case, fast.case, pass_, rounds, limit, seed=self._pairs)
            answer = self._source.time_pair(request, asked.sides)
            if isinstance(answer, CaseFailure):
                timed = msgspec.structs.replace(asked, refused=answer.reason)
            else:
                timed = msgspec.structs.replace(asked, first_us=answer.first_us, second_us=answer.second_us)
        self._sink.handle(timed)
        return timed if timed.first_us else None

    def _within_limit(self, seconds: float) -> float:
        return max(0.0, min(seconds, self.limit - self.clock()))

    def _time_input(self, point: Point, count: int) -> InputTried:
        asked = InputTried(id=point.case.id, case=point.case, side=point.side)
        tried = self._replay.answer(asked)
        if tried is None:
            request = QuickTiming(asked.case, self._backward, count, self._within_limit(INPUT_SECONDS))
            answer = self._source.time_case(request, asked.side)
            crashed = self._backward and isinstance(answer, CaseFailure) and answer.status is Status.CRASHED
            if crashed:
                answer = self._source.time_case(msgspec.structs.replace(request, backward=False), asked.side)
            if isinstance(answer, CaseFailure):
                tried = msgspec.structs.replace(asked, crashed=crashed, refused=answer.reason)
            else:
                forward, backward = answer.forward_us, answer.backward_us
                tried = msgspec.structs.replace(asked, crashed=crashed, forward_us=forward, backward_us=backward)
        # An input whose forward pass crashes too says nothing about the backward pass.
        self._crashes += tried.crashed and not tried.refused
        self._backward = self._backward and self._crashes < MAX_CRASHES
        is_refused = not tried.forward_us
        if tried.side == self._side:
            self.tried += 1
            if is_refused:
                self.refused, self.refusal = self.refused + 1, tried.refused
        elif is_refused:
            self.other_refusal = tried.refused
            self.leave_out(tried.refused)
        else:
            self.other_runs = True
        self._sink.handle(tried)
        return tried


class Replay:
    """The logged answers of one operator's search, in order, until the log ends or the search differs from it.

    A search is a function of its seed, the answers and their times, so a replay with a ReplayClock finds the same.
    `at` is the time of the last logged answer, in seconds.
    """

    def __init__(self, logged: Iterable[Answer] = ()) -> None:
        self.replaying = False
        self.at = 0.0
        self._remaining = deque(logged)

    def answer(self, asked: AnyAnswer) -> AnyAnswer | None:
        """The logged event of a question, an event without its answer; None once the log has ended or differs."""
        logged = self._remaining.popleft() if self._remaining else None
        if isinstance(logged, type(asked)) and _question(logged) == _question(asked):
            self.replaying, self.at = True, logged.at
            return logged
        self.replaying = False
        self._remaining.clear()
        return None


def _question(event: Answer) -> tuple[object, ...]:
    if isinstance(event, PairTimed):
        return event.first, event.second, event.pass_, event.sides
    return event.case, event.side


class ReplayClock:
    """Seconds since `begin`: the logged times of answers during a replay, then the times of another clock."""

    def __init__(self, replay: Replay, begin: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._replay, self._clock = replay, clock
        self._offset = begin - clock()

    def __call__(self) -> float:
        """The present time in seconds."""
        if self._replay.replaying:
            self._offset = self._replay.at - self._clock()
        return self._clock() + self._offset
