"""Runs the program as a user does: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def program() -> Program:
    """Call it with the command line; `env` adds variables."""

    def call(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "autoperf", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COLUMNS": "100", **(env or {})},
        )

    return call
