"""Families are reported only with the conditions that fresh draws confirm."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.finding import FamilyCheck
from autoperf.core.outcome import PassName
from autoperf.hunt.contrast import Contrast
from autoperf.hunt.family import DtypeIs, Family, LabelledInputs, MultipleOf, Within, separate_limits
from autoperf.hunt.generaliser import Generalised, Generaliser, _is_confirmed
from autoperf.hunt.neighbours import Step
from autoperf.hunt.point import Length
from autoperf.rules.rule import inputs, tensor
from tests.hunt.hunt_values import factory_of, plain, point, shape, timings_of, view_of

HALF = DtypeIs(("float16",), ("float32",))
EVEN = MultipleOf(Length("data", 0, -1), 4)
RIGHT = FamilyCheck(inside=8, inside_slow=8, outside=8, outside_fast=8)


@pytest.mark.parametrize(
    ("slow", "confirmed"), [((False,), True), ((True,), False), ((), False), ((True, False), False)]
)
def test_a_condition_is_confirmed_by_fast_draws_that_fail_it_alone(
    release: Release, slow: tuple[bool, ...], confirmed: bool
) -> None:
    alone = [
        (point(release, "exp", inputs(data=tensor(5 + 2 * at)), "float16"), label) for at, label in enumerate(slow)
    ]
    both_fail = (point(release, "exp", inputs(data=tensor(5))), False)
    assert _is_confirmed(EVEN, (HALF, EVEN), [*alone, both_fail]) is confirmed


def test_a_family_with_a_condition_that_no_draw_confirms_is_not_told() -> None:
    assert Generalised(Family((HALF, EVEN)), RIGHT, LabelledInputs()).is_reported
    assert not Generalised(Family((HALF, EVEN)), RIGHT, LabelledInputs(), is_confirmed=False).is_reported


def test_each_limit_needs_fast_draws_beyond_it(release: Release) -> None:
    """Draws that lack a dimension don't confirm a limit of its length."""
    low, high = separate_limits([Within(Length("data", 0, -2), low=4, high=90)])
    below, above = ((point(release, "exp", inputs(data=tensor(size, 9))), False) for size in (3, 91))
    flat = point(release, "exp", inputs(data=tensor(9))), False
    assert _is_confirmed(low, (low, high), [below, flat])
    assert not _is_confirmed(high, (low, high), [below, flat])
    assert _is_confirmed(high, (low, high), [above])


def test_limits_hold_for_the_input_that_was_simplified(release: Release) -> None:
    """A ratio of lengths isn't limited by that of the simplest input alone."""

    def skewed(case: Case, _pass: PassName) -> float:
        first, last = shape(case)[0], shape(case)[-1]
        return 150 + 0.01 * first * last * (8 if last >= 64 * first else 1)

    timings, _ = timings_of(skewed, 10.0)
    finder = view_of(timings, factory_of(release, "exp", plain))
    sizes = (1, 65536), (65536, 1), (20, 2000)
    slow, fast, first = (point(release, "exp", inputs(data=tensor(*each))) for each in sizes)
    contrast = Contrast(slow, fast, Step("exchanged", "axes 0 and 1 exchanged", (), "float32"), 6.0, "forward")
    family = Generaliser(finder, contrast, lambda _: False, first).result().family
    assert all(condition.holds(first) for condition in family.conditions if isinstance(condition, Within))


def test_a_family_that_was_cut_short_is_continued_with_other_draws(release: Release) -> None:
    def half(case: Case, _pass: PassName) -> float:
        return (150 + 0.1 * shape(case)[0]) * (4 if case.inputs[0].tensor.dtype == "float16" else 1)

    timings, source = timings_of(half, 2.0)
    finder = view_of(timings, factory_of(release, "exp", plain))
    slow, fast = (point(release, "exp", inputs(data=tensor(64)), dtype) for dtype in ("float16", "float32"))
    contrast = Contrast(slow, fast, Step("dtype", "float32", (), "float32"), 4.0, "forward")
    timings.deadline = source.clock.now + 0.05
    cut = Generaliser(finder, contrast, lambda _: False, slow).result()
    assert cut.check.unfinished
    assert not cut.is_reported
    timings.deadline = 10.0
    whole = Generaliser(finder, contrast, lambda _: False, slow, cut.examples).result()
    assert whole.is_reported
    assert whole.family.words == "float16"
    assert len(whole.examples) > len(cut.examples)
