"""Replaces a candidate that takes long by a smaller one that is slow for the same kind of step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import Candidate
from autoperf.hunt.contrast import FLOOR_US, TOLERANCE, ContrastFinder
from autoperf.hunt.features import Elements
from autoperf.hunt.point import Point

# A candidate that takes longer than this, in microseconds of all passes, is shortened by these factors if it can be.
LONG_US = 2000.0
FACTORS = (256, 64, 16, 4)
# Of the ways to shorten an input, and of the steps of the candidate's kind, so many are tried.
MAX_WAYS, MAX_STEPS = 2, 4
SAMPLES = 2


def shortened(finder: ContrastFinder, candidate: Candidate, pass_: PassName) -> Candidate:
    """The candidate, or a smaller input that takes less and still has a faster neighbour; the smallest first.

    Neighbours of a large input take as long as it does, and a candidate is followed by timing dozens of them.
    """
    if not candidate.kind or _us(finder, candidate.point) < LONG_US:
        return candidate
    for point in _smaller(finder, candidate.point):
        if finder.timings.expired:
            break
        if ratio := _ratio(finder, point, candidate.kind, pass_):
            return replace(candidate, point=point, ratio=ratio, fast=None)
    return candidate


def _smaller(finder: ContrastFinder, point: Point) -> Iterator[Point]:
    elements = Elements()
    for factor in FACTORS:
        made = finder.factory.make(elements.changed(point, round((elements.of(point) or 0) / factor)))
        smaller = [each for each in made if each and each.work.elements < point.work.elements]
        yield from smaller[:MAX_WAYS]


def _ratio(finder: ContrastFinder, point: Point, kind: str, pass_: PassName) -> float:
    """The largest ratio to neighbours of the kind; 0 if it is below the minimum, or the input takes too little time."""
    times = finder.timings.times(point, SAMPLES)
    if times is None or (times.of(pass_) or 0.0) < FLOOR_US:
        return 0.0
    steps = [step for step in finder.all_steps(point) if step.kind == kind][:MAX_STEPS]
    reached = finder.neighbour_points(point, steps)
    ratio = max((finder.step_ratio(point, step, fast, pass_, SAMPLES) for step, fast in reached), default=0.0)
    return ratio if ratio >= TOLERANCE * finder.min_ratio else 0.0


def _us(finder: ContrastFinder, point: Point) -> float:
    times = finder.timings.times(point)
    return times.forward + (times.backward or 0.0) if times else 0.0
