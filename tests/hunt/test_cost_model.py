"""The cost model finds planted weights, resists slow inputs, and reports a poor fit."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from autoperf.cases.release import Release
from autoperf.core.finding import Fit
from autoperf.hunt.point import MIN_INPUTS, Model, Point, features, fit_model
from tests.hunt.hunt_values import factory_of, plain, with_axis

INPUTS = 80


@pytest.fixture(scope="module")
def points(release: Release) -> list[Point]:
    """Points of one operator in two dtypes, so that bytes and elements aren't proportional."""
    factory = factory_of(release, "softmax", with_axis)
    return [one for dtype in ("float32", "float64") for one in factory.drawn(dtype, "model", INPUTS // 2, 0)]


def linear(point: Point) -> float:
    return 20 + 0.002 * point.work.bytes + 0.01 * point.work.elements


def sorting(point: Point) -> float:
    shape = point.case.inputs[0].tensor.shape
    return 10 + 0.01 * point.work.elements * math.log2(1 + shape[-1])


@pytest.mark.parametrize("law", [linear, sorting])
def test_planted_weights_are_recovered(points: list[Point], law: object) -> None:
    times = [law(one) for one in points]  # type: ignore[operator]
    model = fit_model(points, times)
    assert model
    for one, us in zip(points, times, strict=True):
        assert model.expected_us(one) == pytest.approx(us, rel=0.05)
    assert model.fit.factor == pytest.approx(1.0, abs=0.02)
    assert not model.fit.poor
    assert model.fit.inputs == len(points)


def test_no_weight_is_negative(points: list[Point]) -> None:
    generator = np.random.default_rng(0)
    model = fit_model(points, generator.lognormal(3, 1, len(points)).tolist())
    assert model
    assert min(model.weights) >= 0


@pytest.mark.parametrize("factor", [3.0, 30.0, 1000.0])
def test_a_fifth_that_is_slow_leads_nowhere(points: list[Point], factor: float) -> None:
    chosen = set(random.Random(2).sample(range(len(points)), len(points) // 5))
    times = [linear(one) * (factor if number in chosen else 1.0) for number, one in enumerate(points)]
    model = fit_model(points, times)
    assert model
    assert not model.fit.poor
    for number, one in enumerate(points):
        assert model.expected_us(one) == pytest.approx(linear(one), rel=0.25)
        assert (model.excess(one, times[number]) >= 2) is (number in chosen)


def test_noise_that_only_adds_leaves_the_floor(points: list[Point]) -> None:
    generator = np.random.default_rng(5)
    times = [linear(one) * (1 + generator.exponential(0.2)) for one in points]
    model = fit_model(points, times)
    assert model
    off = [model.expected_us(one) / linear(one) for one in points]
    assert min(off) > 0.9
    assert max(off) < 1.35


def test_what_goes_by_something_else_is_fitted_poorly_and_says_so(points: list[Point]) -> None:
    generator = np.random.default_rng(1)
    model = fit_model(points, (10 ** generator.uniform(0, 5, len(points))).tolist())
    assert model
    assert model.fit.poor
    assert model.fit.factor > 2


def test_too_few_inputs_make_no_model(points: list[Point]) -> None:
    some = points[: MIN_INPUTS - 1]
    assert fit_model(some, [linear(one) for one in some]) is None
    assert fit_model([], []) is None
    some = points[:MIN_INPUTS]
    assert fit_model(some, [linear(one) for one in some])


def test_times_of_nothing_break_nothing(points: list[Point]) -> None:
    model = fit_model(points, [0.0] * len(points))
    assert model
    assert all(np.isfinite(model.weights))


def test_the_excess_is_a_ratio(release: Release) -> None:
    (one, *_) = factory_of(release, "exp", plain).canonical("float32")
    model = Model((50.0, *(0.0 for _ in features(one)[1:])), Fit(1.0, 20, False))
    assert model.expected_us(one) == 50
    assert model.excess(one, 125) == 2.5
    assert Model((0.0,) * len(features(one)), Fit(1.0, 20, True)).excess(one, 1.0) > 0
