"""`autoperf history`: runs are added once, shown, searched for steps and removed; mistakes are told."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TypeAlias

import duckdb
import msgspec
import numpy as np
import pytest

from autoperf.cli.main import run as command_line
from autoperf.core.errors import Exit
from autoperf.core.machine import Reference
from autoperf.core.outcome import FigureWarning, Series
from autoperf.history.report import changed_facts
from autoperf.history.series import series_sets
from autoperf.history.store import History
from autoperf.runs.runfile import machine_of
from tests.scripts import load_script
from tests.values import ENVIRONMENT, HEADER, outcome, passed, series, steady, write_run

STORED = Path(__file__).parents[1] / "data" / "stored"
BASE, NEW = str(STORED / "base-2.ndjson"), str(STORED / "new-2.ndjson")
BENCH = load_script("benches", "history.py")
NIGHTS, AT = 50, 40
Document: TypeAlias = dict[str, list[dict[str, object]]]


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "history.duckdb")
    assert command_line(["history", "add", BASE, NEW, "--history", path]) == Exit.FINE
    return path


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Fifty nights of 30 cases; the case 6 is 10% slower from the 41st on."""
    folder = tmp_path_factory.mktemp("year")
    path = folder / "history.duckdb"
    medians = np.exp(BENCH.nights(np.random.default_rng(3), 30, NIGHTS))
    medians[6, :, AT:] *= 1.1
    for night in range(NIGHTS):
        BENCH.write(folder / f"{night}.ndjson", night, medians[..., night])
    files = [str(folder / f"{night}.ndjson") for night in range(NIGHTS)]
    assert command_line(["history", "add", *files, "--history", str(path), "--quiet"]) == Exit.FINE
    return str(path)


def test_the_views_of_a_history_read_no_other_files(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret\n")
    columns = ", ".join(f"'{name}' AS {name}" for name in ("release", "build", "revision", "machine", "processor"))
    with duckdb.connect(database) as connection:
        connection.execute("DROP TABLE runs")
        connection.execute(
            f"CREATE VIEW runs AS SELECT 1 AS run, content AS file, 1 AS results, 'x' AS digest, {columns}, "
            f"1 AS threads, '' AS date, '' AS autoperf, 1 AS seed, '' AS command FROM read_text('{secret}')"
        )
    assert command_line(["history", "list", "--history", database]) == Exit.USER_MISTAKE
    out, err = capsys.readouterr()
    assert "the secret" not in out + err
    assert "can't read the history" in err


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = Exit.FINE) -> Document:
    assert command_line([*words, "--format", "json"]) == code
    answer: Document = json.loads(capsys.readouterr().out)
    return answer


def test_clocks_are_stored_by_name(database: str) -> None:
    """So that their list may change: a clock that this version doesn't know keeps its name and figures."""

    def medians() -> dict[tuple[str, str], float]:
        with History(Path(database)) as opened:
            (series,) = series_sets(opened)
        return {
            (case.id, figure): values[0] for (case, figure), values in zip(series.keys, series.medians, strict=True)
        }

    before = medians()
    assert {figure for _, figure in before} >= {"forward kernel", "backward wall"}
    with duckdb.connect(database) as raw:
        assert raw.execute("SELECT DISTINCT clock FROM figures ORDER BY 1").fetchall() == [("kernel",), ("wall",)]
        raw.execute("UPDATE figures SET clock = 'joules' WHERE clock = 'wall'")
    after = medians()
    assert after == {(case, figure.replace("wall", "joules")): value for (case, figure), value in before.items()}


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (
            "1",
            "its format is 1, and this version of autoperf reads 3: add its run files to a new one, `autoperf history",
        ),
        ("99", "its format is 99, and this version of autoperf reads 3: update autoperf"),
        ("", "expected a history that `autoperf history add` made"),
    ],
)
@pytest.mark.parametrize("words", [["list"], ["add", BASE]])
def test_a_history_of_another_version_is_refused(
    words: list[str], version: str, message: str, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with duckdb.connect(database) as raw:
        raw.execute(f"UPDATE format SET version = {version}" if version else "DROP TABLE format")
    capsys.readouterr()
    assert command_line(["history", *words, "--history", database]) == Exit.USER_MISTAKE
    assert message in capsys.readouterr().err


def test_another_method_of_measuring_is_told(tmp_path: Path) -> None:
    path = str(tmp_path / "history.duckdb")
    for day, method in ((1, 4), (2, 5)):
        header = msgspec.structs.replace(HEADER, method=method, started=f"2026-11-{day:02}T02:00:00+00:00")
        run = write_run(tmp_path / f"{day}.ndjson", [outcome(0, passed(steady(10.0)))], header)
        assert command_line(["history", "add", str(run), "--history", path, "--quiet"]) == Exit.FINE
    with History(Path(path)) as opened:
        before, now = opened.runs()
    assert list(changed_facts(before, now)) == [("method of measuring", "4", "5")]
    # Histories of earlier versions don't have it.
    earlier = msgspec.structs.replace(before, facts={})
    assert "method of measuring" not in {name for name, _, _ in changed_facts(earlier, now)}


def test_a_history_without_figures_has_no_steps(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    for run in ("1", "2"):
        assert command_line(["history", "remove", run, "--history", database]) == Exit.FINE
    assert document(capsys, "history", "changes", "--history", database)["changes"] == []


def test_the_last_of_few_runs_is_compared_with_those_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "history.duckdb")
    for night in range(4):
        factors = [1.3 if (night, case) == (3, 7) else 1.0 for case in range(30)]
        run = [outcome(case, passed(steady(factor * (100.0 + case)))) for case, factor in enumerate(factors)]
        header = msgspec.structs.replace(HEADER, started=f"2026-11-0{night + 1}T02:17:00+00:00")
        file = write_run(tmp_path / f"{night}.ndjson", run, header)
        assert command_line(["history", "add", str(file), "--history", path]) == Exit.FINE
    words = ("history", "changes", "--history", path)
    (found,) = document(capsys, *words)["changes"]
    assert [found[key] for key in ("case", "figure", "evidence", "run")] == [
        "exp/00000007", "forward kernel", "last run", 4,
    ]  # fmt: skip
    assert found["ratio"] == pytest.approx(1.3, rel=0.01)
    assert document(capsys, *words, "--since", "2026-11-05")["changes"] == []
    command_line([*words])
    shown = " ".join(capsys.readouterr().out.split())
    assert "slower in the last run, of 2026-11-04; " in shown
    assert "0 steps = 0 slower + 0 faster; last run: 30 figures = 0 faster + 1 slower + 29 same" in shown


def beside_programs(median: float) -> Series:
    """Three processes that disagree, with the warning of other programs."""
    disagreeing = series(*([median * share] * 3 for share in (0.95, 1.0, 1.1)))
    return msgspec.structs.replace(disagreeing, warnings=(FigureWarning.CROWDED,))


def test_other_programs_beside_a_last_run_excuse_what_they_can_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "history.duckdb")
    for night in range(4):
        times = {case: steady(100.0 + case) for case in range(30)}
        if night == 3:
            times |= {7: beside_programs(140.0), 8: steady(140.0), 9: beside_programs(2000.0)}
        header = msgspec.structs.replace(HEADER, started=f"2026-11-0{night + 1}T02:17:00+00:00")
        run = write_run(tmp_path / f"{night}.ndjson", [outcome(case, passed(us)) for case, us in times.items()], header)
        assert command_line(["history", "add", str(run), "--history", path]) == Exit.FINE
    words = ("history", "changes", "--history", path)
    slower = {"exp/00000008", "exp/00000009"}
    assert {found["case"] for found in document(capsys, *words)["changes"]} == slower
    command_line([*words])
    shown = " ".join(capsys.readouterr().out.split())
    assert "0 faster + 2 slower + 27 same + 1 undecided" in shown
    few = "Few nights: of 4 comparable runs only the last is compared with those before it"
    assert f"{few}, and a disturbed night looks like a change; 1 of its 30 measurements is undecided." in shown
    with duckdb.connect(path) as raw:
        raw.execute("DELETE FROM crowded WHERE number = 7")
    assert {found["case"] for found in document(capsys, *words)["changes"]} == slower | {"exp/00000007"}
    command_line(["history", "remove", "4", "--history", path])
    with duckdb.connect(path, read_only=True) as raw:
        assert raw.execute("SELECT count(*) FROM crowded").fetchone() == (0,)


def test_half_of_a_run_became_slower_and_the_other_half_is_not_faster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the first night of it and on the second; times are as measured, and few nights say so."""
    path = str(tmp_path / "history.duckdb")
    for night in range(6):
        factors = [18.0 if night >= 4 and case % 2 else 1.0 + 0.001 * night for case in range(24)]
        run = [outcome(case, passed(steady(factor * (100.0 + case)))) for case, factor in enumerate(factors)]
        header = msgspec.structs.replace(HEADER, started=f"2026-11-0{night + 1}T02:17:00+00:00")
        file = write_run(tmp_path / f"{night}.ndjson", run, header)
        assert command_line(["history", "add", str(file), "--history", path]) == Exit.FINE
        if night == 0:
            command_line(["history", "changes", "--history", path])
            assert "One night: there is no other to compare it with." in capsys.readouterr().out
        if night < 4:
            continue
        found = document(capsys, "history", "changes", "--history", path)["changes"]
        assert {(row["case"], row["run"]) for row in found} == {(f"exp/{n:08x}", night + 1) for n in range(1, 24, 2)}
        (first,) = [row for row in found if row["case"] == "exp/00000001"]
        assert (first["before_us"], first["after_us"]) == pytest.approx((101.0, 18 * 101.0), rel=0.003)
        command_line(["history", "changes", "--history", path])
        shown = " ".join(capsys.readouterr().out.split())
        assert "18.0 times" in shown
        assert f"Few nights: of {night + 1} comparable runs only the last is compared" in shown


def test_the_speed_of_a_run_is_kept(tmp_path: Path) -> None:
    """Where a run doesn't know it, or has another probe, it is as in the run before."""
    path, speeds = tmp_path / "history.duckdb", (("exp", 3.0), ("sum", 1.5), None, ("exp", 9.0), ("sum", 1.2))
    references = [speed and Reference(*speed, "2026-11-01") for speed in speeds]
    for night, reference in enumerate(references, 1):
        header = msgspec.structs.replace(HEADER, started=f"2026-11-0{night}T02:17:00+00:00")
        run = [outcome(0, passed(steady(100.0)))]
        file = write_run(tmp_path / f"{night}.ndjson", run, header, machine_of(ENVIRONMENT, reference))
        assert command_line(["history", "add", str(file), "--history", str(path)]) == Exit.FINE
    with History(path) as opened:
        assert [run.reference for run in opened.runs()] == references
        (found,) = series_sets(opened)
    assert found.slower is not None
    assert np.exp(found.slower) == pytest.approx([1.5, 1.5, 1.5, 1.5, 1.2])
    with duckdb.connect(str(path)) as raw:
        raw.execute("UPDATE speeds SET us = 0")
    assert command_line(["history", "list", "--history", str(path)]) == Exit.USER_MISTAKE


def test_times_of_processes_are_stored_until_steps_are_found(year: str, capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect(year, read_only=True) as raw:
        assert raw.execute("SELECT max(run) FROM figures WHERE times IS NOT NULL").fetchone() == (10,)
    found = document(capsys, "history", "changes", "--history", year, code=Exit.FINDING)["changes"]
    assert {change["evidence"] for change in found} == {"step"}


def test_runs_are_listed_with_build_and_date(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    runs = document(capsys, "history", "list", "--history", database)["runs"]
    assert [(run["run"], run["release"], run["results"]) for run in runs] == [(1, "1.9.1", 8), (2, "1.9.1", 8)]
    assert str(runs[0]["date"]) < str(runs[1]["date"])


def test_a_run_is_added_once(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert command_line(["history", "add", BASE, "--history", database]) == Exit.FINE
    assert "there already" in capsys.readouterr().err
    assert len(document(capsys, "history", "list", "--history", database)["runs"]) == 2


def test_a_run_that_was_cut_off_gets_what_it_has_since(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, part = str(tmp_path / "history.duckdb"), tmp_path / "part.ndjson"
    part.write_text("".join(Path(BASE).read_text().splitlines(keepends=True)[:4]))
    for file, results in ((str(part), 2), (BASE, 8), (str(part), 8)):
        assert command_line(["history", "add", file, "--history", path]) == Exit.FINE
        told = capsys.readouterr().err
        runs = document(capsys, "history", "list", "--history", path)["runs"]
        assert [(run["run"], run["results"]) for run in runs] == [(1, results)]
    assert "there already" in told
    new = str(tmp_path / "whole.duckdb")
    assert command_line(["history", "add", BASE, "--history", new]) == Exit.FINE
    shown = [
        document(capsys, "history", "show", "--operator", "*", "--history", each)["series"] for each in (path, new)
    ]
    by_case = [sorted(map(str, series)) for series in shown]
    assert by_case[0] == by_case[1]


def test_a_run_that_later_visits_changed_gets_their_medians(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has as many results as before, and takes longer."""
    path, file = str(tmp_path / "history.duckdb"), tmp_path / "visits.ndjson"
    visits = ((10.0, 60.0, "run 1, 3 cases"), (12.0, 120.0, "run 1, 3 cases"), (12.0, 120.0, "there already"))
    for us, seconds, told in visits:
        file.unlink(missing_ok=True)
        write_run(file, [outcome(case, passed(steady(us + case))) for case in range(3)], seconds=seconds)
        assert command_line(["history", "add", str(file), "--history", path]) == Exit.FINE
        assert told in capsys.readouterr().err
        shown = document(capsys, "history", "show", "--operator", "*", "--history", path)["series"]
        assert sorted(series["last_us"] for series in shown) == pytest.approx([us, us + 1, us + 2], rel=1e-3)
        assert [run["results"] for run in document(capsys, "history", "list", "--history", path)["runs"]] == [3]


def test_what_is_not_judged_yet_is_told(database: str, year: str, capsys: pytest.CaptureFixture[str]) -> None:
    command_line(["history", "changes", "--history", database])
    assert "note: 28 of 28 series can't be judged yet: 28 (2 of 10 runs on example)" in capsys.readouterr().err
    answer = document(capsys, "history", "changes", "--history", database)
    assert [str(each["reason"]) for each in answer["unjudged"]] == ["2 of 10 runs on example"] * 28
    command_line(["history", "changes", "--history", year])
    assert "judged" not in capsys.readouterr().err


def test_a_run_that_can_not_be_read_leaves_no_history(tmp_path: Path) -> None:
    path = tmp_path / "history.duckdb"
    assert command_line(["history", "add", str(tmp_path / "none.ndjson"), "--history", str(path)]) == Exit.USER_MISTAKE
    assert not path.exists()


def test_operators_of_a_removed_run_are_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "history.duckdb")
    assert command_line(["history", "add", BASE, "--history", path]) == Exit.FINE
    assert command_line(["history", "remove", "1", "--history", path]) == Exit.FINE
    assert command_line(["history", "show", "--operator", "dot", "--history", path]) == Exit.USER_MISTAKE
    assert "unknown operator of this history 'dot'" in capsys.readouterr().err


def test_a_removed_run_can_be_added_again(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["history", "remove", "1", "--history", database]) == Exit.FINE
    series = document(capsys, "history", "show", "--operator", "dot", "--history", database)["series"]
    assert {row["runs"] for row in series} == {1}
    assert command_line(["history", "add", BASE, "--history", database]) == Exit.FINE
    assert len(document(capsys, "history", "list", "--history", database)["runs"]) == 2


def test_a_run_is_removed_wholly_or_not_at_all(database: str) -> None:
    with duckdb.connect(database) as raw:
        raw.execute("DROP TABLE counted")
    assert command_line(["history", "remove", "1", "--history", database]) == Exit.USER_MISTAKE
    with duckdb.connect(database, read_only=True) as raw:
        assert raw.execute("SELECT DISTINCT run FROM figures ORDER BY run").fetchall() == [(1,), (2,)]


@pytest.mark.parametrize("form", ["table", "md", "csv", "json"])
@pytest.mark.parametrize("words", [["history", "show", "--history"], ["report", "--history"]])
def test_operators_are_shown_over_time(
    words: list[str], form: str, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line([*words, database, "--operator", "so*", "--format", form]) == Exit.FINE
    text = capsys.readouterr().out
    assert "softmax" in text
    assert "forward kernel" in text


def test_a_step_has_the_run_that_made_it(year: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "history", "changes", "--history", year, code=Exit.FINDING)["changes"]
    assert found
    assert {(row["operator"], row["profile"], row["run"]) for row in found} == {("operator_2", "small", AT + 1)}
    assert {str(row["revision"])[-2:] for row in found} == {f"{AT:02x}"}


@pytest.mark.parametrize(
    ("line", "code", "listed"),
    [
        ('ratio = 1.1\nreason = "double precision"', Exit.FINE, False),
        ('ratio = 1.03\nreason = "too little"', Exit.FINDING, True),
        ('operator = "log"\nratio = 1.1\nreason = "another operator"', Exit.FINDING, True),
        ('ratio = 1.1\nreason = "long ago"\nuntil = 2001-01-01', Exit.FINDING, True),
    ],
)
def test_an_accepted_step_leaves_the_list(
    year: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, code: Exit, listed: bool
) -> None:
    file = tmp_path / "autoperf.toml"
    file.write_text(f"[[accept]]\n{line}\n")
    words = ("history", "changes", "--history", year, "--config", str(file))
    assert bool(document(capsys, *words, code=code)["changes"]) == listed
    assert command_line(words) == code
    assert ("as accepted" in capsys.readouterr().out) != listed


def test_steps_before_a_day_are_left_out(year: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("history", "changes", "--history", year)
    assert document(capsys, *words, "--since", "2026-01-01")["changes"] == []
    assert document(capsys, *words, "--since", "0d")["changes"] == []
    assert document(capsys, *words, "--since", "20000d", code=Exit.FINDING)["changes"]
    assert document(capsys, *words, "--since", "2025-11-20", code=Exit.FINDING)["changes"]


def test_what_changed_in_the_night_of_a_step_is_in_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "history.duckdb")
    medians = np.exp(BENCH.nights(np.random.default_rng(3), 30, NIGHTS))
    medians[6, :, AT:] *= 1.2
    for night in range(NIGHTS):
        BENCH.write(tmp_path / f"{night}.ndjson", night, medians[..., night])
    for night in range(AT, NIGHTS):
        file = tmp_path / f"{night}.ndjson"
        file.write_text(file.read_text().replace('"python":"3.11"', '"python":"3.12"'))
    files = [str(tmp_path / f"{night}.ndjson") for night in range(NIGHTS)]
    assert command_line(["history", "add", *files, "--history", path, "--quiet"]) == Exit.FINE
    capsys.readouterr()
    answers = []
    for statement in ("SELECT 1", "UPDATE facts SET facts = '{}'"):
        with duckdb.connect(path) as raw:
            raw.execute(statement)
        assert command_line(["history", "changes", "--history", path]) == Exit.FINDING
        answers.append(" ".join(capsys.readouterr().out.rpartition("\n\n")[2].split()))
    since = "since the night of 2025-12-11; so are 3 other measurements of that night; "
    assert f"{since}Python changed from 3.11 to 3.12 that night." in answers[0]
    assert f"{since}the history records no change of versions or settings that night." in answers[1]
    assert command_line(["history", "remove", "1", "--history", path]) == Exit.FINE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("facts SET facts = '[1'", "Expected `object`, got `array`"),
        ("runs SET release = NULL", "Expected `str`, got `null` - at `$.release`"),
        ("runs SET date = 'yesterday'", "Invalid isoformat string: 'yesterday'"),
    ],
)
def test_values_that_autoperf_does_not_write_are_a_mistake(
    database: str, capsys: pytest.CaptureFixture[str], change: str, message: str
) -> None:
    with duckdb.connect(database) as raw:
        raw.execute(f"UPDATE {change} WHERE run = 1")
    assert command_line(["history", "list", "--history", database]) == Exit.USER_MISTAKE
    told = " ".join(capsys.readouterr().err.split())
    assert f"invalid run 1 in the history {database}: {message}" in told


def test_a_step_is_drawn(year: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["report", "--history", year, "--operator", "operator_2"]) == Exit.FINE
    text = capsys.readouterr().out
    assert "slower" in text
    assert "since 2025-12-11" in text
    assert "▁" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["history", "list", "--history", "no.duckdb"], "there is no such history"),
        (["history", "remove", "1", "--history", "no.duckdb"], "there is no such history"),
        (["history", "list", "--history", BASE], "expected a DuckDB database"),
        (["history", "list", "--history", "."], "invalid history .: expected a file, not a folder"),
        (["history", "add", BASE, "--history", NEW], "expected a DuckDB database"),
        (["history", "add", "no.ndjson"], "can't read no.ndjson"),
        (["report", "--history", "no.duckdb", "--operator", "dot"], "there is no such history"),
        (["report", BASE, "--history", "no.duckdb"], "give one of them"),
        (["report"], "give one of them"),
        (["history", "changes", "--since", "yesterday"], "invalid day 'yesterday': expected a date"),
    ],
)
def test_mistakes_are_told(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command_line(words) == Exit.USER_MISTAKE
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_short_series_is_not_called_unchanged_alone(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert command_line(["history", "show", "--operator", "softmax", "--history", database]) == Exit.FINE
    answer = " ".join(capsys.readouterr().out.split()).partition("No measurement is known to have changed. ")[2]
    assert answer.startswith("Too few runs for steps, which are found from 10 on, in 8 of 8 series; ")


@pytest.mark.parametrize("words", [["list"], ["add", NEW], ["remove", "1"]])
def test_a_pipe_is_no_history(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert command_line(["history", *words, "--history", str(tmp_path / "pipe")]) == Exit.USER_MISTAKE
    assert "expected a file, not a pipe or device" in " ".join(capsys.readouterr().err.split())


def test_another_database_with_a_table_of_formats_is_no_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with duckdb.connect(str(tmp_path / "other")) as raw:
        raw.execute("CREATE TABLE format (version VARCHAR); INSERT INTO format VALUES ('new')")
    assert command_line(["history", "list", "--history", str(tmp_path / "other")]) == Exit.USER_MISTAKE
    assert "not another DuckDB database" in " ".join(capsys.readouterr().err.split())


def test_mistakes_about_a_history_are_told(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["history", "remove", "9", "--history", database], "no run 9"),
        (["history", "show", "--operator", "sofmax", "--history", database], "did you mean softmax"),
        (["report", "--history", database], "--history needs an operator"),
        (["report", "--history", database, "--operator", "dot", "--limit", "2"], "leave out --limit"),
        (["history", "export", "no/x.parquet", "--history", database], "no/x.parquet: No such file or directory\n"),
    ):
        assert command_line(words) == Exit.USER_MISTAKE
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["list"], ["show", "--operator", "softmax"], ["changes"], ["add", NEW], ["remove", "1"]]
)
def test_a_history_that_was_cut_is_an_error(
    words: list[str], database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(database)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    capsys.readouterr()
    assert command_line(["history", *words, "--history", database]) == Exit.USER_MISTAKE
    assert str(path) in capsys.readouterr().err
