"""Ratios by pairs of processes and of samples: known values, and intervals that keep their level."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from statistics import median

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.comparison.ratios import (
    MAX_FREEDOM,
    PRIOR,
    WITHIN_POWER,
    Differences,
    PairVariance,
    Ratios,
    estimate_variance,
    has_enough_pairs,
    observe,
    pair_ratios,
    ratio_of_pairs,
)

TURNS = 12
FIGURES = 600


def figures(
    rng: np.random.Generator, *, pairs: int, apart: float, spread: float = 0.02, ratio: float = 1.0, uneven: float = 0.0
) -> list[Differences]:
    """Figures of this ratio; their pairs differ by `apart`, more or less so by a factor of about exp(`uneven`)."""
    own = apart * np.exp(rng.normal(0, uneven, (FIGURES, 1, 1)))
    logs = np.log(ratio) + rng.normal(0, 1, (FIGURES, pairs, 1)) * own + rng.normal(0, spread, (FIGURES, pairs, TURNS))
    return [list(figure) for figure in logs]


def judged(given: list[Differences], looks: int = 1) -> Ratios:
    return pair_ratios(given, np.zeros(len(given)), np.ones(len(given)), looks)


@pytest.mark.parametrize("pairs", [2, 3, 4])
@pytest.mark.parametrize(("apart", "uneven"), [(0.0, 0.0), (0.02, 0.0), (0.05, 1.0)])
def test_intervals_hold_the_truth_as_often_as_they_say(pairs: int, apart: float, uneven: float) -> None:
    rng = np.random.default_rng(pairs)
    ratios = judged(figures(rng, pairs=pairs, apart=apart, uneven=uneven))
    held = float(np.mean((ratios.low < 1) & (ratios.high > 1)))
    assert held > 0.92
    assert float(np.mean(ratios.p < 0.05)) == pytest.approx(1 - held)
    assert float(np.mean(ratios.p < 0.001)) < 0.006


def test_two_pairs_prove_a_change_that_is_large_beside_the_noise() -> None:
    rng = np.random.default_rng(2)
    changed = judged(figures(rng, pairs=2, apart=0.02, ratio=1.5))
    assert float(np.mean(changed.p < 1e-4)) > 0.95
    assert float(np.median(changed.ratio)) == pytest.approx(1.5, rel=0.02)


def test_a_figure_with_noisier_turns_is_less_certain() -> None:
    rng = np.random.default_rng(3)
    calm, noisy = (figures(rng, pairs=2, apart=0.0, spread=spread) for spread in (0.01, 0.2))
    ratios = judged(calm + noisy)
    widths = np.log(ratios.high / ratios.low)
    assert np.median(widths[FIGURES:]) > 3 * np.median(widths[:FIGURES])


def test_equal_variances_have_much_freedom_and_uneven_ones_little() -> None:
    rng = np.random.default_rng(4)
    even, uneven = (
        estimate_variance([observe(figure) for figure in figures(rng, pairs=3, apart=0.03, uneven=spread)])
        for spread in (0.0, 1.5)
    )
    assert even.freedom > 4 * uneven.freedom


def test_without_a_figure_the_prior_is_left() -> None:
    prior = estimate_variance(())
    assert 1 < prior.freedom < 5
    assert 0.02 < (prior.scale * PRIOR[0].within ** WITHIN_POWER) ** 0.5 < 0.2


def test_a_variance_that_others_have_told_is_used() -> None:
    rng = np.random.default_rng(5)
    given = figures(rng, pairs=2, apart=0.01)[:4]
    sure = PairVariance(1e-4, MAX_FREEDOM)
    told = pair_ratios(given, np.zeros(4), np.ones(4), variance=sure)
    assert (np.log(told.high / told.low) < np.log(judged(given).high / judged(given).low)).all()


def test_slack_widens_the_interval_and_the_null() -> None:
    rng = np.random.default_rng(6)
    given = figures(rng, pairs=3, apart=0.005, ratio=1.04)
    exact, slack = judged(given), pair_ratios(given, np.full(FIGURES, 0.05), np.ones(FIGURES))
    assert np.median(exact.p) < 0.01
    assert np.median(slack.p) > 0.9
    assert np.log(slack.high / exact.high) == pytest.approx(np.full(FIGURES, 0.05))


def test_more_looks_ask_for_more() -> None:
    given = figures(np.random.default_rng(7), pairs=2, apart=0.02)
    assert (judged(given, 4).p >= judged(given).p).all()
    assert (judged(given, 4).high > judged(given).high).all()


def test_equal_turns_are_no_proof_beyond_the_smallest_variance() -> None:
    ratios = judged([[np.zeros(TURNS), np.zeros(TURNS)]] * 3)
    assert np.isfinite(ratios.low).all()
    assert (ratios.low < 1).all()


def test_one_pair_or_two_turns_are_not_enough() -> None:
    assert has_enough_pairs([np.zeros(3), np.zeros(3)])
    assert not has_enough_pairs([np.zeros(100)])
    assert not has_enough_pairs([np.zeros(3), np.zeros(2)])
    assert not has_enough_pairs(())


def test_equal_ratios_are_certain() -> None:
    found = ratio_of_pairs([30.0] * 9, [10.0] * 9)
    assert (found.ratio, found.low, found.high) == pytest.approx((3.0, 3.0, 3.0))


def test_one_pair() -> None:
    found = ratio_of_pairs([6.0], [2.0])
    assert (found.ratio, found.low, found.high) == pytest.approx((3.0, 3.0, 3.0))


def test_few_pairs_reach_from_the_smallest_ratio_to_the_largest() -> None:
    found = ratio_of_pairs([2.0, 4.0, 8.0], [1.0, 1.0, 1.0])
    assert (found.ratio, found.low, found.high) == pytest.approx((4.0, 2.0, 8.0))


def test_the_estimate_is_the_median_of_walsh_averages() -> None:
    first, second = [3.0, 1.7, 2.2, 9.1, 2.5, 2.4, 3.3], [1.0, 1.1, 0.9, 1.0, 1.2, 0.8, 1.3]
    logs = [math.log(one / other) for one, other in zip(first, second, strict=True)]
    walsh = [(one + other) / 2 for one, other in combinations_with_replacement(logs, 2)]
    assert ratio_of_pairs(first, second).ratio == pytest.approx(math.exp(median(walsh)))


def test_the_interval_of_ten_pairs_is_that_of_the_signed_rank_test() -> None:
    # By the tables, the ninth Walsh average from either end bounds a 95% interval for ten pairs (8 are cut off).
    logs = np.arange(10.0)
    walsh = np.sort([(one + other) / 2 for one, other in combinations_with_replacement(logs, 2)])
    found = ratio_of_pairs(np.exp(logs).tolist(), [1.0] * 10)
    assert math.log(found.low) == pytest.approx(walsh[8])
    assert math.log(found.high) == pytest.approx(walsh[-9])


@pytest.mark.parametrize(("pairs", "level"), [(6, 0.969), (8, 0.961), (10, 0.951), (12, 0.958), (25, 0.95), (80, 0.95)])
def test_the_interval_of_any_number_of_pairs_has_its_level(pairs: int, level: float) -> None:
    """By simulation; of few pairs the level is that of the next exact one, at least 95%."""
    generator = np.random.default_rng(7)
    found = [ratio_of_pairs(np.exp(each).tolist(), [1.0] * pairs) for each in generator.standard_normal((4000, pairs))]
    assert np.mean([one.low <= 1.0 <= one.high for one in found]) == pytest.approx(level, abs=0.011)


def test_sides_exchanged_give_the_inverse() -> None:
    generator = np.random.default_rng(3)
    first, second = generator.lognormal(1, 0.2, 15).tolist(), generator.lognormal(0, 0.3, 15).tolist()
    one, other = ratio_of_pairs(first, second), ratio_of_pairs(second, first)
    assert (one.ratio, one.low, one.high) == pytest.approx((1 / other.ratio, 1 / other.high, 1 / other.low))


def test_an_outlier_changes_little() -> None:
    first = [2.0, 2.1, 1.9, 2.0, 2.05, 1.95, 2.0, 2.1, 1000.0]
    assert ratio_of_pairs(first, [1.0] * 9).ratio == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("pairs", [9, 15, 25])
def test_the_interval_holds_the_ratio_as_often_as_it_claims(pairs: int) -> None:
    generator = np.random.default_rng(pairs)
    held = 0
    for _ in range(1000):
        second = 100 * generator.lognormal(0, 0.1, pairs)
        found = ratio_of_pairs((second * 2.5 * generator.lognormal(0, 0.2, pairs)).tolist(), second.tolist())
        held += found.low <= 2.5 <= found.high
    assert 930 <= held <= 980


times = st.lists(st.tuples(st.floats(0.1, 1e6), st.floats(0.1, 1e6)), min_size=1, max_size=20)


@given(times, st.floats(0.01, 100), st.floats(0.01, 100), st.randoms())
def test_the_ratio_of_pairs_scales_with_its_sides_and_knows_no_order(pairs, first, second, random) -> None:
    def ratio(pairs):
        return msgspec.structs.astuple(ratio_of_pairs(*zip(*pairs, strict=True)))

    middle, low, high = ratio(pairs)
    scaled = ratio([(first * one, second * other) for one, other in random.sample(pairs, len(pairs))])
    assert scaled == pytest.approx([each * first / second for each in (middle, low, high)])
    assert ratio([(other, one) for one, other in pairs]) == pytest.approx([1 / middle, 1 / high, 1 / low])
    assert low <= middle * (1 + 1e-9)
    assert middle <= high * (1 + 1e-9)
