"""Cases that are timed in turn, one process a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.protocol import TrialResult
from autoperf.core.outcome import Outcome, Status
from autoperf.measurement.batches import Job
from autoperf.measurement.managed_process import ManagedProcess, Workers
from autoperf.measurement.messages import CaseFailure, Measured, Task
from autoperf.measurement.supervisor import ROUND_CASES, Executor, Visit
from tests.measurement.executor_values import QUICK, jobs
from tests.values import case

PROCESSES = 3
SETTINGS = msgspec.structs.replace(QUICK, processes=PROCESSES)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    """An executor with several processes, after its first round."""
    with Executor(find_library(), SETTINGS, tmp_path_factory.mktemp("rounds")) as running:
        list(running.run([Job(case("exp", 2, 2))]))
        yield running


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cases in the order in which processes time them."""
    order: list[str] = []
    time_in = Workers.time_in

    def recorded(
        workers: Workers, process: ManagedProcess, job: Job, trial_result: TrialResult, deadline: float
    ) -> Measured | CaseFailure:
        order.append(job.case.id)
        return time_in(workers, process, job, trial_result, deadline)

    monkeypatch.setattr(Workers, "time_in", recorded)
    return order


@pytest.fixture
def queue(write: Callable[..., Path]) -> list[Job]:
    """Three cases, of which MXNet refuses the second."""
    sizes = ("(2, 2)", "(3, 3)", "(4, 4)")
    good = jobs(write("exp", *(f"data=tensor({size})" for size in sizes[::2]), name="good"))
    bad = jobs(write("dot", "lhs=tensor((2, 3)), rhs=tensor((2, 3))", name="bad"))
    return [good[0], bad[0], good[1]]


def test_each_round_times_every_case_in_one_process(several: Executor, queue: list[Job], timed: list[str]) -> None:
    outcomes = list(in_rounds(several, queue))
    first, _, last = (job.case.id for job in queue)
    assert timed == [first, last] * PROCESSES
    assert [outcome.case for outcome in outcomes] == [job.case.id for job in queue]
    assert [outcome.status for outcome in outcomes] == [Status.MEASURED, Status.FAILED, Status.MEASURED]
    assert all(len(samples(outcome)) == PROCESSES for outcome in outcomes if outcome.forward)


def test_the_first_case_is_timed_alone(queue: list[Job], timed: list[str], tmp_path: Path) -> None:
    """A user sees a result before the others of its round are timed."""
    with Executor(find_library(), SETTINGS, tmp_path) as executor:
        outcomes = list(in_rounds(executor, queue))
    assert [outcome.case for outcome in outcomes] == [job.case.id for job in queue]
    assert timed == [queue[0].case.id] * PROCESSES + [queue[2].case.id] * PROCESSES


def test_what_one_process_skips_is_asked_of_no_other(
    several: Executor, queue: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def skips(_process: ManagedProcess, task: Task, *_: object) -> CaseFailure:
        asked.append(task.case.id)
        return CaseFailure(Status.SKIPPED, "no such layer")

    list(in_rounds(several, queue[:1]))
    monkeypatch.setattr(ManagedProcess, "ask", skips)
    (outcome,) = in_rounds(several, queue[2:])
    assert (outcome.status, outcome.reason) == (Status.SKIPPED, "no such layer")
    assert asked == [queue[2].case.id]


def test_few_cases_are_in_flight(several: Executor, write: Callable[..., Path], timed: list[str]) -> None:
    many = jobs(write("exp", *(f"data=tensor(({size},))" for size in range(1, ROUND_CASES + 2)), name="many"))
    outcomes = in_rounds(several, many)
    next(outcomes)
    assert len(set(timed)) == ROUND_CASES
    assert [outcome.case for outcome in outcomes] == [job.case.id for job in many[1:]]


def test_a_later_visit_asks_the_processes_that_are_left(several: Executor, queue: list[Job], timed: list[str]) -> None:
    first, _, last = (job.case.id for job in queue)
    visits = list(several.first_visit(queue, until=2))
    assert timed == [first, last] * 2
    assert [len(samples(visit.outcome)) for visit in visits if visit.outcome.forward] == [2, 2]
    assert all(visit.outcome.forward.notes == () for visit in visits if visit.outcome.forward)
    rest = [visit.rest for visit in visits if visit.rest]
    assert [case.job.case.id for case in rest] == [first, last]
    later = list(several.later_visit(rest))
    assert timed == [first, last] * PROCESSES
    assert [len(samples(visit.outcome)) for visit in later] == [PROCESSES, PROCESSES]
    assert not any(visit.rest for visit in later)
    for visit, before in zip(later, visits[::2], strict=True):
        assert visit.outcome.memory == before.outcome.memory
        assert visit.outcome.seconds > before.outcome.seconds


@pytest.fixture
def interrupted(timed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C once so many cases were timed as there are processes."""
    time_in = Workers.time_in

    def time_or_interrupt(
        workers: Workers, process: ManagedProcess, job: Job, trial_result: TrialResult, deadline: float
    ) -> Measured | CaseFailure:
        if len(timed) == PROCESSES:
            raise KeyboardInterrupt
        return time_in(workers, process, job, trial_result, deadline)

    monkeypatch.setattr(Workers, "time_in", time_or_interrupt)


@pytest.mark.usefixtures("interrupted")
def test_an_interrupted_visit_is_the_last(several: Executor, queue: list[Job]) -> None:
    rest = [visit.rest for visit in several.first_visit(queue, until=1) if visit.rest]
    visits: list[Visit] = []
    with pytest.raises(KeyboardInterrupt):
        visits.extend(several.later_visit(rest, until=2))
    assert [len(samples(visit.outcome)) for visit in visits] == [2, 1]
    assert not any(visit.rest for visit in visits)


@pytest.mark.usefixtures("interrupted")
def test_an_interrupt_ends_cases_with_the_samples_that_they_have(several: Executor, queue: list[Job]) -> None:
    outcomes: list[Outcome] = []
    with pytest.raises(KeyboardInterrupt):
        outcomes.extend(in_rounds(several, queue))
    # `extend` keeps what came before the error.
    assert [outcome.status for outcome in outcomes] == [Status.MEASURED, Status.FAILED, Status.MEASURED]
    assert [len(samples(outcome)) for outcome in outcomes if outcome.forward] == [2, 1]
    assert outcomes[0].forward is not None
    assert outcomes[0].forward.notes[0] == "1 of 3 processes gave no samples: skipped: interrupted"


def test_what_an_interrupt_leaves_uncounted_says_so(
    several: Executor, queue: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(several, "_counting", object())
    monkeypatch.setattr(several, "counted", interrupted)
    outcomes: list[Outcome] = []
    with pytest.raises(KeyboardInterrupt):
        outcomes.extend(in_rounds(several, queue))
    assert [outcome.forward.notes[-1:] for outcome in outcomes if outcome.forward] == [
        ("not counted: interrupted",)
    ] * 2


@pytest.mark.usefixtures("interrupted")
def test_an_interrupt_costs_no_case_its_outcome_after_one_that_has_only_failed(
    several: Executor, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three cases, one of them failed, have been asked for once each when Ctrl-C comes."""
    queue = jobs(write("exp", *(f"data=tensor(({size},))" for size in (2, 3, 4)), name="good"))
    time_in = Workers.time_in

    def time_or_crash(
        workers: Workers, process: ManagedProcess, job: Job, trial_result: TrialResult, deadline: float
    ) -> Measured | CaseFailure:
        answer = time_in(workers, process, job, trial_result, deadline)
        return CaseFailure(Status.CRASHED, "SIGSEGV") if job is queue[1] else answer

    monkeypatch.setattr(Workers, "time_in", time_or_crash)
    outcomes: list[Outcome] = []
    with pytest.raises(KeyboardInterrupt):
        outcomes.extend(in_rounds(several, queue))
    assert [outcome.case for outcome in outcomes] == [job.case.id for job in queue]
    assert [outcome.status for outcome in outcomes] == [Status.MEASURED, Status.CRASHED, Status.MEASURED]
    assert outcomes[1].reason == "SIGSEGV"


@pytest.mark.parametrize("processes", [1, PROCESSES])
def test_a_case_without_samples_is_left_to_the_next_run(
    request: pytest.FixtureRequest, queue: list[Job], monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    def interrupted(*_arguments: object) -> Measured:
        raise KeyboardInterrupt

    executor: Executor = request.getfixturevalue("executor" if processes == 1 else "several")
    monkeypatch.setattr(Workers, "time_in", interrupted)
    outcomes: list[Outcome] = []
    with pytest.raises(KeyboardInterrupt):
        outcomes.extend(in_rounds(executor, queue))
    assert outcomes == []


def in_rounds(executor: Executor, cases: Sequence[Job]) -> Iterator[Outcome]:
    """The outcomes of a visit as they come."""
    return (visit.outcome for visit in executor.first_visit(cases))


def samples(outcome: Outcome) -> tuple[int, ...]:
    """The number of samples of each process."""
    assert outcome.forward
    assert outcome.forward.wall_us
    series = outcome.forward.wall_us
    return series.processes or (len(series.samples),)
