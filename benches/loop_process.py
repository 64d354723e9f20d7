"""Runs a plain loop in a process of its own."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any


class LoopError(Exception):
    """A loop without an answer: its message is a sentence, `said` all that it printed on standard error."""

    def __init__(self, said: str, otherwise: str = "") -> None:
        """Takes the first line, or the last one of a traceback: MXNet's message comes before its stack."""
        lines = said.strip().splitlines() or [otherwise]
        super().__init__(lines[-1 if lines[0].startswith("Traceback") else 0])
        self.said = said or otherwise


def answer_of(command: Sequence[str], environment: Mapping[str, str], seconds: float) -> dict[str, Any]:
    """The JSON in the last line that a loop prints. Raises LoopError if it fails, or takes longer.

    Standard error is a file, as that of autoperf's processes: `batch_take` prints a line in each call, which takes 5 us
    longer to a pipe.
    """
    with tempfile.TemporaryFile("w+") as errors:
        try:
            done = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, check=False, timeout=seconds, env=environment
            )
        except subprocess.TimeoutExpired:
            raise LoopError("", f"no answer in {seconds:.0f} s") from None
        errors.seek(0)
        said = errors.read()
    if done.returncode or not done.stdout.strip():
        raise LoopError(said, f"ended with {done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer
