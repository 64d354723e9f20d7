"""Slower measurements that are taken again: what the second look decides."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.comparison.comparison import Gate, Verdict
from autoperf.comparison.documents import answer
from tests.values import compared, comparison

SLOWER = compared("exp/00c0ffee", "forward", "kernel", 1.3, Verdict.SLOWER)


@pytest.mark.parametrize(
    ("again", "verdict", "gate"),
    [
        (Verdict.SLOWER, Verdict.SLOWER, Gate.FAILS),
        (Verdict.SAME, Verdict.SAME, Gate.PASSES),
        (Verdict.FASTER, Verdict.SAME, Gate.PASSES),
        (Verdict.UNDECIDED, Verdict.UNDECIDED, Gate.INCONCLUSIVE),
    ],
)
def test_the_second_look_decides(again: Verdict, verdict: Verdict, gate: Gate) -> None:
    second = comparison(msgspec.structs.replace(SLOWER, ratio=1.02, verdict=again))
    decided = comparison(SLOWER).confirmed(second)
    (figure,) = decided.cases
    assert (figure.verdict, figure.ratio, decided.gate) == (verdict, 1.3, gate)
    assert figure.again
    assert (figure.again.ratio, figure.again.verdict) == (1.02, again)
    assert getattr(decided.summary, verdict.value) == 1


def test_what_has_no_second_look_stays() -> None:
    faster = compared("log/00c0ffee", "forward", "kernel", 0.7, Verdict.FASTER)
    first = comparison(SLOWER, faster)
    assert first.confirmed(comparison(faster)).cases == first.cases


def test_the_answer_says_what_was_confirmed() -> None:
    slower = msgspec.structs.replace(SLOWER, case="log/00c0ffee", operator="log")
    second = comparison(SLOWER, msgspec.structs.replace(slower, ratio=1.01, verdict=Verdict.SAME))
    *sentences, gate = answer(comparison(SLOWER, slower).confirmed(second))
    assert "1 measurement slower at first, and not when measured again: log forward kernel" in " ".join(sentences)
    assert gate.startswith("gate: fails, 1 slower, and again when measured again")
