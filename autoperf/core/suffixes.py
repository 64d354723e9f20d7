"""Suffixes of files: one of NDJSON isn't named as another format."""

from __future__ import annotations

from pathlib import Path

from autoperf.core.errors import UsageError

NDJSON = ".ndjson"
_OTHER_FORMATS = frozenset((".csv", ".html", ".json", ".md", ".py", ".toml", ".xml", ".yaml", ".yml"))
"""The suffixes that a file of NDJSON can't have."""


def check_ndjson_suffix(path: Path, option: str, advice: str = "") -> None:
    """Raises UsageError, with the advice, for a file of NDJSON with the suffix of another format.

    Such a file could not be read back: `--cases` reads by the suffix, and so do other programs.
    """
    if path.suffix.lower() in _OTHER_FORMATS:
        raise UsageError(f"invalid {option} {path}: it becomes NDJSON; name it {path.with_suffix(NDJSON)}{advice}")
