"""What becomes of a case that has ended: its samples, or a failure, which its rule may explain."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.outcome import Outcome, Status
from autoperf.measurement.aggregation import UNTRIED, outcome_of
from autoperf.measurement.batches import Job, TriedCase
from autoperf.measurement.messages import CaseFailure, ClockSamples, Conditions, Measured, PassSamples
from autoperf.measurement.settings import Settings
from tests.values import case

JOB = Job(case("exp", 4), default_dtype="float32", limits={"no primitive": "oneDNN has none on this processor"})
SETTINGS = Settings(processes=3)


def measured(*wall: float) -> Measured:
    return Measured(PassSamples(ClockSamples(wall)), None, Conditions(elapsed=0.1, others=0.0, throttled=0), {})


def after(*failures: CaseFailure, samples: tuple[Measured, ...] = (), refused_dtype: str = "") -> Outcome:
    return outcome_of(TriedCase(JOB, UNTRIED, samples, failures, 0.25, 0.25), SETTINGS, refused_dtype=refused_dtype)


def test_processes_without_samples_are_named_with_their_reasons() -> None:
    crash = CaseFailure(Status.CRASHED, "SIGSEGV")
    found = after(crash, crash, samples=(measured(100.0, 101.0),))
    assert found.forward
    assert found.forward.notes == ("2 of 3 processes gave no samples: crashed: SIGSEGV",)
    complete = after(samples=(measured(100.0, 101.0),) * 3)
    assert complete.forward
    assert complete.forward.notes == ()


@pytest.mark.parametrize(
    ("failure", "refused_dtype", "status", "reason"),
    [
        (CaseFailure(Status.FAILED, "wrong"), "", Status.FAILED, "wrong"),
        (CaseFailure(Status.CRASHED, "no primitive"), "", Status.CRASHED, "no primitive"),
        (
            *(CaseFailure(Status.FAILED, "there is no primitive"), "", Status.SKIPPED),
            "a known limit on this processor: oneDNN has none on this processor: there is no primitive",
        ),
        (
            *(CaseFailure(Status.FAILED, "there is no primitive"), "float16", Status.SKIPPED),
            "MXNet refuses float16 at run time, but accepts float32: there is no primitive",
        ),
    ],
    ids=["a failure", "a crash", "a known limit", "a refusal of the dtype"],
)
def test_a_failure_is_skipped_where_its_cause_is_known(
    failure: CaseFailure, refused_dtype: str, status: Status, reason: str
) -> None:
    """Whether the trial or the processes that time found it."""
    found = after(failure, refused_dtype=refused_dtype)
    assert (found.status, found.reason, found.seconds) == (status, reason, 0.5)
    assert found.refused_dtype == (refused_dtype or msgspec.UNSET)
    tried = outcome_of(TriedCase(JOB, failure, trial_seconds=0.5), SETTINGS, refused_dtype=refused_dtype)
    assert (tried.status, tried.reason) == (status, reason)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -1.0, 1e13])
def test_samples_that_no_process_takes_fail_the_case(wrong: float) -> None:
    """An operator may overwrite the memory of the process that times it."""
    found = after(samples=(measured(100.0, wrong),) * 3)
    assert found.status is Status.FAILED
    assert found.forward is None
    assert found.reason.startswith("its processes gave invalid samples: ")
