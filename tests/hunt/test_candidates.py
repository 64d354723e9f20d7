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
from autoperf.hunt.equivalents import Equivalent
from autoperf.hunt.model import Model
from autoperf.hunt.neighbours import equivalent_steps, neighbours
from autoperf.hunt.point import Point
from autoperf.pipeline.release import Release
from autoperf.rules.related import RelatedOperator
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


def test_systematic_inputs_are_compared_by_the_given_steps_and_with_an_equivalent_operator(release: Release) -> None:
    def narrow_exp(case: Case, pass_: PassName) -> float:
        return narrow(case, pass_) if case.operator == "exp" else 200.0

    equivalent = Equivalent(factory_of(release, "expm1", plain), RelatedOperator("expm1", "it does the same"))
    candidates, point = finder(release, narrow_exp, {})
    steps = [*neighbours(point, equivalent.factory.operator), *equivalent_steps(point, [equivalent])]
    kinds = "exchanged", "one less", "equivalent expm1"
    found = candidates.candidates_of(point, [step for step in steps if step.kind in kinds], "forward")
    assert {each.kind for each in found} == {"exchanged", "equivalent expm1"}
    assert {shape(each.point.case)[-1] for each in found} == {1}


def test_the_model_is_asked_once_of_an_input_that_comes_again(release: Release) -> None:
    candidates, point = finder(release, constant, {"forward": LOW, "backward": LOW})
    assert [each.oracle for each in candidates.candidates_of(point, [], "forward")] == ["model"]
    assert candidates.candidates_of(point, [], "forward") == []
