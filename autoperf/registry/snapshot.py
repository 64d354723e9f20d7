"""A registry as a JSON file, so that later stages can run without MXNet."""

from __future__ import annotations

from pathlib import Path

import msgspec

from autoperf.core.atomic import write_whole
from autoperf.core.errors import CaseFileError, OutputError
from autoperf.core.operator import Registry
from autoperf.registry.crawl import FORMAT


class _Head(msgspec.Struct):
    format: int


def to_json(registry: Registry) -> bytes:
    """The registry as indented JSON with `format` first."""
    return msgspec.json.format(msgspec.json.encode(registry), indent=1) + b"\n"


def save(registry: Registry, path: Path) -> None:
    """Write a snapshot, whole or not at all; raises OutputError if it can't be written."""
    try:
        write_whole(path, to_json(registry))
    except OSError as error:
        raise OutputError(f"the snapshot {path} can't be written: {error.strerror}") from None


def load(path: Path) -> Registry:
    """Read a snapshot; raises CaseFileError if it can't be read, is broken, or has another format."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CaseFileError(f"the snapshot {path} can't be read: {error.strerror}") from None
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.format != FORMAT:
            raise CaseFileError(
                f"the snapshot {path} has format {head.format}, and this autoperf reads format {FORMAT}; "
                "make it again with this autoperf"
            )
        return msgspec.json.decode(data, type=Registry)
    except msgspec.MsgspecError as error:
        raise CaseFileError(f"the snapshot {path} is no registry of autoperf's: {error}") from None
