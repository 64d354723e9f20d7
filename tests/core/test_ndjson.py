"""Lines of NDJSON that can't be read are told by their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.ndjson import decode_line


class _Line(msgspec.Struct):
    value: Any = None


def test_a_line_that_is_nested_too_deeply_is_told_by_its_place() -> None:
    line = b'{"value":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(CaseFileError, match=r"run\.ndjson, line 7: nested too deeply"):
        decode_line(Path("run.ndjson"), 7, line, _Line)
