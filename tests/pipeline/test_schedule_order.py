"""Cases that only one side has are skipped in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from autoperf.executor.batches import Job
from autoperf.pipeline.batches import Batch
from autoperf.pipeline.counterparts import inputs_key
from autoperf.pipeline.schedules import InTurn, Schedule, Visits
from tests.values import case


@pytest.mark.parametrize("in_turn", [InTurn(1), InTurn(1, inputs_key)], ids=["by id", "by inputs"])
def test_cases_of_the_second_side_are_skipped_in_order(in_turn: InTurn, tmp_path: Path) -> None:
    cases = [case("exp", size) for size in range(1, 20)]
    jobs = tuple(map(Job, cases))
    schedule = Schedule(iter([(Batch("exp", ()), Batch("exp", jobs))]), Visits(1, 5, tmp_path), in_turn)
    scheduled = schedule.next()
    assert scheduled
    assert (scheduled.size, scheduled.request) == (19, None)
    assert {(skipped.side, skipped.outcome.status) for skipped in scheduled.skipped} == {(1, Status.SKIPPED)}
    assert [skipped.outcome.case for skipped in scheduled.skipped] == [case.id for case in cases]
    assert schedule.next() is None
