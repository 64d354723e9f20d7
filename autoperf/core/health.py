"""What `doctor` says of a machine: checks, each with its status, and the worst of them."""

from __future__ import annotations

import enum
from collections.abc import Iterable

import msgspec


class Health(enum.Enum):
    """The ends of a check, best first."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Check(msgspec.Struct, frozen=True):
    """One thing looked at; `advice` says what to do, and is empty where there is nothing to do."""

    name: str
    status: Health
    finding: str
    advice: str = ""


def worst(checks: Iterable[Check]) -> Health:
    """The worst status of all, ok where there are none."""
    order = list(Health)
    return max((check.status for check in checks), key=order.index, default=Health.OK)
