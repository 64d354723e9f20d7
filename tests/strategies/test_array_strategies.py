"""Slices, cuts, masks and multiples keep what they promise, against Python's own slicing."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.core.errors import RuleError
from autoperf.strategies.shapes import axis_pairs, cuts, multiples, patterns, signed_axes, slices, widened


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
