"""Registries as files."""

from pathlib import Path

import msgspec
import pytest

from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.operator import Registry
from autoperf.registry import snapshot


def test_a_snapshot_is_the_registry(registry: Registry, tmp_path: Path) -> None:
    snapshot.save(registry, tmp_path / "registry.json")
    assert snapshot.load(tmp_path / "registry.json") == registry
    assert [path.name for path in tmp_path.iterdir()] == ["registry.json"]


def test_another_format_is_named(registry: Registry, tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(registry, format=7)))
    with pytest.raises(CaseFileError, match=rf"{path} has format 7, and this autoperf reads format 1"):
        snapshot.load(path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": "one"}'])
def test_a_broken_snapshot_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "registry.json"
    path.write_text(text)
    with pytest.raises(CaseFileError, match=rf"{path} is no registry"):
        snapshot.load(path)


def test_a_missing_snapshot_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match="can't be read: No such file"):
        snapshot.load(tmp_path / "registry.json")


def test_a_place_that_can_not_be_written_is_named(registry: Registry, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="can't be written: No such file"):
        snapshot.save(registry, tmp_path / "absent" / "registry.json")
