"""Labels: slow, fast, or none where that can't be told in little time."""

from __future__ import annotations

import pytest
from hunt_values import factory_of, plain, shape, timings_of

from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.hunt.contrast import Contrast, ContrastFinder
from autoperf.hunt.judge import Judge
from autoperf.pipeline.release import Release
from autoperf.rules.rule import inputs, tensor


def law(case: Case, pass_: PassName) -> float:
    """Float16 takes five times as long; from 1,000 rows on the backward pass takes long in every dtype."""
    factor = 5.0 if case.inputs[0].tensor.dtype == "float16" else 1.0
    return 20_000.0 if pass_ == "backward" and shape(case)[0] >= 1000 else 200.0 * factor


@pytest.mark.parametrize(
    ("size", "dtype", "label"),
    [(64, "float16", True), (64, "float32", False), (1000, "float16", None), (1000, "float32", None)],
)
def test_labels(release: Release, size: int, dtype: str, label: bool | None) -> None:
    timings, _ = timings_of(law, 60.0)
    factory = factory_of(release, "exp", plain)
    finder = ContrastFinder(timings, factory, {}, 2.0)
    slow, point = factory.make([(inputs(data=tensor(32)), "float16"), (inputs(data=tensor(size)), dtype)])
    assert slow
    assert point
    step, fast = next(
        reached for reached in finder.neighbour_points(slow, finder.steps(slow)) if reached[0].dtype == "float32"
    )
    judge = Judge(finder, Contrast(slow, fast, step, 5.0), "forward", lambda _point: False)
    assert judge.label(point) is label
