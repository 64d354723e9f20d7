"""What a person found out about each result that differs: which is right, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Reviewed(NamedTuple):
    """The release whose result is right (`both` where an operator leaves it open), and why, with the source."""

    right: str
    why: str


REVIEWED: Mapping[str, Mapping[str, Reviewed]] = {"releases": {}, "threads": {}, "onednn": {}}
"""By the comparison and the operator."""
