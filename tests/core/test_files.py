"""Files come whole or not at all, are told by their kind and by the place of a mistake; what children get of us."""

from __future__ import annotations

import gzip
import os
import stat
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.files import atomic_path, atomic_text, child_environment, write_atomic
from autoperf.core.ndjson import check_header, decode_line, kind_of, read_lines


@pytest.fixture(params=["pipe", "link to a pipe"])
def pipe(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A named pipe, or a link that leads to one."""
    os.mkfifo(tmp_path / "pipe")
    if request.param == "pipe":
        return tmp_path / "pipe"
    (tmp_path / "link").symlink_to("pipe")
    return tmp_path / "link"


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_pipe_is_not_replaced(pipe: Path) -> None:
    before = _names(pipe.parent)
    with pytest.raises(OSError, match="it is a device or a pipe"):
        write_atomic(pipe, "text")
    with pytest.raises(OSError, match="it is a device or a pipe"), atomic_path(pipe):
        pytest.fail("there is nothing to write to")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert _names(pipe.parent) == before


def test_text_goes_through_a_pipe_to_its_reader(pipe: Path) -> None:
    heard: list[str] = []
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)) as opened:
        os.set_blocking(opened.fileno(), True)
        reader = threading.Thread(target=lambda: heard.append(opened.read()))
        with atomic_text(pipe) as file:
            reader.start()
            file.write("long " * 100_000)
        reader.join()
    assert heard == ["long " * 100_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_without_a_reader_is_not_waited_for(pipe: Path) -> None:
    with pytest.raises(OSError, match="No such device or address"), atomic_text(pipe):
        pytest.fail("there is nobody to write to")


@pytest.mark.parametrize("there", [True, False], ids=["a file", "nothing yet"])
def test_a_link_stays_and_its_file_is_written(tmp_path: Path, there: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    if there:
        target.write_text("old")
    link.symlink_to("elsewhere/target")
    write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert (_names(tmp_path), _names(target.parent)) == ({"elsewhere", "link"}, {"target"})


def test_a_link_to_itself_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(OSError, match="symbolic links"):
        write_atomic(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()


def test_an_error_in_the_block_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(TypeError), atomic_text(tmp_path / "file") as file:
        file.writelines(["half", 1])  # type: ignore[list-item]
    assert (tmp_path / "file").read_text() == "old"
    assert _names(tmp_path) == {"file"}


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
        check_header(Path("cmp.html"), line, "run", 1, "")
    assert str(caught.value) == (
        "invalid run file cmp.html, line 1: expected the run file that `autoperf run --run-file FILE` writes, got "
        f"something that seems to be {kind_of(line)}"
    )


def test_a_damaged_header_is_still_told_by_its_line() -> None:
    with pytest.raises(CaseFileError, match=r"run\.ndjson, line 1: Input data was truncated"):
        check_header(Path("run.ndjson"), b'{"type":"run","version":', "run", 1, "")


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
    with pytest.raises(CaseFileError, match=r"run\.ndjson, line 1: invalid empty line: expected JSON"):
        decode_line(file, 1, b"\n", _Line)


def test_a_child_finds_this_package_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    env = child_environment({"OMP_NUM_THREADS": "3"})
    assert env["OMP_NUM_THREADS"] == "3"
    assert env["PYTHONPATH"].endswith(":/elsewhere")
    assert env["PYTHONSAFEPATH"] == "1"
