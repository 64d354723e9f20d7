"""Rules that end a phase, on samples that were made up: by precision, by noise, by time."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.measurement.stopping_rules import (
    Readings,
    TargetPrecision,
    averaged,
    checkpoints,
    fenced,
    loops_for,
    precise,
    steady,
)

FOREVER = 1e9


def noisy(count: int, spread: float, seed: int = 1, centre: float = 100.0) -> list[float]:
    return (centre * np.random.default_rng(seed).normal(1, spread, count)).tolist()


def test_precision_stops_as_soon_as_every_reading_has_it() -> None:
    rule = TargetPrecision(0.01, seconds=FOREVER)
    quiet, loud = Readings(noisy(32, 0.005)), Readings(noisy(32, 0.1))
    assert rule.enough([quiet], 0.0)
    assert not rule.enough([quiet, loud], 0.0)
    assert not rule.enough([Readings(noisy(5, 0.0001))], 0.0)


def test_a_finer_precision_takes_more_samples() -> None:
    samples = noisy(4096, 0.05)
    needed = [
        next(count for count in checkpoints() if precise(Readings(samples[:count]), precision))
        for precision in (0.05, 0.01, 0.003)
    ]
    assert needed == sorted(set(needed))


def test_time_ends_it_with_three_samples_at_least() -> None:
    rule = TargetPrecision(0.01, seconds=1.0)
    assert not rule.enough([Readings([5.0])], 2.0)
    assert not rule.enough([Readings([5.0, 9.0])], 2.0)
    assert rule.enough([Readings([5.0, 9.0, 6.0])], 2.0)
    assert not rule.enough([Readings([5.0, 9.0, 6.0])], 0.5)


def test_the_limit_bows_to_nothing_but_no_sample_at_all() -> None:
    rule = TargetPrecision(0.01, seconds=1.0, limit=3.0)
    assert not rule.enough([Readings([])], 4.0)
    assert rule.enough([Readings([5.0])], 4.0)


def test_noise_that_stays_ends_it_though_it_is_not_precise() -> None:
    samples = Readings(noisy(600, 0.3))
    assert not precise(samples, 0.01)
    assert steady(samples.samples)
    assert TargetPrecision(0.01, seconds=FOREVER).enough([samples], 0.0)


@pytest.mark.parametrize(
    "samples",
    [
        noisy(65, 0.3),
        [100.0] * 200,
        noisy(100, 0.01) + noisy(32, 0.01, centre=300.0),
    ],
    ids=["too few", "no noise", "a jump"],
)
def test_noise_is_not_steady_while_it_changes(samples: list[float]) -> None:
    assert not steady(samples)


@pytest.mark.parametrize(("mean", "loops"), [(1, 128), (3, 64), (10, 16), (50, 4), (101, 1), (5000, 1), (0, 256)])
def test_a_coarse_clock_is_averaged_over_enough_calls(mean: float, loops: int) -> None:
    assert loops_for([mean] * 10, 1.0) == loops
    assert loops_for([mean] * 10, 0.0) == 1
    assert loops_for([], 1.0) == 1


@pytest.mark.parametrize("truth", [1.3, 3.0, 3.7, 12.45])
def test_whole_microseconds_average_to_the_truth(truth: float) -> None:
    """Begin and end are both rounded down, so a kernel that begins anywhere in a microsecond is right on average."""
    begins = np.random.default_rng(5).uniform(0, 1e6, 64 * 64)
    traced = (np.floor(begins + truth) - np.floor(begins)).tolist()
    samples = averaged(traced, loops_for(traced, 1.0))
    assert np.median(samples) == pytest.approx(truth, abs=0.05)


def test_equal_readings_of_a_coarse_clock_are_no_precision() -> None:
    assert not precise(Readings([3.0] * 100, 1.0), 0.01)
    assert precise(Readings([3.0] * 384, 1.0), 0.01)


@given(st.lists(st.integers(0, 500), min_size=1, max_size=100))
def test_the_fence_changes_only_the_longest_of_widespread_samples(samples: list[int]) -> None:
    """Neither the order nor the median nor, within a step, samples that the clock has rounded."""
    within = fenced(samples, 1.0)
    assert all(kept == min(sample, max(within)) for kept, sample in zip(within, samples, strict=True))
    assert statistics.median(within) == statistics.median(samples)
    if max(samples) - min(samples) <= 1:
        assert within == samples


def test_what_fills_no_average_is_left_out_of_it() -> None:
    assert averaged([1.0, 3.0, 5.0, 7.0, 9.0], 2) == [2.0, 6.0]
    assert averaged([1.0, 2.0], 1) == [1.0, 2.0]


@pytest.mark.parametrize("first", [1, 2, 4, 8])
def test_checkpoints_grow_and_are_divided_by_a_large_power_of_two(first: int) -> None:
    counts = list(itertools.islice(checkpoints(first), 40))
    assert counts[0] == first
    assert all(before < after <= before + 512 for before, after in itertools.pairwise(counts))
    assert all(count % 2 ** ((count // 3).bit_length() - 1) == 0 for count in counts if 3 <= count <= 512)
    assert all(count % 256 == 0 for count in counts if count > 512)
