"""Looks at a running interleaved comparison: cases that end early, and no false changes by repeated looks."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.comparison.comparison import ComparisonOptions
from autoperf.comparison.deciding import CERTAIN, MIN_EARLIER_FIGURES, EarlyStop
from autoperf.comparison.ratios import MAX_LOOKS, look_level, looks_after, spent
from autoperf.core.outcome import Outcome, Series, Status
from tests.values import outcome, passed, series

OPTIONS = ComparisonOptions(threshold=0.05)
TURNS, PAIRS = 24, 5


def is_decided(base: Outcome, new: Outcome, most: int = PAIRS) -> bool:
    return EarlyStop(None, OPTIONS, most).is_decided(base, new)


def side(logs: np.ndarray) -> Outcome:
    """A case whose turns, pairs x turns, take 200 us times these."""
    samples = 200 * np.exp(logs)
    made = series(*samples.tolist())
    turns = tuple((1,) * logs.shape[1] for _ in range(len(logs)))
    wall: Series = msgspec.structs.replace(made, turns=turns)
    return outcome(0, passed(wall=wall))


def sides(rng: np.random.Generator, ratio: float, spread: float, pairs: int) -> tuple[Outcome, Outcome]:
    """Both sides of a case of this true ratio; pairs of processes differ by 0.5%."""
    apart = rng.normal(0, 0.005, (pairs, 1))
    base = rng.normal(0, spread, (pairs, TURNS))
    return side(base), side(np.log(ratio) + apart + rng.normal(0, spread, (pairs, TURNS)))


@pytest.mark.parametrize(("ratio", "decided"), [(1.0, True), (1.3, True), (0.7, True), (1.044, False)])
def test_a_case_ends_once_its_figures_are_clear(ratio: float, decided: bool) -> None:
    rng = np.random.default_rng(1)
    ends = [is_decided(*sides(rng, ratio, 0.01, 2)) for _ in range(20)]
    assert (sum(ends) > 15) is decided
    assert decided or sum(ends) < 5


def test_noise_and_a_single_pair_decide_nothing() -> None:
    rng = np.random.default_rng(1)
    assert not any(is_decided(*sides(rng, 1.0, 0.3, 2)) for _ in range(20))
    assert not is_decided(*sides(rng, 2.0, 0.01, 1))


def test_what_one_side_has_not_measured_is_not_decided() -> None:
    rng = np.random.default_rng(1)
    base, new = sides(rng, 1.0, 0.01, 3)
    assert is_decided(base, new)
    assert not is_decided(base, msgspec.structs.replace(new, status=Status.CRASHED))
    assert not is_decided(base, msgspec.structs.replace(new, forward=None))


@pytest.mark.parametrize(("most", "cases"), [(PAIRS, 300), (20, 100)])
def test_repeated_looks_invent_no_change(most: int, cases: int) -> None:
    """Of equal cases on a noisy machine, fewer than 5% ever look changed."""
    rng = np.random.default_rng(7)
    changed = 0
    for _ in range(cases):
        base, new = sides(rng, 1.0, 0.08, most)
        looks = [(_first(base, pairs), _first(new, pairs)) for pairs in sorted(looks_after(most))]
        far = ComparisonOptions(threshold=1e-6)
        changed += any(EarlyStop(None, far, most).is_decided(*look) for look in looks)
    assert changed < cases / 20


@given(st.integers(2, 1000))
def test_there_are_as_many_looks_as_the_error_is_divided_among(pairs: int) -> None:
    looks = looks_after(pairs)
    assert {2, pairs} <= looks
    assert len(looks) <= MAX_LOOKS


def test_many_pairs_are_looked_at_as_often_as_five() -> None:
    rng = np.random.default_rng(1)
    ends = [pairs for pairs in range(2, 21) if is_decided(*sides(rng, 1.0, 0.001, pairs), 20)]
    assert ends == [2, 4, 9, 20]
    assert [pairs for pairs in range(2, 6) if is_decided(*sides(rng, 1.0, 0.001, pairs))] == [2, 3, 4, 5]


def _first(whole: Outcome, pairs: int) -> Outcome:
    wall = whole.forward.wall_us
    return side(np.log(np.asarray(wall.samples[: pairs * TURNS]).reshape(pairs, TURNS) / 200))


def test_the_error_is_divided_among_the_looks() -> None:
    assert look_level(1) == pytest.approx(0.95)
    assert look_level(MAX_LOOKS) == pytest.approx(1 - 0.05 / MAX_LOOKS)
    assert spent(np.array([0.001, 0.5]), 4).tolist() == [0.004, 1.0]


def test_where_most_figures_change_less_evidence_is_certain() -> None:
    """With half of all figures changed, Benjamini and Hochberg accept p values up to 2.5%; half of that is required."""
    rng = np.random.default_rng(1)
    stop = EarlyStop(None, OPTIONS, PAIRS)
    assert stop.certain == CERTAIN
    for number in range(2 * MIN_EARLIER_FIGURES):
        base, new = sides(rng, 1.3 if number % 2 else 1.0, 0.01, 2)
        name = f"case-{number}"
        pair = (msgspec.structs.replace(base, case=name), msgspec.structs.replace(new, case=name))
        stop.is_decided(*pair)
        stop.is_decided(*pair)
    assert stop.certain == pytest.approx(0.0125, rel=0.2)


def test_where_nothing_changes_a_change_needs_strong_evidence() -> None:
    rng = np.random.default_rng(1)
    stop = EarlyStop(None, OPTIONS, PAIRS)
    for number in range(2 * MIN_EARLIER_FIGURES):
        base, new = sides(rng, 1.0, 0.01, 2)
        name = f"case-{number}"
        stop.is_decided(msgspec.structs.replace(base, case=name), msgspec.structs.replace(new, case=name))
    assert stop.certain == CERTAIN
