"""Finds contrasts: a slow input, and a neighbour that does equal work in far less time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from autoperf.comparison.ratios import ratio_of_pairs
from autoperf.core.case import Case
from autoperf.core.finding import Estimate
from autoperf.core.operator import is_axis
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.work import Work
from autoperf.hunt.contents import differ_by_draw, drawn_share, with_numbers_of
from autoperf.hunt.edits import Dimension, dimension_words, dimensions, extent
from autoperf.hunt.neighbours import LEFT_OUT, Neighbourhood, Step, in_turn
from autoperf.hunt.point import Model, Point
from autoperf.hunt.timings import InputTimings
from autoperf.rules.rule import Inputs

# Times below this are mostly launch overhead.
FLOOR_US = 100.0
# Share of the minimum ratio that suffices in a quick timing, and the number of contrasts that are then verified.
TOLERANCE = 0.8
MAX_CHECKED = 4
FIRST_ROUNDS, ROUNDS, REMEASURED_ROUNDS = 3, 9, 15
# A contrast between two sizes is bisected to adjacent sizes, whose work differs by a few percent at most.
HALVING = "smaller"

MinMicroseconds: TypeAlias = Callable[[Work, str], float]
"""The minimum time of some work in a dtype on this machine, in microseconds."""


@dataclass(frozen=True)
class Contrast:
    """A slow input and a fast neighbour, with the `ratio` of their times, scaled to equal work."""

    slow: Point
    fast: Point
    step: Step
    ratio: float
    pass_: PassName

    @property
    def is_between_sides(self) -> bool:
        """Whether both are the same input on two sides."""
        return self.slow.side != self.fast.side

    @property
    def fast_example(self) -> Point | None:
        """The fast input, if it has the operator and the side of the slow one; else it isn't an example of an input."""
        is_alike = self.fast.case.operator == self.slow.case.operator and not self.is_between_sides
        return self.fast if is_alike else None


@dataclass
class PassView:
    """One pass of an operator's inputs: their times, and the contrasts among them.

    `model` is the cost model of the pass, which the caller may refit, and `roofline` gives the machine's bound, if it
    is known. With another side, only the same input on that side is a contrast; steps to other inputs only vary inputs.
    """

    around: Neighbourhood
    timings: InputTimings
    pass_: PassName
    min_ratio: float
    roofline: MinMicroseconds | None
    model: Model | None = None

    def time_us(self, point: Point, count: int = 1) -> float | None:
        """The minimum of at least `count` samples in microseconds; None for an input without a time of this pass."""
        times = self.timings.times(point, count)
        return times.of(self.pass_) if times else None

    def paired_ratio(self, slow: Point, fast: Point, rounds: int) -> Estimate | None:
        """The ratio of both inputs' times in turn; None as for `InputTimings.time_pair`."""
        timed = self.timings.time_pair(slow, fast, self.pass_, rounds)
        return ratio_of_pairs(timed.first_us, timed.second_us) if timed else None

    def work_share(self, slow: Point, fast: Point, *, halving: bool = False) -> float:
        """The fast input's work as a share of the slow one's, at most 1: the minimum over all measures of the work.

        What contents ask for is one of the measures (the lengths of sequences, what a sparse tensor stores), and so is
        a cost model that fits well. For a step that halves a dimension that is the only one, since half the work need
        not take half the time; the bisected contrast is then judged by all measures.
        """
        counted = counted_share(slow.case, fast.case, works_in(self.pass_, slow, fast))
        model = self.model
        if slow.case.operator != fast.case.operator or model is None or model.fit.poor:
            return counted
        share = min(1.0, model.expected_us(fast) / max(model.expected_us(slow), 1e-3))
        return share if halving else min(share, counted)

    def quick_ratio(self, slow: Point, fast: Point, count: int = 1, *, halving: bool = False) -> float:
        """The ratio for equal work, by `count` samples; 0 where an input or pass can't be timed."""
        slow_us = self.time_us(slow, count) or 0.0
        fast_us = self.time_us(fast, count) if slow_us >= FLOOR_US else None
        return 0.0 if fast_us is None else slow_us / max(fast_us, 1e-3) * self.work_share(slow, fast, halving=halving)

    def step_ratio(self, point: Point, step: Step, fast: Point, count: int = 1) -> float:
        """The ratio by `count` samples, by three or more near the minimum; 0 where another side has other results."""
        halving = step.kind == HALVING
        ratio = self.quick_ratio(point, fast, count, halving=halving)
        if step.kind == "dtype" and fast.dtype == step.dtype != point.dtype:
            self.around.note(step.dtype, runs=self.timings.times(fast) is not None)
        if ratio < TOLERANCE * self.min_ratio:
            return ratio
        if self.around.other_side and not self.timings.has_equal_results(fast, self.pass_):
            return 0.0
        return self.quick_ratio(point, fast, max(3, count), halving=halving)

    def best_contrast(
        self,
        point: Point,
        kinds: Sequence[str] = (),
        *,
        min_ratio: float | None = None,
        max_steps: int | None = None,
        count: int = 1,
    ) -> Contrast | None:
        """The first contrast that paired timing confirms; None if none reaches `min_ratio`.

        `kinds` are the kinds of steps to try, the likeliest first; empty means all, the simplest first. At most
        `max_steps` neighbours are timed, each by `count` samples first. Of one kind, steps that keep the contents alike
        come first, then those with a large ratio.
        """
        min_ratio = min_ratio or self.min_ratio
        steps = self._chosen_steps(point, kinds)[:max_steps]
        # Work may grow with an integer parameter that is left out, so its other values are timed too.
        left_out = {_parameter(step) for step in steps if step.kind.endswith(LEFT_OUT)}
        counts = {name for name in left_out if counts_work(name, point.call)}
        listed = self.around.contrast_steps(point) if counts else []
        others = (step for step in listed if step.kind in counts and step not in steps)
        reached = self.around.neighbour_points(point, [*steps, *others])
        promising = [entry for entry in self._promising_steps(point, reached, min_ratio, count) if entry[1] in steps]
        order = list(kinds) or list(dict.fromkeys(step.kind for _, step, _ in promising))
        ranked = sorted(promising, key=lambda entry: (order.index(entry[1].kind), bool(entry[1].loss), -entry[0]))
        checked = (self._verified(point, fast, step, min_ratio) for _, step, fast in ranked[:MAX_CHECKED])
        return next((contrast for contrast in checked if contrast), None)

    def remeasured(self, contrast: Contrast) -> Contrast:
        """The contrast with an independent estimate of its ratio, which corrects for selection of the largest."""
        estimate = self.paired_ratio(contrast.slow, contrast.fast, REMEASURED_ROUNDS)
        if estimate is None:
            return contrast
        again = estimate.ratio * self.work_share(contrast.slow, contrast.fast)
        return replace(contrast, ratio=max(self.min_ratio, min(contrast.ratio, again)))

    def scaled_ratio(self, point: Point, fast: Point) -> float:
        """The ratio of a point's time to a fast one's, scaled up to equal work."""
        slow_us, fast_us = self.time_us(point, 2), self.time_us(fast, 2)
        if slow_us is None or fast_us is None:
            return 0.0
        # The cost model gives the scale if it fits well. Otherwise the work does, which scales the fast input's
        # overhead too, so the ratio is a lower bound.
        by_work = max(1.0, 1 / max(min_work_share(*works_in(self.pass_, point, fast)), 1e-9))
        model = self.model
        if model and not model.fit.poor:
            by_work = min(by_work, model.expected_us(point) / max(model.expected_us(fast), 1e-3))
        return slow_us / max(fast_us, 1e-3) / max(by_work, 1e-9)

    def net_ratio(self, point: Point, kinds: Sequence[str], max_steps: int) -> float:
        """The largest ratio of times net of a call's overhead, by quick timings; meaningful even below the floor."""
        overhead, slow_us = self.timings.overhead_us(self.pass_), self.time_us(point, 3)
        if slow_us is None:
            return 0.0
        ratios = [0.0]
        for _, fast in self.around.neighbour_points(point, self._chosen_steps(point, kinds)[:max_steps]):
            fast_us = self.time_us(fast, 2)
            if fast_us is not None:
                rest = max(fast_us - overhead, overhead / 10, 0.1)
                ratios.append((slow_us - overhead) / rest * min_work_share(*works_in(self.pass_, point, fast)))
        return max(ratios)

    def _chosen_steps(self, point: Point, kinds: Sequence[str]) -> list[Step]:
        return in_turn(self.around.all_steps(point), kinds) if kinds else self.around.contrast_steps(point)

    def _promising_steps(
        self, point: Point, reached: Iterable[tuple[Step, Point]], min_ratio: float, count: int
    ) -> list[tuple[float, Step, Point]]:
        """Steps with a large ratio; both neighbours of an integer parameter must be fast, as work may grow with it."""
        measured: list[tuple[float, Step, Point]] = []
        lowest: dict[str, float] = {}
        for step, fast in reached:
            if self.timings.expired:
                break
            ratio = self.step_ratio(point, step, fast, count)
            parameter = _parameter(step)
            if counts_work(parameter, point.call):
                lowest[parameter] = min(ratio, lowest.get(parameter, math.inf))
            measured.append((ratio, step, fast))
        capped = ((min(ratio, lowest.get(_parameter(step), ratio)), step, fast) for ratio, step, fast in measured)
        # Of a halved dimension only the jump counts.
        least = {HALVING: math.sqrt(min_ratio)}
        return [entry for entry in capped if entry[0] >= least.get(entry[1].kind, TOLERANCE * min_ratio)]

    def _verified(self, slow: Point, fast: Point, step: Step, min_ratio: float) -> Contrast | None:
        """The contrast, if paired timing confirms it; one between two sizes is first bisected to adjacent sizes."""
        # None if time grows smoothly between them.
        if step.kind == HALVING:
            shorter = (each for each in dimensions(slow.call) if extent(slow.call, each) != _extent(fast, each))
            dimension = next(shorter, None)
            if dimension is None:
                return None
            low, high = _extent(fast, dimension), extent(slow.call, dimension)
            while high - low > 1 and not self.timings.expired:
                middle = (low + high) // 2
                between = self.around.factory.first(slow.resized(dimension, middle))
                if between is None:
                    return None
                below = self.quick_ratio(between, fast, 2, halving=True)
                if below > self.quick_ratio(slow, between, 2, halving=True):
                    slow, high = between, middle
                else:
                    fast, low = between, middle
            step = Step("one less", f"{dimension_words(dimension)} of {low:,}", (fast.call,), fast.dtype)
        return self.verified(slow, fast, step, (FIRST_ROUNDS, TOLERANCE * min_ratio), (ROUNDS, min_ratio))

    def verified(self, slow: Point, fast: Point, step: Step, *stages: tuple[int, float]) -> Contrast | None:
        """The contrast, if paired timing of so many rounds reaches the ratio of each stage, and contents keep alike."""
        share, ratio = self.work_share(slow, fast), 0.0
        for rounds, needed in stages:
            estimate = self.paired_ratio(slow, fast, rounds)
            ratio = estimate.ratio * share if estimate else 0.0
            if ratio < needed:
                return None
        contrast = Contrast(slow, fast, step, ratio, self.pass_)
        # No tensor may be constant by its draw in one input alone. Where contents can't be alike, the slow input must
        # be slow with the numbers of the fast one's dtype too: by the root of the ratio, as a finding is confirmed.
        if differ_by_draw(slow.case, fast.case):
            return None
        calls = [(with_numbers_of(slow.call, slow.dtype, fast.dtype), slow.dtype)] if step.loss else []
        alike = self.around.factory.first(calls)
        if alike is None or alike.key == slow.key:
            return contrast
        estimate = self.paired_ratio(alike, fast, FIRST_ROUNDS)
        needed = max(stages[0][1], math.sqrt(ratio))
        return contrast if estimate and estimate.ratio * self.work_share(alike, fast) >= needed else None


Views: TypeAlias = Mapping[PassName, PassView]


def views_of(
    around: Neighbourhood, timings: InputTimings, min_ratio: float, roofline: MinMicroseconds | None = None
) -> Views:
    """A view of each pass of an operator."""
    return {pass_: PassView(around, timings, pass_, min_ratio, roofline) for pass_ in PASSES}


def counts_work(parameter: str, call: Inputs) -> bool:
    """Whether a parameter of the call is a whole number with which the work may grow, and not an axis."""
    return not is_axis(parameter) and type(call.params.get(parameter)) is int


def _parameter(step: Step) -> str:
    return step.kind.removesuffix(LEFT_OUT)


def _extent(point: Point, dimension: Dimension) -> int:
    """The length of a dimension; 0 where the point has no such dimension."""
    return extent(point.call, dimension) if dimension in dimensions(point.call) else 0


def works_in(pass_: PassName, slow: Point, fast: Point) -> tuple[Work, Work]:
    """The work of both inputs in a pass; that of the forward pass unless both have a formula for the backward pass."""
    if pass_ == "backward" and slow.backward and fast.backward:  # noqa: S105 - a pass, no password
        return slow.backward, fast.backward
    return slow.work, fast.work


def counted_share(slow: Case, fast: Case, works: tuple[Work, Work]) -> float:
    """The fast case's work as a share of the slow one's, at most 1: by these counts of a pass, and by contents."""
    if slow.operator != fast.operator:
        # The formulas of different operators count operations differently.
        return min(1.0, works[1].bytes / max(works[0].bytes, 1))
    return min(min_work_share(*works), drawn_share(slow, fast))


def min_work_share(slow: Work, fast: Work) -> float:
    """The minimum share over bytes, bytes written, elements and operations."""
    # Bytes written count separately, since an operator such as `pick` may read only a part of its input.
    measures = ((work.bytes, work.bytes_out, work.elements, work.flops) for work in (slow, fast))
    return float(min((1.0, *(of_fast / of_slow for of_slow, of_fast in zip(*measures, strict=True) if of_slow > 0))))
