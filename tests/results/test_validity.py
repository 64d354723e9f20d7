"""Figures of files are checked before they are used."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.outcome import Outcome, Pass
from autoperf.results.statistics import summarise
from autoperf.results.validity import MAX_COUNT, MAX_SAMPLE_US, check_outcome
from tests.analysis.analysis_values import outcome

MANY = 10 * MAX_SAMPLE_US


def read(**series: float) -> Outcome:
    return outcome(0, msgspec.structs.replace(Pass(), **{key: summarise([value]) for key, value in series.items()}))


def test_a_count_may_be_larger_than_a_time() -> None:
    check_outcome(read(instructions=MANY))
    with pytest.raises(ValueError, match=r"expected times from 0 to 2\.7e\+12 us"):
        check_outcome(read(wall_us=MANY))


@pytest.mark.parametrize("count", [-1.0, 2 * MAX_COUNT])
def test_a_count_that_no_counter_holds_is_refused(count: float) -> None:
    with pytest.raises(ValueError, match="expected counts from 0"):
        check_outcome(read(instructions=count))
