"""Samples of real operators: how many, from how many processes, by which clock, and what a lost process costs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.protocol import Kernel, KernelRoles
from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.cases.suite import load
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.outcome import FigureWarning, Outcome, Status
from autoperf.front.compare_sides import mode_in_turn
from autoperf.measurement import sampling
from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.case_calls import CaseCalls
from autoperf.measurement.machine_state import present_load
from autoperf.measurement.placement import usable_processors
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.runner import Runner
from autoperf.measurement.sampling import ConditionsMonitor, Sampler, busy_seconds, throttles
from autoperf.measurement.settings import Settings
from autoperf.measurement.stopping_rules import TargetPrecision
from autoperf.measurement.supervisor import Executor
from tests.measurement.executor_values import hostile_job, jobs
from tests.measurement.hostile import HOSTILE

IN_WORKER = "    if 'measurement.worker' in open('/proc/self/cmdline').read():"


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    """Three processes, by default rules."""
    settings = Settings(max_time=0.3, processes=3, framework=HOSTILE)
    with Executor(find_library(), settings, tmp_path_factory.mktemp("three")) as running:
        yield running


def one(executor: Executor, path: Path) -> Outcome:
    (outcome,) = executor.run(jobs(path))
    return outcome


def test_each_process_gives_samples_of_both_clocks(three: Executor, write) -> None:
    outcome = one(three, write("exp", "data=tensor((64, 64))"))
    assert outcome.status is Status.MEASURED
    for run in (outcome.forward, outcome.backward):
        for series in (run.kernel_us, run.wall_us):
            # Where the three disagree, three others join them at most.
            assert 3 <= len(series.processes) <= 6
            assert min(series.processes) >= 2
            assert sum(series.processes) == series.count == len(series.samples)
            assert series.low <= series.median <= series.high
        assert run.notes == () or all("wall time" in note for note in run.notes)


def test_a_kernel_of_few_microseconds_is_resolved_or_said_not_to_be(three: Executor, write) -> None:
    outcome = one(three, write("exp", "data=tensor((16, 16))"))
    kernel = outcome.forward.kernel_us
    assert kernel.loops > 1
    fine = 1 / kernel.loops < 0.01 * sum(kernel.samples) / kernel.count
    assert fine != (FigureWarning.RESOLUTION in kernel.warnings)
    calls = [round(sample * kernel.loops, 6) for sample in kernel.samples]
    assert calls == [round(number) for number in calls]


def test_counts_are_exact_in_each_process(tmp_path: Path, write) -> None:
    with Executor(find_library(), Settings(warmup=0, runs=24, processes=2), tmp_path) as executor:
        outcome = one(executor, write("exp", "data=tensor((16, 16))"))
    for run in (outcome.forward, outcome.backward):
        for series in (run.kernel_us, run.wall_us):
            assert (series.processes, series.count) == ((24, 24), 48)


def test_a_job_may_have_a_time_of_its_own(three: Executor, write) -> None:
    (job,) = jobs(write("exp", "data=tensor((1000, 1000))"))
    (short,) = three.run([msgspec.structs.replace(job, seconds=1e-6)])
    assert short.forward.wall_us.processes == (3, 3, 3)


def test_what_the_operator_the_engine_and_the_call_cost_is_told_apart(three: Executor, write) -> None:
    image = "data=tensor((2, 16, 16, 16)), weight=tensor((16, 16, 3, 3)), bias=tensor((16,)), "
    outcome = one(three, write("Convolution", image + "kernel=(3, 3), num_filter=16"))
    forward = outcome.forward
    assert list(forward.kernels) == ["Convolution"]
    assert forward.helpers_us == pytest.approx(sum(forward.helpers.values()))
    assert (forward.dispatch_us is None) == any("more than the" in note for note in forward.notes)


def test_a_process_that_a_case_brings_down_costs_its_samples_only(three: Executor, tmp_path: Path, write) -> None:
    """The case is fatal to one of the three processes, and once more to the one in its place."""
    counter = tmp_path / "lives"
    counter.write_text("..")
    body = f"{IN_WORKER}\n        lives = open({str(counter)!r}).read()\n        if lives:\n"
    body += f"            open({str(counter)!r}, 'w').write(lives[1:])\n            os.abort()"
    one(three, write("exp", "data=tensor((3, 3))", name="before"))
    (outcome,) = three.run([hostile_job(body)])
    assert outcome.status is Status.MEASURED
    assert len(outcome.forward.wall_us.processes) == 2
    assert outcome.forward.notes[0].startswith("1 of 3 processes gave no samples: crashed: ")
    assert "SIGABRT" in outcome.forward.notes[0]
    after = one(three, write("exp", "data=tensor((5, 5))", name="after"))
    assert 3 <= len(after.forward.wall_us.processes) <= 6


def test_a_case_that_brings_two_processes_down_is_kept_from_the_third(three: Executor, tmp_path: Path) -> None:
    (tmp_path / "tries").mkdir()
    body = f"{IN_WORKER}\n        open({str(tmp_path / 'tries')!r} + f'/{{os.getpid()}}', 'w').close()\n"
    body += "        os.abort()"
    (outcome,) = three.run([hostile_job(body)])
    assert outcome.status is Status.CRASHED
    assert 2 <= len(list((tmp_path / "tries").iterdir())) <= 4


def test_the_order_of_processes_differs_between_cases(tmp_path: Path) -> None:
    """The case notes each process that prepares it; every process has a log of its own."""
    order = tmp_path / "order"
    note = f"with open({str(order)!r}, 'a') as file:\n    file.write(f'{{os.getpid()}} ')\n"
    queue = [hostile_job(f"{note}{number}") for number in range(8)]
    with Executor(find_library(), Settings(warmup=0, runs=1, processes=3, framework=HOSTILE), tmp_path) as executor:
        assert {outcome.status for outcome in executor.run(queue)} == {Status.MEASURED}
    pids = order.read_text().split()
    # The first of a case is the fork that tries it.
    by_case = [tuple(pids[at + 1 : at + 4]) for at in range(0, 32, 4)]
    assert all(len(set(case)) == 3 for case in by_case)
    assert len({pid for case in by_case for pid in case}) == 3
    assert len(set(by_case)) > 1


def test_samples_go_on_until_the_rule_has_enough(write) -> None:
    """Without a profiler, in this very process."""
    library = open_library(find_library())
    call = Call(library, load(write("exp", "data=tensor((4, 4))")).cases[0].case, ("cpu", 0))
    exact = Sampler(CaseCalls(Runner(call)))
    exact.sample(13, 1e-4, 0.0)
    assert len(exact.samples()[0].wall.samples) == 13
    early = Sampler(CaseCalls(Runner(call)))
    early.sample(TargetPrecision(0.999999, seconds=60), 1e-4, 60)
    assert 8 <= len(early.samples()[0].wall.samples) < 500
    late = Sampler(CaseCalls(Runner(call)))
    late.sample(TargetPrecision(1e-9, seconds=0.0), 10.0, 0.0)
    assert len(late.samples()[0].wall.samples) == 3
    slow = Sampler(CaseCalls(Runner(call)))
    slow.sample(TargetPrecision(1e-9, seconds=0.0, limit=0.0), 10.0, 0.0)
    assert len(slow.samples()[0].wall.samples) == 1
    call.free()


class NoKernels:
    """A profiler whose traces are empty."""

    roles = KernelRoles()

    def kernels(self) -> list[Kernel]:
        return []


@pytest.mark.parametrize(
    ("seconds", "forward_us", "wall", "traced"),
    [
        (5e-4, 200, {True}, True), (2e-3, 2000, {True}, False), (7e-3, 50, {True}, False), (7e-3, 2000, set(), True),
        (5e-2, 2000, set(), False),
    ],
)  # fmt: skip
def test_calls_of_milliseconds_come_after_uncounted_ones_by_the_wall_clock_alone(
    write, seconds: float, forward_us: int, wall: set[bool], *, traced: bool
) -> None:
    """Those with long passes are traced alone: their wall times are those of the traced calls."""
    library = open_library(find_library())
    call = Call(library, load(write("exp", "data=tensor((4, 4))")).cases[0].case, ("cpu", 0))
    runner = Runner(call)
    runner.warm_calls = [Boundaries(0, 1000 * forward_us, round(1e9 * seconds))]
    block = runner.block
    asked: dict[str, set[bool]] = {"wall": set(), "traced": set()}

    def noted(clock, count, *, discard_first=False):
        asked["wall"].add(discard_first)
        return block(clock, count)

    def noted_trace(count, *, discard_first=False):
        asked["traced"].add(discard_first)
        return block(time.time_ns, count)

    runner.block, runner.traced = noted, noted_trace
    sampler = Sampler(CaseCalls(runner, NoKernels()))
    sampler.sample(TargetPrecision(1e-9, seconds=0.0), seconds, 0.0)
    assert asked == {"wall": wall, "traced": {traced}}
    assert len(sampler.samples()[0].wall.samples) >= 2
    call.free()


def test_a_watch_sees_other_load_and_heat(tmp_path: Path) -> None:
    stat, counter = tmp_path / "stat", tmp_path / "cpu0" / "thermal_throttle" / "core_throttle_count"
    counter.parent.mkdir(parents=True)
    name = f"cpu{usable_processors()[0]}"
    stat.write_text(f"cpu  9 0 5 7 8 1 2 3 0 0\n{name} 100 0 50 7777 88 1 2 3 0 0\n")
    counter.write_text("4\n")
    watch = ConditionsMonitor(stat, tmp_path)
    stat.write_text(f"cpu  9 0 5 7 8 1 2 3 0 0\n{name} 100100 0 50 8888 99 1 2 3 0 0\n")
    counter.write_text("6\n")
    seen = watch.close()
    assert seen.others > 100
    assert (seen.throttled, seen.elapsed >= 0) == (2, True)


def test_children_that_ended_are_no_other_programs(tmp_path: Path) -> None:
    stat, name = tmp_path / "stat", f"cpu{usable_processors()[0]}"
    stat.write_text(f"{name} 0 0 0 0 0 0 0 0\n")
    watches = ConditionsMonitor(stat, tmp_path, children=True), ConditionsMonitor(stat, tmp_path)
    subprocess.run([sys.executable, "-c", "sum(range(10 ** 7))"], check=True)
    stat.write_text(f"{name} 1000 0 0 0 0 0 0 0\n")
    counting, ignoring = (watch.close() for watch in watches)
    assert 0.02 < ignoring.others - counting.others < 10
    assert ignoring.load == ignoring.others / ignoring.elapsed > 0


def test_the_average_of_programs_that_ended_is_no_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (90.0, 90.0, 90.0))
    monkeypatch.setattr(sampling, "busy_seconds", lambda *_: time.process_time() + 0.125 * time.monotonic())
    assert present_load() == pytest.approx(0.125, abs=0.01)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    assert present_load() == 0.0


def test_the_time_of_a_comparison_grows_with_the_programs_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    processors = len(usable_processors())
    monkeypatch.setattr(os, "getloadavg", lambda: (10.0 * processors - 1, 0.0, 0.0))
    request = RunRequest(Selection(), Recipe(), Settings(max_time=0.35))
    size = mode_in_turn(request, ComparisonOptions()).size
    for taken, beside in ((processors, True), (0.0, False)):
        monkeypatch.setattr(sampling, "busy_seconds", lambda *_, share=taken: share * time.monotonic())
        (text,) = size(1, 10)
        assert "about 46 s at --max-time 0.35s on an idle machine" in text
        assert (", 7 min 40 s beside the present load of" in text) is beside


def test_a_watch_that_sees_nothing_says_nothing(tmp_path: Path) -> None:
    assert busy_seconds(tmp_path / "absent", frozenset({b"cpu0"})) is None
    assert throttles([tmp_path / "absent"]) == 0
    watch = ConditionsMonitor(tmp_path / "absent", tmp_path)
    time.process_time()
    assert (watch.close().others, watch.close().throttled) == (0.0, 0)
    (tmp_path / "stat").write_text("rubbish")
    assert busy_seconds(tmp_path / "stat", frozenset({b"cpu0"})) is None
