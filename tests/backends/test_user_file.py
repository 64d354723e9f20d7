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
