"""Lines of NDJSON that can't be read are told by their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.ndjson import decode_line, read_lines


class _Line(msgspec.Struct):
    value: Any = None


def test_a_line_that_is_nested_too_deeply_is_told_by_its_place() -> None:
    line = b'{"value":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(CaseFileError, match=r"run\.ndjson, line 7: nested too deeply"):
        decode_line(Path("run.ndjson"), 7, line, _Line)


def test_empty_lines_are_told_unless_nothing_follows(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    file.write_bytes(b"1\n2\n\n  \n")
    assert list(read_lines(file)) == [(1, b"1\n"), (2, b"2\n")]
    file.write_bytes(b"1\n\n\n2\n")
    with pytest.raises(CaseFileError, match=r"run\.ndjson, line 2: invalid empty line: expected JSON"):
        list(read_lines(file))
    with pytest.raises(CaseFileError, match=r"run\.ndjson, line 1: is empty"):
        decode_line(file, 1, b"\n", _Line)
