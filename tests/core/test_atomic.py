"""Files come whole or not at all, and what is no file is never replaced by one."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from autoperf.core.files import atomic_path, atomic_text, write_atomic


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
