"""The inputs of a search get larger where such inputs take little time, and only where they may."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from hunt_values import ELEMENTS, factory_of, plain, timings_of

from autoperf.hunt.contrast import ContrastFinder
from autoperf.hunt.input_stream import LARGE_US, InputStream
from autoperf.pipeline.release import Release


@pytest.mark.parametrize(
    ("grows", "us", "larger"), [(True, 100.0, True), (True, LARGE_US, False), (False, 100.0, False)]
)
def test_draws_grow_by_the_time_that_they_take(release: Release, grows: bool, us: float, larger: bool) -> None:
    timings, _ = timings_of(lambda _case, _pass: us, 600.0)
    contrasts = ContrastFinder(timings, factory_of(release, "exp", plain), {}, 2.0)
    source = random.Random(1)
    stream = InputStream(contrasts, 1, source, grows=grows, max_stale=600)
    for point in islice(stream.points(()), 400):
        times = timings.times(point)
        assert times
        stream.keep(point, times)
    assert (stream.largest > 4 * ELEMENTS) is larger
    assert stream.largest == max(point.work.elements for point in stream.seen.values())
