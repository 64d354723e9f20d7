"""Processes that disagree about a case are joined by others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.protocol import TrialResult
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Memory, Status
from autoperf.measurement.batches import TriedCase
from autoperf.measurement.managed_process import Workers
from autoperf.measurement.messages import CaseFailure, ClockSamples, Conditions, Measured, PassSamples
from autoperf.measurement.settings import Settings
from autoperf.measurement.supervisor import Agreement, CaseInFlight
from tests.measurement.executor_values import jobs

COUNT = 8
TRIAL_RESULT = TrialResult((), None, (), (), Memory())


def measured(wall: float, kernel: float | None = None, probe: float = 0.0) -> Measured:
    """The samples of a process, all equal, with the probe at this reading."""
    probes = Probes((probe,) * COUNT, (probe,) * COUNT) if probe else None
    walls, kernels = (None if time is None else ClockSamples((time,) * COUNT, probes) for time in (wall, kernel))
    return Measured(PassSamples(walls, kernels), None, Conditions(0.1, 0.0, 0), {})


def is_reached(*results: Measured, reference: Reference | None = None) -> bool:
    agreement = Agreement(reference)
    for result in results:
        agreement.add(result)
    return agreement.is_reached


@pytest.mark.parametrize(
    ("walls", "reached"),
    [((100.0,), False), ((100.0, 100.0), True), ((100, 101, 99, 100, 100), True), ((100, 110, 95, 100, 104), False)],
)
def test_processes_agree_if_their_interval_reaches_at_most_three_percent(walls: Sequence[float], reached: bool) -> None:
    assert is_reached(*map(measured, walls)) is reached


def test_processes_agree_about_short_kernels_if_they_differ_by_a_fraction_of_the_clocks_step() -> None:
    """A quarter of a microsecond on either side, whatever share it is of the time."""
    assert is_reached(*(measured(100.0, kernel) for kernel in (2.0, 2.1, 1.9, 2.0, 2.2)))
    assert not is_reached(*(measured(100.0, kernel) for kernel in (2.0, 2.6, 1.9, 2.0, 2.2)))


def test_every_figure_must_agree() -> None:
    assert is_reached(*(measured(100.0, kernel) for kernel in (50.0, 50.5, 50.0)))
    assert not is_reached(*(measured(100.0, kernel) for kernel in (50.0, 60.0, 50.0)))


def kernels(*times: float) -> Measured:
    """The samples of a process whose kernels took these times."""
    quiet = measured(100.0, times[0])
    return msgspec.structs.replace(quiet, forward=msgspec.structs.replace(quiet.forward, kernel=ClockSamples(times)))


def test_few_disturbed_calls_in_a_process_are_no_disagreement() -> None:
    assert is_reached(*[kernels(*(38.0,) * 8)] * 2, kernels(38.0, 70.0, 38.0, 38.0, 38.0, 70.0, 38.0, 38.0))


def test_the_steps_of_a_clock_are_no_disagreement() -> None:
    """Kernels of 9.5 us take 9 or 10 in whole ones, and their median is either."""
    assert is_reached(*[kernels(9, 10, 9, 10, 10, 9, 9, 10)] * 4, kernels(9, 9, 10, 9, 10, 9, 10, 9))
    assert not is_reached(*(measured(100.0, kernel) for kernel in (9.0, 10.0, 9.0, 10.0, 10.0)))


def test_medians_are_compared_at_one_speed() -> None:
    """A process that was measured while the machine was slow agrees with the others."""
    results = [measured(100.0, probe=2.0), measured(130.0, probe=2.6), measured(100.0, probe=2.0)]
    assert not is_reached(*results)
    assert is_reached(*results, reference=Reference("probe", 2.0, ""))


def timed(
    answers: Sequence[Measured | CaseFailure], settings: Settings, monkeypatch: pytest.MonkeyPatch, path: Path
) -> tuple[int, int]:
    """How many results and failures the workers return if the processes answer so, in the order of asking."""
    workers = Workers(find_library(), settings, path)
    remaining = iter(answers)
    monkeypatch.setattr(workers, "time_in", lambda *_: next(remaining))
    (job,) = jobs(path / "cases.py")
    flight = CaseInFlight(TriedCase(job, TRIAL_RESULT, left=60.0), workers)
    while not flight.is_done:
        flight.step()
    assert next(remaining, None) is None
    return len(flight.case.measured), len(flight.case.failures)


LOST = CaseFailure(Status.CRASHED, "lost")
APART = [measured(wall) for wall in (100.0, 120.0, 100.0, 110.0, 100.0, 100.0)]


@pytest.mark.parametrize(
    "planned",
    [
        ([measured(100.0)] * 3, {}, (3, 0)),
        (APART, {}, (6, 0)),
        ([*APART[:3], *[measured(100.0)] * 3], {}, (6, 0)),
        ([*APART[:3], LOST], {}, (3, 1)),
        ([APART[0], LOST, APART[1]], {}, (2, 1)),
        (APART[:3], {"runs": COUNT}, (3, 0)),
        (APART[:3], {"time_budget": 60.0}, (3, 0)),
        (APART[:1], {"processes": 1}, (1, 0)),
    ],
    ids=["agree", "never", "late", "lost extra", "lost", "exact", "budget", "one"],
)
def test_further_processes_time_a_case_until_all_agree(
    planned: tuple[Sequence[Measured | CaseFailure], dict[str, float], tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    write: Callable[..., Path],
) -> None:
    """At most as many as the settings ask for; none where the user has set the work or the time."""
    answers, changes, counts = planned
    write("exp", "data=tensor((3, 3))")
    settings = Settings(**{"processes": 3, **changes})
    assert timed(answers, settings, monkeypatch, tmp_path) == counts
