"""The nights since which cases compute something else, by fingerprints of results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from autoperf.cli.main import run as command_line
from autoperf.core.errors import Exit
from autoperf.core.outcome import ResultPrint
from autoperf.equality.comparison import sources_of
from autoperf.equality.fingerprint import print_of
from autoperf.runs.runfile import machine_of
from tests.values import ENVIRONMENT, HEADER, outcome, passed, steady, write_run

VALUES = np.random.default_rng(0).uniform(-1, 1, 64).astype("float32")
ROUNDED = VALUES * np.float32(1 + 2**-23)
WRONG = np.where(np.arange(64) == 63, np.float32(0), VALUES)
Added = Callable[..., str]


def prints(values: npt.NDArray[Any]) -> tuple[ResultPrint, ...]:
    return (print_of("output", values, "float32", sources_of([values])),)


@pytest.fixture
def history(tmp_path: Path) -> Added:
    """Makes a history of nights, each with what a case computes (None: no fingerprint), and the machine's name.

    `beside` is what it computes in the control of each night, of the same release.
    """

    def made(*nights: tuple[npt.NDArray[Any] | None, str], beside: npt.NDArray[Any] | None = None) -> str:
        path = str(tmp_path / "history.duckdb")
        for day, (values, host) in enumerate(nights, 1):
            file = tmp_path / f"{day}.ndjson"
            results = msgspec.UNSET if values is None else prints(values)
            header = msgspec.structs.replace(HEADER, started=f"2026-11-{day:02}T02:00:00+00:00")
            machine = machine_of(msgspec.structs.replace(ENVIRONMENT, machine=host))
            night = outcome(operator="relu", forward=passed(steady(10.0 + day / 100)), results=results)
            write_run(file, [night], header, machine)
            words = ["history", "add", str(file), "--history", path, "--quiet"]
            if beside is not None:
                control = tmp_path / f"control-{day}.ndjson"
                header = msgspec.structs.replace(header, started=f"2026-11-{day:02}T03:00:00+00:00")
                write_run(control, [msgspec.structs.replace(night, results=prints(beside))], header, machine)
                words += ["--control", str(control)]
            assert command_line(words) == Exit.FINE
        return path

    return made


def changes(capsys: pytest.CaptureFixture[str], path: str, *words: str) -> tuple[int, dict[str, Any], str]:
    capsys.readouterr()
    code = command_line(["history", "changes", "--history", path, "--format", "json", *words])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_the_night_is_told_between_machines_and_beyond_rounding(
    history: Added, capsys: pytest.CaptureFixture[str]
) -> None:
    path = history((VALUES, "one"), (ROUNDED, "other"), (None, "one"), (WRONG, "other"), (WRONG, "one"))
    code, found, notes = changes(capsys, path)
    assert code == Exit.FINDING
    (change,) = found["results"]
    assert (change["operator"], change["date"][:10]) == ("relu", "2026-11-04")
    assert "(63)" in change["difference"]
    assert "1 of 5 runs have no fingerprints" in notes
    assert command_line(["history", "changes", "--history", path]) == Exit.FINDING
    answer = capsys.readouterr().out
    assert "computes something else since the night of 2026-11-04" in answer.replace("\n", " ")
    for form in ("html", "md", "csv"):
        assert command_line(["history", "changes", "--history", path, "--format", form]) == Exit.FINDING
    code, found, _ = changes(capsys, path, "--since", "2026-11-05")
    assert (code, "results" in found) == (Exit.FINE, False)


def test_what_controls_compute_is_not_compared(history: Added, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor do they count as runs: in the last of seven nights, the others are too few for steps."""
    nights = [(None, "one"), *[(VALUES, "one")] * 2, *[(WRONG, "one")] * 4]
    path = history(*nights, beside=VALUES)
    code, found, notes = changes(capsys, path)
    assert (code, [change["date"][:10] for change in found["results"]]) == (Exit.FINDING, ["2026-11-04"])
    assert "1 of 7 runs have no fingerprints" in notes
    assert "results" not in changes(capsys, path, "--since", "2026-11-05")[1]
    with duckdb.connect(path, read_only=True) as raw:
        query = "SELECT run FROM figures WHERE times IS NOT NULL ORDER BY run"
        assert raw.execute(query).fetchall() == raw.execute("SELECT run FROM controls ORDER BY run").fetchall()


def test_equal_results_are_no_finding_and_a_removed_run_is_forgotten(
    history: Added, capsys: pytest.CaptureFixture[str]
) -> None:
    path = history((VALUES, "one"), (ROUNDED, "other"), (WRONG, "other"))
    assert command_line(["history", "remove", "3", "--history", path]) == Exit.FINE
    assert changes(capsys, path)[0] == Exit.FINE


def test_a_history_without_fingerprints_says_so(history: Added, capsys: pytest.CaptureFixture[str]) -> None:
    code, found, notes = changes(capsys, history((None, "one")))
    assert (code, "results" in found) == (Exit.FINE, False)
    assert "the run has no fingerprints of results" in notes
