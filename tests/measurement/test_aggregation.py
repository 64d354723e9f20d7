"""What several processes took becomes one figure, with reasons to doubt it: on samples that were made up."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.core.outcome import FigureWarning
from autoperf.measurement.aggregation import UNTRIED, merge_processes, series, series_median
from autoperf.measurement.messages import ClockSamples, Conditions, Measured, PassSamples

QUIET = Conditions(elapsed=0.1, others=0.0, throttled=0)


def normal(count: int, centre: float = 100.0, spread: float = 0.001, seed: int = 1) -> tuple[float, ...]:
    return tuple((centre * np.random.default_rng(seed).normal(1, spread, count)).tolist())


def whole(count: int, truth: float, seed: int = 1) -> tuple[int, ...]:
    """Kernels of `truth` microseconds, begun at any time and traced in whole ones."""
    begins = np.random.default_rng(seed).uniform(0, 1e6, count)
    return tuple((np.floor(begins + truth) - np.floor(begins)).astype(int).tolist())


def processes(*parts) -> list[ClockSamples]:
    return [ClockSamples(part) for part in parts]


def pass_samples(wall, kernel=None, *others, faults=(), **changes) -> PassSamples:
    timed = None if kernel is None else ClockSamples(kernel)
    return PassSamples(ClockSamples(wall, faults=faults), timed, *others, **changes)


def measured(
    *taken: PassSamples, conditions: Conditions = QUIET, backward: PassSamples | None = None
) -> list[Measured]:
    return [Measured(one, backward, conditions, {}) for one in taken]


def test_quiet_processes_that_agree_leave_no_doubt() -> None:
    found = series(processes(*(normal(48, seed=seed) for seed in range(3))), 0.01)
    assert (found.count, found.processes, found.loops, found.warnings) == (144, (48, 48, 48), 1, ())
    assert 99.5 < found.low <= found.median <= found.high < 100.5


def test_one_process_has_no_list_of_processes() -> None:
    assert series(processes(normal(48)), 0.01).processes == ()


@pytest.mark.parametrize(
    ("parts", "warnings"),
    [
        ([normal(48), normal(48, spread=0.2)], (FigureWarning.NOISY,)),
        ([normal(2), normal(2)], (FigureWarning.SHORT,)),
        ([normal(2), normal(2), normal(2, seed=3)], ()),
        ([normal(48), normal(48, centre=120)], (FigureWarning.DISAGREE,)),
        ([normal(48), normal(48, centre=102)], ()),
        ([normal(24) + normal(24, centre=108)], (FigureWarning.NOISY, FigureWarning.DRIFT)),
        ([(100.0, 100.0), (200.0, 200.0)], (FigureWarning.SHORT, FigureWarning.DISAGREE)),
    ],
    ids=["noisy", "short", "few but close", "disagree", "close enough", "drift", "two each"],
)
def test_doubts_from_the_samples_themselves(parts, warnings) -> None:
    assert series(processes(*parts), 0.01).warnings == warnings


def test_short_kernels_are_averaged_until_the_trace_resolves_them() -> None:
    found = series(processes(*(whole(384, 3.3, seed) for seed in range(3))), 0.05, step=1.0)
    assert (found.loops, found.processes) == (32, (12, 12, 12))
    assert found.median == pytest.approx(3.3, abs=0.1)
    assert FigureWarning.RESOLUTION not in found.warnings
    assert found.mean == pytest.approx(np.mean([whole(384, 3.3, seed) for seed in range(3)]))


def test_a_disturbed_call_counts_little_in_the_mean_of_a_short_kernel() -> None:
    """A median has no need of it, a mean has: a call of 60 us in every twelfth is no part of a kernel of 3.3 us."""
    disturbed = [
        tuple(60 if place % 12 == 5 else taken for place, taken in enumerate(whole(384, 3.3, seed)))
        for seed in range(3)
    ]
    found = series(processes(*disturbed), 0.05, step=1.0)
    assert found.loops > 1
    assert found.high < 4
    assert series_median(disturbed, 1.0) == found.median


def test_calls_that_were_counted_are_samples_each() -> None:
    found = series(processes(whole(384, 3.3)), 0.05, step=1.0, averaging=False)
    assert (found.loops, found.count) == (1, 384)
    assert FigureWarning.RESOLUTION in found.warnings


def test_too_few_calls_for_the_resolution_are_said_to_be() -> None:
    found = series(processes(*(whole(32, 3.3, seed) for seed in range(3))), 0.05, step=1.0)
    assert (found.loops, found.processes) == (8, (4, 4, 4))
    assert FigureWarning.RESOLUTION in found.warnings


def test_every_call_is_in_an_average() -> None:
    found = series(processes(whole(48, 3.3), whole(30, 3.3), whole(7, 3.3)), 0.05, step=1.0)
    assert (found.loops, found.count) == (1, 85)


@pytest.mark.parametrize(
    ("conditions", "warnings"),
    [
        (Conditions(0.1, 0.02, 0), ()),
        (Conditions(0.1, 0.06, 0), (FigureWarning.LOAD,)),
        (Conditions(1.0, 0.2, 0), ()),
        (Conditions(0.1, 0.0, 1), (FigureWarning.THROTTLED,)),
    ],
)
def test_what_else_went_on_is_a_doubt_of_every_figure(conditions: Conditions, warnings) -> None:
    both = pass_samples(normal(48), whole(48, 50.3), {"x": 50.3}, {}, whole(48, 50.3))
    forward, backward = merge_processes(measured(both, conditions=conditions, backward=both), 0.1)
    for one in (forward, backward):
        assert one.wall_us.warnings == one.kernel_us.warnings == warnings


def test_own_kernels_helpers_and_dispatch_are_told_apart() -> None:
    taken = [
        pass_samples((100.0,) * 10, (60,) * 10, {"x": 60.0}, {"Reorder": 10.0}, (70,) * 10),
        pass_samples((100.0,) * 30, (60,) * 30, {"x": 60.0}, {"Reorder": 14.0, "CopyCPU2CPU": 4.0}, (78,) * 30),
    ]
    forward, _ = merge_processes(measured(*taken), 0.01)
    assert forward.kernels == {"x": 60.0}
    assert forward.helpers == {"Reorder": 13.0, "CopyCPU2CPU": 3.0}
    assert forward.helpers_us == 16.0
    assert forward.dispatch_us == 22.0


def test_own_kernels_share_the_median_of_their_sum() -> None:
    taken = pass_samples((100.0,) * 8, (60,) * 8, {"x": 50.0, "y": 25.0}, {}, (70,) * 8)
    forward, _ = merge_processes(measured(taken), 0.01)
    assert forward.kernels == {"x": 40.0, "y": 20.0}


def test_faults_and_the_first_call_of_each_process_are_kept() -> None:
    quiet = pass_samples((100.0,) * 8, first_us=5000.0)
    fresh = pass_samples((400.0,) * 8, first_us=7000.0, faults=(64,) * 8)
    forward, _ = merge_processes(measured(quiet, fresh, fresh), 0.01)
    assert forward.first_us == 7000.0
    assert forward.faults == 64
    assert forward.wall_us.faults == (0.0,) * 8 + (64.0,) * 16
    alone, _ = merge_processes(measured(quiet), 0.01)
    assert (alone.faults, alone.wall_us.faults) == (0, msgspec.UNSET)


def test_compilations_after_the_first_are_those_of_the_process_with_most() -> None:
    parts = [pass_samples((100.0,) * 8, recompiled=again) for again in ((0, 0), (1, 0), (2, 0))]
    compiled = msgspec.structs.replace(UNTRIED, compile_us=(7e6, 3e6))
    forward, backward = merge_processes(measured(*parts), 0.01, trial=compiled)
    assert (forward.compile_us, forward.recompiles, backward) == (7e6, 2, None)
    assert FigureWarning.RECOMPILED not in forward.wall_us.warnings
    late, _ = merge_processes(measured(*parts, pass_samples((100.0,) * 8, recompiled=(0, 1))), 0.01)
    assert FigureWarning.RECOMPILED in late.wall_us.warnings


def test_a_call_that_is_not_compiled_has_no_compilations() -> None:
    forward, _ = merge_processes(measured(pass_samples((100.0,) * 8)), 0.01)
    assert (forward.compile_us, forward.recompiles) == (msgspec.UNSET, msgspec.UNSET)


@pytest.mark.parametrize(
    ("samples", "warnings"),
    [
        (pass_samples(normal(8)), ()),
        (pass_samples(normal(8), settled=False), (FigureWarning.UNSETTLED,)),
        (pass_samples(normal(8), waited=2), ()),
        (pass_samples(normal(8), waited=3), (FigureWarning.CROWDED,)),
    ],
)
def test_what_was_seen_beside_the_samples_is_a_warning(samples: PassSamples, warnings) -> None:
    forward, _ = merge_processes(measured(samples), 0.01)
    assert forward.wall_us.warnings == warnings


def test_kernels_longer_than_the_wall_are_said_to_be() -> None:
    forward, backward = merge_processes(
        measured(pass_samples((50.0,) * 8, (60,) * 8, {"x": 60.0}, {}, (60,) * 8)), 0.01
    )
    assert forward.dispatch_us is None
    assert forward.notes == ("kernels took 20% longer than the wall time, beyond the intervals of both",)
    assert backward is None


@pytest.mark.parametrize(
    ("wall", "kernel"),
    [((100.0,) * 8, 103), ((50.0, 95.0, 100.0, 100.0, 150.0, 180.0, 100.0, 100.0) * 2, 110)],
    ids=["3% longer", "within the interval of the wall time"],
)
def test_kernels_longer_than_the_wall_by_noise_are_not_worth_a_note(wall: tuple[float, ...], kernel: int) -> None:
    count = len(wall)
    forward, _ = merge_processes(
        measured(pass_samples(wall, (kernel,) * count, {"x": 1.0 * kernel}, {}, (kernel,) * count)), 0.01
    )
    assert forward.dispatch_us is None
    assert forward.notes == ()


def test_the_wall_clock_alone() -> None:
    forward, _ = merge_processes(measured(pass_samples(normal(8)), pass_samples(normal(8))), 0.01)
    assert (forward.kernel_us, forward.helpers_us, forward.dispatch_us) == (None, None, None)


def test_operators_without_a_kernel_have_a_wall_time_all_the_same() -> None:
    forward, _ = merge_processes(measured(pass_samples(normal(8), (), {}, {}, (0,) * 8, ("no kernel",))), 0.01)
    assert (forward.kernel_us, forward.notes) == (None, ("no kernel",))
    assert forward.dispatch_us == forward.wall_us.median


samples = st.lists(st.floats(1, 1e4), min_size=1, max_size=12).map(tuple)
traced = st.lists(st.integers(1, 9999), min_size=1, max_size=12).map(tuple)


@given(st.lists(st.tuples(samples, traced), min_size=1, max_size=5), st.randoms())
def test_the_order_of_processes_changes_no_figure(parts, random) -> None:
    def merged(parts):
        taken = [pass_samples(wall, kernel, spans=kernel) for wall, kernel in parts]
        return merge_processes(measured(*taken), 0.01, averaging=False)[0]

    one, other = merged(parts), merged(random.sample(parts, len(parts)))
    for clock in ("kernel_us", "wall_us"):
        first, second = getattr(one, clock), getattr(other, clock)
        assert sorted(first.samples) == sorted(second.samples)
        assert sum(first.processes or (first.count,)) == first.count == second.count
        for name in ("median", "mean", "p90", "min", "max"):
            assert getattr(first, name) == pytest.approx(getattr(second, name))
    assert (one.dispatch_us is None) is (other.dispatch_us is None)


def test_each_kernel_has_its_own_time() -> None:
    parts = [
        pass_samples((120.0,) * 8, kernel=(100,) * 8, kernels={"conv": first, "relu": 100.0 - first}, spans=(100,) * 8)
        for first in (60.0, 80.0)
    ]
    merged, _ = merge_processes(measured(*parts), 0.01)
    assert merged.kernels == pytest.approx({"conv": 70.0, "relu": 30.0})
