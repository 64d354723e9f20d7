from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.core.finding import Estimate, Rechecked
from tests.finding_values import softmax, take
from tests.reports.report_values import text_of


def rechecked(ratio: float, low: float, high: float, **changes: object) -> Rechecked:
    values: dict[str, object] = {
        "operator": "softmax",
        "pass_": "backward",
        "slow": softmax(),
        "fast": softmax(axis=-1),
        "slow_us": 100.0 * ratio,
        "fast_us": 100.0,
        "estimate": Estimate(ratio, low, high),
        "above": 2.05,
        "rounds": 31,
        "mxnet": "1.9.1",
        "threads": 2,
        "found_threads": 2,
    }
    return Rechecked(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [60, 100])
def test_what_a_script_prints(width: int, snapshot: SnapshotAssertion) -> None:
    finding = rechecked(4.2, 4.1, 4.3, slow=take(100), fast=take(101), threads=1)
    assert text_of("recheck", "table", finding, width) == snapshot


@pytest.mark.parametrize(
    ("low", "high", "holds", "words"),
    [
        (2.06, 2.4, True, "reproduced: the ratio is above 2.05"),
        (1.0, 1.1, False, "not reproduced: the ratio is below 2.05"),
        (2.0, 2.4, False, "undecided: the interval reaches from below 2.05 to above it"),
    ],
)
def test_the_interval_decides(low: float, high: float, holds: bool, words: str) -> None:
    finding = rechecked((low + high) / 2, low, high)
    assert finding.holds is holds
    assert words in text_of("recheck", "table", finding)
    assert "note:" not in text_of("recheck", "table", finding)


def test_too_few_rounds_give_a_note() -> None:
    assert "5 rounds in the time given" in text_of("recheck", "table", rechecked(4.2, 4.1, 4.3, rounds=5))


def test_the_json_has_the_inputs_of_both() -> None:
    document = json.loads(text_of("recheck", "json", rechecked(4.2, 4.1, 4.3)))
    assert (document["operator"], document["pass"], document["holds"]) == ("softmax", "backward", True)
    assert (document["ratio"], document["low"], document["high"], document["above"]) == (4.2, 4.1, 4.3, 2.05)
    assert document["slow"] == {
        "case": softmax().id,
        "tensors": [{"name": "data", "shape": [4096, 64], "dtype": "float32"}],
        "params": {"axis": 0},
    }
    assert (document["slow_us"], document["fast_us"], document["fast"]["params"]) == (420.0, 100.0, {"axis": -1})
