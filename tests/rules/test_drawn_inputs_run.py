"""What no inference can say: that drawn inputs run on the real MXNet, on both releases, forward and backward."""

from __future__ import annotations

import time

import msgspec
import pytest

from autoperf.backends.protocol import TrialResult
from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.cases.selection import Target
from autoperf.core.case import Case
from autoperf.measurement.batches import Job
from autoperf.measurement.trial_client import TrialClient
from autoperf.rules.categories import CATEGORIES
from autoperf.rules.rule import DRAWN
from tests.rules.canonical_cases import PATIENCE, covered

EVERY = 6
"""CI runs one drawn case of each sixth operator; which ones the seed decides."""
SEED = 20261121
NIGHTLY_SEEDS = range(1, 6)
NIGHTLY_SAMPLES = 3
PROCESSOR = "could not create a primitive descriptor"
"""Of oneDNN, which has no kernel for this processor: nothing that inputs could mend."""


def drawn(release: Release, target: Target, seed: int, samples: int) -> list[Case]:
    assert target.rule
    recipe = Recipe(seed=seed, draws=samples, profiles=frozenset((DRAWN,)))
    made = build(target.operator, target.rule, recipe, release.client)
    assert not made.rejections, f"seed {seed}: {made.rejections}"
    return made.cases


def largest(case: Case) -> int:
    """The elements of the largest input."""
    return max((item.tensor.type.elements for item in case.inputs), default=0)


def failures(trier: TrialClient, cases: list[Case]) -> list[str]:
    """What doesn't run of one operator's cases, each with its arguments."""
    answers = [trier.run_trial(Job(case), time.monotonic() + PATIENCE) for case in cases]
    return [
        f"{case.id}: {answer.reason}: {msgspec.json.encode(case).decode()}"
        for case, answer in zip(cases, answers, strict=True)
        if not isinstance(answer, TrialResult) and PROCESSOR not in answer.reason
    ]


def test_a_sample_of_drawn_inputs_runs(either: Release, trier: TrialClient) -> None:
    sample = covered(either)[SEED % EVERY :: EVERY]
    assert len(sample) > 90
    failed = [text for target in sample for text in failures(trier, drawn(either, target, SEED, 1))]
    assert not failed, "\n".join(failed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", NIGHTLY_SEEDS)
@pytest.mark.parametrize("category", sorted(CATEGORIES))
def test_all_drawn_inputs_run(either: Release, trier: TrialClient, category: str, seed: int) -> None:
    """And what is drawn again is the same, stays in its budget, and survives being stored."""
    failed = []
    for target in covered(either):
        if target.category == category:
            cases = drawn(either, target, seed, NIGHTLY_SAMPLES)
            assert drawn(either, target, seed, NIGHTLY_SAMPLES) == cases
            assert max(map(largest, cases), default=0) <= 2 * Recipe().elements
            assert all(msgspec.json.decode(msgspec.json.encode(case), type=Case) == case for case in cases)
            failed += failures(trier, cases)
    assert not failed, "\n".join(failed)
