"""Settings refuse nonsense, and stopping rules stop."""

from __future__ import annotations

from typing import Any

import pytest

from autoperf.backends.passes import parse_context
from autoperf.core.errors import UsageError
from autoperf.measurement.settings import Settings, sampling_rule, sampling_seconds, warmup_rule
from autoperf.measurement.stopping_rules import SettledState, TargetPrecision


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"profiler": "perf"}, "invalid profiler 'perf': expected native or python"),
        ({"warmup": -1}, "invalid warmup -1: expected 0 to 1,000,000"),
        ({"runs": 0}, "invalid samples 0: expected 1 to 1,000,000"),
        ({"timeout": 0.0}, "invalid timeout 0 s: expected more than 0 s"),
        ({"timeout": float("nan")}, "invalid timeout nan s"),
        ({"memory_limit": 0}, "invalid memory_limit 0: expected 1 byte"),
        ({"processes": 0}, "invalid processes 0: expected 1 to 64"),
        ({"precision": 0.0}, "invalid precision 0: expected more than 0 and less than 1"),
        ({"precision": 1.0}, "invalid precision 1"),
        ({"max_time": 0.0}, "invalid max_time 0 s"),
        ({"time_budget": -1.0}, "invalid time_budget -1 s"),
        ({"runs": 10**9}, "invalid samples 1000000000"),
        ({"warmup": 10**9}, "invalid warmup 1000000000"),
        ({"timeout": 1e300}, "invalid timeout 1e[+]300 s: expected more than 0 s and at most 1e[+]06 s"),
        ({"memory_limit": 2**64}, r"expected 1 byte to 2\*\*60 bytes"),
        ({"env": {"A=B": "1"}}, "invalid name of an environment variable 'A=B'"),
        ({"env": {"": "1"}}, "invalid name of an environment variable ''"),
        ({"env": {"PYTHONPATH": "/x"}}, "invalid variable PYTHONPATH: autoperf sets it"),
        ({"env": {"A": "x\0"}}, r"invalid value 'x\\x00' of the variable A: expected Unicode text"),
        ({"env": {"A": "\udcff"}}, "of the variable A: expected Unicode text"),
    ],
)
def test_nonsense_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Settings(**values)


def test_counts_that_are_given_are_kept_exactly() -> None:
    settings = Settings(warmup=0, runs=3)
    assert warmup_rule(settings) == 0
    assert sampling_rule(settings) == 3


def test_without_counts_rules_decide_within_a_process_share_of_the_time() -> None:
    settings = Settings(processes=4, precision=0.02, max_time=0.8, timeout=16)
    assert warmup_rule(settings) == SettledState(seconds=0.02, limit=0.4)
    assert sampling_rule(settings) == TargetPrecision(0.02, seconds=0.2, limit=1.0)
    assert sampling_rule(settings, 0.4) == TargetPrecision(0.02, seconds=0.1, limit=1.0)
    assert sampling_seconds(settings) == 0.2


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
