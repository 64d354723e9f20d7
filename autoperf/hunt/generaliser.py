"""Generalises a slow input to its family: labels other inputs, learns conditions, and tests them on fresh draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import NamedTuple

from autoperf.core.finding import FamilyCheck
from autoperf.core.operator import Operator
from autoperf.core.tensors import Shape
from autoperf.hunt.conditions import Condition, Within, merged_limits, separate_limits
from autoperf.hunt.contents import patterned_calls, patterns_of
from autoperf.hunt.contrast import FLOOR_US, HALVING, TOLERANCE, Contrast, PassView, counts_work
from autoperf.hunt.edits import drafts
from autoperf.hunt.example_inputs import FreshDraws, max_elements, variations
from autoperf.hunt.family import Family, LabelledInput, LabelledInputs, candidate_conditions, learned
from autoperf.hunt.neighbours import CONTENTS, LEFT_OUT, THRESHOLDS, Step, related_kinds
from autoperf.hunt.point import Point
from autoperf.rules.rule import Inputs

# Maximum number of neighbours timed for each input: of the contrast's own kind of step, and of all related kinds.
MAX_OWN_STEPS = 4
MAX_STEPS = 10
PAIRED_ROUNDS = 5
# An input is slow if its ratio is at least the contrast's to this power, and fast below the square root of that.
SLOW_EXPONENT = 0.35
# An input that takes longer than MAX_US, and than MAX_TIMES the slow one, has no label: its neighbours take as long.
MAX_US = 2000.0
MAX_TIMES = 4
# An input below the floor is fast only if it does at least this share of the slow one's work.
MIN_WORK_SHARE = 0.5


class Judge:
    """Labels inputs by the cause of one contrast: an input is slow if a related step leads to a faster one.

    An input that another known cause explains (`explained`) has no label.
    """

    def __init__(self, view: PassView, simplest: Contrast, explained: Callable[[Point], bool]) -> None:
        self._view, self._simplest, self._explained = view, simplest, explained
        self._min_ratio = max(view.min_ratio * TOLERANCE, simplest.ratio**SLOW_EXPONENT)
        self._max_fast_ratio = math.sqrt(self._min_ratio)
        self._direction = direction(simplest.slow.call, simplest.fast.call)
        self._kinds = [kind for kind in related_kinds(simplest.step.kind) if kind != HALVING]

    def labels(self, points: Iterable[Point]) -> Iterator[tuple[Point, bool]]:
        """The inputs that have a label, each with it."""
        for point in points:
            label = self.label(point)
            if label is not None:
                yield point, label

    def label(self, point: Point) -> bool | None:
        """Whether an input is slow; None if it can't be timed, is too small or large, or has another cause."""
        us = None if self._view.timings.expired or self._explained(point) else self._time_us(point)
        if us is None or self._takes_long(point):
            return None
        if us < FLOOR_US:
            return False if self._is_conclusive(point, us) else None
        if self._kinds[0] == CONTENTS and not patterns_of(point.call):
            return False if self._is_fast_without_pattern(point) else None
        neighbours = self._view.around.neighbour_points(point, list(self._steps(point)))
        # Work may grow with a count, so all its neighbours must be faster.
        needed = all if self._is_count(point) else any
        if neighbours and needed(self._is_faster(point, step, fast) for step, fast in neighbours):
            return True
        if not neighbours or self._simplest.step.kind in THRESHOLDS:
            return self._beside_the_contrast(point, us)
        ratios = (self._view.quick_ratio(point, fast, 2) for _, fast in neighbours)
        return False if not needed(ratio >= self._max_fast_ratio for ratio in ratios) else None

    def _takes_long(self, point: Point) -> bool:
        timings = self._view.timings
        return timings.total_us(point, 2) > max(MAX_US, MAX_TIMES * timings.total_us(self._simplest.slow, 2))

    def _time_us(self, point: Point) -> float | None:
        return self._view.time_us(point, 2)

    def _steps(self, point: Point) -> Iterator[Step]:
        """Steps of the contrast's kind, the most similar first, then of related kinds in turn."""
        steps = sorted(self._view.around.all_steps(point), key=lambda step: self._unlikeness(point, step))
        own_kinds = self._kinds[:1]
        own = [step for step in steps if step.kind in own_kinds]
        others = [[step for step in steps if step.kind == kind] for kind in self._kinds[1:]]
        rows = (step for row in zip_longest(*others) for step in row if step)
        yield from islice((*own[:MAX_OWN_STEPS], *rows), MAX_STEPS)

    def _unlikeness(self, point: Point, step: Step) -> tuple[bool, int, float]:
        """A sort key: steps with the contrast's words first, then in its direction, then the largest."""
        changes = direction(point.call, step.calls[0]) if step.calls else NOWHERE
        return step.words != self._simplest.step.words, changes.disagreement(self._direction), -changes.size

    def _is_fast_without_pattern(self, point: Point) -> bool:
        """Whether an input without a pattern is faster than with the slow one's."""
        slow = patterns_of(self._simplest.slow.call)
        calls = [call for name, pattern, call in patterned_calls(point) if slow.get(name) == pattern]
        made = (found for found in self._view.around.factory.make([(call, point.dtype) for call in calls]) if found)
        return any(self._view.quick_ratio(found, point, 2) >= self._max_fast_ratio for found in made)

    def _is_count(self, point: Point) -> bool:
        return counts_work(self._kinds[0].removesuffix(LEFT_OUT), point.call)

    def _is_faster(self, point: Point, step: Step, fast: Point) -> bool:
        """Whether a neighbour is faster for equal work, in quick and in paired timing."""
        if self._view.step_ratio(point, step, fast, 2) < self._min_ratio:
            return False
        estimate = self._view.paired_ratio(point, fast, PAIRED_ROUNDS)
        ratio = estimate.ratio * self._view.work_share(point, fast) if estimate else 0.0
        if ratio < self._min_ratio:
            return False
        return self._view.keeps_contents(Contrast(point, fast, step, ratio, self._view.pass_), self._min_ratio)

    def _is_conclusive(self, point: Point, us: float) -> bool:
        """Whether an input below the floor is fast for sure: it does much of the slow one's work in far less time."""
        if self._simplest.is_between_sides:
            return False
        slow = self._simplest.slow
        share = self._view.work_share(slow, point)
        slow_us = self._time_us(slow)
        return share >= MIN_WORK_SHARE and slow_us is not None and slow_us / us * share >= self._min_ratio

    def _beside_the_contrast(self, point: Point, us: float) -> bool | None:
        """Compares an input with the contrast, both as if time grew with the work and as if it didn't.

        None if the two disagree, and between two sides, where inputs can't be compared with each other. No input takes
        less than a call's overhead.
        """
        if self._simplest.is_between_sides:
            return None
        if us < self._min_ratio * self._view.overhead_us():
            return False
        fast = self._simplest.fast
        fast_us = self._time_us(fast)
        if fast_us is None or _settings(point) != _settings(fast):
            return None
        share = self._view.work_share(fast, point)
        least, most = (min(us / fast_us, self._view.scaled_ratio(point, fast)), us / fast_us / max(share, 1e-9))
        if least >= self._min_ratio:
            return True
        return False if most < self._min_ratio else None


def _settings(point: Point) -> tuple[str, Mapping[str, object], Mapping[str, object]]:
    """The dtype, the patterns of contents, and the parameters without an entry for each dimension."""
    listed = {name: value for name, value in point.call.params.items() if not isinstance(value, tuple)}
    return point.dtype, patterns_of(point.call), listed


class Direction(NamedTuple):
    """The growth of the first and the last dimension of the largest tensor, as binary logarithms."""

    first: float
    last: float

    @property
    def size(self) -> float:
        """The length of the step."""
        return abs(self.first) + abs(self.last)

    def disagreement(self, other: Direction) -> int:
        """The number of these dimensions that the two steps change in different directions."""
        return (_sign(self.first) != _sign(other.first)) + (_sign(self.last) != _sign(other.last))


NOWHERE = Direction(0.0, 0.0)


def direction(before: Inputs, after: Inputs) -> Direction:
    """The direction of the step from one call to another."""
    old, new = _largest(before), _largest(after)
    if not old or not new:
        return NOWHERE
    return Direction(_growth(old[0], new[0]), _growth(old[-1], new[-1]))


def _largest(call: Inputs) -> Shape:
    return max((draft.shape for _, _, draft in drafts(call)), key=math.prod, default=())


def _growth(old: int, new: int) -> float:
    return math.log2(max(new, 1) / max(old, 1))


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


# Fresh draws from inside and from outside that test a family, additional draws from outside for each further condition,
# the minimum number of draws, and the minimum shares of correct ones.
DRAWS = 8
DRAWS_PER_CONDITION = 2
MIN_DRAWS = 4
MIN_SHARE = 0.8
MIN_SETTLED_SHARE = 0.5
# Maximum number of times that a family is learned again from draws that contradict it, and tested on others.
MAX_ROUNDS = 6
# Maximum elements of a variation, as a multiple of a draw's.
MAX_VARIED = 4
# Minimum share of the examples of two contrasts that one family must explain.
MIN_JOINT_SHARE = 0.95


@dataclass(frozen=True)
class Generalised:
    """A family, its check by fresh draws, and all labelled inputs."""

    family: Family
    check: FamilyCheck
    examples: LabelledInputs
    # Whether draws confirm each condition: most draws that fail only this one are fast.
    is_confirmed: bool = True

    @property
    def is_settled(self) -> bool:
        """Whether enough fresh draws support the family to attribute other slow inputs to its cause.

        A family with mostly fast inputs inside is far too wide, and would hide other causes.
        """
        check = self.check
        is_held = check.inside >= MIN_DRAWS and not check.unfinished
        return is_held and _share(check.inside_slow, check.inside) > MIN_SETTLED_SHARE

    @property
    def is_reported(self) -> bool:
        """Whether the family is correct often enough to be reported; if not, the input is reported alone."""
        check = self.check
        if not self.is_confirmed or check.inside < MIN_DRAWS or (self.family.conditions and check.outside < MIN_DRAWS):
            return False
        return min(_share(check.inside_slow, check.inside), _share(check.outside_fast, check.outside)) >= MIN_SHARE


def generalised(
    view: PassView,
    simplest: Contrast,
    explained: Callable[[Point], bool],
    known: LabelledInputs | None = None,
    *,
    vary: bool = False,
    first: Point | None = None,
) -> Generalised:
    """The family of the simplest slow input. `explained` tests whether another, known cause explains an input.

    With `known` examples, the input is varied again only if `vary`. The family's limits hold for `first`, the slow
    input that was simplified.
    """
    generaliser = _Generaliser(view, simplest, explained, known, first=first)
    if vary or not known:
        generaliser.vary()
    return generaliser.result()


def joint_family(operator: Operator, simplest: Contrast, examples: LabelledInputs) -> Family | None:
    """The family that explains the examples of two contrasts; None if it is wrong for more than a few of them."""
    family = learned(candidate_conditions(operator, simplest.slow, examples), examples, simplest.fast_example)
    is_right = family.share(examples.slow) >= MIN_JOINT_SHARE and family.share(examples.fast) <= 1 - MIN_JOINT_SHARE
    return family if is_right else None


class _Generaliser:
    """Learns, draws and labels in rounds until the draws agree with the family."""

    def __init__(
        self,
        view: PassView,
        simplest: Contrast,
        explained: Callable[[Point], bool],
        known: LabelledInputs | None,
        *,
        first: Point | None,
    ) -> None:
        self._view, self._simplest, self._first = view, simplest, first or simplest.slow
        self._judge = Judge(view, simplest, explained)
        fast = simplest.fast_example
        self.examples = known or LabelledInputs((simplest.slow,), (fast,) if fast else ())
        # Known examples were drawn before, so their number is part of the seed's name.
        stream = f"family/{simplest.slow.key}/{view.pass_}/{len(self.examples)}"
        self._draws = FreshDraws(view.around, view.timings, simplest.slow, stream, self.examples)
        self._fresh: list[LabelledInput] = []

    def vary(self) -> None:
        """Labels the variations of the slow input."""
        self.examples = self.examples.with_labels(self._judge.labels(self._varied()))

    def result(self) -> Generalised:
        """The family after the last round, checked by the draws of that round."""
        for _ in range(MAX_ROUNDS):
            family = self._learned()
            drawn = self._drawn(family)
            self._fresh += drawn
            self.examples = self.examples.with_labels(drawn)
            check = self._check(family, drawn)
            if check.unfinished or _is_right(check) or self._learned() == family:
                break
        return self._without_unconfirmed(Generalised(family, check, self.examples), drawn)

    def _without_unconfirmed(self, result: Generalised, drawn: Sequence[LabelledInput]) -> Generalised:
        """The family without unconfirmed conditions, if the draws of the last round support that family too."""
        conditions, fast = tuple(separate_limits(result.family.conditions)), self._simplest.fast_example
        confirmed = Family(merged_limits([each for each in conditions if _is_confirmed(each, conditions, self._fresh)]))
        # All draws from outside confirm a single condition.
        if len(conditions) <= 1 or confirmed == result.family:
            return result
        wider = Generalised(confirmed, self._check(confirmed, drawn), self.examples)
        is_wide = result.check.unfinished or (fast is not None and confirmed.holds(fast))
        return wider if wider.is_reported and not is_wide else replace(result, is_confirmed=False)

    def _learned(self) -> Family:
        candidates = candidate_conditions(self._view.around.factory.operator, self._simplest.slow, self.examples)
        kept = [each for each in candidates if not isinstance(each, Within) or each.holds(self._first)]
        return learned(kept, self.examples, self._simplest.fast_example)

    def _varied(self) -> Iterator[Point]:
        """The variations of the slow input that inference accepts."""
        factory = self._view.around.factory
        most = max_elements(self._simplest.slow, factory.elements)
        for variation in variations(self._simplest.slow, factory.operator, self._view.around.dtypes):
            point = next((point for point in factory.make(variation) if point), None)
            if point and point.work.elements <= MAX_VARIED * most and not self.examples.has(point):
                yield point

    def _drawn(self, family: Family) -> list[LabelledInput]:
        inside = islice(self._judge.labels(self._draws.inside(family)), DRAWS)
        further = DRAWS_PER_CONDITION * max(0, len(family.conditions) - 1)
        outside = self._draws.outside(family) if family.conditions else ()
        return [*inside, *islice(self._judge.labels(outside), DRAWS + further)]

    def _check(self, family: Family, drawn: Sequence[LabelledInput]) -> FamilyCheck:
        inside = [slow for point, slow in drawn if family.holds(point)]
        outside = [slow for point, slow in drawn if not family.holds(point)]
        return FamilyCheck(
            inside=len(inside),
            inside_slow=sum(inside),
            outside=len(outside),
            outside_fast=len(outside) - sum(outside),
            unfinished=self._view.timings.expired,
        )


def _is_confirmed(condition: Condition, conditions: Iterable[Condition], drawn: Iterable[LabelledInput]) -> bool:
    """Whether most draws that fail only this one of the conditions are fast; those without its number don't count."""
    others = Family(tuple(each for each in conditions if each != condition))
    fails = condition.is_beyond if isinstance(condition, Within) else lambda point: not condition.holds(point)
    alone = [slow for point, slow in drawn if fails(point) and others.holds(point)]
    return 2 * sum(alone) < len(alone)


def _is_right(check: FamilyCheck) -> bool:
    return check.inside_slow == check.inside and check.outside_fast == check.outside


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
