"""A file that is none of autoperf's own is told by its kind."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.ndjson import check_header, kind_of


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"<!DOCTYPE html>\n", "an HTML page"),
        (b'<?xml version="1.0"?>', "an XML file"),
        (b"<testsuites>", "an XML file"),
        (gzip.compress(b"{}", mtime=0), "a gzip archive, which has to be unpacked"),
        (b"PK\x03\x04", "a zip archive, which has to be unpacked"),
        (b"\x01\x02\x03\x04\x05\x06\x07\x08DUCK", "a history: `autoperf history` reads it"),
        (b"\x89PNG", "an image"),
        (b"\x7fELF\x02", "a library or a program"),
        (b"ab\x00c", "a binary file"),
        (b"[1, 2]", "a JSON document"),
        (b'{"run": 1,', "a JSON document of several lines, such as a report"),
        (b"| operator | profile |", "Markdown"),
        (b"from autoperf.bench import Suite", "a Python file"),
        (b"operator,profile,inputs", "CSV"),
        (b"softmax:", "a YAML file"),
        (b"10 cases are measured", "text"),
    ],
)
def test_the_first_line_tells_the_kind(line: bytes, kind: str) -> None:
    assert kind_of(line) == kind


@pytest.mark.parametrize("line", [b"<html>\n", b"[1]\n", b'{"run": {\n'])
def test_a_file_without_a_header_is_told_by_kind_and_expectation(line: bytes) -> None:
    with pytest.raises(CaseFileError) as caught:
        check_header(Path("cmp.html"), line, "run", (1,), "")
    assert str(caught.value) == (
        "invalid run file cmp.html, line 1: expected the run file that `autoperf run --run-file FILE` writes, got "
        f"something that seems to be {kind_of(line)}"
    )


def test_a_damaged_header_is_still_told_by_its_line() -> None:
    with pytest.raises(CaseFileError, match=r"run\.ndjson, line 1: Input data was truncated"):
        check_header(Path("run.ndjson"), b'{"type":"run","version":', "run", (1,), "")
