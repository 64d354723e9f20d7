"""Results of runs and comparisons: sequences, records, tables, files."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autoperf
from autoperf.comparison.report import sentence
from autoperf.core.errors import AutoperfError, CaseFileError, OutputError, UsageError
from autoperf.core.outcome import Status
from autoperf.measurement.batches import Job
from autoperf.measurement.trial_client import TrialClient
from tests.kept_hunts import SAMPLE
from tests.values import HEADER, ended, outcome, passed, steady, write_run

QUICK: dict[str, Any] = {"warmup": 0, "runs": 2, "processes": 1, "progress": False}


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run.ndjson", [outcome(n, passed(steady(10.0 + n))) for n in range(3)], HEADER)


def test_measure_own_inputs(tmp_path: Path) -> None:
    output = tmp_path / "softmax.ndjson"
    results = autoperf.measure(
        "nd.softmax",
        [{"data": (4, 8), "axis": 0}, {"data": (8, 4)}],
        dtype=["float32", "float64"],
        run_file=output,
        **QUICK,
    )
    assert results.path == output
    assert [(case.inputs[0].tensor.shape, case.inputs[0].tensor.dtype) for case in results] == [
        ((4, 8), "float32"), ((4, 8), "float64"), ((8, 4), "float32"), ((8, 4), "float64"),
    ]  # fmt: skip
    assert results.records[0]["params"] == "axis=0"
    assert results.header.options["command"] == "measure"


def test_measure_a_selection_forward() -> None:
    results = autoperf.measure(["exp", "log"], input_profile="small", draws=0, backward=False, **QUICK)
    assert [case.operator for case in results] == ["exp", "log"]
    assert all(case.forward and not case.backward for case in results)
    assert len(autoperf.measure(category="rounding", input_profile="small", draws=0, **QUICK)) > 3


def test_statuses_and_verdicts_equal_their_texts(tmp_path: Path, stored: Path) -> None:
    results, text = autoperf.load(stored), "measured"
    assert results[0].status == text
    assert f"{results[0].status} {results[0].status!s}" == "measured measured"
    assert autoperf.compare(stored, stored, margin=0.01)[0].verdict == "same"


def test_a_tidy_row_for_each_pass_and_clock(tmp_path: Path) -> None:
    cases = [outcome(0, passed(steady(10.0), steady(20.0))), ended(Status.FAILED, "no memory")]
    results = autoperf.load(write_run(tmp_path / "run.ndjson", cases, HEADER))
    rows = [(row["status"], row.get("pass"), row.get("clock")) for row in results.tidy]
    assert rows == [("measured", "forward", "kernel"), ("measured", "forward", "wall"), ("failed", None, None)]
    assert [row["median"] for row in results.tidy[:2]] == [each.median for each in results[0].forward.metrics.values()]
    frame = results.to_dataframe(tidy=True)
    assert list(frame["pass"].dropna()) == ["forward", "forward"]


def test_every_result_is_a_sequence(stored: Path) -> None:
    for results in (autoperf.load(stored), autoperf.compare(stored, stored, margin=0.01), autoperf.load_hunt(SAMPLE)):
        assert isinstance(results, Sequence)
        assert list(results) == [results[number] for number in range(len(results))] == list(results[:])
        assert results[-1] in results


def test_two_builds_in_turn() -> None:
    comparison = autoperf.compare_builds(
        "1.9.1", "installed", "nd.softmax", [{"data": (4, 8), "axis": 0}, {"data": (8, 4)}], **QUICK
    )
    assert len(comparison.comparison.cases) == len(comparison) > 0
    assert {row.operator for row in comparison} == {"softmax"}
    assert len({row.case for row in comparison}) == 2
    with pytest.raises(UsageError, match="inputs need a function"):
        autoperf.compare_builds("1.9.1", "installed", inputs={"data": (2, 2)}, **QUICK)
    with pytest.raises(AutoperfError, match="unknown option 'framework'"):
        autoperf.compare_builds("1.9.1", "installed", "exp", framework="torch")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"operators": "sofmax"}, "did you mean softmax"),
        ({"category": "poolin"}, "did you mean pooling"),
        ({"inputs": {"data": (2, 2)}}, "inputs need a function"),
        (
            {
                "operators": "exp",
                "inputs": {"data": (2, 2)},
                "cases": "cases.yaml",
                "input_profile": "small",
                "seed": 1,
            },
            "inputs are the arguments of each function: leave out input_profile, seed, cases$",
        ),
        (
            {"operators": "exp", "inputs": {"data": (2, 2)}, "category": "unary", "namespace": "nd", "draws": 3},
            "leave out category, namespace, draws$",
        ),
        ({"operators": "exp", "inputs": {"data": (2, 2)}, "rules": "absent.py"}, "absent.py"),
        (
            {"operators": "exp", "inputs": [{"data": (2, 2), "run_backward": False}, {"data": (4, 4)}]},
            "run_backward differs between the inputs of one run",
        ),
        ({"cases": "cases.yaml", "dtype": "float16"}, "cases have their own inputs: leave out dtype$"),
        ({"operators": "exp", "runs": 0}, "invalid samples 0"),
        ({"operators": "exp", "dtype": "float33"}, "did you mean float32"),
    ],
)
def test_a_mistake_is_an_error(options: dict[str, Any], words: str) -> None:
    with pytest.raises(AutoperfError, match=words):
        autoperf.measure(**{**QUICK, **options})


@pytest.mark.parametrize(
    ("inputs", "options"),
    [
        ([{"data": (2, 2)}, {"data": (2, 3), "axis": 7}], {}),
        ({"data": (2, 3), "axis": 7}, {"dtype": ["float32", "float64"]}),
        ({"data": (2, 3), "axis": 7}, {"time_budget": 60}),
    ],
)
def test_what_mxnet_refuses_only_when_it_runs_is_an_error_too(
    inputs: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(AutoperfError, match=r"MXNet refuses these inputs of softmax: Check failed: .* axis 7 exceeds"):
        autoperf.measure("softmax", inputs, run_file=tmp_path / "run.ndjson", **QUICK, **options)
    assert not list(tmp_path.iterdir())


def test_what_is_no_mistake_of_the_call_is_an_outcome() -> None:
    dtypes = autoperf.measure("softmax", {"data": (2, 2)}, dtype=["int32", "float32"], **QUICK)
    assert [case.status for case in dtypes] == [Status.FAILED, Status.MEASURED]
    (limited,) = autoperf.measure("exp", {"data": (2, 2)}, memory_limit=1000, **QUICK)
    assert limited.status is Status.FAILED
    assert limited.reason.startswith("out of memory")


def test_each_call_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    run_trial = TrialClient.run_trial

    def counted(client: TrialClient, job: Job, deadline: float, **options: Any) -> Any:
        tried.append(job.case.id)
        return run_trial(client, job, deadline, **options)

    monkeypatch.setattr(TrialClient, "run_trial", counted)
    results = autoperf.measure("exp", [{"data": (2, 2)}, {"data": (3, 3)}], **QUICK)
    assert tried == [case.case for case in results]


def test_a_run_from_python_is_not_resumed(tmp_path: Path) -> None:
    output = tmp_path / "run.ndjson"
    autoperf.measure("exp", {"data": (2, 2)}, run_file=output, **QUICK)
    ended = subprocess.run(
        [sys.executable, "-m", "autoperf", "run", "--resume", str(output)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, "can't be resumed" in ended.stderr) == (2, True)


def test_a_stored_run(stored: Path) -> None:
    results = autoperf.load(stored)
    assert repr(results) == f"<RunResults of 3 cases in {stored}>"
    assert [record["forward_kernel_median_us"] for record in results.records] == pytest.approx([10, 11, 12], rel=0.01)
    assert "3 cases = 3 measured" in str(results)
    assert results._repr_html_().count("<tr>") == 4
    assert "3 of 3 cases measured" in results._repr_html_()
    assert results.end
    assert results.end.measured == 3


def test_a_file_that_is_no_run(tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_text("text")
    with pytest.raises(CaseFileError):
        autoperf.load(path)


def test_a_report_has_the_format_of_its_suffix(stored: Path, tmp_path: Path) -> None:
    results = autoperf.load(stored)
    for name in ("run.csv", "run.json", "run.md", "run.txt", "run", "run.xml"):
        results.save(tmp_path / name)
    rows = list(csv.DictReader((tmp_path / "run.csv").read_text().splitlines()))
    assert [list(row) for row in rows] == [list(record) for record in results.records]
    assert len(rows) == 3
    assert len(json.loads((tmp_path / "run.json").read_text())["outcomes"]) == 3
    assert (tmp_path / "run.md").read_text().startswith("**3 of 3 cases measured")
    assert "3 cases = 3 measured" in (tmp_path / "run.txt").read_text()
    assert (tmp_path / "run").read_text() == (tmp_path / "run.txt").read_text()
    assert (tmp_path / "run.xml").read_text().startswith("<?xml")


def test_what_exists_is_not_overwritten(stored: Path, tmp_path: Path) -> None:
    """Not even by a report of the run file's own name."""
    run = tmp_path / "run"
    stored.rename(run)
    samples = run.read_bytes()
    results = autoperf.load(run)
    results.save(tmp_path / "run.md")
    for path in (run, tmp_path / "run.md"):
        with pytest.raises(OutputError, match="it exists already and isn't overwritten"):
            results.save(path)
        with pytest.raises(OutputError, match="it exists already and isn't overwritten"):
            autoperf.compare(run, run).save(path)
    assert run.read_bytes() == samples


@pytest.mark.parametrize("suffix", ["pdf", "ndjson", "yaml"])
def test_no_report_has_an_unknown_suffix(stored: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"report.{suffix}"
    for results in (autoperf.load(stored), autoperf.compare(stored, stored)):
        with pytest.raises(UsageError, match=rf"suffix \.{suffix}; expected one of \.csv, \.html, \.json, \.md, \.txt"):
            results.save(path)
    assert not path.exists()


def test_a_run_file_is_not_named_as_another_format(tmp_path: Path) -> None:
    output = tmp_path / "run.md"
    with pytest.raises(
        UsageError, match=r"invalid run_file .*run\.md: it becomes NDJSON; name it .*run\.ndjson; `save`"
    ):
        autoperf.measure("exp", {"data": (2, 2)}, run_file=output, **QUICK)
    assert not output.exists()


def test_a_comparison(stored: Path, tmp_path: Path) -> None:
    slower = [outcome(n, passed(steady(20.0 + 2 * n))) for n in range(3)]
    other = write_run(tmp_path / "other.ndjson", slower, HEADER)
    comparison = autoperf.compare(autoperf.load(stored), other, margin=np.float64(0.01))
    assert [record["verdict"] for record in comparison.records] == ["slower"] * len(comparison)
    assert "slower" in str(comparison)
    assert comparison._repr_html_().count("<tr>") == len(comparison) + 1
    assert '<td class="left bad" data-title="verdict">slower</td>' in comparison._repr_html_()
    comparison.save(tmp_path / "changes.json")
    assert len(json.loads((tmp_path / "changes.json").read_text())["cases"]) == len(comparison)


def test_a_comparison_has_what_is_lost(stored: Path, tmp_path: Path) -> None:
    part = write_run(tmp_path / "part.ndjson", list(autoperf.load(stored))[:1], HEADER)
    comparison = autoperf.compare(stored, part)
    assert {(record["missing"], record["reason"]) for record in comparison.lost} == {("new", "absent")}
    assert f"{len(comparison.lost)} missing in new" in repr(comparison)
    assert autoperf.compare(stored, part, allow_missing=True).lost == []
    with pytest.raises(UsageError, match="allow_missing"):
        autoperf.compare(stored, part, allow_missing="yes")  # type: ignore[arg-type]
    assert autoperf.compare(stored, part, threshold=None, allow_missing=None).lost  # type: ignore[arg-type]


def test_without_pandas_records_are_named(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="a DataFrame needs pandas: run `pip install 'pandas<3'`"):
        autoperf.load(stored).to_dataframe()


def test_a_data_frame_has_a_row_for_each_case(stored: Path) -> None:
    pytest.importorskip("pandas")
    results = autoperf.load(stored)
    assert list(results.to_dataframe()["operator"]) == [case.operator for case in results]


def test_a_table_is_as_wide_as_its_place(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, comparison = autoperf.load(stored), autoperf.compare(stored, stored)
    widths = {}
    for columns in ("", "150", "100", "72"):
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        widths[columns] = [max(map(len, str(each).splitlines())) for each in (results, comparison)]
    assert all(width <= int(columns or 120) for columns, pair in widths.items() for width in pair)
    assert widths[""][0] > 100 >= widths["100"][0] > 72


def test_a_table_on_a_terminal_has_its_width(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 90, 0, 0))
    program = "import sys, autoperf; text = str(autoperf.load(sys.argv[1])); open(sys.argv[2], 'w').write(text)"
    printed = stored.with_name("printed")
    command = [sys.executable, "-c", program, str(stored), str(printed)]
    subprocess.run(command, stdin=theirs, stdout=theirs, stderr=theirs, check=True)
    os.close(ours)
    os.close(theirs)
    monkeypatch.setenv("COLUMNS", "90")
    assert printed.read_text() == str(autoperf.load(stored))
    monkeypatch.setenv("COLUMNS", "120")
    assert printed.read_text() != str(autoperf.load(stored))


def test_a_comparison_is_named_by_its_counts(stored: Path) -> None:
    comparison = autoperf.compare(stored, stored)
    assert repr(comparison) == f"<ComparisonResults: {sentence(comparison.comparison)}>"


def test_the_package_is_imported_quickly() -> None:
    """A function's module is imported on first use."""
    program = "import sys, autoperf; print([name for name in sys.modules if name.startswith('autoperf.')])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_package_names_what_it_offers() -> None:
    assert set(autoperf.__all__) <= set(dir(autoperf))
    assert all(getattr(autoperf, name) for name in autoperf.__all__)
    stub = (Path(autoperf.__file__).parent / "__init__.pyi").read_text()
    assert all(name in stub for name in autoperf.__all__)
    with pytest.raises(AttributeError, match="no attribute 'mesure'"):
        autoperf.mesure  # type: ignore[attr-defined]  # noqa: B018
