"""Shrinks a slow input to the simplest one that is still slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from autoperf.core.operator import Value, is_axis
from autoperf.core.tensors import Patterned
from autoperf.hunt import edits
from autoperf.hunt.contents import dense, of_dtype, plain
from autoperf.hunt.contrast import FLOOR_US, Contrast, PassView
from autoperf.hunt.edits import Dimension
from autoperf.hunt.neighbours import related_kinds
from autoperf.hunt.point import Point, TypedCall
from autoperf.rules.rule import Inputs

# Minimum share of the initial log ratio that remains; a fixed threshold would keep inputs that are slow by noise.
HYSTERESIS = 0.7
PLAIN = "float32"

# The first length tried for a long dimension should take about the ratio, or at least ENOUGH_FLOORS, times the shortest
# time that can be judged; each next length is LONGER times as long.
ENOUGH_FLOORS = 4
LONGER = 8

# Maximum number of neighbours timed for each simpler input: of the contrast's own kind, then of all kinds.
MAX_OWN_STEPS, MAX_STEPS = 4, 16

IsOther = Callable[[Point], bool]
Simplicity = tuple[int, int, int, int, int, int, int]


def simplicity(point: Point) -> Simplicity:
    """A sort key, simple first: parameters, tensors, unusual dtypes, storage and contents, ranks, elements, oddness."""
    drafts = [draft for _, _, draft in edits.drafts(point.call)]
    shapes = [draft.shape for draft in drafts]
    unusual = (point.dtype != PLAIN) + sum(draft.storage != "default" for draft in drafts)
    return (
        len(point.call.params),
        len(shapes),
        unusual,
        sum(isinstance(draft.content, Patterned) for draft in drafts),
        sum(len(shape) for shape in shapes),
        sum(math.prod(shape) for shape in shapes),
        # Neither powers of two nor multiples of ten.
        sum(bool(size & (size - 1)) and size % 10 != 0 for shape in shapes for size in shape),
    )


class Shrinker:
    """Simplifies the slow input of a contrast step by step; `current` is the simplest contrast so far.

    `is_other` tests for inputs that are slow for another cause, which are left out.
    """

    def __init__(self, view: PassView, contrast: Contrast, is_other: IsOther = lambda _: False) -> None:
        self._view, self._is_other = view, is_other
        self.current = view.remeasured(contrast)
        self._first_ratio = self.current.ratio
        self._min_ratio = math.exp(HYSTERESIS * math.log(self._first_ratio))
        self._kinds = related_kinds(contrast.step.kind)

    def result(self) -> Contrast:
        """The simplest contrast, with the best neighbour of its slow input; the simplest so far if time runs out."""
        before = None
        while self.current is not before and not self._view.timings.expired:
            before = self.current
            self._reduce()
            self._shorten_dimensions()
        return self._contrast(self.current.slow) or self.current

    def _reduce(self) -> None:
        """Applies reductions as long as the input stays slow; leaves out excluded and refused dtypes."""
        reducing = True
        while reducing and not self._view.timings.expired:
            slow = self.current.slow
            allowed = (call for call in reductions(slow) if call[1] in (slow.dtype, *self._view.around.dtypes))
            reducing = any(self._is_simplified([call]) for call in allowed)

    def _shorten_dimensions(self) -> None:
        """Shortens every dimension: to 1, else to a power of two, else by bisection if there is a cliff.

        Where the ratio declines smoothly, a power of two is the better bound.
        """
        for dimension in edits.dimensions(self.current.slow.call):
            if self._length(dimension) > 1 and not self._view.timings.expired:
                self._shorten(dimension)

    def _shorten(self, dimension: Dimension) -> None:
        if self._is_shortened(dimension, 1):
            return
        # Large inputs take long, so the first lengths to try are just large enough to be judged.
        any(self._is_shortened(dimension, size) for size in self._enough(dimension))
        low = 1
        while (size := _power_below(self._length(dimension))) > 1:
            if not self._is_shortened(dimension, size):
                low = size
                break
        below = next(self._simpler_points(self.current.slow.resized(dimension, low)), None)
        if below and self._view.net_ratio(below, self._kinds, MAX_STEPS) >= math.sqrt(self._first_ratio):
            return
        while (high := self._length(dimension)) - low > 1 and not self._view.timings.expired:
            middle = (low + high) // 2
            low = low if self._is_shortened(dimension, middle) else middle

    def _enough(self, dimension: Dimension) -> Iterator[int]:
        """Much shorter lengths, powers of two, for which the input should still take a few times the floor."""
        us, length = self._view.time_us(self.current.slow), self._length(dimension)
        wanted_us = max(ENOUGH_FLOORS, self.current.ratio) * FLOOR_US
        size = 1 << math.ceil(math.log2(max(1.0, wanted_us / us * length))) if us else length
        while 2 * size < length and not self._view.timings.expired:
            yield size
            size *= LONGER

    def _length(self, dimension: Dimension) -> int:
        """The length in the current slow input; 1 where the dimension was removed."""
        call = self.current.slow.call
        return edits.extent(call, dimension) if dimension in edits.dimensions(call) else 1

    def _is_shortened(self, dimension: Dimension, size: int) -> bool:
        return self._is_simplified(self.current.slow.resized(dimension, size))

    def _is_simplified(self, calls: Sequence[TypedCall]) -> bool:
        """Whether one of these calls is simpler and still slow; if so, it becomes the current one."""
        shown = (self._still_slow(point) for point in self._simpler_points(calls))
        contrast = next((contrast for contrast in shown if contrast), None)
        self.current = contrast or self.current
        return contrast is not None

    def _simpler_points(self, calls: Sequence[TypedCall]) -> Iterator[Point]:
        points = self._view.around.factory.make(calls)
        return (point for point in points if point and _order(point) < _order(self.current.slow))

    def _still_slow(self, point: Point) -> Contrast | None:
        if self._is_other(point):
            return None
        # Most inputs that are still slow have a fast neighbour of the contrast's own kind.
        own = self._contrast(point, self._kinds[:1], MAX_OWN_STEPS, 2)
        return own or self._contrast(point, self._kinds, MAX_STEPS, 2)

    def _contrast(
        self, point: Point, kinds: Sequence[str] = (), max_steps: int | None = None, count: int = 1
    ) -> Contrast | None:
        return self._view.best_contrast(
            point, kinds or self._kinds, min_ratio=self._min_ratio, max_steps=max_steps, count=count
        )


def reductions(point: Point) -> Iterator[TypedCall]:
    """Simpler calls, each with its dtype: fewer parameters, tensors and axes, plain dtypes, smaller values."""
    call, dtype = point.call, point.dtype
    for name in call.params:
        yield edits.without(call, name), dtype
    yield from ((fewer, dtype) for fewer in _fewer_tensors(call))
    if dtype != PLAIN:
        yield of_dtype(call, dtype, PLAIN), PLAIN
    if any(draft.storage != "default" for _, _, draft in edits.drafts(call)):
        yield dense(call, dtype), dtype
    if any(isinstance(draft.content, Patterned) for _, _, draft in edits.drafts(call)):
        yield plain(call, dtype), dtype
    yield from ((lower, dtype) for lower in _lower_ranks(call))
    for name, value in call.params.items():
        yield from ((edits.with_param(call, name, smaller), dtype) for smaller in _smaller_values(name, value))


def _fewer_tensors(call: Inputs) -> Iterator[Inputs]:
    """The first tensor of a list alone, and all but its last."""
    for name, given in call.tensors.items():
        if isinstance(given, tuple) and len(given) > 1:
            yield replace(call, tensors={**call.tensors, name: given[:1]})
            yield replace(call, tensors={**call.tensors, name: given[:-1]})


def _lower_ranks(call: Inputs) -> Iterator[Inputs]:
    for axis in range(edits.rank(call)):
        if fewer := edits.without_axis(call, axis):
            yield fewer
        if axis + 1 < edits.rank(call) and (flatter := edits.merged(call, axis)):
            yield flatter


def _smaller_values(name: str, value: Value) -> list[Value]:
    """Smaller integers; for a tuple, first all entries become 1, then each is halved alone."""
    if is_axis(name) or isinstance(value, bool) or value is None:
        return []
    if type(value) is int and value > 1:
        return [*dict.fromkeys((1, value // 2, value - 1))]
    if isinstance(value, tuple) and any(type(item) is int and item > 1 for item in value):
        ones = tuple(1 if type(item) is int and item > 1 else item for item in value)
        halved = [
            (*value[:at], item // 2, *value[at + 1 :])
            for at, item in enumerate(value)
            if type(item) is int and item > 1
        ]
        return [ones, *halved]
    return []


def _order(point: Point) -> tuple[Simplicity, float]:
    values = (
        item for value in point.call.params.values() for item in (value if isinstance(value, tuple) else (value,))
    )
    sizes = sum(abs(item) for item in values if type(item) in (int, float))  # type: ignore[misc, arg-type]
    return simplicity(point), sizes


def _power_below(number: int) -> int:
    return 1 << ((number - 1).bit_length() - 1)
