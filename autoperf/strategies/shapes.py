"""The seeded draw loop, and strategies for shapes within an element budget, axes, slices, cuts and masks."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider

from autoperf.core.errors import RuleError
from autoperf.core.options import DEFAULT_ELEMENTS
from autoperf.core.tensors import Shape

PRIMES = (3, 5, 7, 11, 13, 17, 31, 61, 127, 251, 509, 1021, 2039, 4093, 8191, 16381, 32749, 65521)
ROUND = (10, 100, 1000, 10_000, 100_000)


def require(condition: bool, message: str) -> None:
    """Raises RuleError unless `condition` is true: a rule passed invalid arguments to a strategy."""
    if not condition:
        raise RuleError(message)


@st.composite
def extents(draw: st.DrawFn, low: int = 1, high: int = 1024) -> int:
    """A dimension on [low, high], from an equal mixture: log-uniform, uniform, and edge values.

    Edge values are powers of two plus or minus one, primes, and round decimal numbers: lengths with tails of
    vectorised loops, cache conflicts and changes of a blocked algorithm.
    """
    require(0 <= low <= high, f"extents: invalid low={low!r}, high={high!r}: expected 0 <= low <= high")
    distribution = draw(st.sampled_from(("log", "uniform", "edges")))
    if distribution == "uniform":
        return draw(st.integers(low, high))
    if distribution == "log":
        exponent = draw(st.floats(math.log2(max(low, 1)), math.log2(max(high, 1))))
        return min(max(round(2**exponent), low), high)
    around = {2**exponent + offset for exponent in range(high.bit_length()) for offset in (-1, 0, 1)}
    points = sorted(point for point in around.union(PRIMES, ROUND) if low <= point <= high)
    return int(draw(st.sampled_from(points))) if points else low


@st.composite
def _balanced(draw: st.DrawFn, rank: int, budget: int, smallest: int) -> Shape:
    """Each dimension takes a share of the remaining budget, so the product stays within it."""
    left, shape = budget, []
    for position in range(rank):
        remaining = rank - position - 1
        room = max(smallest, left // max(smallest, 1) ** remaining)
        share = max(smallest, min(room, round(room ** (1 / (remaining + 1)) * 4))) if remaining else room
        shape.append(draw(extents(smallest, share)))
        left //= max(shape[-1], 1)
    return tuple(shape[index] for index in draw(st.permutations(range(rank))))


@st.composite
def _skewed(draw: st.DrawFn, rank: int, budget: int, smallest: int) -> Shape:
    """One long dimension and short ones: (10000, 1), (1, 10000), (1024, 10)."""
    short = [draw(extents(smallest, max(smallest, 16))) for _ in range(rank - 1)]
    while math.prod(short) * max(smallest, 1) > budget and max(short) > smallest:
        short[short.index(max(short))] = smallest
    room = max(smallest, budget // max(math.prod(short), 1))
    long = draw(extents(max(smallest, min(room, 512)), room))
    short.insert(draw(st.integers(0, rank - 1)), long)
    return tuple(short)


@st.composite
def shapes(
    draw: st.DrawFn, min_rank: int = 1, max_rank: int = 4, elements: int = DEFAULT_ELEMENTS, smallest: int = 1
) -> Shape:
    """A shape of at most `elements` elements, every dimension at least `smallest`: balanced, small or skewed."""
    require(
        1 <= min_rank <= max_rank,
        f"shapes: invalid ranks {min_rank!r} to {max_rank!r}: expected 1 <= min_rank <= max_rank",
    )
    require(
        smallest**min_rank <= elements,
        f"shapes: invalid elements={elements!r}: expected at least {smallest!r} ** {min_rank!r}",
    )
    while smallest**max_rank > elements:
        max_rank -= 1
    rank = draw(st.integers(min_rank, max_rank))
    pattern = draw(st.sampled_from(("balanced", "balanced", "skewed", "small")))
    if pattern == "skewed" and rank > 1:
        return draw(_skewed(rank, elements, smallest))
    budget = min(elements, max(4096, smallest**rank)) if pattern == "small" else elements
    return draw(_balanced(rank, budget, smallest))


@st.composite
def broadcast_pairs(draw: st.DrawFn, max_rank: int = 4, elements: int = DEFAULT_ELEMENTS) -> tuple[Shape, Shape]:
    """Two shapes of one rank that broadcast: equal, 1 in some axes of one or both, or a single element."""
    shape = draw(shapes(1, max_rank, elements))
    pattern = draw(st.sampled_from(("equal", "right", "left", "both", "scalar", "row", "column")))
    narrow = [draw(st.booleans()) for _ in shape]
    if pattern == "equal":
        return shape, shape
    if pattern == "scalar":
        return shape, (1,) * len(shape)
    if pattern == "row":
        return shape, (*((1,) * (len(shape) - 1)), shape[-1])
    if pattern == "column":
        return shape, (shape[0], *((1,) * (len(shape) - 1)))
    narrowed = tuple(1 if is_narrow else extent for is_narrow, extent in zip(narrow, shape, strict=True))
    other = tuple(extent if is_narrow else 1 for is_narrow, extent in zip(narrow, shape, strict=True))
    if pattern == "both":
        return narrowed, other
    return (shape, narrowed) if pattern == "right" else (narrowed, shape)


def axes(rank: int) -> st.SearchStrategy[int]:
    """A non-negative axis of a tensor of that rank."""
    require(rank >= 1, f"axes: invalid rank {rank!r}: expected 1 or more")
    return st.integers(0, rank - 1)


@st.composite
def axis_sets(draw: st.DrawFn, rank: int, min_axes: int = 1) -> tuple[int, ...]:
    """Some of the axes, ascending."""
    count = draw(st.integers(min_axes, rank))
    return tuple(sorted(draw(st.permutations(range(rank)))[:count]))


def divisors(number: int) -> st.SearchStrategy[int]:
    """A divisor of `number`, with 1 and the number itself."""
    require(number >= 1, f"divisors: invalid number {number!r}: expected 1 or more")
    return st.sampled_from([divisor for divisor in range(1, number + 1) if number % divisor == 0])


@st.composite
def factorings(draw: st.DrawFn, number: int, rank: int) -> Shape:
    """A shape of `rank` dimensions whose product is `number`."""
    shape, left = [], number
    for _ in range(rank - 1):
        shape.append(draw(divisors(left)))
        left //= shape[-1]
    shape.append(left)
    return tuple(shape)


def signed_axes(rank: int) -> st.SearchStrategy[int]:
    """An axis of a tensor of that rank, positive or negative."""
    require(rank >= 1, f"signed_axes: invalid rank {rank!r}: expected 1 or more")
    return st.integers(-rank, rank - 1)


def permutations(rank: int) -> st.SearchStrategy[tuple[int, ...]]:
    """The axes 0 to rank - 1 in any order."""
    return st.permutations(range(rank)).map(tuple)


@st.composite
def axis_pairs(draw: st.DrawFn, rank: int) -> tuple[int, int]:
    """Two different non-negative axes."""
    require(rank >= 2, f"axis_pairs: invalid rank {rank!r}: expected 2 or more")
    first, second, *_ = draw(st.permutations(range(rank)))
    return first, second


@st.composite
def squares(draw: st.DrawFn, elements: int, max_rank: int = 4) -> Shape:
    """A shape whose dimensions are all equal, of rank 2 or more."""
    rank = draw(st.integers(2, max_rank))
    return (draw(extents(1, max(1, int(elements ** (1 / rank))))),) * rank


@dataclass(frozen=True)
class Slice:
    """Positions begin, begin + step, ... before `end`; None is the end of the axis in that direction."""

    begin: int | None
    end: int | None
    step: int
    length: int


@st.composite
def slices(draw: st.DrawFn, extent: int, max_step: int = 4, backward: bool = True) -> Slice:
    """A non-empty slice of an axis; its ends are None, negative or non-negative, its step of any sign."""
    step = draw(st.integers(1, min(max_step, extent)))
    count = draw(st.integers(1, (extent - 1) // step + 1))
    first = draw(st.integers(0, extent - 1 - (count - 1) * step))
    last = first + (count - 1) * step
    if backward and draw(st.booleans()):
        begin = None if last == extent - 1 else last
        return Slice(begin, None if first == 0 else first - 1, -step, count)
    negative = draw(st.booleans())
    begin = (first - extent if negative else first) if first else None
    end = None if last == extent - 1 else last + 1 - (extent if negative else 0)
    return Slice(begin, end, step, count)


@st.composite
def cuts(draw: st.DrawFn, extent: int, max_cuts: int = 7) -> tuple[int, ...]:
    """Ascending positions that split an axis into non-empty parts; possibly none."""
    positions = extent - 1
    count = draw(st.integers(0, min(max_cuts, positions)))
    return tuple(sorted(draw(st.sets(st.integers(1, positions), min_size=count, max_size=count)))) if count else ()


def patterns(max_length: int = 8) -> st.SearchStrategy[tuple[float, ...]]:
    """Zeros and ones, first a one, so that a mask that repeats them is never empty."""
    return st.lists(st.sampled_from((0.0, 1.0)), max_size=max_length - 1).map(lambda rest: (1.0, *rest))


@st.composite
def widened(draw: st.DrawFn, elements: int, max_rank: int = 4) -> tuple[Shape, Shape]:
    """A shape, and one of the same rank that it broadcasts to, with at most `elements` elements."""
    wide = draw(shapes(1, max_rank, elements))
    return tuple(extent if draw(st.booleans()) else 1 for extent in wide), wide


@st.composite
def multiples(draw: st.DrawFn, elements: int, rank: int, max_axes: int) -> tuple[Shape, Shape]:
    """A shape and its repetitions along each axis, of `max_axes` at most more than one, within the budget."""
    wide = draw(shapes(rank, rank, elements))
    chosen = draw(st.permutations(range(rank)))[:max_axes]
    times = tuple(draw(divisors(extent)) if axis in chosen else 1 for axis, extent in enumerate(wide))
    return tuple(extent // count for extent, count in zip(wide, times, strict=True)), times


BACKEND = "autoperf"
_UNBOUNDED = 2**16

_seed: ContextVar[tuple[str, int]] = ContextVar("seed", default=("", 0))
_number: ContextVar[int | None] = ContextVar("number", default=None)
"""The number of the present draw; None for the simplest value, which Hypothesis makes itself."""


@contextlib.contextmanager
def seeded(seed: str, start: int = 0) -> Iterator[None]:
    """Registers the backend; draws in the block begin with number `start` of `seed`."""
    AVAILABLE_PROVIDERS.setdefault(BACKEND, f"{__name__}.{SeededProvider.__name__}")
    token = _seed.set((seed, start))
    try:
        yield
    finally:
        _seed.reset(token)


class SeededProvider(PrimitiveProvider):
    """A backend that takes each primitive draw from its own generator, reseeded for each test case."""

    lifetime = "test_function"

    def __init__(self, conjecturedata: Any, /) -> None:
        super().__init__(conjecturedata)
        self._seed, self._drawn = _seed.get()
        self._random = random.Random()  # noqa: S311 - reproducible, not secret

    @contextlib.contextmanager
    def per_test_case_context_manager(self) -> Iterator[None]:
        """Reseeds the generator, so that draws are independent of each other."""
        self._random.seed(f"{self._seed}/{self._drawn}")
        token = _number.set(self._drawn)
        self._drawn += 1
        try:
            yield
        finally:
            _number.reset(token)

    def draw_boolean(self, p: float = 0.5) -> bool:
        """True with probability `p`."""
        return self._random.random() < p

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        """Uniform between the bounds (an open one is 65,536 away), but for `weights`: probabilities of some values."""
        share = self._random.random() if weights else 1.0
        for value, probability in (weights or {}).items():
            share -= probability
            if share < 0:
                return value
        low = min_value if min_value is not None else min(max_value or 0, shrink_towards) - _UNBOUNDED
        high = max_value if max_value is not None else max(low, shrink_towards) + _UNBOUNDED
        return self._random.randint(low, high)

    def draw_float(
        self,
        *,
        min_value: float = -math.inf,
        max_value: float = math.inf,
        allow_nan: bool = True,  # noqa: ARG002 - Hypothesis's signature; a benchmark wants no NaN
        smallest_nonzero_magnitude: float,
    ) -> float:
        """Uniform between the bounds; an open bound is at 65,536."""
        value = self._random.uniform(max(min_value, -_UNBOUNDED), min(max_value, _UNBOUNDED))
        if abs(value) >= smallest_nonzero_magnitude:
            return value
        return min(max(0.0, min_value), max_value)

    def draw_string(self, intervals: Any, *, min_size: int = 0, max_size: int = 16) -> str:
        """Characters drawn uniformly from `intervals`."""
        size = self._random.randint(min_size, min(max_size, min_size + 16))
        return "".join(chr(intervals[self._random.randrange(len(intervals))]) for _ in range(size))

    def draw_bytes(self, min_size: int = 0, max_size: int = 16) -> bytes:
        """Bytes drawn uniformly."""
        return self._random.randbytes(self._random.randint(min_size, min(max_size, min_size + 16)))


T = TypeVar("T")


def draw_block(strategy: st.SearchStrategy[T], seed: str, size: int = 8, start: int = 0) -> list[T]:
    """Draws number `start` to `start + size - 1` of a seed: fewer values if the strategy rejected some.

    Draw number n depends only on the seed and n. Hypothesis starts each run with the simplest value, which is the same
    for every seed, and makes further draws in place of rejected ones: both are left out.
    """
    drawn: list[T] = []
    with seeded(seed, start):

        @settings(
            backend=BACKEND,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=tuple(HealthCheck),
            max_examples=size + 1,
            # Its advice on an interrupted test would be written to standard output, among results.
            verbosity=Verbosity.quiet,
        )
        @given(strategy)
        def collect(value: T) -> None:
            if _number.get() in range(start, start + size):
                drawn.append(value)

        try:
            collect()
        except Unsatisfiable:
            return []
        except AssertionError as error:
            # Hypothesis asserts that its engine runs when it handles an interruption, also of the engine's start.
            if isinstance(error.__context__, KeyboardInterrupt):
                raise error.__context__ from None
            raise
    return drawn
