"""Networks are predicted by their calls and the dispatch of others; what isn't predicted well is told."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from network_prediction import report

from autoperf.core.graph import NETWORK
from autoperf.core.outcome import Outcome
from tests.networks.test_network_times import ran
from tests.values import HEADER, outcome, passed, steady, write_run


def network(name: str, kernel: float, wall: float, call: float) -> list[Outcome]:
    """Ten calls of one time, and the whole, whose kernels and whose pass took these times."""
    made = outcome(1, ran(call, 2 * call, {"relu": call}), operator="relu")
    both = passed(steady(kernel), steady(wall), kernels={"relu": kernel})
    whole = outcome(2, both, operator="_CachedOp")
    return [
        msgspec.structs.replace(made, calls={name: 10}, network_calls={name: 10}),
        msgspec.structs.replace(whole, category=NETWORK, profile="hybridized", calls={name: 1}),
    ]


def written(folder: Path, name: str, release: str, outcomes: list[Outcome]) -> None:
    header = msgspec.structs.replace(HEADER, mxnet=release)
    write_run(folder / f"{name}-{release}.run.ndjson", outcomes, header=header)


@pytest.fixture
def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    written(tmp_path, "a", "1.9.1", network("a, batch 1", 1000.0, 1050.0, 100.0))
    written(tmp_path, "b", "1.9.1", network("b, batch 1", 2000.0, 2030.0, 260.0))
    written(tmp_path, "a", "2.0.0b1", network("a, batch 1", 1500.0, 1550.0, 150.0))
    written(tmp_path, "b", "2.0.0b1", network("b, batch 1", 1800.0, 1850.0, 280.0))
    for name, ratio, verdict in (("a", 1.4, "slower"), ("b", 0.9, "faster"), ("b", 1.0, "same")):
        figure = {"network": f"{name}, batch 1", "profile": "hybridized", "ratio": ratio, "verdict": verdict}
        (tmp_path / f"{name}-{verdict}.turns.json").write_text(json.dumps({"cases": [figure]}), encoding="utf-8")
    report(tmp_path)
    return capsys.readouterr().out


def test_a_network_is_its_calls_and_the_dispatch_of_others(printed: str) -> None:
    first = next(line for line in printed.splitlines() if line.startswith("a, batch 1"))
    assert first.split()[3:] == ["1.051", "1.030", "=", "1.000", "+", "0.030", "-2.0%"]
    assert "2 networks: 1 within 10%, 1 within 20%" in printed


def test_signs_are_of_changes_that_are_decided_in_turn(printed: str) -> None:
    assert "1 of 2 decided changes have the right sign (3 measured)" in printed
    (wrong,) = (line for line in printed.splitlines() if line.endswith("wrong"))
    assert wrong.split() == ["b,", "batch", "1,", "hybridized", "-10.0%", "+7.7%", "wrong"]


def test_dispatch_is_that_of_networks_whose_calls_take_about_as_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seven others have short calls, and more of them long calls with more dispatch."""
    for place, call in enumerate((*range(100, 108), *range(5000, 5009))):
        dispatch = 10.0 if call < 1000 else 1000.0
        written(
            tmp_path, f"n{place}", "1.9.1", network(f"n{place}, batch 1", 10 * call, 10 * (call + dispatch), 1.0 * call)
        )
    report(tmp_path)
    first = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("n0, batch 1"))
    assert first.split()[6:9] == ["1.000", "+", "0.100"]
