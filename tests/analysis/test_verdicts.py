"""Verdicts follow from q, the ratio and its interval; q is by Benjamini and Hochberg."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from autoperf.analysis.comparison import ComparisonOptions, Verdict
from autoperf.analysis.ratios import Ratios, adjusted, verdicts
from autoperf.core.errors import UsageError


def test_q_is_what_scipy_says() -> None:
    p = np.random.default_rng(1).random(300) ** 3
    assert np.allclose(adjusted(p), false_discovery_control(p))
    assert adjusted(np.array([0.04])).tolist() == [0.04]


@pytest.mark.parametrize(
    ("ratio", "low", "high", "q", "expected"),
    [
        (1.10, 1.06, 1.14, 0.01, Verdict.SLOWER),
        (1.10, 1.06, 1.14, 0.05, Verdict.UNDECIDED),
        (1.04, 1.03, 1.045, 0.001, Verdict.SAME),
        (1.04, 1.03, 1.06, 0.001, Verdict.UNDECIDED),
        (1 / 1.1, 0.88, 0.94, 0.01, Verdict.FASTER),
        (0.951, 0.90, 0.99, 0.01, Verdict.FASTER),
        (0.953, 0.9525, 1.0, 0.01, Verdict.SAME),
        (1.0, 0.99, 1.01, 1.0, Verdict.SAME),
        (1.0, 0.7, 1.3, 1.0, Verdict.UNDECIDED),
    ],
)
def test_the_rule(ratio: float, low: float, high: float, q: float, expected: Verdict) -> None:
    found = Ratios(*(np.array([value]) for value in (ratio, low, high, q, 1.0)))
    assert verdicts(found, np.array([q]), 0.05) == [expected]


@pytest.mark.parametrize("wrong", [{"threshold": 0.0}, {"threshold": 11.0}, {"margin": -0.1}, {"margin": 11.0}])
def test_shares_that_make_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"invalid .*: expected"):
        ComparisonOptions(**wrong)
