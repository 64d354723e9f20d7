"""What `doctor` found: one check, its status, and what to do about it."""

from __future__ import annotations

import enum

import msgspec


class CheckStatus(enum.Enum):
    """Fine; figures suffer; nothing can be measured."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at: what was found, and advice where it is not fine."""

    name: str
    status: CheckStatus
    finding: str
    advice: str = ""
