"""The contents of canonical inputs make a function do what it is for: its results differ from element to element."""

from __future__ import annotations

import time

import pytest

from autoperf.backends.protocol import TrialResult
from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.cases.selection import Target
from autoperf.measurement.batches import Job
from autoperf.measurement.trial_client import TrialClient
from autoperf.rules.table import named
from tests.rules.canonical_cases import PATIENCE, covered

PROFILE = "small"
# No content has infinities. An `or` with a number that isn't zero is true; with zero it would be the tensor itself.
TOLD = "_npi_isfinite _npi_isinf _npi_isnan _npi_isneginf _npi_isposinf _logical_or_scalar _npi_logical_or_scalar"
CONSTANT = {
    *named("_*", "full", "ones", "set_value", "zeros", "zeros_without_dtype"),
    *named("_npi_*", "full", "full_like", "ones", "zeros"),
    *("ones_like", "zeros_like", "shape_array"),
    *TOLD.split(),
}
"""Operators whose small results are one number everywhere."""


def is_constant(release: Release, trier: TrialClient, target: Target) -> bool:
    """Whether each output of the small input has one value only, where it has several elements."""
    assert target.rule
    recipe = Recipe(draws=0, profiles=frozenset((PROFILE,)))
    found: list[bool] = []
    for case in build(target.operator, target.rule, recipe, release.client).cases:
        answer = trier.run_trial(Job(case), time.monotonic() + PATIENCE)
        prints = answer.prints if isinstance(answer, TrialResult) else ()
        outputs = [each for each in prints if each.name.startswith("output") and not each.undefined]
        found += [each.least == each.largest for each in outputs if max(each.shape, default=1) > 1]
    return bool(found) and all(found)


@pytest.mark.parametrize(
    ("first", "step"), [(2, 6), *(pytest.param(each, 6, marks=pytest.mark.nightly) for each in (0, 1, 3, 4, 5))]
)
def test_results_are_not_one_number(either: Release, trier: TrialClient, first: int, step: int) -> None:
    sample = covered(either)[first::step]
    assert len(sample) > 90
    constant = {target.operator.name for target in sample if is_constant(either, trier, target)}
    assert constant == CONSTANT & {target.operator.name for target in sample}
