"""Real child processes, which do what a test says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autoperf.processes.child_process import ChildProcess
from tests.processes.scripted_child import Start


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts such a child; all are ended with the test."""
    path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    children: list[ChildProcess[str, str]] = []

    def start_child(*, may_fork: bool = False) -> ChildProcess[str, str]:
        decoder = msgspec.msgpack.Decoder(tuple[int, str])
        child = ChildProcess[str, str]("scripted_child", [], decoder, {}, may_fork=may_fork)
        children.append(child)
        return child

    yield start_child
    for child in children:
        child.kill()
