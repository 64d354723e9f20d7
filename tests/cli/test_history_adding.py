"""Runs are added by several processes at once, in any order, beside a control; none is lost, whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import msgspec
import numpy as np
import pytest
from jsonschema import Draft202012Validator

from autoperf.cli.main import run as command_line
from autoperf.core.errors import Exit
from autoperf.core.outcome import Status
from autoperf.core.work import CodeCount
from autoperf.history import database as opening
from autoperf.history.series import series_sets
from autoperf.history.store import History
from tests.scripts import load_script
from tests.values import HEADER, ended, outcome, passed, steady, write_run
from tools.options_page import schemas

BENCH = load_script("benches", "history.py")
NIGHTS, AT, CASES = 24, 14, 30


def written(folder: Path, medians: np.ndarray, name: str = "night", build: str = "") -> list[Path]:
    """The run files of nights: cases x 4 x nights."""
    files = []
    for night in range(medians.shape[-1]):
        files.append(folder / f"{name}-{night}.ndjson")
        BENCH.write(files[-1], night, medians[..., night])
        if build:
            text = files[-1].read_text().replace("/opt/mxnet/libmxnet.so", build)
            files[-1].write_text(text.replace("T02:17", "T03:17"))
    return files


def medians_of(seed: int = 3, cases: int = CASES, count: int = NIGHTS) -> np.ndarray:
    return np.asarray(np.exp(BENCH.nights(np.random.default_rng(seed), cases, count)))


def answer(capsys: pytest.CaptureFixture[str], database: Path, code: int) -> tuple[dict, str]:
    """The document and the answer of `history changes`."""
    capsys.readouterr()
    assert command_line(["history", "changes", "--history", str(database), "--config", "none"]) == code
    text = " ".join(capsys.readouterr().out.split())
    assert (
        command_line(["history", "changes", "--history", str(database), "--config", "none", "--format", "json"]) == code
    )
    document = json.loads(capsys.readouterr().out)
    Draft202012Validator(schemas()["history"]).validate(document)
    return document, text


def added(database: Path, *files: Path, options: tuple[str, ...] = ()) -> None:
    words = ["history", "add", *map(str, files), "--history", str(database), "--quiet", *options]
    assert command_line(words) == Exit.FINE


def rows(database: Path, query: str) -> list[tuple]:
    with duckdb.connect(str(database), read_only=True) as raw:
        return raw.execute(query).fetchall()


def test_the_order_in_which_runs_are_added_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    medians = medians_of()
    medians[6, :, AT:] *= 1.2
    files = written(tmp_path, medians)
    found = []
    for name, order in (("one", files), ("other", [files[at] for at in np.random.default_rng(1).permutation(NIGHTS)])):
        added(tmp_path / name, *order)
        found.append(answer(capsys, tmp_path / name, Exit.FINDING)[0]["changes"])
        for change in found[-1]:
            del change["run"]
    assert found[0] == found[1]
    assert {(change["operator"], change["date"][:10]) for change in found[0]} == {("operator_2", "2025-11-15")}


def test_processes_that_add_at_once_lose_nothing_and_one_that_is_killed_neither(tmp_path: Path) -> None:
    files = written(tmp_path, medians_of(count=6))
    database = tmp_path / "history.duckdb"
    command = [sys.executable, "-m", "autoperf", "history", "add", "--history", str(database)]
    started = [subprocess.Popen([*command, str(file)], stderr=subprocess.PIPE) for file in files]
    time.sleep(0.5)
    os.kill(started[2].pid, signal.SIGKILL)
    codes = [process.wait(120) for process in started]
    for process in started:
        assert process.stderr
        process.stderr.close()
    assert [code for at, code in enumerate(codes) if at != 2] == [0] * 5
    added(database, files[2])
    assert rows(database, "SELECT count(*), count(DISTINCT digest) FROM runs") == [(6, 6)]
    assert rows(database, "SELECT DISTINCT count(*) FROM figures GROUP BY run") == [(4 * CASES,)]


def test_a_run_waits_while_another_process_has_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, *_ = written(tmp_path, medians_of(count=2))
    (control,) = written(tmp_path, medians_of(4, count=1), "control", "/opt/control/libmxnet.so")
    database = tmp_path / "history.duckdb"
    added(database, first)
    hold = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", hold, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdin
        assert other.stdout.readline() == "open\n"
        monkeypatch.setattr(opening, "WAIT", 0.0)
        capsys.readouterr()
        command_line(["history", "add", str(second), "--control", str(control), "--history", str(database)])
        assert f"waits in {database}.incoming" in " ".join(capsys.readouterr().err.split())
        assert command_line(["history", "list", "--history", str(database)]) == Exit.USER_MISTAKE
        assert "1 run waits" in capsys.readouterr().err
        other.stdin.close()
    broken = tmp_path / "history.duckdb.incoming" / "broken.ndjson"
    broken.write_text("{")
    assert command_line(["history", "list", "--history", str(database)]) == Exit.FINE
    told = " ".join(capsys.readouterr().err.split())
    assert "run 3, which waited" in told
    assert "broken.ndjson waits, and can't be added" in told
    assert [path.name for path in broken.parent.iterdir()] == ["broken.ndjson"]
    assert rows(database, "SELECT * FROM controls") == [(3, 2)]


@pytest.mark.parametrize(("program", "machine"), [(1.04, 1.0), (1.0, 1.04), (1.08, 1.04)])
def test_a_control_tells_the_machines_change_from_the_builds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], program: float, machine: float
) -> None:
    """Everything is 4% slower: by the build, by the machine, and by 8%, of which the machine's part is 4%."""
    medians, control = medians_of(cases=40), medians_of(4, cases=40)
    medians[..., AT:] *= program * (machine if program == 1 else 1)
    control[..., AT:] *= machine
    nights = written(tmp_path, medians)
    beside = written(tmp_path, control, "control", "/opt/control/libmxnet.so")
    database = tmp_path / "history.duckdb"
    for night, other in zip(nights, beside, strict=True):
        added(database, night, options=("--control", str(other)))
    found, text = answer(capsys, database, Exit.FINE if program == 1 else Exit.FINDING)
    usual = "as fast as usual" if machine == 1 else "times slower than usual, which is subtracted"
    assert "By the control, the machine of the last night was" in text
    assert usual in text
    assert {change["decided"][11:13] for change in found["changes"]} <= {"02"}
    if program == 1:
        assert (found["changes"], "common" in found) == ([], False)
        return
    (everything,) = found["common"]
    assert everything["ratio"] == pytest.approx(program / machine, abs=0.008)
    assert everything["low"] < program / machine < everything["high"]
    assert everything["machine_ratio"] == pytest.approx(machine, abs=0.008)
    assert everything["date"][:10] == "2025-11-15"
    assert "slower since the night of 2025-11-15 by the median of all measurements" in text
    assert [change["machine_ratio"] or 1.0 for change in found["changes"]] == pytest.approx(
        [machine] * len(found["changes"]), abs=0.012
    )
    ratios = [change["ratio"] for change in found["changes"]]
    assert np.median(ratios) == pytest.approx(program / machine, abs=0.02)


@pytest.mark.parametrize(("second", "code"), [(1.0, Exit.FINE), (1.02, Exit.FINE), (1.15, Exit.FINDING)])
def test_an_accepted_step_starts_a_new_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], second: float, code: Exit
) -> None:
    """The line covers a further step only as far as both together stay within its ratio and the threshold."""
    medians = medians_of()
    medians[6, :, 9:] *= 1.1
    medians[6, :, 17:] *= second
    added(tmp_path / "h", *written(tmp_path, medians))
    file = tmp_path / "autoperf.toml"
    file.write_text('[[accept]]\noperator = "operator_2"\nratio = 1.1\nreason = "it checks its bounds"\n')
    capsys.readouterr()
    words = ["history", "changes", "--history", str(tmp_path / "h"), "--config", str(file), "--format", "json"]
    assert command_line(words) == code
    assert {change["date"][:10] for change in json.loads(capsys.readouterr().out)["changes"]} == (
        {"2025-11-18"} if code else set()
    )


def test_a_changed_count_is_told_of_its_night(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three nights are enough, and 0.2% of the instructions; a night without a count is passed over."""
    for night, instructions in enumerate((1000.0, None, 1002.0)):
        ran = passed(steady(10.0))
        counted = (
            ran
            if instructions is None
            else msgspec.structs.replace(
                ran, instructions=steady(instructions), code=CodeCount("valgrind", (), {}, "d")
            )
        )
        header = msgspec.structs.replace(HEADER, started=f"2026-11-0{night + 1}T02:17:00+00:00")
        write_run(tmp_path / f"{night}.ndjson", [outcome(1, counted)], header)
        added(tmp_path / "h", tmp_path / f"{night}.ndjson")
    found, text = answer(capsys, tmp_path / "h", Exit.FINDING)
    assert [(row["figure"], row["evidence"], row["run"]) for row in found["changes"]] == [
        ("forward instructions", "count", 3)
    ]
    assert "is 0.20% more since the night of 2026-11-03 (the run before is of 2026-11-01)" in text


def test_a_control_counts_for_each_run_beside_it(tmp_path: Path) -> None:
    medians = medians_of(count=4)
    medians[..., 2:] *= 1.2
    nights, controls = written(tmp_path, medians), written(tmp_path, medians[..., ::3], "control", "/opt/control/lib")
    for night, file in enumerate(nights):
        added(tmp_path / "h", file, options=("--control", str(controls[night // 2])))
    with History(tmp_path / "h") as opened:
        (series,) = series_sets(opened)
    assert series.control is not None
    assert series.control == pytest.approx(np.log(1.2) * np.array([-0.5, -0.5, 0.5, 0.5]), abs=0.01)


def test_a_run_is_no_control_of_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run,) = map(str, written(tmp_path, medians_of(count=1)))
    path = tmp_path / "history.duckdb"
    assert command_line(["history", "add", run, "--control", run, "--history", str(path)]) == Exit.USER_MISTAKE
    assert "can't be its own control" in capsys.readouterr().err
    assert not list(tmp_path.glob("history.duckdb*"))


def test_a_seed_may_be_a_number_of_64_bits(tmp_path: Path) -> None:
    seed = 2**64 - 1
    header = msgspec.structs.replace(HEADER, seed=seed)
    added(tmp_path / "h", write_run(tmp_path / "run.ndjson", [outcome(0, passed(steady(10.0)))], header))
    with History(tmp_path / "h") as opened:
        assert [run.provenance.seed for run in opened.runs()] == [seed]


def test_a_refused_run_leaves_no_empty_history_and_those_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = write_run(tmp_path / "refused.ndjson", [ended(Status.FAILED, "no kernel")])
    runs = written(tmp_path, medians_of(count=1))
    path = tmp_path / "history.duckdb"
    words = ["history", "add", "--history", str(path)]
    assert command_line([*words, str(refused)]) == Exit.USER_MISTAKE
    assert "refused.ndjson has no figures" in capsys.readouterr().err
    assert not list(tmp_path.glob("history.duckdb*"))
    assert command_line([*words, *map(str, runs), str(refused)]) == Exit.USER_MISTAKE
    assert command_line([*words, str(refused)]) == Exit.USER_MISTAKE
    assert rows(path, "SELECT count(*) FROM runs") == [(1,)]


def test_medians_are_written_as_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    medians = medians_of(count=2)
    added(tmp_path / "h", *written(tmp_path, medians))
    file = tmp_path / "figures.parquet"
    assert command_line(["history", "export", str(file), "--history", str(tmp_path / "h")]) == Exit.FINE
    assert f"{file}: {4 * CASES * 2} rows" in capsys.readouterr().err
    with duckdb.connect() as raw:
        read = raw.execute(
            f"SELECT median FROM '{file}' WHERE date LIKE '2025-11-02%' AND pass = 'backward' AND clock = 'wall' "
            "AND operator = 'operator_1' ORDER BY \"case\""
        ).fetchall()
    np.testing.assert_allclose([value for (value,) in read], medians[3:6, 3, 1])
    assert command_line(["history", "export", "figures.csv", "--history", str(tmp_path / "h")]) == Exit.USER_MISTAKE
    assert "ends with .parquet" in capsys.readouterr().err
