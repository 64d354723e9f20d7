"""A user's rules have the limits that are given, else less memory than a case has."""

from __future__ import annotations

from autoperf.executor.settings import Settings
from autoperf.pipeline.release import rule_limits
from autoperf.rules.sandbox import Limits


def test_limits_of_user_rules() -> None:
    assert rule_limits(Settings(timeout=7.0, memory_limit=2**40)) == Limits(7.0, 2**40)
    assert rule_limits(Settings()).memory == min(Limits.memory, Settings().bytes_allowed)
