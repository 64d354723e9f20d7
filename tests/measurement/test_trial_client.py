"""Cases are tried alone, without anything that times them."""

from __future__ import annotations

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.protocol import TrialResult
from autoperf.core.outcome import Status
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.trial_client import DryRunClient
from tests.measurement.executor_values import QUICK, hostile_job, jobs


def test_a_forward_pass_is_tried_and_a_crash_costs_only_itself(tmp_path, write) -> None:
    healthy = jobs(write("exp", "data=tensor((3, 3))", name="healthy"))[0]
    wrong = jobs(write("dot", "lhs=tensor((2, 3)), rhs=tensor((2, 3))", name="wrong"))[0]
    with DryRunClient(find_library(), QUICK, tmp_path) as attempter:
        crashed = attempter.forward(hostile_job("    os.abort()"))
        refused = attempter.forward(wrong)
        taken = attempter.forward(healthy)
    assert isinstance(crashed, CaseFailure)
    assert (crashed.status, "SIGABRT" in crashed.reason) == (Status.CRASHED, True)
    assert isinstance(refused, CaseFailure)
    assert refused.status is Status.FAILED
    assert isinstance(taken, TrialResult)
    assert taken.outputs[0].shape == (3, 3)
    assert taken.backward_kernels == ()
