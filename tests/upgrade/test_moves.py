"""What becomes of calls on the other side, as a person would judge the outcomes, and the answer that follows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from autoperf.comparison.comparison import Verdict
from autoperf.core.graph import Graph, Node
from autoperf.core.outcome import NOT_TIMED, Outcome, ResultDifference, Status
from autoperf.measurement.side_batches import RANDOM, REFUSES_GRAPH
from autoperf.upgrade.moves import Fate, Found, Tried, fate_of, network_moves, other_names, workarounds
from autoperf.upgrade.report import Upgrade, answer, upgrade_document
from tests.values import compared, inputs, outcome, tensor

DIFFERENCE = ResultDifference("output", "value", "1.0", "2.0", (0,), 1.0, 1, 4)
BASE = outcome()


def refused(status: Status, reason: str) -> Outcome:
    return outcome(status=status, reason=reason)


@pytest.mark.parametrize(
    ("base", "new", "fate"),
    [
        (BASE, BASE, Fate.MOVES),
        (BASE, None, Fate.UNKNOWN),
        (msgspec.structs.replace(BASE, difference=DIFFERENCE), BASE, Fate.DIFFERS),
        (
            refused(Status.SKIPPED, NOT_TIMED),
            msgspec.structs.replace(refused(Status.FAILED, "the results differ"), difference=DIFFERENCE),
            Fate.DIFFERS,
        ),
        (refused(Status.SKIPPED, NOT_TIMED), refused(Status.SKIPPED, "MXNet 2.0.0b1 has no operator x"), Fate.LACKS),
        (refused(Status.SKIPPED, NOT_TIMED), refused(Status.CRASHED, "SIGSEGV"), Fate.REFUSED),
        (refused(Status.SKIPPED, NOT_TIMED), refused(Status.SKIPPED, f"PyTorch: Dropout {RANDOM}"), Fate.UNKNOWN),
        (refused(Status.FAILED, "shapes"), refused(Status.SKIPPED, NOT_TIMED), Fate.HERE),
        (
            refused(Status.SKIPPED, NOT_TIMED),
            refused(Status.SKIPPED, f"PyTorch 2: MXNet 1.9.1 {REFUSES_GRAPH}no operator x"),
            Fate.HERE,
        ),
    ],
)
def test_the_fate_of_a_call(base: Outcome, new: Outcome | None, fate: Fate) -> None:
    assert fate_of(Tried(base, new))[0] is fate


def whole(mode: str = "hybridized") -> Outcome:
    nodes = (Node("b", "sum", ("x",), {}), Node("a_1", "exp", ("b",), {}))
    return outcome(
        9, operator="_CachedOp", category="network", profile=mode, graphs={"graph": Graph(("x",), nodes, ("a_1",))},
        calls={"net": 1}, network_calls={"net": 4},
    )  # fmt: skip


def call(number: int, operator: str, node: str, count: int) -> Outcome:
    return outcome(number, operator=operator, profile=node, calls={"net": count}, network_calls={"net": 4})


def found(fate: Outcome | None = None, **changes: object) -> Found:
    """A network of one `sum` and three `exp`, whose node has a slash in its name and comes second."""
    last, first, all_ = call(1, "exp", "a/1", 3), call(2, "sum", "b", 1), whole()
    tried = {last.case: Tried(last, fate or last), first.case: Tried(first, first), all_.case: Tried(all_, all_)}
    return Found(tried, **changes)


def test_calls_stand_in_the_order_of_the_network_with_their_number() -> None:
    (network,) = network_moves(found())
    assert [(move.outcome.operator, move.count) for move in network.calls] == [("sum", 1), ("exp", 3)]
    assert network.made == 4
    assert not network.obstructed


def test_differences_are_those_of_all_calls_and_the_largest_stands_first() -> None:
    figures = [
        compared(outcome(1).case, "forward", "wall", 1.5, Verdict.SLOWER, base_us=10.0),
        compared(outcome(2, operator="sum").case, "forward", "wall", 0.5, Verdict.FASTER, base_us=20.0),
        compared(whole().case, "forward", "wall", 1.1, Verdict.SLOWER, base_us=100.0),
    ]
    (network,) = network_moves(found(figures=figures))
    # 3 * (15 - 10) and 1 * (10 - 20), of 3 * 10 + 20 in 100.
    assert [change.difference_us for change in network.changes("forward")] == [15.0, -10.0]
    assert network.share("forward") == 0.5
    assert network.whole("forward").new_us == pytest.approx(110.0)


def test_the_answer_adds_up_only_what_is_decided() -> None:
    figures = [
        compared(outcome(1).case, "forward", "wall", 1.5, Verdict.SLOWER, base_us=10.0),
        compared(outcome(2, operator="sum").case, "forward", "wall", 0.5, Verdict.UNDECIDED, base_us=20.0),
    ]
    assert (
        "net, forward: 4 calls measured alone take 50.0 us here, with 1 clear difference; "
        "the sum of these: 15.0 us more there, most by exp (15.0 us more)" in texts(found(figures=figures))
    )


def texts(shown: Found, **changes: object) -> str:
    return " ".join(answer(Upgrade("MXNet 1.9.1", "MXNet 2.0.0b1", tuple(network_moves(shown)), **changes)))


def test_the_answer_begins_with_whether_the_network_moves() -> None:
    assert texts(found()) == (
        "net moves from MXNet 1.9.1 to MXNet 2.0.0b1: 4 of 4 calls run there and compute the same; "
        "the whole computes the same (hybridized) net: nothing was timed on both sides; a longer --time-budget does"
    )
    lacking = refused(Status.SKIPPED, "MXNet 2.0.0b1 has no operator exp")
    assert "net doesn't move" in texts(found(lacking))
    assert "3 of 4 calls can't run there (exp)" in texts(found(lacking))
    assert "3 of 4 calls do so under other names (exp)" in texts(found(others={"exp": "_npi_exp"}))


def test_a_network_of_which_nothing_ran_is_not_said_to_move() -> None:
    sides = [each.new for each in found().tried.values() if each.new]
    failed = [msgspec.structs.replace(each, status=Status.FAILED, reason="out of memory") for each in sides]
    tried = {base.case: Tried(base, new) for base, new in zip(failed, sides, strict=True)}
    assert (
        "net doesn't run on MXNet 1.9.1 itself, and wasn't tried from MXNet 1.9.1 to MXNet 2.0.0b1: "
        "4 of 4 calls fail here (sum, exp); the whole fails here (hybridized)" in texts(Found(tried))
    )
    interrupted = {case: Tried(each.base, None) for case, each in found().tried.items()}
    assert "net wasn't tried from MXNet 1.9.1 to MXNet 2.0.0b1: 4 of 4 calls weren't tried" in texts(Found(interrupted))
    lacking = found(refused(Status.SKIPPED, "MXNet 2.0.0b1 has no operator exp"))
    moves = [network_moves(each) for each in (found(), Found(tried), lacking)]
    documents = [upgrade_document(Upgrade("a", "b", tuple(each))) for each in (*moves, [*moves[1], *moves[2]])]
    assert [document["moves"] for document in documents] == [True, None, False, False]


def test_a_whole_departs_at_the_first_call_that_differs() -> None:
    shown = found(msgspec.structs.replace(call(1, "exp", "a/1", 3), difference=DIFFERENCE))
    different = msgspec.structs.replace(whole(), difference=DIFFERENCE)
    tried = {**shown.tried, different.case: Tried(different, different)}
    assert "the whole departs at a/1 (exp): output: largest error 1 at (0): 2.0 there, here 1.0" in texts(Found(tried))
    assert "departs at b (sum)" in texts(Found(tried, departs={"net": "b (sum)"}))


@pytest.mark.parametrize(
    ("changed", "obstructed"),
    [
        ({"difference": DIFFERENCE}, True),
        ({"status": Status.FAILED, "reason": "no such mode"}, False),
    ],
)
def test_a_whole_moves_unless_a_mode_computes_something_else(changed: dict[str, Any], obstructed: bool) -> None:
    """A mode that fails is told, and the network runs in the other."""
    other = outcome(10, operator="_CachedOp", category="network", profile="static", calls={"net": 1})
    tried = {**found().tried, other.case: Tried(other, msgspec.structs.replace(other, **changed))}
    (network,) = network_moves(Found(tried))
    assert network.obstructed is obstructed


def test_json_has_the_advice_of_every_call() -> None:
    moved = tuple(network_moves(found(others={"exp": "_npi_exp"})))
    calls: Any = upgrade_document(Upgrade("a", "b", moved))["calls"]
    assert [(entry["fate"], entry["to_do"]) for entry in calls] == [
        ("moves", ""),
        ("moves, renamed", "call _npi_exp, whose results are equal"),
    ]


@pytest.mark.parametrize(
    ("operator", "known", "expected"),
    [
        ("_np_max", ("max", "_npi_max", "_npi_min", "_backward_max"), ["_npi_max", "max"]),
        ("Pooling_v1", ("Pooling", "exp"), ["Pooling"]),
        ("_npx_deformable_convolution", ("_contrib_DeformableConvolution",), ["_contrib_DeformableConvolution"]),
        ("exp", ("exp", "log"), []),
    ],
)
def test_other_names_of_an_operator(operator: str, known: tuple[str, ...], expected: list[str]) -> None:
    assert other_names(operator, known) == expected


@pytest.mark.parametrize(
    ("operator", "given", "words"),
    [
        ("softmax", inputs(data=tensor(64, 256, dtype="float16")), "compute in float32"),
        ("broadcast_mul", inputs(lhs=tensor(256, 256), rhs=tensor(1, 256)), "hold a constant operand in full"),
        ("broadcast_equal", inputs(lhs=tensor(9, 9), rhs=tensor(9, 9)), "returns bool"),
        ("slice_axis", inputs(data=tensor(256, 256, dtype="uint8")), "slice in place of slice_axis"),
    ],
)
def test_workarounds_of_the_sources_apply_to_calls_like_theirs(operator: str, given: tuple, words: str) -> None:
    assert any(words in text for text in workarounds(outcome(operator=operator, inputs=given)))


def test_other_calls_have_no_workaround() -> None:
    assert list(workarounds(outcome(operator="softmax", inputs=inputs(data=tensor(64, 256))))) == []
