"""Slower measurements that are taken again: what the second look decides."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.comparison.comparison import Different, Gate, Verdict
from autoperf.comparison.documents import answer, reason
from autoperf.core.outcome import VALUE, ResultDifference
from tests.values import compared, comparison

SLOWER = compared("exp/00c0ffee", "forward", "kernel", 1.3, Verdict.SLOWER)
DIFFERENT = Different(
    case=SLOWER.case, operator="exp", category="broadcast", profile="common", inputs="data (64, 128)",
    difference=ResultDifference("output", VALUE, "1", "3"),
)  # fmt: skip


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


def test_other_results_of_the_second_look_fail_the_gate() -> None:
    second = comparison(msgspec.structs.replace(SLOWER, verdict=Verdict.DIFFERS), different=(DIFFERENT,))
    for first in (comparison(SLOWER), comparison(SLOWER, different=(DIFFERENT,))):
        decided = first.confirmed(second)
        assert (decided.gate, decided.different) == (Gate.FAILS, (DIFFERENT,))
        sentences = " ".join(answer(decided))
        assert sentences.startswith("1 case computes something else: exp")
        assert "when measured again" not in sentences


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


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        (Verdict.UNDECIDED, "1 undecided, since measuring again didn't confirm that it is slower"),
        (Verdict.ACCEPTED, "1 measurement slower, as accepted (exp 1.2 times slower (why))"),
    ],
)
def test_what_isn_t_slower_again_is_told_once_with_its_reason(again: Verdict, expected: str) -> None:
    line = "exp 1.2 times slower (why)" if again is Verdict.ACCEPTED else msgspec.UNSET
    second = comparison(msgspec.structs.replace(SLOWER, verdict=again, accepted=line))
    decided = comparison(SLOWER).confirmed(second)
    (told,) = [sentence for sentence in answer(decided) if "exp forward kernel (" in sentence]
    assert told == f"{expected}: exp forward kernel (data (64, 128)) 1.30 times [1.23, 1.37]"
    assert again is Verdict.ACCEPTED or reason(decided.cases[0], 0.05) in told
