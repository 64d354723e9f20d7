"""Pages of measurements: the tables of what callers cost, and the largest change of each operator between releases."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.scripts import load_script


@pytest.fixture(scope="module")
def costs() -> ModuleType:
    return load_script("tools", "caller_costs.py")


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("mx.nd.softmax", "mx.nd generated"),
        ("mx.nd.add", "mx.nd written in Python"),
        ("mx.np.add", "mx.np written in Python"),
        ("mx.npx.relu", "mx.np generated"),
        ("mx.nd._internal._copyto", "mx.nd internal wrapper"),
        ("mx.nd.numpy._internal.add", "mx.np internal wrapper"),
        ("", "none"),
    ],
)
def test_functions_have_kinds(costs: ModuleType, function: str, expected: str) -> None:
    assert costs.kind(function, "1.9.1") == expected


def test_each_kind_has_a_row(costs: ModuleType) -> None:
    common = {"status": "measured", "category": "unary", "forward_wall_median_us": 20.0}
    called = [
        {
            **common,
            "python_function": "mx.nd.exp",
            "forward_python_median_us": 20.0 + cost,
            "forward_front_end_us": cost,
            "forward_front_end_low_us": cost - 9.0,
            "forward_front_end_high_us": cost + 9.0,
        }
        for cost in (8.0, 10.0, 12.0)
    ]
    none = {**common, "python_function": None}
    first, second = costs.rows_of([*called, none], "1.9.1")
    assert first[:6] == ["1.9.1", "mx.nd generated", "3", "20.0 us", "30.0 us", "10.0 us"]
    assert first[7:] == ["1", ""]
    assert second == ["1.9.1", "none", "1", "", "", "", "", "", ""]


@pytest.fixture(scope="module")
def changes() -> ModuleType:
    return load_script("tools", "release_changes.py")


def figure(
    operator: str, ratio: float, verdict: str = "slower", *, width: float = 1.1, clock: str = "kernel"
) -> dict[str, Any]:
    return {
        "case": f"{operator}/{ratio}",
        "operator": operator,
        "inputs": "data (2, 2)",
        "pass": "forward",
        "clock": clock,
        "ratio": ratio,
        "low": ratio / width,
        "high": ratio * width,
        "base_us": 10.0,
        "new_us": 10.0 * ratio,
        "verdict": verdict,
    }


def comparison(*figures: dict[str, Any]) -> dict[str, Any]:
    return {
        "cases": list(figures),
        "different": [{}],
        "unmatched": [
            {"case": "tan", "reason": "skipped: the 75% for counting of the time budget of 30m ended before"}
        ],
        "base_provenance": {"release": "1.9.1"},
        "new_provenance": {"release": "2.0.0b1"},
    }


def test_passes_are_decided_by_times_first_and_then_by_counts(changes: ModuleType) -> None:
    text = changes.evidence(
        comparison(
            figure("exp", 2.0),
            figure("exp", 2.0, "same", clock="instructions"),
            figure("log", 1.0, "undecided"),
            figure("log", 1.0, "faster", clock="instructions"),
            figure("sin", 3.0, "undecided"),
        )
    )
    assert text.startswith("2.0.0b1 / 1.9.1: 3 passes of 3 cases, 1 of them undecided. 1 cases differ")
    assert "for 1 no time was left." in text
    assert "| times | 1 | 0 | 0 | 33.3% |" in text
    assert "| counts of instructions, where times decide nothing | 0 | 1 | 0 | 33.3% |" in text


def test_an_operator_has_its_most_certain_change(changes: ModuleType) -> None:
    wide, narrow = figure("exp", 9.0, width=8.0), figure("exp", 3.0)
    assert changes.ranked([wide, narrow, figure("log", 2.0)]) == [narrow, figure("log", 2.0)]


def test_changes_are_told_as_factors_either_way(changes: ModuleType) -> None:
    both = comparison(figure("exp", 2.5), figure("log", 0.25, "faster"))
    assert "| exp | data (2, 2) | forward kernel | 10.0 us | 25.0 us | 2.50x slower |" in changes.largest(
        both, "slower"
    )
    assert "| log | data (2, 2) | forward kernel | 10.0 us | 2.50 us | 4.00x faster |" in changes.largest(
        both, "faster"
    )


def test_without_two_files_it_tells_how_to_make_them(changes: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"autoperf compare --mxnet 1\.9\.1 --mxnet 2\.0\.0b1"):
        changes.main([])


def moved(network: str, operator: str, calls: int, fate: str, reason: str = "") -> dict[str, Any]:
    return {
        "network": network, "operator": operator, "profile": operator, "calls": calls, "fate": fate, "reason": reason,
    }  # fmt: skip


def test_upgrades_add_up_by_network_and_side() -> None:
    upgrades = load_script("tools", "upgrades.py")
    wholes = [moved("net", "static", 1, "moves"), moved("net", "hybridized", 1, "not tried")]
    first = {"new": "PyTorch 2.13 (/a/path)", "wholes": wholes, "calls": [moved("net", "exp", 3, "moves")]}
    calls = [moved("net", "exp", 2, "moves"), moved("net", "pad_", 4, "refused", "no | kernel")]
    second = {"new": "MXNet 2.0.0b1", "wholes": [], "calls": [*calls, moved("other", "_np_max", 1, "moves, renamed")]}
    text = upgrades.table([*upgrades.rows_of([first, second, {"of another": "kind"}])])
    assert "| net | PyTorch 2.13 | 3 | 3 | - | - | - | - | - | static |  |" in text
    assert "| net | MXNet 2.0.0b1 | 6 | 2 | - | - | - | 4 | - |  | pad\\_: no \\| kernel |" in text
    assert "- MXNet 2.0.0b1: 1 of 2 networks move in every mode that was tried, and 3 of 7 calls.\n" in text
    assert "- PyTorch 2.13: 1 of 1 networks move in every mode that was tried, and 3 of 3 calls.\n" in text
