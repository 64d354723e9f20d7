"""tools/release_changes.py tells the largest change of each operator."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.scripts import load_script


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("tools", "release_changes.py")


def figure(operator: str, ratio: float, verdict: str = "slower", *, width: float = 1.1) -> dict[str, Any]:
    return {
        "case": f"{operator}/{ratio}",
        "operator": operator,
        "inputs": "data (2, 2)",
        "pass": "forward",
        "clock": "kernel",
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
        "base_provenance": {"release": "1.9.1"},
        "new_provenance": {"release": "2.0.0b1"},
    }


def test_verdicts_are_counted(script: ModuleType) -> None:
    text = script.counts(comparison(figure("exp", 2.0), figure("log", 1.0, "same"), figure("sin", 3.0)))
    assert "| 2.0.0b1 / 1.9.1 | 3 | 3 | 2 (66.7%) | 0 (0.0%) | 1 (33.3%) | 0 (0.0%) |" in text


def test_an_operator_has_its_most_certain_change(script: ModuleType) -> None:
    wide, narrow = figure("exp", 9.0, width=8.0), figure("exp", 3.0)
    assert script.ranked([wide, narrow, figure("log", 2.0)]) == [narrow, figure("log", 2.0)]


def test_changes_are_told_as_factors_either_way(script: ModuleType) -> None:
    both = comparison(figure("exp", 2.5), figure("log", 0.25, "faster"))
    assert "| exp | data (2, 2) | forward kernel | 10.0 us | 25.0 us | 2.50x slower |" in script.largest(both, "slower")
    assert "| log | data (2, 2) | forward kernel | 10.0 us | 2.50 us | 4.00x faster |" in script.largest(both, "faster")


def test_without_two_files_it_tells_how_to_make_them(script: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"autoperf compare --mxnet 1\.9\.1 --mxnet 2\.0\.0b1"):
        script.main(["one.json"])
