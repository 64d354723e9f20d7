"""Finds contrasts: a slow input, and a neighbour that does equal work in far less time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from autoperf.core.case import Case
from autoperf.core.operator import is_axis
from autoperf.core.outcome import PassName
from autoperf.core.work import Work
from autoperf.hunt.contents import differ_by_draw, drawn_share, with_numbers_of
from autoperf.hunt.cost_model import Model
from autoperf.hunt.edits import Dimension, dimension_words, dimensions, extent, resized
from autoperf.hunt.equivalents import Equivalent, OtherSide
from autoperf.hunt.neighbours import (
    DTYPES,
    LEFT_OUT,
    Step,
    equivalent_steps,
    neighbours,
    other_side_step,
    pattern_steps,
)
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.timings import InputTimings
from autoperf.rules.rule import Inputs

# Times below this are mostly launch overhead.
FLOOR_US = 100.0
# Share of the minimum ratio that suffices in a quick timing, and the number of contrasts that are then verified.
TOLERANCE = 0.8
MAX_CHECKED = 4
FIRST_ROUNDS, ROUNDS, REMEASURED_ROUNDS = 3, 9, 15
# Number of refusals after which a dtype is no longer tried.
MAX_REFUSED = 3
# A contrast between two sizes is bisected to adjacent sizes, whose work differs by a few percent at most.
HALVING = "smaller"
# Maximum elements of a neighbour, as a multiple of the point's and in absolute terms: larger inputs take long.
MAX_GROWTH, MIN_LARGE = 8, 2**16


@dataclass(frozen=True)
class Contrast:
    """A slow input and a fast neighbour, with the `ratio` of their times, scaled to equal work."""

    slow: Point
    fast: Point
    step: Step
    ratio: float

    @property
    def is_between_sides(self) -> bool:
        """Whether both are the same input on two sides."""
        return self.slow.side != self.fast.side

    @property
    def fast_example(self) -> Point | None:
        """The fast input, if it has the operator and the side of the slow one; else it isn't an example of an input."""
        is_alike = self.fast.case.operator == self.slow.case.operator and not self.is_between_sides
        return self.fast if is_alike else None


class ContrastFinder:
    """Finds contrasts of one operator; `models` holds the cost model of each pass, which the caller may refit.

    With an `other_side`, only the same input on that side is a contrast; steps to other inputs only vary inputs.
    """

    def __init__(
        self,
        timings: InputTimings,
        factory: PointFactory,
        models: dict[PassName, Model],
        min_ratio: float,
        equivalents: Sequence[Equivalent] = (),
        *,
        other_side: OtherSide | None = None,
    ) -> None:
        self._equivalents = equivalents
        self.other_side = other_side
        self.timings, self.factory, self.models, self.min_ratio = timings, factory, models, min_ratio
        self._refused: Counter[str] = Counter()

    def steps(self, point: Point) -> list[Step]:
        """Every step from a point to inputs of the same operator, also those that can't show a contrast."""
        return [*neighbours(point, self.factory.operator, self.dtypes), *pattern_steps(point)]

    def contrast_steps(self, point: Point) -> list[Step]:
        """Every step from a point that may show a contrast, without steps to equivalent operators."""
        if self.other_side:
            return [other_side_step(point, self.other_side)]
        return list(neighbours(point, self.factory.operator, self.dtypes))

    def all_steps(self, point: Point) -> list[Step]:
        """Every step from a point that may show a contrast, with steps to equivalent operators."""
        return [*self.contrast_steps(point), *self.equivalent_steps(point)]

    def equivalent_steps(self, point: Point) -> list[Step]:
        """The steps from a point to equivalent operators."""
        return equivalent_steps(point, self._equivalents)

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes to try, without those that the operator has refused repeatedly and never accepted."""
        known = self.factory.rule.dtypes or DTYPES
        return tuple(dtype for dtype in known if self._refused[dtype] < MAX_REFUSED)

    def neighbour_points(self, point: Point, steps: Sequence[Step]) -> list[tuple[Step, Point]]:
        """Each step that inference accepts, with the point that it leads to."""
        calls = [(call, step.dtype) for step in steps for call in step.calls]
        points = iter(self.factory.make(calls))
        reached: list[tuple[Step, Point]] = []
        for step in steps:
            made = [step.equivalent.applied_to(point)] if step.equivalent else [next(points) for _ in step.calls]
            accepted = [neighbour for neighbour in made if neighbour and is_beside(neighbour, point)]
            if accepted:
                reached.append((step, accepted[0]))
        return reached

    def work_share(self, slow: Point, fast: Point, pass_: PassName, *, halving: bool = False) -> float:
        """The fast input's work as a share of the slow one's, at most 1: the minimum over all measures of the work.

        What contents ask for is one of the measures (the lengths of sequences, what a sparse tensor stores), and so is
        a cost model that fits well. For a step that halves a dimension that is the only one, since half the work need
        not take half the time; the bisected contrast is then judged by all measures.
        """
        counted = counted_share(slow.case, fast.case, works_in(pass_, slow, fast))
        model = self.models.get(pass_)
        if slow.case.operator != fast.case.operator or model is None or model.fit.poor:
            return counted
        share = min(1.0, model.expected_us(fast) / max(model.expected_us(slow), 1e-3))
        return share if halving else min(share, counted)

    def quick_ratio(self, slow: Point, fast: Point, pass_: PassName, count: int = 1, *, halving: bool = False) -> float:
        """The ratio for equal work, by `count` samples; 0 where an input or pass can't be timed."""
        slow_us = self.timings.time_us(slow, pass_, count)
        if slow_us is None or slow_us < FLOOR_US:
            return 0.0
        fast_us = self.timings.time_us(fast, pass_, count)
        if fast_us is None:
            return 0.0
        return slow_us / max(fast_us, 1e-3) * self.work_share(slow, fast, pass_, halving=halving)

    def step_ratio(self, point: Point, step: Step, fast: Point, pass_: PassName, count: int = 1) -> float:
        """The ratio of a point to its neighbour by `count` samples, or by at least three near the minimum ratio.

        It is 0 in another framework that has other results.
        """
        halving = step.kind == HALVING
        ratio = self.quick_ratio(point, fast, pass_, count, halving=halving)
        if step.kind == "dtype" and fast.dtype == step.dtype != point.dtype:
            self._refused[step.dtype] += 1 if self.timings.times(fast) is None else -(10**6)
        if ratio < TOLERANCE * self.min_ratio:
            return ratio
        if self.other_side and self.other_side.follows and not self.timings.has_equal_results(fast, pass_):
            return 0.0
        return self.quick_ratio(point, fast, pass_, max(3, count), halving=halving)

    def best_contrast(
        self,
        point: Point,
        pass_: PassName,
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
        reached = self.neighbour_points(point, [*steps, *self._other_counts(point, steps)])
        promising = [
            entry for entry in self._promising_steps(point, reached, pass_, min_ratio, count) if entry[1] in steps
        ]
        order = list(kinds) or list(dict.fromkeys(step.kind for _, step, _ in promising))
        ranked = sorted(promising, key=lambda entry: (order.index(entry[1].kind), bool(entry[1].loss), -entry[0]))
        checked = (self._verified(point, fast, step, pass_, min_ratio) for _, step, fast in ranked[:MAX_CHECKED])
        return next((contrast for contrast in checked if contrast), None)

    def remeasured(self, contrast: Contrast, pass_: PassName) -> Contrast:
        """The contrast with an independent estimate of its ratio, which corrects for selection of the largest."""
        estimate = self.timings.paired_ratio(contrast.slow, contrast.fast, pass_, REMEASURED_ROUNDS)
        if estimate is None:
            return contrast
        again = estimate.ratio * self.work_share(contrast.slow, contrast.fast, pass_)
        return replace(contrast, ratio=max(self.min_ratio, min(contrast.ratio, again)))

    def scaled_ratio(self, point: Point, fast: Point, pass_: PassName) -> float:
        """The ratio of a point's time to a fast one's, scaled up to equal work.

        The cost model gives the scale if it fits well. Otherwise the work does, which scales the fast input's overhead
        too, so the ratio is a lower bound.
        """
        slow_us, fast_us = self.timings.time_us(point, pass_, 2), self.timings.time_us(fast, pass_, 2)
        if slow_us is None or fast_us is None:
            return 0.0
        by_work = max(1.0, 1 / max(min_work_share(*works_in(pass_, point, fast)), 1e-9))
        model = self.models.get(pass_)
        if model and not model.fit.poor:
            by_work = min(by_work, model.expected_us(point) / max(model.expected_us(fast), 1e-3))
        return slow_us / max(fast_us, 1e-3) / max(by_work, 1e-9)

    def net_ratio(self, point: Point, pass_: PassName, kinds: Sequence[str], max_steps: int) -> float:
        """The largest ratio of times net of a call's overhead, by quick timings.

        It is meaningful even for inputs below the floor.
        """
        overhead = self.timings.overhead_us(pass_)
        ratios = [0.0]
        slow_us = self.timings.time_us(point, pass_, 3)
        if slow_us is None:
            return 0.0
        for _, fast in self.neighbour_points(point, self._chosen_steps(point, kinds)[:max_steps]):
            fast_us = self.timings.time_us(fast, pass_, 2)
            if fast_us is not None:
                rest = max(fast_us - overhead, overhead / 10, 0.1)
                ratios.append((slow_us - overhead) / rest * min_work_share(*works_in(pass_, point, fast)))
        return max(ratios)

    def _chosen_steps(self, point: Point, kinds: Sequence[str]) -> list[Step]:
        """The steps of these kinds: the first of each kind, then the second of each, so that a few cover all kinds."""
        if not kinds:
            return self.contrast_steps(point)
        steps = self.all_steps(point)
        sorted_out = [[step for step in steps if step.kind == kind] for kind in kinds]
        return [step for row in zip_longest(*sorted_out) for step in row if step]

    def _other_counts(self, point: Point, steps: Sequence[Step]) -> list[Step]:
        """The steps to other values of integer parameters that are left out: work may grow with those."""
        left_out = {_parameter(step) for step in steps if step.kind.endswith(LEFT_OUT)}
        counts = {name for name in left_out if counts_work(name, point.call)}
        return (
            [step for step in self.contrast_steps(point) if step.kind in counts and step not in steps] if counts else []
        )

    def _promising_steps(
        self, point: Point, reached: Iterable[tuple[Step, Point]], pass_: PassName, min_ratio: float, count: int
    ) -> list[tuple[float, Step, Point]]:
        """Steps with a large ratio; both neighbours of an integer parameter must be fast, as work may grow with it."""
        measured: list[tuple[float, Step, Point]] = []
        lowest: dict[str, float] = {}
        for step, fast in reached:
            if self.timings.expired:
                break
            ratio = self.step_ratio(point, step, fast, pass_, count)
            parameter = _parameter(step)
            if counts_work(parameter, point.call):
                lowest[parameter] = min(ratio, lowest.get(parameter, math.inf))
            measured.append((ratio, step, fast))
        capped = ((min(ratio, lowest.get(_parameter(step), ratio)), step, fast) for ratio, step, fast in measured)
        return [entry for entry in capped if entry[0] >= _promising_ratio(entry[1], min_ratio)]

    def _verified(self, slow: Point, fast: Point, step: Step, pass_: PassName, min_ratio: float) -> Contrast | None:
        """The contrast, if paired timing confirms it; a contrast between two sizes is bisected to adjacent sizes."""
        if step.kind == HALVING:
            return self._bisected(slow, fast, pass_, min_ratio)
        share = self.work_share(slow, fast, pass_)
        for rounds, needed in ((FIRST_ROUNDS, TOLERANCE * min_ratio), (ROUNDS, min_ratio)):
            estimate = self.timings.paired_ratio(slow, fast, pass_, rounds)
            if estimate is None or estimate.ratio * share < needed:
                return None
        contrast = Contrast(slow, fast, step, estimate.ratio * share) if estimate else None
        return contrast if contrast and self.keeps_contents(contrast, pass_, TOLERANCE * min_ratio) else None

    def keeps_contents(self, contrast: Contrast, pass_: PassName, min_ratio: float) -> bool:
        """Whether contents that the step changes too don't make the contrast.

        No tensor may be constant by its draw in one input alone. Where contents can't be alike, the slow input must be
        slow with the numbers of the fast one's dtype too: by the square root of the ratio, as a finding is confirmed.
        """
        slow, fast = contrast.slow, contrast.fast
        if differ_by_draw(slow.case, fast.case):
            return False
        if not contrast.step.loss:
            return True
        (alike,) = self.factory.make([(with_numbers_of(slow.call, slow.dtype, fast.dtype), slow.dtype)])
        if alike is None or alike.key == slow.key:
            return True
        estimate = self.timings.paired_ratio(alike, fast, pass_, FIRST_ROUNDS)
        needed = max(min_ratio, math.sqrt(contrast.ratio))
        return estimate is not None and estimate.ratio * self.work_share(alike, fast, pass_) >= needed

    def _bisected(self, slow: Point, fast: Point, pass_: PassName, min_ratio: float) -> Contrast | None:
        """Bisects between a slow size and a fast one until they are adjacent; None if time grows smoothly."""
        dimension = next(
            (
                dimension
                for dimension in dimensions(slow.call)
                if extent(slow.call, dimension) != _extent(fast, dimension)
            ),
            None,
        )
        if dimension is None:
            return None
        low, high = _extent(fast, dimension), extent(slow.call, dimension)
        while high - low > 1 and not self.timings.expired:
            middle = (low + high) // 2
            between = self._resized(slow, dimension, middle)
            if between is None:
                return None
            below = self.quick_ratio(between, fast, pass_, 2, halving=True)
            if below > self.quick_ratio(slow, between, pass_, 2, halving=True):
                slow, high = between, middle
            else:
                fast, low = between, middle
        step = Step("one less", f"{dimension_words(dimension)} of {low:,}", (fast.call,), fast.dtype)
        return self._verified(slow, fast, step, pass_, min_ratio)

    def _resized(self, point: Point, dimension: Dimension, new: int) -> Point | None:
        points = self.factory.make([(call, point.dtype) for call in resized(point.call, dimension, new)])
        return next((resized_point for resized_point in points if resized_point), None)


def _promising_ratio(step: Step, min_ratio: float) -> float:
    """The minimum ratio for verifying a step; lower for a halved dimension, where only the jump counts."""
    return math.sqrt(min_ratio) if step.kind == HALVING else TOLERANCE * min_ratio


def counts_work(parameter: str, call: Inputs) -> bool:
    """Whether a parameter of the call is a whole number with which the work may grow, and not an axis."""
    return not is_axis(parameter) and type(call.params.get(parameter)) is int


def _parameter(step: Step) -> str:
    """The parameter that a step changes, if any."""
    return step.kind.removesuffix(LEFT_OUT)


def _extent(point: Point, dimension: Dimension) -> int:
    """The length of a dimension; 0 where the point has no such dimension."""
    return extent(point.call, dimension) if dimension in dimensions(point.call) else 0


def is_beside(neighbour: Point, point: Point) -> bool:
    """Whether a neighbour differs from the point and isn't many times as large."""
    most = max(MIN_LARGE, MAX_GROWTH * point.work.elements)
    return neighbour.key != point.key and neighbour.work.elements <= most


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
    """The minimum share over bytes, bytes written, elements and operations.

    Bytes written count separately, since an operator such as `pick` may read only a part of its input.
    """
    pairs = (
        (fast.bytes, slow.bytes),
        (fast.bytes_out, slow.bytes_out),
        (fast.elements, slow.elements),
        (fast.flops, slow.flops),
    )
    return min((1.0, *(fast_amount / slow_amount for fast_amount, slow_amount in pairs if slow_amount > 0)))
