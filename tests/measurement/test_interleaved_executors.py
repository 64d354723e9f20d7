"""Two executors in turn: pairs of processes keep a case and take turns of it, and lose it together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.outcome import Outcome, Status
from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.batches import Job
from autoperf.measurement.case_calls import heard
from autoperf.measurement.interleaved_executors import (
    MAX_SAMPLES,
    MAX_TURNS,
    MIN_TURNS,
    TURNS,
    InterleavedExecutors,
    plan_turns,
)
from autoperf.measurement.messages import CaseFailure, Close, Conditions, Measured, Open, Turn, Turned
from autoperf.measurement.sampling import ConditionsMonitor
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Executor
from tests.measurement.executor_values import QUICK, hostile_job, jobs

PROCESSES = 3
RUNS = 4
IN_WORKER = "    if 'measurement.worker' in open('/proc/self/cmdline').read():"
Log = list[tuple[str, int, str]]


class Watched(Executor):
    """An executor that writes down what its workers are asked; `settings` are its own."""

    def __init__(self, name: str, log: Log, scratch: Path, settings: Settings) -> None:
        scratch.mkdir()
        self.name = name
        super().__init__(find_library(), settings, scratch)
        ask = self.workers.ask

        def logged(process: int, message: Open | Turn | Close, *arguments: Any) -> Any:
            log.append((name, process, type(message).__name__))
            return ask(process, message, *arguments)

        self.workers.ask = logged  # type: ignore[method-assign, assignment]


def ran(turns: InterleavedExecutors, base: Job, new: Job) -> list[Outcome]:
    """The outcomes of both sides."""
    return [visit.outcome for visit in turns.run(base, new)]


@contextmanager
def two(folder: Path, settings: Settings) -> Iterator[tuple[InterleavedExecutors, Log]]:
    log: Log = []
    with Watched("base", log, folder / "base", settings) as base, Watched("new", log, folder / "new", settings) as new:
        yield InterleavedExecutors(base, new, seed=1), log


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[tuple[InterleavedExecutors, Log]]:
    with two(tmp_path, msgspec.structs.replace(QUICK, processes=PROCESSES, runs=RUNS)) as running:
        yield running


def test_pairs_take_turns_in_random_order(quick: tuple[InterleavedExecutors, Log], write: Callable[..., Path]) -> None:
    turns, log = quick
    several = jobs(write("exp", *(f"data=tensor(({size},))" for size in range(1, 9))))
    for job in several:
        for outcome in ran(turns, job, job):
            assert outcome.status is Status.MEASURED
            for run in (outcome.forward, outcome.backward):
                for series in (run.wall_us, run.kernel_us):
                    assert series.processes == (RUNS,) * PROCESSES
                    assert series.turns == ((1,) * RUNS,) * PROCESSES
    taken = [(side, process) for side, process, asked in log if asked == "Turn"]
    pairs = [tuple(taken[place : place + 2]) for place in range(0, len(taken), 2)]
    assert len(pairs) == len(several) * PROCESSES * RUNS
    assert all(first[1] == second[1] and first[0] != second[0] for first, second in pairs)
    assert {first[0] for first, _ in pairs} == {"base", "new"}
    sittings = [pairs[place : place + RUNS] for place in range(0, len(pairs), RUNS)]
    assert all(len({first[1] for first, _ in sitting}) == 1 for sitting in sittings)
    order = [sitting[0][0][1] for sitting in sittings]
    cases = [order[place : place + PROCESSES] for place in range(0, len(order), PROCESSES)]
    assert all(sorted(case) == list(range(PROCESSES)) for case in cases)
    assert len({tuple(case) for case in cases}) > 1


def test_turns_by_the_rules_have_samples_of_both_clocks(tmp_path: Path, write: Callable[..., Path]) -> None:
    (job,) = jobs(write("dot", "lhs=tensor((32, 32)), rhs=tensor((32, 32))"))
    with two(tmp_path, Settings(processes=2, max_time=0.2)) as (turns, _):
        found = ran(turns, job, job)
    for outcome in found:
        assert outcome.status is Status.MEASURED
        for run in (outcome.forward, outcome.backward):
            wall, kernel = run.wall_us, run.kernel_us
            assert wall.processes == tuple(map(sum, wall.turns))
            assert kernel.processes == tuple(map(sum, kernel.turns))
            assert kernel.count * kernel.loops == wall.count
    lengths = [[len(sizes) for sizes in outcome.forward.wall_us.turns] for outcome in found]
    assert lengths[0] == lengths[1]


def test_without_the_profiler_there_is_wall_time_alone(tmp_path: Path, write: Callable[..., Path]) -> None:
    (job,) = jobs(write("exp", "data=tensor((3, 3))"))
    with two(tmp_path, msgspec.structs.replace(QUICK, processes=1, profiler="python")) as (turns, _):
        for outcome in ran(turns, job, job):
            assert outcome.forward.wall_us.turns == ((1,) * QUICK.runs,)
            assert outcome.forward.kernel_us is None


def test_a_case_of_a_budget_that_is_not_decided_uses_its_time(tmp_path: Path, write: Callable[..., Path]) -> None:
    """Its first two pairs are as short as those of other cases."""
    (job,) = jobs(write("exp", "data=tensor((2, 2))"))
    job = msgspec.structs.replace(job, seconds=60.0)
    settings = Settings(processes=PROCESSES, warmup=2)
    with (
        Watched("base", [], tmp_path / "base", settings) as base,
        Watched("new", [], tmp_path / "new", settings) as new,
    ):
        for outcome in ran(InterleavedExecutors(base, new, 1, lambda *_: False), job, job):
            first, second, third = map(len, outcome.forward.wall_us.turns)
            assert first <= TURNS >= second
            assert TURNS < third <= MAX_TURNS


@pytest.mark.parametrize(("seconds", "decided", "pairs"), [(1e-9, False, 2), (60.0, False, 3), (60.0, True, 2)])
def test_a_case_of_a_budget_ends_when_it_is_decided_or_its_time_is_over(
    tmp_path: Path, write: Callable[..., Path], seconds: float, decided: bool, pairs: int
) -> None:
    """Two pairs at least, since one can't show how processes differ."""
    (job,) = jobs(write("exp", "data=tensor((3, 3))"))
    job = msgspec.structs.replace(job, seconds=seconds)
    settings = msgspec.structs.replace(QUICK, processes=PROCESSES)
    with (
        Watched("base", [], tmp_path / "base", settings) as base,
        Watched("new", [], tmp_path / "new", settings) as new,
    ):
        for outcome in ran(InterleavedExecutors(base, new, 1, lambda *_: decided), job, job):
            assert outcome.status is Status.MEASURED
            assert len(outcome.forward.wall_us.processes) == pairs
            assert not outcome.forward.notes


def test_what_one_side_cannot_run_is_not_timed_on_the_other(
    quick: tuple[InterleavedExecutors, Log], write: Callable[..., Path]
) -> None:
    turns, log = quick
    (sound,) = jobs(write("exp", "data=tensor((2, 2))"))
    first, second = ran(turns, sound, hostile_job("    os.abort()"))
    assert (first.status, second.status) == (Status.SKIPPED, Status.CRASHED)
    assert first.reason == "not timed, since the other side can't run it"
    assert log == []


def test_results_that_cannot_be_stored_fail_the_case_on_both_sides(
    quick: tuple[InterleavedExecutors, Log], write: Callable[..., Path], tmp_path: Path
) -> None:
    """A full disk is the fault of neither: what one side alone lacks would fail a gate."""
    turns, log = quick
    (job,) = jobs(write("exp", "data=tensor((2, 2))"))
    (tmp_path / "new" / "results.npz").symlink_to("/dev/full")
    first, second = ran(turns, job, job)
    assert (first.status, second.status) == (Status.FAILED, Status.FAILED)
    assert first.reason == second.reason
    assert first.reason.endswith("as where the disk is full: set TMPDIR to another folder")
    assert log == []
    assert [outcome.status for outcome in ran(turns, job, job)] == [Status.MEASURED] * 2


def test_what_stops_the_count_of_one_side_ends_the_other(
    quick: tuple[InterleavedExecutors, Log], write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, _ = quick

    def lost(executor: Executor, *_: object) -> None:
        if isinstance(executor, Watched) and executor.name == "new":
            raise OSError("Bad file descriptor")

    monkeypatch.setattr(Executor, "counted", lost)
    (job,) = jobs(write("exp", "data=tensor((2, 2))"))
    with pytest.raises(OSError, match="Bad file descriptor"):
        turns.run(job, job)


def test_a_case_that_brings_processes_down_is_lost_on_both_sides(
    quick: tuple[InterleavedExecutors, Log], write: Callable[..., Path]
) -> None:
    turns, log = quick
    (sound,) = jobs(write("exp", "data=tensor((2, 2))"))
    broken = hostile_job(f"{IN_WORKER}\n        os.abort()")
    assert ran(turns, sound, sound)[0].status is Status.MEASURED
    del log[:]
    first, second = ran(turns, sound, broken)
    assert (first.status, second.status) == (Status.SKIPPED, Status.CRASHED)
    assert first.reason == "not timed, since the other side gave no samples"
    assert "SIGABRT" in second.reason
    # Processes that had a case before are given a second chance, two of three.
    assert sum(name == "new" and asked == "Open" for name, _, asked in log) == 4
    assert [outcome.status for outcome in ran(turns, sound, sound)] == [Status.MEASURED] * 2


def test_a_process_that_is_lost_once_costs_its_pair_nothing_but_time(
    quick: tuple[InterleavedExecutors, Log], write: Callable[..., Path], tmp_path: Path
) -> None:
    """It is killed over one case, in a process that has had another."""
    turns, _ = quick
    (sound,) = jobs(write("exp", "data=tensor((2, 2))"))
    assert ran(turns, sound, sound)[0].status is Status.MEASURED
    flag = tmp_path / "killed"
    body = f"{IN_WORKER}\n        if not os.path.exists({str(flag)!r}):\n            open({str(flag)!r}, 'w').close()\n"
    frail = hostile_job(body + "            os.kill(os.getpid(), 9)")
    for outcome in ran(turns, sound, frail):
        assert outcome.forward.wall_us.turns == ((1,) * RUNS,) * PROCESSES
        assert outcome.forward.notes == ()


def test_a_pair_that_gives_nothing_is_noted_on_both_sides(
    quick: tuple[InterleavedExecutors, Log], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Its processes are fresh, so that there is no second chance."""
    turns, _ = quick
    (sound,) = jobs(write("exp", "data=tensor((2, 2))"))
    flag = tmp_path / "killed"
    body = f"{IN_WORKER}\n        if not os.path.exists({str(flag)!r}):\n            open({str(flag)!r}, 'w').close()\n"
    frail = hostile_job(body + "            os.abort()")
    first, second = ran(turns, sound, frail)
    assert first.forward.wall_us.turns == second.forward.wall_us.turns == ((1,) * RUNS,) * (PROCESSES - 1)
    assert first.forward.notes[0].startswith("1 of 3 processes gave no samples: skipped: not timed, since")
    assert second.forward.notes[0].startswith("1 of 3 processes gave no samples: crashed")


def test_a_hanging_case_ends_at_the_time_limits_of_both(tmp_path: Path, write: Callable[..., Path]) -> None:
    (sound,) = jobs(write("exp", "data=tensor((2, 2))"))
    hanging = hostile_job(f"{IN_WORKER}\n        time.sleep(1000)")
    with two(tmp_path, msgspec.structs.replace(QUICK, timeout=1.5, processes=2)) as (turns, _):
        first, second = ran(turns, sound, hanging)
        assert (first.status, second.status) == (Status.SKIPPED, Status.TIMEOUT)
        assert [outcome.status for outcome in ran(turns, sound, sound)] == [Status.MEASURED] * 2


@pytest.mark.parametrize(
    ("iteration_seconds", "count", "turns"),
    [
        (1e-9, MAX_SAMPLES, TURNS),
        (1e-4, 8, TURNS),
        (2e-3, 1, TURNS),
        (4e-3, 1, 25),
        (0.02, 1, MIN_TURNS),
        (2.0, 1, 1),
    ],
)
def test_turns_take_a_few_milliseconds_but_long_cases_few(iteration_seconds: float, count: int, turns: int) -> None:
    """200 ms a process, for both clocks; never more than a quarter of the process's share of the time limit."""
    planned = plan_turns(Settings(processes=5, max_time=1.0), iteration_seconds)
    assert [turn.count for turn in planned] == [count] * turns
    assert planned[0].discard_first == (iteration_seconds < 1e-3)


@pytest.mark.parametrize(
    ("iteration_seconds", "count", "turns"), [(10e-6, 32, 12), (100e-6, 4, 12), (2e-3, 1, 12), (5e-3, 1, 5)]
)
def test_turns_of_a_budget_have_as_many_samples_as_they_have_overhead(
    iteration_seconds: float, count: int, turns: int
) -> None:
    """A turn costs a millisecond beside its samples, so a share of 6 ms is not divided among forty turns."""
    planned = plan_turns(Settings(processes=5), iteration_seconds, 0.03)
    assert [turn.count for turn in planned] == [count] * turns


@pytest.mark.parametrize(("seconds", "turns"), [(0.5, TURNS), (1.0, TURNS), (5.0, 200), (30.0, MAX_TURNS)])
def test_more_time_gives_more_turns(seconds: float, turns: int) -> None:
    planned = plan_turns(Settings(processes=5, max_time=seconds), 100e-6)
    assert len(planned) == turns


def test_a_large_budget_gives_more_turns() -> None:
    assert len(plan_turns(Settings(processes=5), 100e-6, 10.0)) == TURNS
    assert len(plan_turns(Settings(processes=5), 100e-6, 1.0, most=MAX_TURNS)) == int(0.2 / 1.8e-3)
    assert len(plan_turns(Settings(processes=5), 100e-6, 100.0, most=MAX_TURNS)) == MAX_TURNS


@pytest.mark.parametrize("runs", [1, 7, 40, 77])
def test_exact_counts_are_dealt_to_turns(runs: int) -> None:
    planned = plan_turns(Settings(runs=runs), 1e-4)
    assert sum(turn.count for turn in planned) == runs
    assert len(planned) == min(runs, TURNS)
    assert not any(turn.discard_first for turn in planned)


def test_calls_without_a_kernel_are_missing_from_their_turn() -> None:
    turns = [[Boundaries(0, 1, 1)] * size for size in (4, 4, 2)]
    assert [len(turn) for turn in heard(turns, [])] == [4, 4, 2]
    assert [len(turn) for turn in heard(turns, [0, 3, 4, 9])] == [2, 3, 1]


def test_what_goes_on_is_summed_over_turns_before_it_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux counts processor time in hundredths of a second: a turn may seem to have more of its own than there is."""
    watch = ConditionsMonitor()
    readings = iter([(1.0, 5.0, 7), (1.1, 4.95, 7), (2.0, 6.0, 7), (2.1, 6.1, 8), (2.2, 4.0, 8)])
    monkeypatch.setattr(watch, "_now", lambda: next(readings))
    for _ in range(2):
        watch.restart()
        watch.pause()
    assert watch.conditions == Conditions(pytest.approx(0.2), pytest.approx(0.05), 1)
    assert watch.close().others == 0


def test_a_process_without_an_open_case_says_so(tmp_path: Path) -> None:
    with Watched("base", [], tmp_path / "base", msgspec.structs.replace(QUICK, processes=1)) as running:
        for message, kind in ((Turn(1), Turned), (Close(), Measured)):
            answer = running.workers.ask(0, message, kind, time.monotonic() + 60)
            assert answer == CaseFailure(Status.FAILED, "the process that had the case open was lost")
