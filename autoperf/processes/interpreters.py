"""Runs a few lines in another Python interpreter."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from autoperf.core.errors import ProcessError
from autoperf.core.paths import child_environment

PATIENCE = 60.0


def output_of(interpreter: Path, code: str, arguments: Sequence[str]) -> bytes:
    """The standard output of the code. Raises ProcessError if it can't be run, or fails."""
    try:
        done = subprocess.run(
            [str(interpreter), "-c", code, *arguments],
            capture_output=True, check=False, timeout=PATIENCE, stdin=subprocess.DEVNULL, env=child_environment({}),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProcessError(str(error)) from error
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").split("\n")
        raise ProcessError(next((line for line in reversed(lines) if line.strip()), f"exit code {done.returncode}"))
    return done.stdout
