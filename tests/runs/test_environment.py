"""The environment record says what the machine is, and what steers MXNet on it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import numpy as np
import pytest

from autoperf.runs.runfile import Environment, processor, record, revision, settings


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def test_a_record_can_be_written_and_read() -> None:
    made = record({"version": "1.9.1", "features": {"MKLDNN": True}}, {"OMP_NUM_THREADS": "2", "HOME": "/root"})
    assert msgspec.json.decode(msgspec.json.encode(made), type=Environment) == made
    assert made.packages["numpy"] == np.__version__
    assert made.settings == {"OMP_NUM_THREADS": "2"}
    assert made.mxnet["version"] == "1.9.1"
    assert 0 < made.memory_available <= made.memory_total
    assert len(made.load) == 3


@pytest.mark.parametrize("features", [[1], "MKLDNN", 3])
def test_features_that_are_none_are_refused_by_their_name(features: object) -> None:
    text = msgspec.json.encode(record({"features": {}}, {})).replace(
        b'"features":{}', b'"features":' + msgspec.json.encode(features)
    )
    with pytest.raises(msgspec.ValidationError, match=r"invalid mxnet\.features .*: expected a dictionary"):
        msgspec.json.decode(text, type=Environment)


def test_only_what_steers_the_libraries_is_kept() -> None:
    variables = {
        "MXNET_ENGINE_TYPE": "NaiveEngine",
        "KMP_AFFINITY": "x",
        "PATH": "/bin",
        "TOKEN": "s",
        "OMP_PLACES": "c",
    }
    assert list(settings(variables)) == ["KMP_AFFINITY", "MXNET_ENGINE_TYPE", "OMP_PLACES"]


def test_processors_are_described_as_linux_does(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: Example 9000 @ 2.50GHz\nmodel name\t: other\n")
    for index, governor in enumerate(("powersave", "performance")):
        folder = tmp_path / f"cpu{index}" / "cpufreq"
        folder.mkdir(parents=True)
        (folder / "scaling_governor").write_text(f"{governor}\n")
    found = processor(info, tmp_path)
    assert found.model == "Example 9000 @ 2.50GHz"
    assert found.governors == ("performance", "powersave")
    assert found.usable >= 1


def test_a_machine_without_these_files_is_described_too(tmp_path: Path) -> None:
    found = processor(tmp_path / "none", tmp_path)
    assert found.model
    assert found.governors == ()


def test_a_revision_says_whether_files_are_changed(tmp_path: Path) -> None:
    assert revision(tmp_path) is None
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    clean = revision(tmp_path)
    assert clean is not None
    assert len(clean) == 40
    (tmp_path / "file").write_text("two")
    assert revision(tmp_path) == f"{clean}-dirty"


def test_without_git_there_is_no_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert revision(tmp_path) is None
