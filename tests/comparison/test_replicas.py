from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.comparison.replicas import spread_between
from tests.values import PAIR, measured, timed, write_run


def run_of(path: Path, *times: float) -> Path:
    outcomes = [measured(f"op{place}", "small", PAIR, timed(time, time)) for place, time in enumerate(times)]
    return write_run(path, outcomes)


def test_the_spread_is_the_range_of_a_case_over_its_median(tmp_path: Path) -> None:
    paths = [run_of(tmp_path / f"{number}.ndjson", 10.0 + number, 100.0) for number in range(3)]
    spread = spread_between(paths)
    assert spread is not None
    assert spread.figures == 2
    assert spread.median == pytest.approx((2 / 11 + 0) / 2)
    assert spread.high == pytest.approx(0.9 * 2 / 11)


def test_runs_without_a_common_case_have_none(tmp_path: Path) -> None:
    one = run_of(tmp_path / "one.ndjson", 10.0)
    assert spread_between([one, write_run(tmp_path / "two.ndjson", [])]) is None
