"""What a user names as input is a regular file, or a pipe that a shell has put in a command's place."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.files import check_input, open_input, read_input


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one\ntwo\n")
    assert read_input(file) == b"one\ntwo\n"
    with open_input(file) as opened:
        assert list(opened) == [b"one\n", b"two\n"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/dev/zero", "it is a device; give a regular file"),
        ("/dev/full", "it is a device"),
        ("fifo", "it is a named pipe; give a regular file"),
        (".", "Is a directory"),
        ("missing", "No such file"),
        ("nul\0", "null"),
        ("long", "it has 100 bytes, but the limit is 99"),
    ],
)
def test_what_is_no_such_file_is_refused_at_once(tmp_path: Path, name: str, words: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "long").write_bytes(b"x" * 100)
    for reader in (check_input, read_input):
        with pytest.raises(CaseFileError, match=f"can't read .*{words}"):
            reader(tmp_path / name, max_bytes=99)  # type: ignore[operator]


def test_a_substituted_pipe_is_read_to_its_end_and_can_be_read_again() -> None:
    reading, writing = os.pipe()
    content = b"line\n" * 100_000
    writer = threading.Thread(target=lambda: (os.write(writing, content[:7]), _rest(writing, content[7:])))
    writer.start()
    path = Path(f"/dev/fd/{reading}")
    try:
        assert read_input(path) == content
        writer.join()
        with open_input(path) as opened:
            opened.seek(10)
            assert opened.readline() == b"line\n"
    finally:
        os.close(reading)


def _rest(writing: int, content: bytes) -> None:
    with os.fdopen(writing, "wb") as file:
        file.write(content)


def test_a_pipe_that_says_nothing_or_too_much_is_refused() -> None:
    reading, writing = os.pipe()
    path = Path(f"/dev/fd/{reading}")
    try:
        with pytest.raises(CaseFileError, match=r"the pipe had no data for 0\.01 s"):
            open_input(path, seconds=0.01)
        os.write(writing, b"x" * 100)
        with pytest.raises(CaseFileError, match="the pipe has more than the limit of 99 bytes"):
            open_input(path, max_bytes=99)
    finally:
        os.close(reading)
        os.close(writing)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(CaseFileError):
            open_input(tmp_path / "fifo")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
