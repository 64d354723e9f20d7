"""The checks of `doctor`, each with its status, and the worst status."""

from __future__ import annotations

import enum
from collections.abc import Iterable

import msgspec


class Health(enum.Enum):
    """The status of a check, best first."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Check(msgspec.Struct, frozen=True):
    """One check; `advice` is the remedy, empty if none is needed."""

    name: str
    status: Health
    finding: str
    advice: str = ""


def worst(checks: Iterable[Check]) -> Health:
    """The worst status; ok without checks."""
    order = list(Health)
    return max((check.status for check in checks), key=order.index, default=Health.OK)
