"""The logs of hunts that docs/hunts keeps, by the names of their pages, and one that stays as it is."""

from __future__ import annotations

from pathlib import Path

HUNTS = Path(__file__).parents[1] / "docs" / "hunts"
SAMPLE = Path(__file__).parent / "data" / "hunt-of-16-operators.ndjson.gz"
"""Hunts of sixteen operators of MXNet 1.9.1, each a minute long: 50 findings."""
_SUFFIX = ".ndjson.gz"
LOGS = sorted(HUNTS.glob(f"*{_SUFFIX}"))


def name_of(log: Path) -> str:
    """The name of the log's page."""
    return log.name.removesuffix(_SUFFIX)


def kept_log(name: str) -> Path:
    """The log of this page."""
    return HUNTS / f"{name}{_SUFFIX}"
