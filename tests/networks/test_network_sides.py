"""Sums of a network's calls by framework are over the calls that all have."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.networks.sides import NetworkSides, network_sides
from tests.reports.report_values import CALLS, HYBRIDIZED, STATIC, whole
from tests.values import passed, stated


def by_python(outcome: Outcome, kernel: float | None, python: float) -> Outcome:
    """The outcome with a kernel time and the time of a call from Python."""
    run = passed(None if kernel is None else stated(kernel), stated(python), python_us=stated(python))
    return msgspec.structs.replace(outcome, forward=run)


def skipped(outcome: Outcome) -> Outcome:
    return msgspec.structs.replace(outcome, status=Status.SKIPPED, forward=None, reason="PyTorch has none")


FIRST = [by_python(each, kernel, kernel + 20) for each, kernel in zip(CALLS, (200.0, 700.0, 600.0), strict=True)]
OTHER = [by_python(CALLS[0], 50.0, 55.0), by_python(CALLS[1], 800.0, 805.0), skipped(CALLS[2])]


def one(*sides: list[Outcome]) -> NetworkSides:
    (network,) = network_sides(sides)
    return network


def test_sums_are_counts_times_times_of_the_shared_calls() -> None:
    network = one(FIRST, OTHER)
    assert [(total.clock.name, total.count, total.times) for total in network.sums] == [
        ("python", 6, (4 * 220.0 + 2 * 720.0, 4 * 55.0 + 2 * 805.0)),
        ("kernel", 6, (4 * 200.0 + 2 * 700.0, 4 * 50.0 + 2 * 800.0)),
    ]
    assert network.sums[1].ratio(1) == pytest.approx(1800 / 2200)


def test_calls_without_a_pass_are_none_that_lack_it() -> None:
    """Of ten calls of a backward pass, three of which have no gradient, seven are all."""
    network = one(FIRST, OTHER)
    assert network.timed(network.clocks[0]) == sum(each.calls["net"] for each in CALLS if each.calls)
    without = msgspec.structs.replace(FIRST[2], forward=None)
    fewer = one([*FIRST[:2], without], [*OTHER[:2], without])
    assert fewer.timed(fewer.clocks[0]) == fewer.sums[0].count == 6


def test_calls_where_the_first_loses_most_come_first() -> None:
    network = one(FIRST, OTHER)
    assert [(call.name, call.lost_us) for call in network.shared] == [("relu", 660.0), ("FullyConnected", -170.0)]
    assert [group.name for group in network.by_operator] == ["relu", "FullyConnected"]


def test_a_call_without_a_time_has_its_share_and_no_part_in_sums() -> None:
    network = one(FIRST, OTHER)
    (lacked,) = network.lacked
    assert (lacked.call.case, lacked.side, lacked.reason) == (CALLS[2].case, 1, "PyTorch has none")
    assert lacked.share == network.lacked_share == pytest.approx(620 / (880 + 1440 + 620))


def test_frameworks_without_kernels_are_compared_by_calls_from_python() -> None:
    other = [by_python(each, None, 10.0) for each in CALLS]
    assert [total.clock.name for total in one(FIRST, other).sums] == ["python"]
    assert not one(FIRST, [skipped(each) for each in CALLS]).sums


def test_the_whole_network_has_a_row_for_each_mode() -> None:
    wholes = [whole("hybridized", HYBRIDIZED), whole("static", STATIC)]
    imperative = whole("imperative", Pass(wall_us=stated(3000.0)))
    network = one([*FIRST, *wholes], [*OTHER, imperative])
    assert [(row.name, row.times) for row in network.sums[2:]] == [
        ("whole, imperative", (None, 3000.0)),
        ("whole, hybridized", (11_000.0, None)),
        ("whole, static", (6000.0, None)),
    ]


def test_a_pass_that_no_call_has_is_none() -> None:
    assert [network.pass_ for network in network_sides([FIRST, OTHER])] == ["forward"]
    assert network_sides([[], []]) == []
