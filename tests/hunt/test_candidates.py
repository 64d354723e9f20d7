"""Candidates by neighbours and by the cost model, which loses its say where it was wrong."""

from __future__ import annotations

import random

import pytest
from hunt_values import factory_of, plain, shape, timings_of

from autoperf.core.case import Case
from autoperf.core.finding import Fit
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import MAX_MISLED, CandidateFinder
from autoperf.hunt.contrast import ContrastFinder
from autoperf.hunt.model import Model
from autoperf.hunt.point import Point
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor

# 10 us, whatever the input.
LOW = Model((10.0, 0.0, 0.0, 0.0, 0.0, 0.0), Fit(1.0, 40, False))


def constant(_case: Case, _pass: PassName) -> float:
    return 400.0


def narrow(case: Case, _pass: PassName) -> float:
    return 2000.0 if shape(case)[-1] == 1 else 200.0


def finder(release: Release, law: object, models: dict[PassName, Model]) -> tuple[CandidateFinder, Point]:
    timings, _ = timings_of(law, 60.0)  # type: ignore[arg-type]
    factory = factory_of(release, "exp", plain)
    (point,) = factory.make([(inputs(data=tensor(64, 1)), "float32")])
    assert point
    contrasts = ContrastFinder(timings, factory, models, 2.0)
    return CandidateFinder(contrasts, random.Random(1)), point


def test_a_slow_neighbour_makes_a_candidate(release: Release) -> None:
    candidates, point = finder(release, narrow, {})
    found = [each for _ in range(8) for each in candidates.candidates(point, "forward")]
    assert found
    assert {each.oracle for each in found} == {"neighbour"}
    assert all(shape(each.point.case)[-1] == 1 for each in found)


@pytest.mark.parametrize(("dropped", "expected"), [(MAX_MISLED - 1, "model"), (MAX_MISLED, "")])
def test_a_model_that_misled_repeatedly_is_ignored_in_that_dtype(release: Release, dropped: int, expected: str) -> None:
    candidates, point = finder(release, constant, {"forward": LOW, "backward": LOW})
    (first,) = candidates.candidates(point, "forward")
    assert first.oracle == "model"
    for _ in range(dropped):
        candidates.dropped(first, "forward")
    assert "".join(each.oracle for each in candidates.candidates(point, "forward")) == expected
    assert candidates.candidates(point, "backward")


def test_a_thorough_search_tries_all_kinds_of_neighbours_in_turn(release: Release) -> None:
    candidates, point = finder(release, narrow, {})
    found = [each for _ in range(3) for each in candidates.candidates(point, "forward", thorough=True)]
    kinds = {each.kind for each in found}
    # Each of these steps makes the last dimension longer.
    assert {"aspect", "exchanged", "flatter"} <= kinds


def test_another_dtype_is_always_compared_with_the_natural_one(release: Release) -> None:
    def half(case: Case, _pass: PassName) -> float:
        return 2000.0 if case.inputs[0].tensor.dtype == "float16" else 200.0

    candidates, natural = finder(release, half, {})
    (point,) = factory_of(release, "exp", plain).make([(natural.call, "float16")])
    assert point
    for _ in range(10):
        (found,) = candidates.candidates(point, "forward", thorough=True)
        assert (found.kind, found.point) == ("dtype", point)
        assert found.fast
        assert found.fast.dtype == "float32"
