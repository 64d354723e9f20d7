"""Generalises a slow input to its family: labels other inputs, learns conditions, and tests them on fresh draws."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from autoperf.core.finding import FamilyCheck
from autoperf.core.operator import Operator, Value, is_axis
from autoperf.hunt import edits, neighbours
from autoperf.hunt.contents import of_dtype, patterned_calls, patterns_of
from autoperf.hunt.contrast import FLOOR_US, HALVING, TOLERANCE, Contrast, PassView, counts_work
from autoperf.hunt.edits import drafts
from autoperf.hunt.family import (
    Condition,
    Family,
    LabelledInput,
    LabelledInputs,
    Within,
    candidate_conditions,
    learned,
    merged_limits,
    separate_limits,
)
from autoperf.hunt.point import Elements, Point, TypedCall
from autoperf.hunt.timings import InputTimings
from autoperf.rules.rule import Inputs

BLOCK = 4
# Maximum number of blocks; a family of very special inputs may have fewer.
MAX_BLOCKS = 24
# Maximum number of edits of the slow input in one draw.
MAX_EDITS = 3
# Maximum number of calls that inference completes to meet one condition.
MAX_CALLS = 6
# Maximum elements of an input, as a multiple of the slow one's and in absolute terms, since large inputs take long to
# fill; LARGE_GROWTH is the multiple if the slow one is larger than draws are.
MAX_GROWTH = 32
MIN_LIMIT = 2**16
LARGE_GROWTH = 4
SMALL = 64
GROWTHS = (1, 1, 2, 4)
# Maximum number of values tried for a parameter with many choices.
MAX_CHOICES = 3


class FreshDraws:
    """New inputs, not among the `known` ones; `stream` names their seed, and continues where it stopped."""

    def __init__(
        self,
        around: neighbours.Neighbourhood,
        timings: InputTimings,
        simplest: Point,
        stream: str,
        known: LabelledInputs,
    ) -> None:
        self._around, self._timings, self._simplest, self._stream = around, timings, simplest, stream
        self._random = random.Random(stream)  # noqa: S311 - reproducible, not secret
        self._start = 0
        self._used = {point.key for point in (simplest, *known.slow, *known.fast)}
        self._max_elements = max_elements(simplest, around.factory.elements)

    def inside(self, family: Family) -> Iterator[Point]:
        """Inputs of the family: draws changed to meet its conditions, and edits of the slow input."""
        for point in self._blocks():
            meeting = self._changed(point, family.conditions)
            if meeting and family.holds(meeting) and self._is_new(meeting):
                yield meeting

    def outside(self, family: Family) -> Iterator[Point]:
        """Inputs outside the family: draws, and inputs that fail only one of its conditions."""
        for number, point in enumerate(self._blocks()):
            other: Point | None = point
            if number % 2 and family.conditions:
                meeting = self._changed(point, family.conditions)
                condition = family.conditions[number // 2 % len(family.conditions)]
                other = self._first(condition, meeting, meets=False) if meeting else None
            if other and not family.holds(other) and self._is_new(other):
                yield other

    def _is_new(self, point: Point) -> bool:
        fresh = point.key not in self._used
        self._used.add(point.key)
        return fresh

    def _blocks(self) -> Iterator[Point]:
        """Draws of the rule and edits of the slow input, in turn."""
        for block in range(MAX_BLOCKS):
            if self._timings.expired:
                return
            if block % 2 == 0:
                yield from self._drawn(block)
                continue
            for _ in range(BLOCK):
                edited = self._simplest
                for _ in range(self._random.randint(1, MAX_EDITS)):
                    steps = self._around.steps(edited)
                    chosen = [self._random.choice(steps)] if steps else []
                    edited = next((point for _, point in self._around.neighbour_points(edited, chosen)), edited)
                yield edited

    def _drawn(self, block: int) -> list[Point]:
        natural = self._around.factory.rule.dtype
        dtype = natural if block % 3 else self._random.choice([self._simplest.dtype, *self._around.dtypes])
        start, self._start = self._start, self._start + BLOCK
        # Small draws stay within the limit when a condition needs a long dimension.
        elements = max(1, round(self._max_elements) // (SMALL if block % 4 else 1))
        drawn = self._around.factory.drawn(dtype, f"{self._stream}/{dtype}", BLOCK, start, elements)
        counted, wanted = Elements(), Elements().of(self._simplest) or 0
        # Too small an input has no label, so some get the slow one's elements or a small multiple of them.
        for at in range(1, len(drawn), 2):
            if (counted.of(drawn[at]) or 0) < wanted:
                larger = counted.changed(drawn[at], round(self._random.choice(GROWTHS) * wanted))
                made = (point for point in self._around.factory.make(larger) if point)
                drawn[at] = next((point for point in made if point.work.elements <= self._max_elements), drawn[at])
        return drawn

    def _changed(self, point: Point, conditions: tuple[Condition, ...]) -> Point | None:
        for condition in conditions:
            meeting = point if condition.holds(point) else self._first(condition, point, meets=True)
            if meeting is None:
                return None
            point = meeting
        return point

    def _first(self, condition: Condition, point: Point, *, meets: bool) -> Point | None:
        calls = condition.variants(point, meets=meets)
        chosen = self._random.sample(calls, min(MAX_CALLS, len(calls)))
        points = self._around.factory.make(chosen)
        fitting = (made for made in points if made and made.work.elements <= self._max_elements)
        return next((made for made in fitting if condition.holds(made) is meets), None)


def max_elements(simplest: Point, limit: int) -> float:
    """The maximum number of elements of inputs compared with a slow one; `limit` is the maximum of draws."""
    return max(LARGE_GROWTH * simplest.work.elements, min(limit, max(MAX_GROWTH * simplest.work.elements, MIN_LIMIT)))


def variations(point: Point, operator: Operator, dtypes: Sequence[str]) -> Iterator[tuple[TypedCall, ...]]:
    """Every other value of one coordinate, axes and parameters first, as alternatives; the first valid one is used."""
    for calls in (*_settings_varied(point.call, operator), *_sizes(point.call)):
        yield tuple((call, point.dtype) for call in calls)
    for dtype in dtypes:
        if dtype != point.dtype:
            yield ((of_dtype(point.call, point.dtype, dtype), dtype),)
    for _, _, call in patterned_calls(point, tuple(patterns_of(point.call))) if patterns_of(point.call) else ():
        yield ((call, point.dtype),)


def _settings_varied(call: Inputs, operator: Operator) -> Iterator[list[Inputs]]:
    # An additional dimension distinguishes the last axis from the second.
    for wide in filter(None, (call, edits.with_axis(call))):
        for name, listed in edits.axes_given(wide).items():
            others = (axis for axis in range(edits.rank(wide)) if (axis,) != listed)
            yield from ([edits.with_axes(wide, {name: (axis,)})] for axis in others)
    for name, value in call.params.items():
        if not is_axis(name):
            yield [edits.without(call, name)]
            yield from ([edits.with_param(call, name, other)] for other in other_values(operator, name, value))


def other_values(operator: Operator, name: str, value: Value) -> Sequence[Value]:
    """Other values of a parameter: adjacent ones, multiples and the negative; for a tuple, one entry changes."""
    if choices := neighbours.other_choices(operator, name, value):
        return choices[:MAX_CHOICES]
    if type(value) is int:
        return [value + 1, 2 * value + 2, 1, *([value - 1, value // 2] if value > 1 else [])]
    if isinstance(value, float):
        return [2 * value + 1, value / 2, -value]
    if isinstance(value, tuple):
        return [
            (*value[:at], other, *value[at + 1 :])
            for at, entry in enumerate(value)
            if type(entry) is int
            for other in ((1, entry + 1, 2 * entry) if entry > 1 else (entry + 1, 4 * entry + 4))
        ]
    return []


def _sizes(call: Inputs) -> Iterator[list[Inputs]]:
    """Each length shorter, longer and odd, alone and with the longest other dimension in proportion; one axis more."""
    for dimension in edits.dimensions(call):
        old = edits.extent(call, dimension)
        others = [other for other in edits.dimensions(call) if other[:2] == dimension[:2] and other != dimension]
        longest = max(others, key=lambda other: edits.extent(call, other), default=dimension)
        most = edits.extent(call, longest) if others else 0
        lengths = dict.fromkeys((1, old // 2, old - 1, old + 1, 2 * old, 3 * old, 4 * old))
        for new in (new for new in lengths if new > 0 and new != old):
            yield (resized := edits.resized(call, dimension, new))
            if (length := round(most * old / new)) not in (0, most):
                yield [both for each in resized for both in edits.resized(each, longest, length)]
    if wider := edits.with_axis(call):
        yield [wider]
        # A new first dimension that is split off the next one has equal elements in another shape.
        for name, number, axis in edits.dimensions(wider):
            second = (name, number, 1)
            old = edits.extent(wider, second) if axis == 0 and second in edits.dimensions(wider) else 1
            for new in (new for new in (2, 32, old // 2) if 1 < new < old):
                taller = edits.resized(wider, (name, number, 0), new)
                yield [both for each in taller for both in edits.resized(each, second, old // new)]


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
        self._kinds = [kind for kind in neighbours.related_kinds(simplest.step.kind) if kind != HALVING]

    def labels(self, points: Iterable[Point]) -> Iterator[tuple[Point, bool]]:
        """The inputs that have a label, each with it."""
        for point in points:
            label = self.label(point)
            if label is not None:
                yield point, label

    def label(self, point: Point) -> bool | None:
        """Whether an input is slow; None if it can't be timed, is too small or large, or has another cause."""
        view, timings, slow = self._view, self._view.timings, self._simplest.slow
        us = None if timings.expired or self._explained(point) else view.time_us(point, 2)
        if us is None or timings.total_us(point, 2) > max(MAX_US, MAX_TIMES * timings.total_us(slow, 2)):
            return None
        if us < FLOOR_US:
            # It is fast for sure if it does much of the slow one's work in far less time.
            share, slow_us = view.work_share(slow, point), view.time_us(slow, 2) or 0.0
            is_conclusive = share >= MIN_WORK_SHARE and slow_us / us * share >= self._min_ratio
            return False if is_conclusive and not self._simplest.is_between_sides else None
        if self._kinds[0] == neighbours.CONTENTS and not patterns_of(point.call):
            # It is fast if it is faster than with the slow one's pattern.
            own = patterns_of(slow.call)
            calls = [(call, point.dtype) for name, pattern, call in patterned_calls(point) if own.get(name) == pattern]
            made = (found for found in view.around.factory.make(calls) if found)
            return False if any(view.quick_ratio(each, point, 2) >= self._max_fast_ratio for each in made) else None
        reached = view.around.neighbour_points(point, self._steps(point))
        # Work may grow with a count, so all its neighbours must be faster.
        needed = all if counts_work(self._kinds[0].removesuffix(neighbours.LEFT_OUT), point.call) else any
        stage, least = (PAIRED_ROUNDS, self._min_ratio), self._min_ratio
        faster = (
            view.step_ratio(point, step, fast, 2) >= least and view.verified(point, fast, step, stage)
            for step, fast in reached
        )
        if reached and needed(faster):
            return True
        if not reached or self._simplest.step.kind in neighbours.THRESHOLDS:
            return self._beside_the_contrast(point, us)
        ratios = (view.quick_ratio(point, fast, 2) for _, fast in reached)
        return False if not needed(ratio >= self._max_fast_ratio for ratio in ratios) else None

    def _steps(self, point: Point) -> list[neighbours.Step]:
        """Steps of the contrast's kind, the most similar first, then of related kinds in turn."""

        def unlikeness(step: neighbours.Step) -> tuple[bool, int, float]:
            changes = direction(point.call, step.calls[0]) if step.calls else NOWHERE
            return step.words != self._simplest.step.words, changes.disagreement(self._direction), -changes.size

        steps = sorted(self._view.around.all_steps(point), key=unlikeness)
        own = [step for step in steps if step.kind == self._kinds[0]]
        return [*own[:MAX_OWN_STEPS], *neighbours.in_turn(steps, self._kinds[1:])][:MAX_STEPS]

    def _beside_the_contrast(self, point: Point, us: float) -> bool | None:
        """Compares an input with the contrast as if time grew with work, and as if not; None if these disagree."""
        # Between two sides, inputs can't be compared with each other; no input takes less than a call's overhead.
        if self._simplest.is_between_sides:
            return None
        if us < self._min_ratio * self._view.timings.overhead_us(self._view.pass_):
            return False
        fast = self._simplest.fast
        fast_us = self._view.time_us(fast, 2)
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
        return sum(map(abs, self))

    def disagreement(self, other: Direction) -> int:
        """The number of these dimensions that the two steps change in different directions."""
        return sum((own > 0, own < 0) != (its > 0, its < 0) for own, its in zip(self, other, strict=True))


NOWHERE = Direction(0.0, 0.0)


def direction(before: Inputs, after: Inputs) -> Direction:
    """The direction of the step from one call to another."""
    old, new = (
        max((draft.shape for _, _, draft in drafts(call)), key=math.prod, default=()) for call in (before, after)
    )
    if not old or not new:
        return NOWHERE
    return Direction(*(math.log2(max(new[at], 1) / max(old[at], 1)) for at in (0, -1)))


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
        """Whether enough fresh draws support the family to attribute other slow inputs to its cause."""
        # A family with mostly fast inputs inside is far too wide, and would hide other causes.
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


def joint_family(operator: Operator, simplest: Contrast, examples: LabelledInputs) -> Family | None:
    """The family that explains the examples of two contrasts; None if it is wrong for more than a few of them."""
    family = learned(candidate_conditions(operator, simplest.slow, examples), examples, simplest.fast_example)
    is_right = family.share(examples.slow) >= MIN_JOINT_SHARE and family.share(examples.fast) <= 1 - MIN_JOINT_SHARE
    return family if is_right else None


class Generaliser:
    """Learns the family of the simplest slow input: draws and labels in rounds, until the draws agree with it.

    `explained` tests whether another, known cause explains an input. The family's limits hold for `first`, the slow
    input that was simplified. `known` are examples from earlier rounds.
    """

    def __init__(
        self,
        view: PassView,
        simplest: Contrast,
        explained: Callable[[Point], bool],
        first: Point,
        known: LabelledInputs | None = None,
    ) -> None:
        self._view, self._simplest, self._first = view, simplest, first
        self._judge = Judge(view, simplest, explained)
        fast = simplest.fast_example
        self.examples = known or LabelledInputs((simplest.slow,), (fast,) if fast else ())
        # Known examples were drawn before, so their number is part of the seed's name.
        stream = f"family/{simplest.slow.key}/{view.pass_}/{len(self.examples)}"
        self._draws = FreshDraws(view.around, view.timings, simplest.slow, stream, self.examples)
        self._fresh: list[LabelledInput] = []

    def result(self, *, vary: bool = True) -> Generalised:
        """The family after the last round, checked by the draws of that round; `vary` labels variations first."""
        if vary:
            factory, slow = self._view.around.factory, self._simplest.slow
            most = MAX_VARIED * max_elements(slow, factory.elements)
            made = map(factory.first, variations(slow, factory.operator, self._view.around.dtypes))
            known = {point.key for point in (*self.examples.slow, *self.examples.fast)}
            varied = (each for each in made if each and each.work.elements <= most and each.key not in known)
            self.examples = self.examples.with_labels(self._judge.labels(varied))
        for _ in range(MAX_ROUNDS):
            family = self._learned()
            drawn = self._drawn(family)
            self._fresh += drawn
            self.examples = self.examples.with_labels(drawn)
            check = self._check(family, drawn)
            is_right = (check.inside_slow, check.outside_fast) == (check.inside, check.outside)
            if check.unfinished or is_right or self._learned() == family:
                break
        result, fast = Generalised(family, check, self.examples), self._simplest.fast_example
        # Conditions that aren't confirmed are left out, if the draws of the last round support that family too.
        conditions = tuple(separate_limits(family.conditions))
        confirmed = Family(merged_limits([each for each in conditions if _is_confirmed(each, conditions, self._fresh)]))
        # All draws from outside confirm a single condition.
        if len(conditions) <= 1 or confirmed == family:
            return result
        wider = Generalised(confirmed, self._check(confirmed, drawn), self.examples)
        is_wide = check.unfinished or (fast is not None and confirmed.holds(fast))
        return wider if wider.is_reported and not is_wide else replace(result, is_confirmed=False)

    def _learned(self) -> Family:
        candidates = candidate_conditions(self._view.around.factory.operator, self._simplest.slow, self.examples)
        kept = [each for each in candidates if not isinstance(each, Within) or each.holds(self._first)]
        return learned(kept, self.examples, self._simplest.fast_example)

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


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
