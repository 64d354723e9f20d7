"""The times of a network, from outcomes made by hand."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.analysis.network_times import NetworkTimes, network_times
from autoperf.core.graph import Graph, Node
from autoperf.core.machine import Throughput
from autoperf.core.modes import NETWORK
from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.core.work import Work
from tests.values import outcome, passed, series


def ran(kernel: float, wall: float, kernels: dict[str, float], helpers: dict[str, float] | None = None) -> Pass:
    helpers = helpers or {}
    times = series([kernel] * 3), series([wall] * 3)
    return passed(*times, kernels=kernels, helpers=helpers, helpers_us=sum(helpers.values()))


def part(number: int, operator: str, kernel: float, **calls: int) -> Outcome:
    made = outcome(number, ran(kernel, 2 * kernel, {operator: kernel}), operator=operator)
    return msgspec.structs.replace(made, calls=calls, work=Work(4000.0, 2000.0, 1000.0, 8000.0))


def whole(way: str, kernel: float, wall: float) -> Outcome:
    kernels = {"conv": kernel - 10, "relu": 10.0}
    made = outcome(90, ran(kernel, wall, kernels, {"Reorder": 5.0}), operator="_CachedOp")
    return msgspec.structs.replace(made, category=NETWORK, profile=way, calls={"net": 1})


@pytest.fixture
def times() -> NetworkTimes:
    outcomes = [
        part(0, "relu", 2.0, net=4),
        part(1, "conv", 20.0, net=3, other=1),
        part(2, "conv", 15.0, net=1),
        whole("hybridized", 100.0, 120.0),
    ]
    return network_times(outcomes)[0]


def test_calls_are_ranked_by_count_times_time(times: NetworkTimes) -> None:
    ranked = [(group.name, group.count, group.total_us("forward")) for group in times.by_call]
    assert ranked == [("conv", 3, 60.0), ("conv", 1, 15.0), ("relu", 4, 8.0)]
    assert [(group.name, group.count, group.total_us("forward")) for group in times.by_operator] == [
        ("conv", 4, 75.0),
        ("relu", 4, 8.0),
    ]


def test_throughput_is_that_of_all_calls(times: NetworkTimes) -> None:
    conv, relu = times.by_operator
    assert conv.gflop_per_s("forward") == pytest.approx(4 * 8000 / 75e-6 / 1e9)
    assert relu.gb_per_s("forward") == pytest.approx(6000 / 2e-6 / 1e9)
    assert relu.roofline("forward") is None


def test_each_pass_has_its_own_work() -> None:
    call = part(0, "conv", 20.0, net=3)
    back = msgspec.structs.replace(ran(50.0, 60.0, {"conv": 50.0}), throughput=Throughput(0.2, 0.32, 0.5))
    trained = msgspec.structs.replace(call, backward=back, backward_work=Work(6000.0, 4000.0, 1000.0, 16000.0))
    other = part(1, "conv", 20.0, net=3)
    uncounted = msgspec.structs.replace(other, backward=ran(50.0, 60.0, {"conv": 50.0}))
    (network,) = network_times([trained, uncounted])
    (group,) = network.by_operator
    assert group.gflop_per_s("forward") == pytest.approx(8000 / 20e-6 / 1e9)
    assert group.gflop_per_s("backward") == pytest.approx(16000 / 50e-6 / 1e9)
    assert group.gb_per_s("backward") == pytest.approx(10000 / 50e-6 / 1e9)
    assert group.roofline("backward") == pytest.approx(0.5)
    assert network.by_call[1].gflop_per_s("backward") is None


def test_the_whole_is_the_sum_of_parts_and_what_they_do_not_explain(times: NetworkTimes) -> None:
    (time,) = times.whole
    assert (time.way, time.pass_, time.parts) == ("hybridized", "forward", 83.0)
    assert (time.in_network, time.helpers, time.dispatch) == (17.0, 5.0, 15.0)
    assert time.wall == time.parts + 17.0 + 5.0 + 15.0
    assert time.explained == pytest.approx(83 / 120)


def test_what_an_operators_kernels_take_in_the_network(times: NetworkTimes) -> None:
    conv, relu = times.by_operator
    assert times.in_network_us(conv, "hybridized", "forward") == 90.0
    assert times.in_network_us(relu, "hybridized", "forward") == 10.0
    assert times.in_network_us(relu, "static", "forward") is None
    assert times.in_network_us(relu, "hybridized", "backward") is None
    first, other, _ = times.by_call
    assert times.in_network_us(first, "hybridized", "forward") is None
    assert times.in_network_us(other, "hybridized", "forward") is None


def test_the_speed_up_is_against_the_imperative_network() -> None:
    (network,) = network_times([whole("imperative", 100.0, 240.0), whole("fused", 50.0, 80.0)])
    assert [time.speedup for time in network.whole] == [1.0, 3.0]
    assert network.kernels("fused", "forward") == [("conv", 40.0), ("relu", 10.0)]
    assert network.kernels("fused", "backward") == []


def test_kernels_are_ranked_by_how_much_they_differ(times: NetworkTimes) -> None:
    differences = times.differences("hybridized", "forward")
    assert [(kernel.name, kernel.difference) for kernel in differences] == [
        ("conv", 15.0),
        ("Reorder", 5.0),
        ("relu", 2.0),
    ]
    assert times.differences("hybridized", "backward") == []


def test_each_network_has_its_own_counts() -> None:
    networks = network_times([part(0, "conv", 20.0, net=3, other=1)])
    assert [(network.name, network.parts_us("forward")) for network in networks] == [("net", 60.0), ("other", 20.0)]


def test_a_network_of_two_files_is_counted_once() -> None:
    call, other = part(0, "conv", 20.0, net=3), part(0, "conv", 21.0, net=3, other=1)
    networks = network_times([call, whole("static", 60.0, 70.0), other, whole("static", 61.0, 71.0)])
    assert [(network.name, network.parts_us("forward")) for network in networks] == [("net", 60.0), ("other", 21.0)]
    assert [time.wall for time in networks[0].whole] == [70.0]


def test_calls_without_a_figure_are_kept_apart() -> None:
    failed = msgspec.structs.replace(outcome(0, status=Status.FAILED), calls={"net": 2})
    skipped = msgspec.structs.replace(outcome(1, status=Status.SKIPPED), calls={"net": 1}, category=NETWORK)
    (network,) = network_times([failed, skipped])
    assert (network.calls, network.missing, network.whole) == ((), (failed, skipped), [])


MISSING: dict[str, dict[str, object]] = {
    "not captured or selected": {"network_calls": {"net": 5}},
    "failed": {},
    "in the whole's graph": {},
}


@pytest.mark.parametrize("why", MISSING)
def test_there_are_no_sums_and_shares_without_all_calls(why: str) -> None:
    nodes = tuple(Node(f"n{number}", "conv", ("x",)) for number in range(5 if why == "in the whole's graph" else 3))
    static = msgspec.structs.replace(whole("static", 60.0, 70.0), graphs={"graph": Graph(("x",), nodes, ("n0",))})
    outcomes = [msgspec.structs.replace(part(0, "conv", 20.0, net=3), **MISSING[why]), static]
    if why == "failed":
        outcomes.append(msgspec.structs.replace(outcome(1, status=Status.FAILED), calls={"net": 2}))
    (network,) = network_times(outcomes)
    (time,) = network.whole
    assert (network.made, network.without_figure("forward"), network.sum_us("forward")) == (5, 2, None)
    assert (time.parts, time.explained, time.in_network, time.dispatch) == (None, None, None, 5.0)
    assert network.differences("static", "forward") == []
    assert network.in_network_us(network.by_operator[0], "static", "forward") is None


def test_a_call_without_a_gradient_is_not_missing() -> None:
    call, none = part(0, "conv", 20.0, net=3), part(1, "argmax", 5.0, net=1)
    trained = msgspec.structs.replace(call, backward=ran(50.0, 60.0, {"conv": 50.0}))
    (network,) = network_times([trained, none])
    assert (network.sum_us("forward"), network.sum_us("backward")) == (65.0, 150.0)
    (network,) = network_times([trained, msgspec.structs.replace(none, reason="timeout")])
    assert (network.without_figure("backward"), network.sum_us("backward")) == (1, None)


def test_other_runs_have_no_networks() -> None:
    assert network_times([outcome(0)]) == []


def test_figures_of_kernels_are_at_the_reference_speed() -> None:
    fast = series([10.0] * 3)
    slow = msgspec.structs.replace(fast, uncorrected=20.0)
    # The times of helpers are at that speed already; own kernels were means at it.
    run = Pass(kernel_us=slow, wall_us=fast, kernels={"conv": 20.0}, helpers={"Reorder": 4.0}, helpers_us=4.0)
    outcomes = [
        msgspec.structs.replace(outcome(0, run, operator="conv"), calls={"net": 1}),
        msgspec.structs.replace(outcome(1, run), category=NETWORK, profile="static", calls={"net": 1}),
    ]
    (network,) = network_times(outcomes)
    assert network.whole[0].helpers == 4.0
    assert [(kernel.name, kernel.alone) for kernel in network.differences("static", "forward")] == [
        ("Reorder", 4.0),
        ("conv", 10.0),
    ]
