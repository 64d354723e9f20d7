"""On a terminal, text out of files steers nothing."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.analysis.analysis_values import outcome, passed, steady, write_run

RED = "\x1b[31mRED"
SPELLED = b"\\u001b[31mRED"


def on_a_terminal(*arguments: str) -> bytes:
    """All that the command says to a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "autoperf", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        # Linux ends a terminal that nobody writes to any more with an error.
        with contextlib.suppress(OSError):
            while part := os.read(ours, 65536):
                said += part
        os.close(ours)
        assert process.wait() in (0, 2)
    return said


@pytest.mark.parametrize("form", ["table", "csv", "md", "json", "expected"])
def test_a_run_file_steers_no_terminal(tmp_path: Path, form: str) -> None:
    plain = outcome(0, passed(steady(10.0)), operator=RED)
    one = msgspec.structs.replace(plain, category=RED, profile=RED)
    said = on_a_terminal("report", str(write_run(tmp_path / "run.ndjson", [one])), "--format", form)
    assert SPELLED in said.replace(b"\\x1b", b"\\u001b")
    assert RED.encode() not in said


def test_a_message_steers_no_terminal(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text(f"raise ValueError({RED!r})\n")
    said = on_a_terminal("discover", "--rules", str(file))
    assert SPELLED in said
    assert RED.encode() not in said
