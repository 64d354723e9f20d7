"""Cases that only one side has are skipped in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.capi.library_path import find_library
from autoperf.core.outcome import Status
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job
from autoperf.pipeline.batches import Batch
from autoperf.pipeline.counterparts import CounterpartSchedule
from autoperf.pipeline.interleaved_schedule import InterleavedSchedule
from autoperf.pipeline.schedules import SideExecutor
from tests.values import case


@pytest.mark.parametrize("schedule", [InterleavedSchedule, CounterpartSchedule])
def test_cases_of_the_second_side_are_skipped_in_order(schedule: type[InterleavedSchedule], tmp_path: Path) -> None:
    sides = [SideExecutor(Executor(find_library(), Settings(), tmp_path)) for _ in range(2)]
    cases = [case("exp", size) for size in range(1, 20)]
    jobs = tuple(Job(tmp_path, f"size_{number}", case) for number, case in enumerate(cases))
    outcomes = list(schedule(sides, seed=1).outcomes((Batch("exp", ()), Batch("exp", jobs))))
    assert {(skipped.side, skipped.outcome.status) for skipped in outcomes} == {(1, Status.SKIPPED)}
    assert [skipped.outcome.case for skipped in outcomes] == [case.id for case in cases]
