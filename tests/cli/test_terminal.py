"""On a terminal, text out of files steers nothing."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from autoperf.cli.streams import wrapped
from tests.values import outcome, passed, steady, write_run

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


@pytest.mark.parametrize("form", ["table", "csv", "md", "json", "baseline"])
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


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_messages_are_broken_between_words_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "results: /a/long/path/of-a/run.ndjson, with a note"
    assert wrapped(text, Terminal()).splitlines() == ["results:", "/a/long/path/of-a/run.ndjson,", "with a note"]
    assert wrapped("", Terminal()) == ""
    assert wrapped(text, io.StringIO()) == text
    monkeypatch.delenv("COLUMNS")
    assert wrapped(text, Terminal()) == text, "a terminal of unknown width"


def test_an_error_breaks_no_word_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = on_a_terminal("discover", "--operator", "softmax", "--mxnet", "0.1").decode().splitlines()
    assert len(lines) > 1
    assert all(len(line) <= 80 for line in lines)
    assert "known releases are" in " ".join(lines)
