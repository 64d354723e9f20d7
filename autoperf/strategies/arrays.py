"""Strategies for values that depend on an array's shape: signed axes, permutations, slices, cuts and masks."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.tensors import Shape
from autoperf.strategies.shapes import divisors, extents, require, shapes


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
    """A shape and its repetitions along each axis; at most `max_axes` axes are repeated more than once.

    The repeated array has at most `elements` elements.
    """
    wide = draw(shapes(rank, rank, elements))
    chosen = draw(st.permutations(range(rank)))[:max_axes]
    times = tuple(draw(divisors(extent)) if axis in chosen else 1 for axis, extent in enumerate(wide))
    return tuple(extent // count for extent, count in zip(wide, times, strict=True)), times
