"""Ratios from a few pairs of processes: how much pairs differ is learnt from all figures."""

from __future__ import annotations

import numpy as np
import pytest

from autoperf.analysis.pair_ratios import (
    MAX_FREEDOM,
    PRIOR,
    PairVariance,
    estimate_variance,
    has_enough_pairs,
    observe,
    pair_ratios,
)
from autoperf.analysis.ratios import Ratios
from autoperf.analysis.turn_ratios import Differences

TURNS = 12
FIGURES = 600


def figures(
    rng: np.random.Generator, *, pairs: int, apart: float, spread: float = 0.02, ratio: float = 1.0, uneven: float = 0.0
) -> list[Differences]:
    """Figures of this ratio; their pairs differ by `apart`, more or less so by a factor of about exp(`uneven`)."""
    own = apart * np.exp(rng.normal(0, uneven, (FIGURES, 1, 1)))
    logs = np.log(ratio) + rng.normal(0, 1, (FIGURES, pairs, 1)) * own + rng.normal(0, spread, (FIGURES, pairs, TURNS))
    return [list(figure) for figure in logs]


def judged(given: list[Differences], looks: int = 1) -> Ratios:
    return pair_ratios(given, np.zeros(len(given)), np.ones(len(given)), looks)


@pytest.mark.parametrize("pairs", [2, 3, 4])
@pytest.mark.parametrize(("apart", "uneven"), [(0.0, 0.0), (0.02, 0.0), (0.05, 1.0)])
def test_intervals_hold_the_truth_as_often_as_they_say(pairs: int, apart: float, uneven: float) -> None:
    rng = np.random.default_rng(pairs)
    ratios = judged(figures(rng, pairs=pairs, apart=apart, uneven=uneven))
    held = float(np.mean((ratios.low < 1) & (ratios.high > 1)))
    assert held > 0.92
    assert float(np.mean(ratios.p < 0.05)) == pytest.approx(1 - held)
    assert float(np.mean(ratios.p < 0.001)) < 0.006


def test_two_pairs_prove_a_change_that_is_large_beside_the_noise() -> None:
    rng = np.random.default_rng(2)
    changed = judged(figures(rng, pairs=2, apart=0.02, ratio=1.5))
    assert float(np.mean(changed.p < 1e-4)) > 0.95
    assert float(np.median(changed.ratio)) == pytest.approx(1.5, rel=0.02)


def test_a_figure_with_noisier_turns_is_less_certain() -> None:
    rng = np.random.default_rng(3)
    calm, noisy = (figures(rng, pairs=2, apart=0.0, spread=spread) for spread in (0.01, 0.2))
    ratios = judged(calm + noisy)
    widths = np.log(ratios.high / ratios.low)
    assert np.median(widths[FIGURES:]) > 3 * np.median(widths[:FIGURES])


def test_equal_variances_have_much_freedom_and_uneven_ones_little() -> None:
    rng = np.random.default_rng(4)
    even, uneven = (
        estimate_variance([observe(figure) for figure in figures(rng, pairs=3, apart=0.03, uneven=spread)])
        for spread in (0.0, 1.5)
    )
    assert even.freedom > 4 * uneven.freedom


def test_without_a_figure_the_prior_is_left() -> None:
    prior = estimate_variance(())
    assert 1 < prior.freedom < 5
    assert 0.02 < prior.expected(PRIOR[0].within) ** 0.5 < 0.2


def test_a_variance_that_others_have_told_is_used() -> None:
    rng = np.random.default_rng(5)
    given = figures(rng, pairs=2, apart=0.01)[:4]
    sure = PairVariance(1e-4, MAX_FREEDOM)
    told = pair_ratios(given, np.zeros(4), np.ones(4), variance=sure)
    assert (np.log(told.high / told.low) < np.log(judged(given).high / judged(given).low)).all()


def test_slack_widens_the_interval_and_the_null() -> None:
    rng = np.random.default_rng(6)
    given = figures(rng, pairs=3, apart=0.005, ratio=1.04)
    exact, slack = judged(given), pair_ratios(given, np.full(FIGURES, 0.05), np.ones(FIGURES))
    assert np.median(exact.p) < 0.01
    assert np.median(slack.p) > 0.9
    assert np.log(slack.high / exact.high) == pytest.approx(np.full(FIGURES, 0.05))


def test_more_looks_ask_for_more() -> None:
    given = figures(np.random.default_rng(7), pairs=2, apart=0.02)
    assert (judged(given, 4).p >= judged(given).p).all()
    assert (judged(given, 4).high > judged(given).high).all()


def test_equal_turns_are_no_proof_beyond_the_smallest_variance() -> None:
    ratios = judged([[np.zeros(TURNS), np.zeros(TURNS)]] * 3)
    assert np.isfinite(ratios.low).all()
    assert (ratios.low < 1).all()


def test_one_pair_or_two_turns_are_not_enough() -> None:
    assert has_enough_pairs([np.zeros(3), np.zeros(3)])
    assert not has_enough_pairs([np.zeros(100)])
    assert not has_enough_pairs([np.zeros(3), np.zeros(2)])
    assert not has_enough_pairs(())
