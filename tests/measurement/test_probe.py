"""The probe, the samples between its readings, and those that are taken again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.protocol import BackwardRequest
from autoperf.cases.suite import load
from autoperf.core.machine import Reference
from autoperf.measurement.attribution import Boundaries
from autoperf.measurement.case_calls import MAX_RETAKES, probes_of, retaken_of, undisturbed
from autoperf.measurement.machine_state import keep_reference, known_reference, reference_or, reference_path
from autoperf.measurement.probe import Probe, probe_name
from autoperf.measurement.runner import Runner
from autoperf.processes.forks import Usage


class Steps(Probe):
    """A probe that reads what it is given, one after the other."""

    def __init__(self, *readings: int) -> None:
        super().__init__()
        self.left = list(readings)

    def read(self) -> int:
        return self.left.pop(0)


@pytest.fixture
def call(write) -> Iterator[Call]:
    """Without a profiler, in this very process."""
    made = Call(open_library(find_library()), load(write("exp", "data=tensor((4, 4))")).cases[0].case, ("cpu", 0))
    yield made
    made.free()


def _quick(runner: Runner, *nanoseconds: int):
    """Passes that seem to take these times, the last of them from then on, or 30 us, whatever the machine does."""
    passes, left = runner._passes, list(nanoseconds or [30_000])

    def quick(clock, read):
        boundaries, outputs = passes(clock, read)
        end = boundaries.start + (left.pop(0) if len(left) > 1 else left[0])
        return boundaries._replace(forward_end=end, backward_end=end), outputs

    return quick


def sample(*, disturbed: bool = False) -> Boundaries:
    return Boundaries(0, 1000, 1000, before=2000, after=2000, disturbed=disturbed)


def test_the_probe_takes_some_time() -> None:
    probe = Probe()
    readings = sorted(probe.read() for _ in range(50))
    assert 0 < readings[0] <= readings[25]
    assert probe.calibrate(0.001) > 0


def test_its_arrays_lie_alike_in_every_process() -> None:
    """Where the target follows the source by whole pages, each load waits for a store."""
    probe = Probe()
    source, target = probe._source.ctypes.data, probe._target.ctypes.data
    assert (source % 4096, (target - source) % 4096) == (0, 2048)


def test_short_samples_stand_between_two_readings_in_groups(call: Call) -> None:
    runner = Runner(call, Steps(1000, 1010, 1500))
    runner._passes = _quick(runner)
    block = runner.block(time.perf_counter_ns, 6, discard_first=True)
    samples = [boundaries for boundaries in block if boundaries.counted]
    assert [(each.before, each.after) for each in samples] == [(1000, 1010)] * 4 + [(1010, 1500)] * 2
    assert [each.disturbed for each in samples] == [False] * 4 + [True] * 2
    assert probes_of(samples).after == (1.01,) * 4 + (1.5,) * 2
    # Four uncounted calls come before the group; no reading stands beside them.
    assert Counter(boundaries.counted for boundaries in block) == {False: 1 + 2 * 4, True: 6}
    assert not any(boundaries.before or boundaries.disturbed for boundaries in block if not boundaries.counted)
    assert probes_of(Runner(call).block(time.perf_counter_ns, 1)) is None


def test_the_warm_up_decides_how_many_calls_are_uncounted(call: Call) -> None:
    """A block whose first call is slow is measured like the others."""
    runner = Runner(call, Steps(*[1000] * 3))
    runner._passes = _quick(runner, 2_000_000, 30_000, 2_000_000)
    assert len(runner.warm_up(2)) == 2
    block = runner.block(time.perf_counter_ns, 5, discard_first=True)
    assert Counter(boundaries.counted for boundaries in block) == {False: 1 + 2 * 4, True: 5}


def test_an_uncounted_call_comes_before_each_long_one_whose_page_faults_are_read_beside_it(call: Call) -> None:
    runner = Runner(call, Steps(*[1000] * 3))
    runner._passes = _quick(runner, 5_000_000, 5_000_000, 5_000_000)
    runner.warm_up(2)
    used: list[bool] = []
    quick = runner._passes
    runner._passes = lambda clock, read: (used.append(read is runner._usage), quick(clock, read))[1]
    block = runner.block(time.perf_counter_ns, 2, discard_first=True)
    assert [boundaries.counted for boundaries in block] == [False, True] * 2
    assert used == [False, True] * 2


@pytest.mark.parametrize(
    ("settled", "counts", "expected"),
    [(0, [7, 7], (0, False)), (0, [7, 10], (3, True)), (2, [7, 11], (2, False)), (2, [7, 8], (0, False))],
)
def test_page_faults_of_a_short_sample_are_those_beyond_the_call_before_it(
    call: Call, settled: int, counts: list[int], expected: tuple[int, bool]
) -> None:
    """They are read before that call and after the sample: none of the two stands behind a reading."""
    runner = Runner(call, Steps(1000, 1000))
    runner._passes = _quick(runner)
    runner._settled, runner._uncounted = (settled, 0), 4
    # The first call of a block is measured as those of the warm-up.
    readings = [0, 0, *counts]
    runner._usage = lambda: Usage(readings.pop(0), 0)
    (taken,) = (each for each in runner.block(time.perf_counter_ns, 1, discard_first=True) if each.counted)
    assert (sum(taken.faults), taken.fresh) == expected
    assert not readings


@pytest.mark.parametrize(
    ("counted", "expected"),
    [(200, (100, 0)), (201, (100, 1)), (900, (100, 700)), (130, (30, 0)), (50, (0, 0))],
)
def test_page_faults_beyond_those_of_the_settled_state_are_the_second_pass_s(
    call: Call, counted: int, expected: tuple[int, int]
) -> None:
    """Calls take 100 in the forward pass; the sample's own are those beyond the 100 of the call before it."""
    call.request_gradients(BackwardRequest(("data",)))
    runner = Runner(call)
    runner._settled = (100, 0)
    (sample,) = runner._with_faults([Boundaries(0, 30_000, 60_000)], counted)
    assert (sample.faults, runner._compared(sample).fresh) == (expected, expected[1] > 1)


@pytest.mark.parametrize(("counted", "fresh"), [(500, False), (520, True)])
def test_page_faults_of_a_group_are_those_of_all_its_samples(call: Call, counted: int, *, fresh: bool) -> None:
    """Which of the four took more is unknown: all are taken again."""
    runner = Runner(call)
    runner._settled = (100, 0)
    samples = runner._with_faults([Boundaries(0, 30_000, 30_000)] * 4, counted)
    assert [runner._compared(sample).fresh for sample in samples] == [fresh] * 4


def test_a_process_that_waits_for_its_processor_is_disturbed(call: Call) -> None:
    moves: list[bool] = []
    runner = Runner(call, Steps(*[1000] * 8), lambda: moves.append(True))
    passes = runner._passes

    def slow(clock, read):
        time.sleep(0.01)
        return passes(clock, read)

    runner._passes = slow
    assert [each.disturbed for each in runner.block(time.perf_counter_ns, 2)] == [True, True]
    assert moves == [True]
    runner._passes = passes
    runner.block(time.perf_counter_ns, 2)
    assert len(moves) < 3


def test_disturbed_samples_are_taken_again_and_not_counted() -> None:
    blocks = [
        [sample(), sample(disturbed=True), sample(disturbed=True)],
        [sample(disturbed=True), sample()],
        [sample()],
    ]
    asked: list[int] = []

    def take(count: int) -> list[Boundaries]:
        asked.append(count)
        return blocks.pop(0)

    calls = undisturbed(take, 3, float("inf"))
    assert asked == [3, 2, 1]
    assert (sum(call.counted for call in calls), retaken_of(calls)) == (3, 3)


def test_a_machine_that_never_rests_still_gives_figures() -> None:
    asked: list[int] = []

    def take(count: int) -> list[Boundaries]:
        asked.append(count)
        return [sample(disturbed=True)] * count

    calls = undisturbed(take, 2, float("inf"))
    assert asked == [2] * (MAX_RETAKES + 1)
    assert (sum(call.counted for call in calls), retaken_of(calls)) == (2, 2 * MAX_RETAKES)
    late = undisturbed(take, 2, 0.0)
    assert (len(late), retaken_of(late)) == (4, 2)


def test_the_reference_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "cache"))
    assert known_reference() is None
    assert reference_or(None) is None
    first = reference_or(1.5)
    assert (first.probe, first.us) == (probe_name(), 1.5)
    assert reference_or(9.0) == reference_or(None) == known_reference() == first
    # A little faster is noise; more shows that the reference was of a slower moment.
    assert reference_or(1.45) == first
    assert reference_or(1.3).us == known_reference().us == 1.3
    assert keep_reference(1.4).us == known_reference().us == 1.4


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        msgspec.json.encode(Reference("another probe", 1.0, "")),
        b'{"probe":"x","us":-1,"measured":""}',
    ],
)
def test_a_reference_that_cannot_be_used_is_forgotten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes
) -> None:
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path))
    reference_path().write_bytes(content)
    assert known_reference() is None
    assert reference_or(2.0).us == 2.0
