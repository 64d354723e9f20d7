"""Verdicts follow from q, the ratio and its interval, and base, new and ratio are one estimate."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec
import numpy as np
import pytest
from scipy.stats import false_discovery_control

from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import Comparison, ComparisonOptions, Verdict
from autoperf.comparison.ratios import Ratios, adjusted, verdicts
from autoperf.comparison.report import ComparisonReport
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Pass, Series
from autoperf.reports.formats import load
from tests.values import HEADER, outcome, passed, series, write_run


def test_q_is_what_scipy_says() -> None:
    p = np.random.default_rng(1).random(300) ** 3
    assert np.allclose(adjusted(p), false_discovery_control(p))
    assert adjusted(np.array([0.04])).tolist() == [0.04]


@pytest.mark.parametrize(
    ("ratio", "low", "high", "q", "expected"),
    [
        (1.10, 1.06, 1.14, 0.01, Verdict.SLOWER),
        (1.10, 1.06, 1.14, 0.05, Verdict.UNDECIDED),
        (1.04, 1.03, 1.045, 0.001, Verdict.SAME),
        (1.04, 1.03, 1.06, 0.001, Verdict.UNDECIDED),
        (1 / 1.1, 0.88, 0.94, 0.01, Verdict.FASTER),
        (0.951, 0.90, 0.99, 0.01, Verdict.FASTER),
        (0.953, 0.9525, 1.0, 0.01, Verdict.SAME),
        (1.0, 0.99, 1.01, 1.0, Verdict.SAME),
        (1.0, 0.7, 1.3, 1.0, Verdict.UNDECIDED),
    ],
)
def test_the_rule(ratio: float, low: float, high: float, q: float, expected: Verdict) -> None:
    found = Ratios(*(np.array([value]) for value in (ratio, low, high, q, 1.0)))
    assert verdicts(found, np.array([q]), 0.05) == [expected]


@pytest.mark.parametrize(
    "wrong",
    [{"threshold": 0.0}, {"threshold": 11.0}, {"margin": -0.1}, {"margin": 11.0}, {"count_threshold": -1.0}],
)
def test_shares_that_make_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"invalid .*: expected"):
        ComparisonOptions(**wrong)


CASES = 40
IN_TURN = msgspec.structs.replace(HEADER, in_turn="3f2a")


def times(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Times that meet other programs, a processor of another speed, and whole microseconds, by chance."""
    slow = 1 + rng.exponential(1.0, shape) * (rng.random(shape) < rng.random())
    found = 10 ** rng.uniform(0, 4) * rng.lognormal(0, rng.uniform(0.01, 0.6), shape) * slow
    return np.round(found) + 1 if rng.random() < 0.3 else found


def by_processes(rng: np.random.Generator) -> Series:
    processes = int(rng.integers(1, 6))
    return series(*(times(rng, (int(rng.integers(1, 12)),)).tolist() for _ in range(processes)))


def by_turns(rng: np.random.Generator) -> Series:
    made = series(*(process.tolist() for process in times(rng, (5, 60))))
    return msgspec.structs.replace(made, turns=((3,) * 20,) * 5)


def compared(folder: Path, seed: int, in_turn: bool) -> Comparison:
    rng = np.random.default_rng(seed)

    def figure() -> Pass:
        return passed(*((by_turns if in_turn else by_processes)(rng) for _ in range(2)))

    header = IN_TURN if in_turn else HEADER
    base, new = (
        write_run(folder / name, [outcome(number, figure()) for number in range(CASES)], header)
        for name in ("base.ndjson", "new.ndjson")
    )
    return compare_files(base, new, ComparisonOptions())


@pytest.mark.parametrize("in_turn", [False, True], ids=["two files", "in turn"])
@pytest.mark.parametrize("seed", range(6))
def test_new_over_base_is_the_ratio_and_lies_in_its_interval(tmp_path: Path, seed: int, in_turn: bool) -> None:
    found = compared(tmp_path, seed, in_turn).cases
    assert len(found) == 2 * CASES
    for one in found:
        assert one.new_us / one.base_us == pytest.approx(one.ratio, rel=1e-9)
        assert one.low <= one.ratio <= one.high


@pytest.mark.parametrize("in_turn", [False, True], ids=["two files", "in turn"])
def test_times_of_processes_that_agree_are_their_medians(tmp_path: Path, in_turn: bool) -> None:
    turns = ((3,) * 20,) * 5 if in_turn else msgspec.UNSET
    sides = [msgspec.structs.replace(series(*([us] * 60 for _ in range(5))), turns=turns) for us in (80.25, 120.5)]
    base, new = (
        write_run(tmp_path / f"{number}.ndjson", [outcome(0, passed(side))], IN_TURN)
        for number, side in enumerate(sides)
    )
    (one,) = compare_files(base, new, ComparisonOptions()).cases
    assert (one.base_us, one.new_us) == (pytest.approx(80.25, rel=0.01), pytest.approx(120.5, rel=0.01))


UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


@pytest.mark.parametrize("in_turn", [False, True], ids=["two files", "in turn"])
def test_as_printed_they_agree_up_to_rounding(tmp_path: Path, in_turn: bool) -> None:
    found = ComparisonReport(compared(tmp_path, 7, in_turn))
    markdown = "".join(map(str, load("comparison", "md").pieces(found, 100)))
    lines = (line for line in markdown.splitlines() if line.startswith("| ") and "[" in line)
    rows = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    assert len(rows) == 2 * CASES
    for row in rows:
        base, new, ratio = row[7], row[8].removesuffix(" |"), row[1]
        was, now = (float(number) * UNITS[unit] for number, unit in (base.split(), new.split()))
        # Three digits of each time, and three of the ratio or three decimals.
        assert now / was == pytest.approx(float(ratio), rel=0.016, abs=0.0006)
    rows_of_csv = csv.DictReader(io.StringIO("".join(map(str, load("comparison", "csv").pieces(found, 100)))))
    for line in rows_of_csv:
        assert float(line["new_us"]) / float(line["base_us"]) == pytest.approx(float(line["ratio"]), rel=1e-9)
