"""Failures outside of a case's samples: what a process answers, or how it ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autoperf.core.errors import EngineError
from autoperf.core.outcome import Status
from autoperf.measurement.messages import CaseFailure, Close, Open, Opened, Task
from autoperf.measurement.settings import Settings
from autoperf.measurement.worker import Worker
from tests.measurement.recorded_calls import RecordedEngine
from tests.values import case

SETTINGS = Settings(cpus=(), warmup=1, runs=2, profiler="python")
TASK = Task(case("exp", 2, 2))
SERVING = """
from autoperf.measurement.child_setup import serve_requests
from autoperf.processes.channel import ChannelClosed

class Requests:
    def receive(self):
        return 1, None

    def send(self, answer, number):
        raise ChannelClosed

def answer(request):
    {body}

serve_requests(Requests(), answer)
"""


def worker(failure: Exception) -> Worker:
    """One whose calls can't be freed."""
    return Worker(RecordedEngine(free_failure=failure), SETTINGS)  # type: ignore[arg-type]


@pytest.mark.parametrize("failure", [EngineError("can't free it"), KeyError("the key")])
def test_a_call_that_cannot_be_freed_fails_its_case(failure: Exception) -> None:
    assert worker(failure).answer(TASK) == CaseFailure(Status.FAILED, str(failure))


@pytest.mark.parametrize("later", [TASK, Close()], ids=["a case", "its end"])
def test_an_open_case_that_cannot_be_freed_fails_the_request_after_it(later: Task | Close) -> None:
    process = worker(EngineError("can't free it"))
    opened = process.answer(Open(TASK))
    assert isinstance(opened, Opened), opened
    assert process.answer(later) == CaseFailure(Status.FAILED, "can't free it")
    assert process.answer(Close()) == CaseFailure(Status.FAILED, "the process that had the case open was lost")


def served(body: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SERVING.format(body=body)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_process_that_fails_over_a_request_says_why_and_does_not_end_well() -> None:
    ended = served("raise KeyError('the key')")
    assert ended.returncode == 1
    assert "Traceback" in ended.stderr
    assert ended.stderr.endswith("KeyError: 'the key'\n")


def test_a_process_whose_requests_end_ends_well() -> None:
    ended = served("return None")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
