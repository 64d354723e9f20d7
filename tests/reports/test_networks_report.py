"""A network's answer and tables."""

from __future__ import annotations

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.analysis.network_times import NetworkPass, network_times
from autoperf.core.outcome import Outcome, Pass
from autoperf.reports.networks import network_answer, network_notes, next_commands
from tests.reports.network_values import CALLS, DENSE, FUSED, HYBRIDIZED, RELU, network, ran, whole
from tests.reports.report_values import run_text
from tests.values import stated

FIRST = (
    "net: of 11.0 ms (hybridized, forward), relu takes 68%; "
    "the slowest call is relu relu0_fwd (4 times, about 7.50 ms); "
)


def answer(*outcomes: Outcome) -> list[str]:
    return [sentence for each in network_times(outcomes) for sentence in network_answer(each)]


def forward(*outcomes: Outcome) -> NetworkPass:
    return network_times(outcomes)[0].passes[0]


def test_the_answer_names_the_operator_the_call_and_what_other_modes_save() -> None:
    assert answer(*network()) == [FIRST + "static memory would save 5.00 ms; fused by oneDNN: 4.40x faster"]


@pytest.mark.parametrize(
    ("mode", "wall", "words"),
    [
        ("static", 11_100.0, "static memory: 11.1 ms, no clear difference"),
        ("static", 13_000.0, "static memory would cost 2.00 ms"),
        ("fused", 10_900.0, "fused by oneDNN: 10.9 ms, no clear difference"),
        ("fused", 22_000.0, "fused by oneDNN: 2.00x slower"),
    ],
)
def test_a_difference_within_the_intervals_is_not_clear(mode: str, wall: float, words: str) -> None:
    other = whole(mode, ran(wall, {RELU: 5000.0}))
    assert answer(*CALLS, whole("hybridized", HYBRIDIZED), other) == [FIRST + words]


def test_dispatch_comes_before_the_first_operator() -> None:
    idle = ran(10_000.0, {RELU: 500.0, DENSE: 2000.0})
    (sentence,) = answer(*CALLS, whole("hybridized", idle))
    assert sentence.startswith("net: of 10.0 ms (hybridized, forward), dispatch takes 75%, FullyConnected 20%; ")
    assert list(next_commands(network_times([*CALLS, whole("hybridized", idle)]), ["net.ndjson"])) == []
    (alone,) = answer(whole("hybridized", idle))
    assert alone == "net: of 10.0 ms (hybridized, forward), dispatch takes 75%, FullyConnected 20%"


def test_without_a_trace_the_answer_is_of_the_calls_alone() -> None:
    untraced = whole("hybridized", Pass(wall_us=stated(9000.0)))
    for outcomes in (CALLS, (*CALLS, untraced)):
        assert answer(*outcomes) == [
            "net: of 2.80 ms (forward, the sum of the calls alone), FullyConnected takes 71%; "
            "the slowest call is FullyConnected FullyConnected1_fwd (2 times, 1.40 ms alone)"
        ]
    text = run_text(CALLS)
    assert "forward by operator, slowest alone first" in text
    assert "share: of the calls alone" in text


def test_missing_calls_are_named() -> None:
    some = [msgspec.structs.replace(each, network_calls={"net": 9}) for each in CALLS]
    assert answer(*some)[0].startswith("net: 7 of 9 calls measured (forward), most of their time: FullyConnected; ")
    (note,) = network_notes(network_times(some)[0], None)
    assert note.startswith("forward: 7 of 9 calls measured; the others were not captured, selected or measured")


def test_each_pass_and_each_network_has_a_sentence() -> None:
    sentences = answer(*network("one", training=True), *network("two"))
    assert [sentence.partition(")")[0] for sentence in sentences] == [
        "one: of 11.0 ms (hybridized, forward",
        "one: of 11.0 ms (hybridized, backward",
        "two: of 11.0 ms (hybridized, forward",
    ]


def test_the_next_step_is_a_hunt_of_the_slowest_operators() -> None:
    networks = network_times([*network("one"), *network("two")])
    ((_, command),) = next_commands(networks, ["a b.ndjson"])
    assert command == "autoperf hunt --cases 'a b.ndjson' --operator relu --time-budget 5m"
    assert list(next_commands(networks, [])) == []


def test_modes_without_a_clear_difference_are_measured_again() -> None:
    unclear = [*CALLS, whole("hybridized", HYBRIDIZED), whole("static", HYBRIDIZED), whole("fused", FUSED)]
    _, (label, command) = next_commands(network_times(unclear), ["net.ndjson"])
    assert label == "to compare the modes, in about 20 s"
    assert command == "autoperf run --cases net.ndjson --input-profile hybridized,static --max-time 10s"
    assert list(next_commands(network_times(unclear[len(CALLS) :]), ["net.ndjson"])) == []


def test_an_unknown_dispatch_is_explained() -> None:
    outcomes = [*CALLS, whole("hybridized", ran(10_000.0, {RELU: 9000.0, DENSE: 2000.0}))]
    assert forward(*outcomes).modes["hybridized"].dispatch_us is None
    assert list(network_notes(network_times(outcomes)[0], None)) == [
        "forward hybridized: dispatch unknown, since with the profiler on the kernels took 10% longer than a whole "
        "pass with it off"
    ]
    assert "-1.00 ms" not in run_text(outcomes)


def test_tables_begin_with_the_answer_and_show_each_time_once(snapshot: SnapshotAssertion) -> None:
    text = run_text(network(), width=120)
    assert text == snapshot
    assert text.startswith("net: of 11.0 ms (hybridized, forward), relu takes 68%")
    assert run_text(network(), width=80) == snapshot
    assert run_text(network(training=True), form="md") == snapshot


def test_a_name_wider_than_its_room_stands_above_its_times() -> None:
    lines = run_text(network(), width=80).splitlines()
    at = lines.index("  _sg_mkldnn_fully_connected")
    assert lines[at + 1].split()[0] == "-"
