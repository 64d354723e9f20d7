"""Settings refuse nonsense, and stopping rules stop."""

from __future__ import annotations

from typing import Any

import pytest

from autoperf.core.errors import UsageError
from autoperf.executor.call import parse_context
from autoperf.executor.settings import Exactly, Settings, TimeBudget, sampling_rule, warmup_rule


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"profiler": "perf"}, "native or python, not 'perf'"),
        ({"warmup": -1}, "not -1"),
        ({"runs": 0}, "not 0"),
        ({"timeout": 0.0}, "not 0"),
        ({"timeout": float("nan")}, "not nan"),
        ({"memory_limit": 0}, "not 0"),
    ],
)
def test_nonsense_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Settings(**values)


def test_counts_that_are_given_are_kept_exactly() -> None:
    settings = Settings(warmup=0, runs=3)
    assert warmup_rule(settings) == Exactly(0)
    rule = sampling_rule(settings)
    assert [rule.enough([1] * count, 1e9) for count in (2, 3)] == [False, True]


def test_a_budget_has_a_least_and_a_most() -> None:
    rule = TimeBudget(seconds=1, least=5, most=10)
    assert not rule.enough([1] * 4, elapsed=2)
    assert rule.enough([1] * 5, elapsed=2)
    assert not rule.enough([1] * 9, elapsed=0.5)
    assert rule.enough([1] * 10, elapsed=0.5)


def test_a_budget_bows_to_the_limit_but_not_to_nothing() -> None:
    rule = TimeBudget(seconds=1, least=5, most=10, limit=3)
    assert not rule.enough([], elapsed=4)
    assert rule.enough([1], elapsed=4)


def test_the_memory_limit_defaults_to_a_part_of_the_machine() -> None:
    assert Settings(memory_limit=5).bytes_allowed == 5
    assert Settings().bytes_allowed > 2**20


@pytest.mark.parametrize(("text", "context"), [("cpu", ("cpu", 0)), ("gpu", ("gpu", 0)), ("gpu(3)", ("gpu", 3))])
def test_contexts(text: str, context: tuple[str, int]) -> None:
    assert parse_context(text) == context


@pytest.mark.parametrize("text", ["", "tpu", "gpu(", "gpu(-1)", "gpu(x)", "cpu 0"])
def test_malformed_contexts_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--ctx"):
        parse_context(text)
