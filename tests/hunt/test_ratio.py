"""Ratios of paired times: known values, small cases by hand, and an interval that keeps its promise."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from statistics import median

import numpy as np
import pytest

from autoperf.hunt.ratio import ratio_of


def test_equal_ratios_are_certain() -> None:
    found = ratio_of([30.0] * 9, [10.0] * 9)
    assert (found.ratio, found.low, found.high) == pytest.approx((3.0, 3.0, 3.0))


def test_one_pair() -> None:
    found = ratio_of([6.0], [2.0])
    assert (found.ratio, found.low, found.high) == pytest.approx((3.0, 3.0, 3.0))


def test_few_pairs_reach_from_the_smallest_ratio_to_the_largest() -> None:
    found = ratio_of([2.0, 4.0, 8.0], [1.0, 1.0, 1.0])
    assert (found.ratio, found.low, found.high) == pytest.approx((4.0, 2.0, 8.0))


def test_the_estimate_is_the_median_of_walsh_averages() -> None:
    first, second = [3.0, 1.7, 2.2, 9.1, 2.5, 2.4, 3.3], [1.0, 1.1, 0.9, 1.0, 1.2, 0.8, 1.3]
    logs = [math.log(one / other) for one, other in zip(first, second, strict=True)]
    walsh = [(one + other) / 2 for one, other in combinations_with_replacement(logs, 2)]
    assert ratio_of(first, second).ratio == pytest.approx(math.exp(median(walsh)))


def test_the_interval_of_ten_pairs_is_that_of_the_signed_rank_test() -> None:
    # The tables say that for ten pairs the ninth Walsh average from either end bounds a 95% interval (8 are cut off).
    logs = np.arange(10.0)
    walsh = np.sort([(one + other) / 2 for one, other in combinations_with_replacement(logs, 2)])
    found = ratio_of(np.exp(logs).tolist(), [1.0] * 10)
    assert math.log(found.low) == pytest.approx(walsh[8])
    assert math.log(found.high) == pytest.approx(walsh[-9])


def test_sides_exchanged_give_the_inverse() -> None:
    generator = np.random.default_rng(3)
    first, second = generator.lognormal(1, 0.2, 15).tolist(), generator.lognormal(0, 0.3, 15).tolist()
    one, other = ratio_of(first, second), ratio_of(second, first)
    assert (one.ratio, one.low, one.high) == pytest.approx((1 / other.ratio, 1 / other.high, 1 / other.low))


def test_an_outlier_changes_little() -> None:
    first = [2.0, 2.1, 1.9, 2.0, 2.05, 1.95, 2.0, 2.1, 1000.0]
    assert ratio_of(first, [1.0] * 9).ratio == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("pairs", [9, 15, 25])
def test_the_interval_holds_the_ratio_as_often_as_it_claims(pairs: int) -> None:
    generator = np.random.default_rng(pairs)
    held = 0
    for _ in range(1000):
        second = 100 * generator.lognormal(0, 0.1, pairs)
        found = ratio_of((second * 2.5 * generator.lognormal(0, 0.2, pairs)).tolist(), second.tolist())
        held += found.low <= 2.5 <= found.high
    assert 930 <= held <= 980


def test_more_confidence_makes_a_wider_interval() -> None:
    generator = np.random.default_rng(1)
    first = generator.lognormal(1, 0.2, 20).tolist()
    half, most = (ratio_of(first, [1.0] * 20, confidence) for confidence in (0.5, 0.99))
    assert most.low < half.low < half.ratio < half.high < most.high
