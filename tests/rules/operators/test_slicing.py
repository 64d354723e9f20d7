"""A mask's pattern, counted by hand."""

from autoperf.rules.operators.slicing import Masking


def test_a_masking_counts_what_its_pattern_selects():
    masking = Masking(shape=(3, 4, 5), start=0, axes=2, pattern=(1.0, 0.0, 0.0, 1.0, 1.0))
    assert masking.mask.shape == (3, 4)
    assert masking.chosen == (7, 5)


def test_the_axes_before_and_behind_the_mask_stay():
    masking = Masking(shape=(2, 6, 5), start=1, axes=1, pattern=(1.0, 0.0))
    assert masking.chosen == (2, 3, 5)
