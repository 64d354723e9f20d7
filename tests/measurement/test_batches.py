"""A batch and its answer are values: what is sent is what arrives."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.backends.protocol import BackwardRequest, TrialResult
from autoperf.core.outcome import Status
from autoperf.measurement.batches import BatchAnswer, BatchRequest, CaseAnswer, Job, TriedCase
from autoperf.measurement.messages import CaseFailure, ClockSamples, Conditions, Measured, PassSamples
from tests.values import MACHINE, case, outcome, passed, steady

JOB = Job(case("exp", 2, 3), 0.5)
SAMPLES = PassSamples(ClockSamples((1.5, 2.5), faults=(0, 1)), ClockSamples((1.0, 2.0)), {"exp": 1.5}, first_us=99.5)
STARTED = TriedCase(
    JOB,
    TrialResult((), BackwardRequest(("data",)), ("exp",), (), None, seconds=0.25),
    (Measured(SAMPLES, None, Conditions(0.5, 0.0, 0), {"timing": 0.5}),),
    (CaseFailure(Status.CRASHED, "the process died", killed=True),),
    trial_seconds=0.25,
    timing_seconds=0.5,
    left=59.25,
)
OUTCOME = msgspec.structs.replace(outcome(0, passed(steady(10.0))), machine=MACHINE.id, visit=2)


@pytest.mark.parametrize(
    "value",
    [
        BatchRequest(1, "exp", ((JOB,), (JOB,)), in_turn=7),
        BatchRequest(2, "exp", ((),), ((STARTED,),), until=3),
        BatchAnswer(2, (MACHINE,), (CaseAnswer(0, 0, OUTCOME, STARTED),), 1.5),
    ],
    ids=["new cases", "started cases", "answer"],
)
@pytest.mark.parametrize("codec", [msgspec.msgpack, msgspec.json])
def test_a_value_arrives_as_it_was_sent(value: BatchRequest | BatchAnswer, codec: object) -> None:
    assert codec.decode(codec.encode(value), type=type(value)) == value  # type: ignore[attr-defined]
