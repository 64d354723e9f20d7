"""A child's module runs as a program, beside NumPy whose threads sleep early and none of whose set-up stays."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from autoperf.processes.start import THREAD_TIMEOUT

MODULE = f"""
import os, sys
import numpy
print(__name__, sys.argv[1:], os.environ.get("{THREAD_TIMEOUT}"))
"""


@pytest.mark.parametrize(("given", "left"), [({}, "None"), ({THREAD_TIMEOUT: "20"}, "20")], ids=["unset", "set"])
def test_only_the_users_variable_is_left_for_the_module(given: Mapping[str, str], left: str, tmp_path: Path) -> None:
    (tmp_path / "told.py").write_text(MODULE, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != THREAD_TIMEOUT}
    path = os.pathsep.join([str(tmp_path), *filter(None, [environment.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "autoperf.processes.start", "told", "3", "4"],
        capture_output=True, text=True, check=True, env={**environment, "PYTHONPATH": path, **given},
    )  # fmt: skip
    assert done.stdout == f"__main__ ['3', '4'] {left}\n"
