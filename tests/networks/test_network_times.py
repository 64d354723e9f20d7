"""The times of a network, from outcomes made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from autoperf.core.graph import NETWORK, Graph, Node
from autoperf.core.machine import Throughput
from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.core.work import Work
from autoperf.networks.times import NetworkPass, TimeGroup, network_times
from tests.values import outcome, passed, series


def ran(kernel: float, wall: float, kernels: dict[str, float], helpers: dict[str, float] | None = None) -> Pass:
    helpers = helpers or {}
    times = series([kernel] * 3), series([wall] * 3)
    return passed(*times, kernels=kernels, helpers=helpers, helpers_us=sum(helpers.values()))


def part(number: int, operator: str, kernel: float, **calls: int) -> Outcome:
    made = outcome(number, ran(kernel, 2 * kernel, {operator: kernel}), operator=operator)
    return msgspec.structs.replace(made, calls=calls, work=Work(4000.0, 2000.0, 1000.0, 8000.0))


def whole(way: str, kernel: float, wall: float) -> Outcome:
    kernels = {"conv": kernel - 50, "relu": 50.0}
    made = outcome(90, ran(kernel, wall, kernels, {"Reorder": 5.0}), operator="_CachedOp")
    return msgspec.structs.replace(made, category=NETWORK, profile=way, calls={"net": 1})


def named(groups: Sequence[TimeGroup]) -> list[str]:
    return [group.name for group in groups]


CALLS = [part(0, "relu", 2.0, net=4), part(1, "conv", 20.0, net=3, other=1), part(2, "conv", 15.0, net=1)]


@pytest.fixture
def times() -> NetworkPass:
    (forward,) = network_times([*CALLS, whole("static", 110.0, 110.0), whole("hybridized", 90.0, 120.0)])[0].passes
    return forward


def test_operators_are_ranked_by_their_time_in_the_hybridized_network(times: NetworkPass) -> None:
    ranked = [(group.name, group.count, group.total_us, group.modes) for group in times.by_operator]
    assert times.ranking_mode == "hybridized"
    assert ranked == [
        ("relu", 4, 8.0, {"static": 50.0, "hybridized": 50.0}),
        ("conv", 4, 75.0, {"static": 60.0, "hybridized": 40.0}),
        ("dispatch", None, None, {"hybridized": 25.0}),
        ("helper kernels", None, None, {"static": 5.0, "hybridized": 5.0}),
    ]
    assert [times.share(group) for group in times.by_operator] == [50 / 120, 40 / 120, 25 / 120, 5 / 120]


def test_the_time_of_a_call_in_the_network_is_its_part_of_the_operators(times: NetworkPass) -> None:
    assert [(group.name, group.count, group.modes["hybridized"]) for group in times.by_call] == [
        ("relu", 4, 50.0),
        ("conv", 3, 40.0 * 60 / 75),
        ("conv", 1, 40.0 * 15 / 75),
    ]


def test_without_a_trace_calls_are_ranked_by_their_sum_alone() -> None:
    wall = msgspec.structs.replace(whole("hybridized", 90.0, 120.0), forward=Pass(wall_us=series([120.0] * 3)))
    for outcomes in (CALLS, [*CALLS, wall]):
        times = network_times(outcomes)[0].passes[0]
        assert (times.ranking_mode, named(times.by_operator), named(times.by_call)) == (
            "",
            ["conv", "relu"],
            ["conv", "conv", "relu"],
        )
        assert times.share(times.by_operator[0]) == 75 / 83


def test_the_parts_add_up_to_the_wall_time(times: NetworkPass) -> None:
    time = times.modes["hybridized"]
    assert (time.wall_us, time.kernels_us, time.helpers_us, time.dispatch_us) == (120.0, 90.0, 5.0, 25.0)
    assert times.whole.modes["hybridized"] == 120.0
    assert times.alone_us == times.whole.total_us == 83.0
    assert time.rest_us == time.kernels_us - 83.0


def test_dispatch_is_unknown_if_kernels_took_longer_than_the_wall_time(times: NetworkPass) -> None:
    time = times.modes["static"]
    assert (time.wall_us, time.dispatch_us, time.total_us) == (110.0, None, 115.0)
    assert times.whole.modes["static"] == 115.0


def test_operators_that_share_a_kernel_are_one_group() -> None:
    copies = {"_backward_copy": 10.0}
    first, second = (
        msgspec.structs.replace(outcome(number, ran(10.0, 20.0, copies), operator=name), calls={"net": 1})
        for number, name in enumerate(("Flatten", "Reshape"))
    )
    graph = outcome(90, ran(30.0, 40.0, {**copies, "relu": 20.0, "_grad_add": 0.0}), operator="_CachedOp")
    static = msgspec.structs.replace(graph, category=NETWORK, profile="static", calls={"net": 1})
    times = network_times([first, part(2, "relu", 2.0, net=1), second, static])[0].passes[0]
    assert [(group.name, group.count) for group in times.by_operator if group.modes.get("static")] == [
        ("relu", 1),
        ("Flatten, Reshape", 2),
        ("dispatch", None),
    ]
    assert "_grad_add" in named(times.by_operator)


def test_a_kernel_that_runs_in_the_network_alone_belongs_to_its_operator() -> None:
    view = msgspec.structs.replace(outcome(1, ran(3.0, 4.0, {}), operator="relu"), calls={"net": 1})
    times = network_times([view, whole("static", 60.0, 70.0)])[0].passes[0]
    assert [(group.name, group.count) for group in times.by_operator[:2]] == [("relu", 1), ("conv", None)]


def test_fused_kernels_have_rows_of_their_own_and_rank_nothing() -> None:
    fused = outcome(91, ran(50.0, 60.0, {"_sg_mkldnn_conv": 50.0}), operator="_CachedOp")
    fused = msgspec.structs.replace(fused, category=NETWORK, profile="fused", calls={"net": 1})
    times = network_times([*CALLS, fused])[0].passes[0]
    assert times.ranking_mode == ""
    assert named(times.by_operator) == ["conv", "relu", "_sg_mkldnn_conv", "dispatch"]


def test_the_interval_of_a_sum_reaches_as_far_as_those_of_its_calls() -> None:
    def with_interval(call: Outcome, low: float, high: float) -> Outcome:
        kernel = msgspec.structs.replace(series([20.0] * 3), low=low, high=high)
        return msgspec.structs.replace(call, forward=Pass(kernel_us=kernel))

    first, second = with_interval(CALLS[1], 19.0, 21.0), with_interval(CALLS[2], 18.0, 30.0)
    times = network_times([first, second])[0].passes[0]
    assert times.by_operator[0].reach == pytest.approx((3 * 21 + 30) / 80 - 1)
    assert network_times(CALLS)[0].passes[0].by_operator[0].reach is None


@pytest.mark.parametrize(("low", "saved"), [(110.0, 20.0), (90.0, None)])
def test_a_mode_saves_time_if_the_intervals_do_not_meet(low: float, saved: float | None) -> None:
    def mode(way: str, median: float, low: float, high: float) -> Outcome:
        wall = msgspec.structs.replace(series([median] * 3), low=low, high=high)
        return msgspec.structs.replace(whole(way, 1.0, 1.0), forward=Pass(wall_us=wall))

    modes = (
        network_times([mode("hybridized", 120.0, low, 130.0), mode("static", 100.0, 95.0, 105.0)])[0].passes[0].modes
    )
    assert modes["hybridized"].saved_us(modes["static"]) == saved
    assert modes["static"].saved_us(modes["hybridized"]) == (None if saved is None else -saved)


def test_throughput_is_of_all_calls(times: NetworkPass) -> None:
    relu, conv, *_ = times.by_operator
    assert conv.gflop_per_s == pytest.approx(4 * 8000 / 75e-6 / 1e9)
    assert relu.gb_per_s == pytest.approx(6000 / 2e-6 / 1e9)
    assert relu.roofline is None


def test_each_pass_has_its_own_work() -> None:
    call = part(0, "conv", 20.0, net=3)
    back = msgspec.structs.replace(ran(50.0, 60.0, {"conv": 50.0}), throughput=Throughput(0.2, 0.32, 0.5))
    trained = msgspec.structs.replace(call, backward=back, backward_work=Work(6000.0, 4000.0, 1000.0, 16000.0))
    other = part(1, "conv", 20.0, net=3)
    uncounted = msgspec.structs.replace(other, backward=ran(50.0, 60.0, {"conv": 50.0}))
    forward, backward = network_times([trained, uncounted])[0].passes
    assert forward.by_operator[0].gflop_per_s == pytest.approx(8000 / 20e-6 / 1e9)
    (group,) = backward.by_operator
    assert group.gflop_per_s == pytest.approx(16000 / 50e-6 / 1e9)
    assert group.gb_per_s == pytest.approx(10000 / 50e-6 / 1e9)
    assert group.roofline == pytest.approx(0.5)
    assert backward.by_call[1].gflop_per_s is None


def test_the_speed_up_is_against_the_imperative_network() -> None:
    times = network_times([whole("imperative", 100.0, 240.0), whole("fused", 50.0, 80.0)])[0].passes[0]
    assert [time.speedup for time in times.modes.values()] == [1.0, 3.0]


def test_each_network_has_its_own_counts() -> None:
    networks = network_times([part(0, "conv", 20.0, net=3, other=1)])
    assert [(network.name, network.passes[0].alone_us) for network in networks] == [("net", 60.0), ("other", 20.0)]


def test_a_network_of_two_files_is_counted_once() -> None:
    call, other = part(0, "conv", 20.0, net=3), part(0, "conv", 21.0, net=3, other=1)
    networks = network_times([call, whole("static", 60.0, 70.0), other, whole("static", 61.0, 71.0)])
    assert [(network.name, network.passes[0].alone_us) for network in networks] == [("net", 60.0), ("other", 21.0)]
    assert networks[0].passes[0].modes["static"].wall_us == 70.0


def test_calls_without_a_time_are_kept_apart() -> None:
    failed = msgspec.structs.replace(outcome(0, status=Status.FAILED), calls={"net": 2})
    skipped = msgspec.structs.replace(outcome(1, status=Status.SKIPPED), calls={"net": 1}, category=NETWORK)
    (network,) = network_times([failed, skipped])
    assert (network.passes, network.missing, network.made) == ((), (failed, skipped), 2)


MISSING: dict[str, dict[str, object]] = {
    "not captured or selected": {"network_calls": {"net": 5}},
    "failed": {},
    "in the whole's graph": {},
}


@pytest.mark.parametrize("why", MISSING)
def test_there_is_no_sum_alone_without_all_calls(why: str) -> None:
    nodes = tuple(Node(f"n{number}", "conv", ("x",)) for number in range(5 if why == "in the whole's graph" else 3))
    static = msgspec.structs.replace(whole("static", 60.0, 70.0), graphs={"graph": Graph(("x",), nodes, ("n0",))})
    outcomes = [msgspec.structs.replace(part(0, "conv", 20.0, net=3), **MISSING[why]), static]
    if why == "failed":
        outcomes.append(msgspec.structs.replace(outcome(1, status=Status.FAILED), calls={"net": 2}))
    times = network_times(outcomes)[0].passes[0]
    assert (times.made, times.without_time, times.alone_us) == (5, 2, None)
    # The trace has the missing calls too: under the names of their kernels.
    assert named(times.by_operator) == ["relu", "conv", "dispatch", "helper kernels"]
    assert (times.by_operator[0].calls, times.modes["static"].dispatch_us) == ((), 5.0)


def test_a_call_without_a_gradient_is_not_missing() -> None:
    call, none = part(0, "conv", 20.0, net=3), part(1, "argmax", 5.0, net=1)
    trained = msgspec.structs.replace(call, backward=ran(50.0, 60.0, {"conv": 50.0}))
    forward, backward = network_times([trained, none])[0].passes
    assert (forward.alone_us, backward.alone_us, named(backward.by_operator)) == (65.0, 150.0, ["conv"])
    _, backward = network_times([trained, msgspec.structs.replace(none, reason="timeout")])[0].passes
    assert (backward.without_time, backward.alone_us) == (1, None)


def test_other_runs_have_no_networks() -> None:
    assert network_times([outcome(0)]) == []


def test_times_of_kernels_are_at_the_reference_speed() -> None:
    fast = series([10.0] * 3)
    slow = msgspec.structs.replace(fast, uncorrected=20.0)
    # The times of helpers are at that speed already; own kernels were means at it.
    run = Pass(kernel_us=slow, wall_us=fast, kernels={"conv": 20.0}, helpers={"Reorder": 4.0}, helpers_us=4.0)
    static = msgspec.structs.replace(outcome(1, run), category=NETWORK, profile="static", calls={"net": 1})
    times = network_times([static])[0].passes[0]
    assert [(group.name, group.modes["static"]) for group in times.by_operator] == [
        ("conv", 10.0),
        ("helper kernels", 4.0),
    ]
