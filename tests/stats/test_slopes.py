"""How strongly a figure follows the probe, fitted to its samples."""

from __future__ import annotations

import numpy as np
import pytest

from autoperf.core.clocks import INSTRUCTIONS, KERNEL, WALL
from autoperf.core.machine import Probes, Reference
from autoperf.stats.correction import TYPICAL_ERROR, ProbedSamples, Slope, fitted_slope, slope_of_figure, typical_slope

SAMPLES, PROCESSES = 24, 5


def build(
    seed: int, slope: float, *, changes: float = 0.1, factor: float = 1.0, jitter: float = 0.02, us: float = 200.0
) -> ProbedSamples:
    """A build's samples on a machine whose speed changes by this much every six samples; times are multiplied."""
    rng = np.random.default_rng(seed)
    speed = np.repeat(rng.normal(0, changes, SAMPLES * PROCESSES // 6), 6)
    samples = us * factor * np.exp(slope * speed + rng.normal(0, 0.01, speed.size))
    readings = (2.0 * np.exp(speed + rng.normal(0, jitter, speed.size))).tolist()
    # What follows a sample precedes the next.
    probes = Probes(tuple(readings), (*readings[1:], readings[-1]))
    return ProbedSamples(samples.tolist(), probes, [SAMPLES] * PROCESSES)


@pytest.mark.parametrize("true", [0.0, 0.3, 1.0, 1.8])
def test_a_machine_that_changes_shows_the_slope(true: float) -> None:
    errors = [fitted_slope(KERNEL, [build(seed, true)]).value - true for seed in range(20)]
    assert abs(float(np.median(errors))) < 0.1
    assert float(np.std(errors)) < 0.1


def test_a_machine_that_keeps_its_speed_says_nothing() -> None:
    """Readings are then noise, to which no slope is fitted."""
    fitted = [fitted_slope(KERNEL, [build(seed, 1.8, changes=0.0)]) for seed in range(20)]
    assert np.median([slope.value for slope in fitted]) == pytest.approx(typical_slope(KERNEL, 200.0), abs=0.1)
    assert np.median([slope.error for slope in fitted]) > 0.5 * TYPICAL_ERROR


def test_the_error_is_about_as_large_as_stated() -> None:
    fitted = [fitted_slope(KERNEL, [build(seed, 1.0, changes=0.04)]) for seed in range(60)]
    actual = float(np.std([slope.value for slope in fitted]))
    assert 0.5 < actual / float(np.median([slope.error for slope in fitted])) < 1.5


@pytest.mark.parametrize("jitter", [0.02, 0.1, 0.15])
def test_noisy_readings_do_not_make_the_slope_smaller(jitter: float) -> None:
    """An ordinary regression would find 0.51 by the noisiest readings."""
    true = typical_slope(KERNEL, 200.0)
    fitted = [fitted_slope(KERNEL, [build(seed, true, jitter=jitter)]).value for seed in range(40)]
    assert float(np.median(fitted)) == pytest.approx(true, abs=0.12)


def test_noisy_readings_of_two_builds_tell_an_untypical_slope() -> None:
    pairs = ([build(seed + part, 1.0, jitter=0.15) for part in (0, 1000)] for seed in range(40))
    assert float(np.median([fitted_slope(KERNEL, pair).value for pair in pairs])) == pytest.approx(1.0, abs=0.12)


def test_the_noise_of_a_machine_that_keeps_its_speed_is_no_knowledge() -> None:
    """The slope by chance of a few figures would be told as known otherwise."""
    fitted = [fitted_slope(KERNEL, [build(seed, 0.0, changes=0.0)]) for seed in range(400)]
    assert min(slope.error for slope in fitted) > 0.6 * TYPICAL_ERROR
    assert np.quantile([slope.value for slope in fitted], 0.01) > typical_slope(KERNEL, 200.0) - TYPICAL_ERROR


def test_a_slower_build_does_not_change_the_common_slope() -> None:
    """Only what changes within a build says how it follows the machine."""
    alike = [build(1, 1.0), build(2, 1.0)]
    slower = [build(1, 1.0), build(2, 1.0, factor=1.5)]
    assert fitted_slope(WALL, slower).value == pytest.approx(fitted_slope(WALL, alike).value, abs=0.02)


def test_two_builds_say_more_than_one() -> None:
    assert fitted_slope(KERNEL, [build(1, 1.0), build(2, 1.0)]).error < fitted_slope(KERNEL, [build(1, 1.0)]).error


def test_a_few_samples_far_off_change_little() -> None:
    clean = build(3, 1.0)
    samples = list(clean.samples)
    samples[::15] = [4 * sample for sample in samples[::15]]
    disturbed = fitted_slope(KERNEL, [clean._replace(samples=samples)])
    assert disturbed.value == pytest.approx(fitted_slope(KERNEL, [clean]).value, abs=0.15)


def test_three_samples_have_the_typical_slope() -> None:
    readings = (2.0, 3.0, 2.5)
    few = ProbedSamples([100.0, 150.0, 125.0], Probes(readings, readings))
    assert fitted_slope(WALL, [few]) == Slope(round(typical_slope(WALL, 125.0), 3), TYPICAL_ERROR)


def test_what_waits_for_memory_follows_less() -> None:
    slopes = [typical_slope(KERNEL, us) for us in (0.0, 5.0, 50.0, 500.0, 5e3, 5e6)]
    assert slopes == sorted(slopes, reverse=True)
    assert slopes[-1] > 0
    assert typical_slope(WALL, 40.0) > typical_slope(KERNEL, 40.0)


def test_counts_follow_no_probe() -> None:
    with pytest.raises(ValueError, match="expected one that reads a time"):
        typical_slope(INSTRUCTIONS, 100.0)


def test_samples_at_reference_speed_are_corrected_by_the_typical_slope() -> None:
    """What is fitted to a few percent of changes is noise."""
    reference = Reference("a probe", 2.0, "")
    steady, slow = build(1, 1.8, changes=0.02), build(1, 1.8)
    assert slope_of_figure(KERNEL, steady, reference) == round(typical_slope(KERNEL, 200.0), 3)
    half_speed = Reference("a probe", 1.0, "")
    assert slope_of_figure(KERNEL, slow, half_speed) == fitted_slope(KERNEL, [slow]).value
