"""Dask is imported only where a cluster is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
import autoperf
from autoperf.cli.main import run
run({words})
print({{"dask", "distributed"}} & sys.modules.keys())
"""


@pytest.mark.parametrize("words", [["--help"], ["run", "--operator", "none"]])
def test_other_commands_do_without_dask(words: list[str]) -> None:
    ended = subprocess.run([sys.executable, "-c", CODE.format(words=words)], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("set()\n")
