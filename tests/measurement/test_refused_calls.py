"""Failures of a first run that are mistakes of the caller, and the limits of a user's rules."""

from __future__ import annotations

from typing import Any, cast

import pytest

from autoperf.backends.protocol import TrialResult
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.outcome import Status
from autoperf.measurement.batches import Job
from autoperf.measurement.local_runner import check_calls
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import rule_limits
from autoperf.rules.sandbox import Limits

RESULT = TrialResult((), None, (), (), None)
REFUSED = CaseFailure(Status.FAILED, "Check failed")


def _case(number: int, params: dict[str, Any]) -> Case:
    return Case(operator="op", category="unary", profile=str(number), inputs=(), params=params)


def check(*answers: TrialResult | CaseFailure, same_call: bool = False) -> None:
    class Tried:
        settings = Settings()

        def try_early(self, job: Job) -> Any:
            return answers[int(job.case.profile)]

    jobs = [Job(_case(number, {} if same_call else {"n": number})) for number in range(len(answers))]
    check_calls(jobs, cast("Any", Tried()))


@pytest.mark.parametrize(
    "failure",
    [
        CaseFailure(Status.CRASHED, "the process died: SIGSEGV"),
        CaseFailure(Status.TIMEOUT, "no answer after 60 s"),
        CaseFailure(Status.SKIPPED, "this release has no such layer"),
        CaseFailure(Status.FAILED, "an invalid answer", broken=True),
        CaseFailure(Status.FAILED, "out of memory within the limit of 1 MiB", exhausted=True),
    ],
)
def test_a_failure_of_mxnet_or_of_the_machine_is_an_outcome(failure: CaseFailure) -> None:
    check(RESULT, failure)


def test_a_refusal_is_a_mistake_unless_another_dtype_of_the_call_runs() -> None:
    for answers, same_call in (((RESULT, REFUSED), False), ((REFUSED, REFUSED), True)):
        with pytest.raises(EngineError, match=r"^MXNet refuses these inputs of op: Check failed$"):
            check(*answers, same_call=same_call)
    check(RESULT, REFUSED, same_call=True)


def test_limits_of_user_rules() -> None:
    assert rule_limits(Settings(timeout=7.0, memory_limit=2**40)) == Limits(7.0, 2**40)
    assert rule_limits(Settings()).memory == min(Limits.memory, Settings().bytes_allowed)
