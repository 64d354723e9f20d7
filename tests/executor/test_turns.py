"""Two executors in turn: every process of each side, in pairs, with the first of each pair drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from executor_values import QUICK, hostile_job, jobs

from autoperf.capi.library import find_library
from autoperf.core.outcome import Status
from autoperf.executor.messages import Facts, Measured, Refused
from autoperf.executor.supervisor import Executor
from autoperf.executor.trying import Job
from autoperf.executor.turns import Turns

PROCESSES = 3
ROUNDS = 2
Log = list[tuple[str, int]]


class Watched(Executor):
    """An executor that writes down when it is asked."""

    def __init__(self, name: str, log: Log, scratch: Path) -> None:
        scratch.mkdir()
        super().__init__(find_library(), msgspec.structs.replace(QUICK, processes=PROCESSES, runs=1), scratch)
        self._name, self._log = name, log

    def time_in(self, process: int, job: Job, facts: Facts, deadline: float) -> Measured | Refused:
        self._log.append((self._name, process))
        return super().time_in(process, job, facts, deadline)


@pytest.fixture
def watched(tmp_path: Path) -> tuple[Watched, Watched, Log]:
    log: Log = []
    return Watched("base", log, tmp_path / "base"), Watched("new", log, tmp_path / "new"), log


def test_pairs_take_turns_in_random_order(watched: tuple[Watched, Watched, Log], write: Callable[..., Path]) -> None:
    base, new, log = watched
    several = jobs(write("exp", *(f"data=tensor(({size},))" for size in range(1, 9))))
    with base, new:
        turns = Turns(base, new, seed=1, rounds=ROUNDS)
        for job in several:
            for outcome in turns.run(job, job):
                assert outcome.status is Status.MEASURED
                assert outcome.forward.wall_us.processes == (1,) * (PROCESSES * ROUNDS)
    pairs = [tuple(log[place : place + 2]) for place in range(0, len(log), 2)]
    assert len(pairs) == len(several) * PROCESSES * ROUNDS
    assert all(first[1] == second[1] and first[0] != second[0] for first, second in pairs)
    assert {first[0] for first, _ in pairs} == {"base", "new"}
    rounds = [pairs[place : place + PROCESSES] for place in range(0, len(pairs), PROCESSES)]
    assert all(sorted(first[1] for first, _ in each) == list(range(PROCESSES)) for each in rounds)
    assert len({tuple(first[1] for first, _ in each) for each in rounds}) > 1


def test_what_one_side_cannot_run_is_not_timed_on_the_other(
    watched: tuple[Watched, Watched, Log], write: Callable[..., Path], tmp_path: Path
) -> None:
    base, new, log = watched
    (sound,) = jobs(write("exp", "data=tensor((2, 2))"))
    broken = hostile_job(tmp_path, "    os.abort()")
    with base, new:
        first, second = Turns(base, new, seed=1).run(sound, broken)
    assert (first.status, second.status) == (Status.SKIPPED, Status.CRASHED)
    assert first.reason == "not timed, since the other side can't run it"
    assert log == []
