"""The warm-up ends in the settled state: of times, and of the memory that calls take."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.scratch import (
    KEEP_MEMORY,
    LARGEST_BLOCK,
    MANY,
    QUIET,
    allocator_variables,
    are_settled,
    has_settled,
    settled_faults,
    takes_more,
)
from autoperf.measurement.stopping_rules import SettledState, has_steady_times

FOREVER = 1e9
MS = 1_000_000
PAGES_OF_LARGEST = LARGEST_BLOCK // resource.getpagesize()


def call(faults: int = 0, nanoseconds: int = MS, backward_faults: int = 0) -> Boundaries:
    return Boundaries(0, nanoseconds, 2 * nanoseconds, faults=(faults, backward_faults))


def test_a_warm_up_ends_when_times_no_longer_fall() -> None:
    falling = [round(1000 * 0.8**number) for number in range(12)]
    assert not has_steady_times(falling)
    assert has_steady_times([*falling, *[80] * 10])
    assert not has_steady_times([80] * 9)


def test_three_calls_at_least_are_made_unless_one_takes_too_long() -> None:
    rule = SettledState(seconds=0.02, limit=2.0)
    assert not rule.enough([], 5.0)
    assert not rule.enough([call()] * 2, 0.5)
    assert rule.enough([call()] * 3, 0.5)
    assert rule.enough([call()], 2.5)


def test_calls_that_take_fresh_memory_go_on_though_their_times_are_steady() -> None:
    rule = SettledState(seconds=0.02, limit=10.0)
    plateau = [call(2048, 5 * MS)] * 12
    assert not rule.enough(plateau, 1.0)
    assert not rule.enough([*plateau, *[call()] * (QUIET - 1)], 1.0)
    assert rule.enough([*plateau, *[call()] * QUIET], 1.0)


def test_two_calls_that_reuse_the_memory_of_the_first_are_the_settled_state() -> None:
    """Calls of milliseconds are warmed up by three, not by four."""
    first, rule = call(2048, 5 * MS), SettledState(seconds=0.02, limit=10.0)
    assert rule.enough([first, call(), call()], 0.03)
    assert not rule.enough([first, first, call()], 0.03)
    assert not rule.enough([first, first, call(), call()], 0.03)
    assert settled_faults([first, call(), call()]) == (0, 0)


def test_blocks_that_the_allocator_never_reuses_are_the_settled_state() -> None:
    large = [call(PAGES_OF_LARGEST, 50 * MS)] * QUIET
    assert has_settled(large)
    assert settled_faults(large) == (PAGES_OF_LARGEST, 0)
    assert has_settled([call(2048, 5 * MS)] * MANY)
    assert not has_settled([call(2048, 5 * MS)] * (MANY - 1))


def test_few_faults_in_a_long_call_are_settled() -> None:
    assert has_settled([call(5, MS)] * QUIET)
    assert not has_settled([call(50, MS)] * QUIET)


def test_a_sample_with_more_faults_than_the_settled_state_is_not_of_it() -> None:
    assert takes_more(call(2048), (0, 0))
    assert takes_more(call(backward_faults=2048), (0, 0))
    assert not takes_more(call(2048), (2048, 0))
    assert not takes_more(call(0), (2048, 0))
    assert not takes_more(call(1, 5000), (0, 0))


def test_samples_are_settled_without_fresh_memory_or_with_as_much_as_before() -> None:
    plateau, quiet = [call(2048)] * (MANY - 1), [call()] * QUIET
    assert are_settled([], quiet)
    assert not are_settled([call(2048)], [call(2048)] * 10)
    assert not are_settled(plateau, [call(2048)] * 10)
    assert are_settled([call(2048)] * MANY, [call(2048)] * 10)
    fresh = call(4096)._replace(fresh=True)
    assert are_settled([call(2048)] * MANY, [fresh, *[call(2048)] * 9])
    assert not are_settled([call(2048)] * MANY, [fresh, fresh, *[call(2048)] * 8])


@pytest.mark.parametrize("name", ["MALLOC_ARENA_MAX", "LD_PRELOAD", "GLIBC_TUNABLES"])
def test_an_allocator_that_the_user_set_up_is_left_alone(name: str) -> None:
    assert allocator_variables({name: "1"}) == {}
    assert allocator_variables({"PATH": "/bin"}) == KEEP_MEMORY


# Counts page faults of a plain loop over relu, by MXNet's own Python package.
PLAIN_LOOP = """
import resource
from autoperf import mxnet as mx
data = mx.nd.ones((32, 16, 64, 64))
for _ in range(40):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    mx.nd.relu(data).wait_to_read()
    mx.nd.waitall()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def test_a_plain_loop_settles_with_these_variables() -> None:
    """The first call touches all of its output's 2,048 pages; after some calls none does."""
    command, environment = [sys.executable, "-c", PLAIN_LOOP], {**os.environ, **KEEP_MEMORY}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    faults = [int(line) for line in done.stdout.splitlines()]
    assert faults[0] >= 2048
    assert max(faults[-10:]) < 100
