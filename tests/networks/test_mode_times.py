"""Layers side by side: which outcomes belong together, speed-ups, kernels, and the time without one."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.graph import HYBRIDIZE, LAYERS, MODES
from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.networks.report import ModeTimes, input_modes
from tests.values import outcome, series


def layer(way: str, wall: float, number: int = 0, kernels: dict[str, float] | None = None, units: int = 4) -> Outcome:
    kernels = {"FullyConnected": 6.0, "Activation": 2.0} if kernels is None else kernels
    forward = Pass(
        kernel_us=series([sum(kernels.values())] * 3), wall_us=series([wall] * 3), kernels=kernels,
        helpers={"Reorder": 1.0},
    )  # fmt: skip
    params = {"units": units, HYBRIDIZE: MODES[way].hybridize}
    made = outcome(number, forward, operator="gluon_Dense")
    return msgspec.structs.replace(made, category=LAYERS, profile=way, params=params)


@pytest.fixture
def dense() -> ModeTimes:
    (times,) = input_modes([layer("imperative", 40.0), layer("hybridized", 20.0), layer("static", 10.0)])
    return times


def test_outcomes_of_one_layer_and_its_inputs_belong_together() -> None:
    outcomes = [
        layer("imperative", 40.0),
        layer("imperative", 50.0, number=1),
        layer("imperative", 60.0, units=8),
        layer("static", 20.0, number=1),
        layer("static", 30.0, units=8),
    ]
    assert [list(times.wall("forward").values()) for times in input_modes(outcomes)] == [[50.0, 20.0], [60.0, 30.0]]


def test_one_way_has_nothing_beside_it() -> None:
    skipped = msgspec.structs.replace(layer("static", 20.0), status=Status.SKIPPED)
    assert input_modes([layer("imperative", 40.0), skipped, outcome()]) == []


def test_the_speed_up_is_against_the_imperative_layer(dense: ModeTimes) -> None:
    assert dense.speedup("forward") == {"imperative": 1.0, "hybridized": 2.0, "static": 4.0}
    assert dense.speedup("backward") == {}
    (others,) = input_modes([layer("hybridized", 20.0), layer("static", 10.0)])
    assert others.speedup("forward") == {}


def test_kernels_are_by_way_the_longest_first() -> None:
    fused = {"sg_onednn_fully_connected": 9.0}
    (times,) = input_modes([layer("imperative", 40.0), layer("static", 20.0, kernels=fused)])
    assert times.kernels("forward") == {
        "sg_onednn_fully_connected": {"static": 9.0},
        "FullyConnected": {"imperative": 6.0},
        "Activation": {"imperative": 2.0},
        "Reorder": {"imperative": 1.0, "static": 1.0},
    }


def test_wall_time_is_kernels_and_the_time_without_one(dense: ModeTimes) -> None:
    assert dense.without_kernel("forward") == {"imperative": 31.0, "hybridized": 11.0, "static": 1.0}


def test_a_kernel_that_is_an_operator_s_and_the_engine_s_has_the_time_of_both() -> None:
    copying = {"Reorder": 5.0}
    (times,) = input_modes([layer("imperative", 40.0, kernels=copying), layer("static", 20.0, kernels=copying)])
    assert times.kernels("forward") == {"Reorder": {"imperative": 6.0, "static": 6.0}}
    assert times.without_kernel("forward") == {"imperative": 34.0, "static": 14.0}


def test_its_name_has_no_way(dense: ModeTimes) -> None:
    assert dense.outcome.params == {"units": 4}
