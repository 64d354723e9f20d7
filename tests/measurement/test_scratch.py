"""Scratch folders go with their runs, and those of killed runs with the next one."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autoperf.core.errors import OutputError
from autoperf.measurement import scratch
from autoperf.measurement.scratch import MARK, OWNER, remove_leftovers, scratch_folder

HOLD = "import sys; from autoperf.measurement.scratch import scratch_folder\n"
HOLD += "with scratch_folder() as folder:\n    (folder / 'inner').mkdir(); print(folder, flush=True); sys.stdin.read()"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_scratch_folder_goes_with_its_run(place: Path) -> None:
    with scratch_folder() as folder:
        (folder / "deep" / "er").mkdir(parents=True)
        assert folder.parent == place
    assert not list(place.iterdir())


def test_a_scratch_folder_goes_even_if_the_run_fails(place: Path) -> None:
    with pytest.raises(RuntimeError), scratch_folder():
        raise RuntimeError
    assert not list(place.iterdir())


def test_only_what_killed_runs_left_is_removed(place: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin
    assert holder.stdout
    held = Path(holder.stdout.readline().strip())
    strange = place / "autoperf-of-somebody-else"
    strange.mkdir()
    with scratch_folder():
        assert (held / "inner").is_dir()
    holder.kill()
    holder.wait()
    assert (held / OWNER).exists()
    with scratch_folder():
        assert not held.exists()
    assert list(place.iterdir()) == [strange]
    holder.stdin.close()
    holder.stdout.close()


def test_two_that_clean_up_at_once_don_t_mind(place: Path) -> None:
    dead = place / "autoperf-dead"
    dead.mkdir()
    (dead / OWNER).write_bytes(MARK)
    assert remove_leftovers(place) == 1
    assert remove_leftovers(place) == 0


def test_a_place_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(OutputError, match="can't make a scratch folder: No such file or directory; set TMPDIR"):
        scratch_folder().__enter__()


def _foreign_file(folder: Path) -> None:
    (folder / OWNER).write_text("me\n")


def _empty_file(folder: Path) -> None:
    (folder / OWNER).touch()


def _longer_file(folder: Path) -> None:
    (folder / OWNER).write_bytes(MARK + b"more")


def _fifo(folder: Path) -> None:
    os.mkfifo(folder / OWNER)


def _link(folder: Path) -> None:
    """A link to a file that has our mark."""
    elsewhere = folder / "elsewhere"
    elsewhere.write_bytes(MARK)
    (folder / OWNER).symlink_to(elsewhere)


def _folder(folder: Path) -> None:
    (folder / OWNER).mkdir()


@pytest.mark.parametrize("make", [_foreign_file, _empty_file, _longer_file, _fifo, _link, _folder])
def test_a_folder_without_our_mark_stays(place: Path, make: Callable[[Path], None]) -> None:
    foreign = place / "autoperf-results"
    foreign.mkdir()
    make(foreign)
    kept = foreign / "work.txt"
    kept.write_text("months of work")
    assert remove_leftovers(place) == 0
    assert kept.read_text() == "months of work"


def test_a_link_to_a_folder_stays(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / OWNER).write_bytes(MARK)
    (place / "autoperf-link").symlink_to(elsewhere)
    assert remove_leftovers(place) == 0
    assert (elsewhere / OWNER).exists()


def test_a_full_disk_leaves_no_scratch_folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, _content: bytes) -> io.FileIO:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(scratch, "make_locked", full)
    with pytest.raises(OutputError, match="owner: No space left on device; set TMPDIR"):
        scratch_folder().__enter__()
    assert not list(place.iterdir())
