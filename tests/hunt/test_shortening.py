"""A candidate that takes long is replaced by a smaller one, if that is slow for the same kind of step."""

from __future__ import annotations

import math

from hunt_values import factory_of, plain, shape, timings_of

from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import Candidate
from autoperf.hunt.contrast import ContrastFinder
from autoperf.hunt.shortening import LONG_US, shortened
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor

SMALL, LARGE = (8, 2), (65536, 2)


def narrow_is_slow(case: Case, _pass: PassName) -> float:
    return (5 + 0.1 * math.prod(shape(case))) * (4 if shape(case)[-1] == 2 else 1)


def long_is_slow(case: Case, _pass: PassName) -> float:
    return 5 + 0.1 * math.prod(shape(case)) * (4 if shape(case)[0] > 40000 else 1)


def test_a_long_candidate_becomes_small(release: Release) -> None:
    timings, source = timings_of(narrow_is_slow, 60.0)
    finder = ContrastFinder(timings, factory_of(release, "exp", plain), {}, 2.0)
    (large,) = finder.factory.make([(inputs(data=tensor(*LARGE)), "float32")])
    assert large
    smaller = shortened(finder, Candidate(large, ("aspect",), 4.0), "forward")
    assert shape(smaller.point.case)[0] < LARGE[0] / 16
    assert smaller.ratio > 2
    assert smaller.kinds == ("aspect",)
    assert source.questions < 40


def test_a_cause_of_large_inputs_alone_keeps_its_candidate(release: Release) -> None:
    timings, _ = timings_of(long_is_slow, 60.0)
    finder = ContrastFinder(timings, factory_of(release, "exp", plain), {}, 2.0)
    (large,) = finder.factory.make([(inputs(data=tensor(*LARGE)), "float32")])
    assert large
    candidate = Candidate(large, ("aspect",), 4.0)
    assert shortened(finder, candidate, "forward") is candidate


def test_a_candidate_that_takes_little_or_is_the_models_stays(release: Release) -> None:
    timings, source = timings_of(lambda _case, _pass: LONG_US / 3, 60.0)
    finder = ContrastFinder(timings, factory_of(release, "exp", plain), {}, 2.0)
    (small,) = finder.factory.make([(inputs(data=tensor(*SMALL)), "float32")])
    assert small
    for candidate in (Candidate(small, ("aspect",), 4.0), Candidate(small, (), 4.0)):
        assert shortened(finder, candidate, "forward") is candidate
    assert source.questions <= 2
