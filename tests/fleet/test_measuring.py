"""The measuring process of a machine: what it answers when the machine fails."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from autoperf.fleet.measuring import MeasuringProcess
from autoperf.fleet.messages import MachineRefused, Order


def test_an_error_of_the_machine_without_a_file_names_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autoperf.fleet.measuring.scratch_folder", lambda: os.close(-1))
    with ExitStack() as stack:
        answer = MeasuringProcess(stack).answer(Order(b"", b"", ()))
    assert isinstance(answer, MachineRefused)
    place, _, reason = answer.reason.rpartition(": ")
    assert reason == "Bad file descriptor"
    assert place.rpartition(":")[0] == __file__
