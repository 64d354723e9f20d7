"""Scratch folders go with their runs, and those of killed runs with the next one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autoperf.core.errors import OutputError
from autoperf.pipeline.scratch import OWNER, remove_leftovers, scratch_folder

HOLD = "import sys; from autoperf.pipeline.scratch import scratch_folder\n"
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
    (dead / OWNER).touch()
    assert remove_leftovers(place) == 1
    assert remove_leftovers(place) == 0


def test_a_place_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(OutputError, match="can't make a scratch folder: No such file or directory; TMPDIR"):
        scratch_folder().__enter__()
