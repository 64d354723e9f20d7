"""How much of a slow input's work a fast one asks for."""

from __future__ import annotations

from autoperf.core.work import Work
from autoperf.hunt.work_share import min_work_share

SLOW = Work(bytes_in=100.0, bytes_out=50.0, elements=25.0, flops=10.0)
NOTHING = Work(bytes_in=0.0, bytes_out=0.0, elements=0.0, flops=0.0)


def test_the_least_share_counts_and_more_work_is_no_more_than_as_much() -> None:
    assert min_work_share(SLOW, Work(200.0, 25.0, 50.0, 20.0)) == 0.5
    assert min_work_share(SLOW, Work(200.0, 100.0, 50.0, 20.0)) == 1.0


def test_an_input_without_work_asks_for_no_more_than_any_other() -> None:
    """An empty output, such as the indices of the lower triangle of a matrix without rows."""
    assert min_work_share(NOTHING, SLOW) == 1.0
    assert min_work_share(NOTHING, NOTHING) == 1.0
