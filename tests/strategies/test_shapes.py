"""Shapes, slices, cuts and masks: always within the budget, in every pattern; the impossible is refused."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.core.errors import RuleError
from autoperf.strategies import axis_sets, broadcast_pairs, divisors, extents, factorings, shapes
from autoperf.strategies.shapes import axis_pairs, cuts, draw_block, multiples, patterns, signed_axes, slices, widened

BUDGETS = st.integers(1, 2**22)


@given(st.data(), BUDGETS, st.integers(1, 5))
def test_shapes_stay_within_the_budget(data: st.DataObject, budget: int, rank: int) -> None:
    shape = data.draw(shapes(1, rank, budget))
    assert 1 <= len(shape) <= rank
    assert math.prod(shape) <= budget
    assert min(shape) >= 1


@given(st.data(), st.integers(2, 3))
def test_no_dimension_is_below_the_smallest(data: st.DataObject, smallest: int) -> None:
    shape = data.draw(shapes(1, 4, 4096, smallest=smallest))
    assert min(shape) >= smallest
    assert math.prod(shape) <= 4096


@given(st.data(), BUDGETS)
def test_pairs_broadcast_within_the_budget(data: st.DataObject, budget: int) -> None:
    left, right = data.draw(broadcast_pairs(4, budget))
    assert math.prod(np.broadcast_shapes(left, right)) <= budget


def test_pairs_come_in_every_pattern() -> None:
    pairs = draw_block(broadcast_pairs(3), "1", 200)
    assert any(left == right for left, right in pairs)
    assert any(math.prod(right) == 1 < math.prod(left) for left, right in pairs)
    assert any(math.prod(left) < math.prod(right) for left, right in pairs)
    assert any(left != right != np.broadcast_shapes(left, right) != left for left, right in pairs)


def test_extents_mix_powers_of_two_their_neighbours_primes_and_round_numbers() -> None:
    drawn = set(draw_block(extents(1, 2048), "1", 400))
    assert drawn & {256, 512, 1024}
    assert drawn & {255, 257, 511, 513, 1023, 1025}
    assert drawn & {127, 251, 509, 1021}
    assert drawn & {10, 100, 1000}


def test_some_shapes_are_skewed() -> None:
    drawn = draw_block(shapes(2, 2, 2**18), "5", 100)
    assert any(max(shape) >= 500 * min(shape) for shape in drawn)
    assert any(max(shape) <= 8 * min(shape) for shape in drawn)


@given(st.data(), st.integers(1, 6))
def test_axis_sets_are_ascending_and_distinct(data: st.DataObject, rank: int) -> None:
    axes = data.draw(axis_sets(rank))
    assert list(axes) == sorted(set(axes))
    assert set(axes) <= set(range(rank))


@given(st.data(), st.integers(1, 5000), st.integers(1, 4))
def test_factorings_multiply_to_the_number(data: st.DataObject, number: int, rank: int) -> None:
    assert math.prod(data.draw(factorings(number, rank))) == number


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: extents(5, 4), "low=5"),
        (lambda: extents(-1, 4), "low=-1"),
        (lambda: shapes(3, 2), "ranks 3 to 2"),
        (lambda: shapes(2, 2, 3, smallest=2), "elements=3"),
        (lambda: divisors(0), "divisors: invalid number 0"),
    ],
)
def test_the_impossible_is_refused_with_the_value(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(RuleError, match=message):
        draw_block(make(), "1")


@given(st.data(), st.integers(1, 50), st.booleans())
def test_a_slice_keeps_as_many_positions_as_it_says(data, extent, backward):
    piece = data.draw(slices(extent, backward=backward))
    kept = range(extent)[piece.begin : piece.end : piece.step]
    assert len(kept) == piece.length >= 1
    assert backward or piece.step > 0


@given(st.data(), st.integers(1, 30))
def test_cuts_leave_no_part_empty(data, extent):
    edges = (0, *data.draw(cuts(extent)), extent)
    assert all(low < high for low, high in itertools.pairwise(edges))


@given(patterns())
def test_a_mask_is_never_empty(pattern):
    assert pattern[0] == 1.0
    assert len(pattern) <= 8


@given(st.data(), st.integers(1, 4), st.integers(0, 2))
def test_multiples_stay_within_the_budget_and_repeat_few_axes(data, rank, most):
    shape, times = data.draw(multiples(1000, rank, most))
    assert math.prod(shape) * math.prod(times) <= 1000
    assert sum(count > 1 for count in times) <= most


@given(widened(1000))
def test_what_is_widened_broadcasts(pair):
    narrow, wide = pair
    assert all(small in (1, large) for small, large in zip(narrow, wide, strict=True))


@pytest.mark.parametrize(("strategy", "rank"), [(signed_axes, 0), (axis_pairs, 1)])
def test_too_low_a_rank_is_the_rules_mistake(strategy, rank):
    @given(st.data())
    def ask(data):
        data.draw(strategy(rank))

    with pytest.raises(RuleError, match=f"rank {rank}"):
        ask()
