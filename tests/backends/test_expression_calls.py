"""Calls by expressions in the interpreters of their frameworks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.backends import expression_calls
from tests.installed_frameworks import require

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("framework", ["numpy", "torch", "jax", "jax:jit"])
def test_calls_that_were_freed_leave_no_array_and_gradients_can_be_given_up(framework: str) -> None:
    name = framework.partition(":")[0]
    python = Path(sys.executable) if name == "numpy" else require(name)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [python, "-m", expression_calls.__name__, framework]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
