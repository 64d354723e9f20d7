"""In which dtypes each operator runs: what was found out once, rules must not lose.

`tests/data/dtypes-RELEASE.csv` was written by
`autoperf discover --mxnet RELEASE --covered --test-dtypes --format csv | cut -d, -f1,11`.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, Target, targets
from autoperf.coverage.coverage import TESTED_DTYPES, small_case, try_dtypes

PROCESSOR = "could not create a"
"""Of oneDNN, which has no kernel of this dtype for this processor: nothing that inputs could mend."""

PARTICULAR = "_contrib_quantized_rnn"
"""It runs on few processors; the one that the data come from isn't among them."""


def taken(release: Release) -> dict[str, list[str]]:
    """The dtypes that each operator of this release is known to take."""
    path = Path(__file__).parents[1] / "data" / f"dtypes-{release.registry.mxnet}.csv"
    with path.open() as file:
        return {row["name"]: row["dtypes"].split() for row in csv.DictReader(file)}


def covered(release: Release) -> list[Target]:
    return [target for target in targets(release.registry, release.catalog, Selection()) if target.rule]


def test_every_operator_takes_a_dtype_and_is_known(either: Release) -> None:
    known = taken(either)
    assert {target.operator.name for target in covered(either)} == known.keys()
    assert [name for name, dtypes in known.items() if not dtypes] in ([], [PARTICULAR])
    assert {dtype for dtypes in known.values() for dtype in dtypes} == set(TESTED_DTYPES)


def test_inference_accepts_every_dtype_that_an_operator_takes(either: Release) -> None:
    known = taken(either)
    refused = [
        f"{target.operator.name} in {dtype}: {built.rejections}"
        for target in covered(either)
        for dtype in known[target.operator.name]
        if target.rule and not (built := small_case(either, target, target.rule, dtype)).cases
    ]
    assert not refused


def test_no_rule_gives_one_call_for_two_dtypes_that_it_takes(either: Release) -> None:
    known = taken(either)
    for target in covered(either):
        if target.rule:
            calls = [small_case(either, target, target.rule, dtype).cases for dtype in known[target.operator.name]]
            digests = {case.digest for cases in calls for case in cases}
            assert len(digests) == len(calls), f"{target.operator.name}: {known[target.operator.name]}"


@pytest.mark.nightly
def test_every_operator_runs_in_every_dtype_that_it_takes(either: Release) -> None:
    known = taken(either)
    answers = try_dtypes(either, covered(either))
    lost = [
        f"{name} in {dtype}: {answer.refused[dtype]}"
        for name, answer in answers.items()
        for dtype in known[name]
        if dtype in answer.refused and PROCESSOR not in answer.refused[dtype]
    ]
    assert not lost
    gained = {name: sorted(set(answer.taken) - set(known[name])) for name, answer in answers.items()}
    assert {name: dtypes for name, dtypes in gained.items() if dtypes} == {}
