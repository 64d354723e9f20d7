"""Holds an input against those one step away: is there one that asks for as much work, and takes far less time?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from autoperf.core.outcome import PassName
from autoperf.core.work import Work
from autoperf.hunt.model import Model
from autoperf.hunt.neighbours import DTYPES, Step, neighbours
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.tensors import extent, places, resized
from autoperf.hunt.timings import InputTimings

# Times below this are launch overhead in good part, and say nothing of a kernel.
FLOOR_US = 100.0
# A first look may fall short of the ratio asked for by this much; how many then get a second one.
LENIENCE = 0.8
MAX_CHECKED = 4
FIRST_ROUNDS, ROUNDS, REMEASURED_ROUNDS = 3, 9, 15
# After so many refusals a dtype is no longer tried.
MAX_REFUSED = 3
# A lead between two sizes is followed to two neighbours, of which the larger asks for a few percent more at most.
LEAD = "smaller"


@dataclass(frozen=True)
class Contrast:
    """A slow input and a fast one, one step away; `ratio` is between their times for as much work."""

    slow: Point
    fast: Point
    step: Step
    ratio: float


class ContrastFinder:
    """Looks for contrasts of one operator; `models` are those of its passes, and may change while it works."""

    def __init__(self, trials: InputTimings, maker: PointFactory, models: dict[PassName, Model], least: float) -> None:
        self.trials, self.maker, self.models, self.least = trials, maker, models, least
        self._refused: Counter[str] = Counter()

    def steps(self, point: Point) -> list[Step]:
        """Every step away from a point."""
        return list(neighbours(point, self.maker.operator, self.dtypes))

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Those that the operator may take; one that it has refused several times, and never taken, is none of them."""
        known = self.maker.rule.dtypes or DTYPES
        return tuple(each for each in known if self._refused[each] < MAX_REFUSED)

    def taken(self, point: Point, steps: Sequence[Step]) -> list[tuple[Step, Point]]:
        """Where the steps lead; those that inference refuses lead nowhere."""
        calls = [(call, step.dtype) for step in steps for call in step.calls]
        made = iter(self.maker.make(calls))
        found: list[tuple[Step, Point]] = []
        for step in steps:
            accepted = [one for one in [next(made) for _ in step.calls] if one and one.key != point.key]
            if accepted:
                found.append((step, accepted[0]))
        return found

    def share(self, slow: Point, fast: Point, pass_: PassName, *, lead: bool = False) -> float:
        """How much of the slow input's work the fast one asks for, 1 at most: by the measure by which it is least.

        The model is one of these if it is any good. Of a lead it has the only word: of half as much work not half of
        the time is expected, and what is found at its end is measured by all.
        """
        model = self.models.get(pass_)
        if model is None or model.fit.poor:
            return _least_share(slow.work, fast.work)
        share = min(1.0, model.expected_us(fast) / max(model.expected_us(slow), 1e-3))
        return share if lead else min(share, _least_share(slow.work, fast.work))

    def quick(self, slow: Point, fast: Point, pass_: PassName, count: int = 1, *, lead: bool = False) -> float:
        """The ratio by so many samples; 0 where there is none."""
        slow_times, fast_times = self.trials.times(slow, count), self.trials.times(fast, count)
        if slow_times is None or fast_times is None:
            return 0.0
        slow_us, fast_us = slow_times.of(pass_), fast_times.of(pass_)
        if slow_us is None or fast_us is None or slow_us < FLOOR_US:
            return 0.0
        return slow_us / max(fast_us, 1e-3) * self.share(slow, fast, pass_, lead=lead)

    def along(self, point: Point, step: Step, fast: Point, pass_: PassName, count: int = 1) -> float:
        """The ratio by `count` samples along a step, by three where that is promising."""
        lead = step.kind == LEAD
        ratio = self.quick(point, fast, pass_, count, lead=lead)
        if step.kind == "dtype":
            self._refused[step.dtype] += 1 if self.trials.times(fast) is None else -(10**6)
        if ratio < LENIENCE * self.least:
            return ratio
        return self.quick(point, fast, pass_, max(3, count), lead=lead)

    def best(
        self,
        point: Point,
        pass_: PassName,
        kinds: Sequence[str] = (),
        *,
        least: float | None = None,
        most: int | None = None,
        count: int = 1,
    ) -> Contrast | None:
        """The nearest contrast that stands in duels; None if none reaches `least`.

        `kinds` are the kinds of steps that count, the likeliest first; none means all, the plainest first. `most` steps
        are taken, and each is first looked at by `count` samples. Among steps of one kind the largest ratio counts.
        """
        wanted = least or self.least
        found = self._looked_at(point, self.taken(point, self._chosen(point, kinds)[:most]), pass_, wanted, count)
        order = list(kinds) or list(dict.fromkeys(step.kind for _, step, _ in found))
        ranked = sorted(found, key=lambda one: (order.index(one[1].kind), -one[0]))
        checked = (self._checked(point, fast, step, pass_, wanted) for _, step, fast in ranked[:MAX_CHECKED])
        return next((contrast for contrast in checked if contrast), None)

    def remeasured(self, contrast: Contrast, pass_: PassName) -> Contrast:
        """The contrast with a ratio that wasn't picked for being large; what is picked is large by luck in part."""
        estimate = self.trials.duel(contrast.slow, contrast.fast, pass_, REMEASURED_ROUNDS)
        if estimate is None:
            return contrast
        again = estimate.ratio * self.share(contrast.slow, contrast.fast, pass_)
        return replace(contrast, ratio=max(self.least, min(contrast.ratio, again)))

    def scaled_ratio(self, point: Point, fast: Point, pass_: PassName) -> float:
        """How much slower a point is than a fast one would be if it had as much to do.

        By the model if it is any good, else by the work, to which even the fast one's overhead is taken to be
        proportional: so the ratio is rather too small.
        """
        slow_times, fast_times = self.trials.times(point, 2), self.trials.times(fast, 2)
        slow_us = slow_times.of(pass_) if slow_times else None
        fast_us = fast_times.of(pass_) if fast_times else None
        if slow_us is None or fast_us is None:
            return 0.0
        by_work = max(1.0, 1 / max(_least_share(point.work, fast.work), 1e-9))
        model = self.models.get(pass_)
        if model and not model.fit.poor:
            by_work = min(by_work, model.expected_us(point) / max(model.expected_us(fast), 1e-3))
        return slow_us / max(fast_us, 1e-3) / max(by_work, 1e-9)

    def net_ratio(self, point: Point, pass_: PassName, kinds: Sequence[str], most: int) -> float:
        """The largest ratio of what is left of the times without a call's overhead, by single samples.

        So even inputs below the floor can show whether they are slow for the same reason.
        """
        overhead = self.trials.overhead_us(pass_)
        ratios = [0.0]
        slow = self.trials.times(point, 3)
        slow_us = slow.of(pass_) if slow else None
        for _, fast in self.taken(point, self._chosen(point, kinds)[:most]) if slow_us is not None else ():
            times = self.trials.times(fast, 2)
            fast_us = times.of(pass_) if times else None
            if slow_us is not None and fast_us is not None:
                rest = max(fast_us - overhead, overhead / 10, 0.1)
                ratios.append((slow_us - overhead) / rest * _least_share(point.work, fast.work))
        return max(ratios)

    def _chosen(self, point: Point, kinds: Sequence[str]) -> list[Step]:
        """The steps of these kinds, the first of each, then the second of each: so that a few are of all kinds."""
        steps = self.steps(point)
        if not kinds:
            return steps
        sorted_out = [[step for step in steps if step.kind == kind] for kind in kinds]
        return [step for row in zip_longest(*sorted_out) for step in row if step]

    def _looked_at(
        self, point: Point, taken: Iterable[tuple[Step, Point]], pass_: PassName, wanted: float, count: int
    ) -> list[tuple[float, Step, Point]]:
        """What is promising. Of a number, both neighbours have to be: work that grows with it is no cliff."""
        found: list[tuple[float, Step, Point]] = []
        numbers: dict[str, float] = {}
        for step, fast in taken:
            if self.trials.over:
                break
            ratio = self.along(point, step, fast, pass_, count)
            name = _number(step)
            if type(point.call.params.get(name)) is int:
                numbers[name] = min(ratio, numbers.get(name, math.inf))
            found.append((ratio, step, fast))
        kept = ((min(ratio, numbers.get(_number(step), ratio)), step, fast) for ratio, step, fast in found)
        return [one for one in kept if one[0] >= _promising(one[1], wanted)]

    def _checked(self, slow: Point, fast: Point, step: Step, pass_: PassName, wanted: float) -> Contrast | None:
        """The contrast, if it stands in duels; where it lies between two sizes, that between two neighbours."""
        if step.kind == LEAD:
            return self._followed(slow, fast, pass_, wanted)
        share = self.share(slow, fast, pass_)
        for rounds, needed in ((FIRST_ROUNDS, LENIENCE * wanted), (ROUNDS, wanted)):
            estimate = self.trials.duel(slow, fast, pass_, rounds)
            if estimate is None or estimate.ratio * share < needed:
                return None
        return Contrast(slow, fast, step, estimate.ratio * share) if estimate else None

    def _followed(self, slow: Point, fast: Point, pass_: PassName, wanted: float) -> Contrast | None:
        """Halves the way between a slow size and a fast one until both are neighbours; None if time rises smoothly."""
        place = next((place for place in places(slow.call) if extent(slow.call, place) != _extent(fast, place)), None)
        if place is None:
            return None
        low, high = _extent(fast, place), extent(slow.call, place)
        while high - low > 1 and not self.trials.over:
            middle = (low + high) // 2
            between = self._resized(slow, place, middle)
            if between is None:
                return None
            below = self.quick(between, fast, pass_, 2, lead=True)
            if below > self.quick(slow, between, pass_, 2, lead=True):
                slow, high = between, middle
            else:
                fast, low = between, middle
        step = Step("one less", f"{place[0]}.shape[{place[2]}] of {low:,}", (fast.call,), fast.dtype)
        return self._checked(slow, fast, step, pass_, wanted)

    def _resized(self, point: Point, place: tuple[str, int, int], new: int) -> Point | None:
        made = self.maker.make([(call, point.dtype) for call in resized(point.call, place, new)])
        return next((one for one in made if one), None)


def _promising(step: Step, wanted: float) -> float:
    """The ratio that calls for a second look. A lead may promise less: the jump at its end is what will count."""
    return math.sqrt(wanted) if step.kind == LEAD else LENIENCE * wanted


def _number(step: Step) -> str:
    """The parameter that a step changes, if it changes one."""
    return step.kind.removesuffix(" left out")


def _least_share(slow: Work, fast: Work) -> float:
    """The share by the measure by which it is least.

    What is written counts by itself: of its input an operator may read a part only, as `pick` does.
    """
    pairs = (
        (fast.bytes, slow.bytes),
        (fast.bytes_out, slow.bytes_out),
        (fast.elements, slow.elements),
        (fast.flops, slow.flops),
    )
    return min(1.0, *(there / here for there, here in pairs if here > 0))


def _extent(point: Point, place: tuple[str, int, int]) -> int:
    """The dimension's length there, or 0 where there is no such dimension."""
    return extent(point.call, place) if place in places(point.call) else 0
