"""Intervals of a median: against known tables, and by how often they hold what they promise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from autoperf.stats.correction import half_width, interval, median_interval, process_interval, rank, student

PROCESSES = (100.0, 103.0, 98.0)


@pytest.mark.parametrize(
    ("count", "place"),
    [(1, 0), (5, 0), (6, 1), (8, 1), (9, 2), (20, 6), (50, 18), (100, 40)],
)
def test_ranks_are_those_of_the_binomial_tables(count: int, place: int) -> None:
    assert rank(count) == place


def test_ranks_of_many_samples_go_on_where_the_exact_ones_end() -> None:
    places = [rank(count) for count in range(500, 530)]
    assert all(0 <= after - before <= 1 for before, after in itertools.pairwise(places))


def test_few_samples_have_no_interval() -> None:
    assert median_interval([1.0, 2.0, 3.0, 4.0, 5.0]) is None
    assert median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) == (1.0, 6.0)
    assert half_width([1.0] * 5) == math.inf
    assert half_width([]) == math.inf


def test_the_half_width_is_a_share_of_the_median() -> None:
    assert half_width([100.0, 98.0, 101.0, 99.0, 102.0, 100.0]) == pytest.approx(0.02)
    assert half_width([0.0] * 10) == math.inf


@pytest.mark.parametrize("count", [6, 9, 30, 101])
def test_the_interval_encloses_the_median_as_often_as_it_says(count: int) -> None:
    """Of a skewed distribution, whose median is known; 95% with what 4,000 trials leave open."""
    generator = np.random.default_rng(7)
    truth = math.exp(0.3)
    held = 0
    for row in generator.lognormal(0.3, 0.8, (4000, count)):
        low, high = median_interval(sorted(row.tolist())) or (math.inf, -math.inf)
        held += low <= truth <= high
    assert held / 4000 > 0.94


def test_processes_that_differ_widen_the_interval_beyond_their_samples() -> None:
    generator = np.random.default_rng(3)
    parts = [(centre * generator.normal(1, 0.001, 500)).tolist() for centre in PROCESSES]
    low, high = interval(parts) or (0.0, 0.0)
    assert low < min(PROCESSES)
    assert high > max(PROCESSES)
    same = [(100 * generator.normal(1, 0.001, 500)).tolist() for _ in range(3)]
    low, high = interval(same) or (0.0, 0.0)
    assert 99 < low <= 100 <= high < 101


def test_the_interval_over_processes_holds_the_truth_as_often_as_it_says() -> None:
    generator = np.random.default_rng(11)
    held = 0
    for logs in generator.normal(math.log(50), 0.05, (4000, 3)):
        low, high = process_interval(np.exp(logs).tolist()) or (math.inf, -math.inf)
        held += low <= 50 <= high
    assert 0.94 < held / 4000 < 0.96


def test_medians_that_are_equal_by_chance_leave_what_the_samples_say() -> None:
    parts = [[9.0, 10.0, 11.0]] * 3
    assert process_interval([10.0] * 3) == pytest.approx((10.0, 10.0))
    assert interval(parts) == (9.0, 11.0)


def test_one_sample_of_one_process_says_nothing() -> None:
    assert interval([[5.0]]) is None
    assert interval([[5.0], []]) is None
    assert process_interval([0.0, 1.0]) is None


def test_students_quantiles() -> None:
    assert [round(student(freedom), 2) for freedom in (1, 2, 10, 11, 20, 63)] == [12.71, 4.3, 2.23, 2.2, 2.09, 2.0]
