"""What a user's file raises is told with the file and the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.backends.user_code import errors_in, user_attribute
from autoperf.core.errors import CaseFileError, UsageError


def text(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text('def fail():\n    raise RuntimeError("line one\\nline two")\n')
    return path


def test_an_exception_is_told_with_its_line(file: Path) -> None:
    with pytest.raises(CaseFileError) as caught, errors_in(file, text):
        user_attribute(file, "fail", text)()
    assert str(caught.value) == f"{file}, line 2: RuntimeError: line one line two"


def test_one_that_passed_through_no_line_names_the_file(file: Path) -> None:
    with pytest.raises(CaseFileError, match=r"net\.py: ValueError: other$"), errors_in(file, text):
        raise ValueError("other")


def test_a_message_for_the_user_passes_unchanged(file: Path) -> None:
    with pytest.raises(UsageError, match=r"^expected another$"), errors_in(file, text):
        raise UsageError("expected another")


def test_a_file_may_have_data_classes_with_postponed_annotations(tmp_path: Path) -> None:
    path = tmp_path / "configured.py"
    lines = "from __future__ import annotations", "from dataclasses import dataclass", "@dataclass", "class Config:"
    path.write_text("\n".join((*lines, "    units: int = 8")))
    assert user_attribute(path, "Config", text)().units == 8


def test_a_file_that_ends_the_program_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("import sys\nsys.exit(2)\n")
    with pytest.raises(CaseFileError, match=r"script\.py, line 2: SystemExit: the file ends the program$"):
        user_attribute(path, "make", text)
