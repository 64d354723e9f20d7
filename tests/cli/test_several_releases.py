"""`--mxnet`, once and several times: on the installed MXNet 1.9.1 and on 2.0.0b1 beside it."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from autoperf.core.outcome import Outcome, Status
from tests.forked_program import Program
from tools.stored_run import read_run

BOTH = ("--mxnet", "installed", "--mxnet", "2.0.0b1")
QUICK = ("--input-profile", "small", "--draws", "0", "--warmup", "1", "--samples", "2", "--processes", "1")
# On both; on 2.0.0b1 alone; on 1.9.1 alone; on both, but 2.0.0b1 knows one parameter of it less.
CHOSEN = ("broadcast_add", "_npi_bitwise_left_shift", "BatchNorm_v1", "_npi_concatenate")
NAMED = tuple(word for name in CHOSEN for word in ("--operator", name))

pytestmark = pytest.mark.usefixtures("next_library")


def by_operator(path: Path) -> dict[str, Outcome]:
    return {outcome.operator: outcome for outcome in read_run(path).outcomes}


def test_run_makes_cases_once_and_a_run_file_for_each_release(program: Program, tmp_path: Path) -> None:
    done = program("run", *BOTH, *NAMED, *QUICK, "--run-file", str(tmp_path / "run.ndjson"))
    assert done.returncode == 0, done.stderr
    paths = [tmp_path / "run-1.9.1.ndjson", tmp_path / "run-2.0.0b1.ndjson"]
    assert sorted(tmp_path.iterdir()) == paths
    assert [read_run(path).header.mxnet for path in paths] == ["1.9.1", "2.0.0b1"]
    assert [read_run(path).machines[0].environment.mxnet["version"] for path in paths] == ["1.9.1", "2.0.0b1"]

    old, new = map(by_operator, paths)
    assert old.keys() == new.keys() == set(CHOSEN)
    assert {name: one.case for name, one in old.items()} == {name: one.case for name, one in new.items()}
    assert {name: (old[name].status, old[name].reason, new[name].status, new[name].reason) for name in CHOSEN} == {
        "broadcast_add": (Status.MEASURED, "", Status.MEASURED, ""),
        "_npi_bitwise_left_shift": (
            Status.SKIPPED, "MXNet 1.9.1 has no operator _npi_bitwise_left_shift", Status.MEASURED, "",
        ),
        "BatchNorm_v1": (Status.MEASURED, "", Status.SKIPPED, "MXNet 2.0.0b1 has no operator BatchNorm_v1"),
        "_npi_concatenate": (
            Status.MEASURED, "", Status.SKIPPED, "MXNet 2.0.0b1 has no parameter axis of _npi_concatenate",
        ),
    }  # fmt: skip
    assert " 1.9.1 2.0.0b1 ratio" in " ".join(done.stdout.split())
    assert "MXNet 2.0.0b1 has no such operator: BatchNorm_v1" in done.stdout
    for label in ("1.9.1", "2.0.0b1"):
        assert f"results: MXNet {label}: {tmp_path / f'run-{label}.ndjson'}" in done.stderr
    compared = program("compare", *map(str, paths), "--format", "json")
    assert {entry["operator"] for entry in json.loads(compared.stdout)["cases"]} == {"broadcast_add"}


@pytest.mark.parametrize("form", ["json", "csv", "md"])
def test_run_shows_releases_in_every_format(program: Program, tmp_path: Path, form: str) -> None:
    options = ("--operator", "exp", *QUICK, "--run-file", str(tmp_path / "run.ndjson"), "--format", form)
    text = program("run", *BOTH, *options).stdout
    if form == "json":
        assert [run["run"]["mxnet"] for run in json.loads(text)["runs"]] == ["1.9.1", "2.0.0b1"]
    elif form == "csv":
        assert [row["release"] for row in csv.DictReader(io.StringIO(text))] == ["1.9.1", "2.0.0b1"]
    else:
        assert "| exp | small | data (32, 32) | forward |" in text


def test_stored_cases_and_rendered_files_run_under_each_release(program: Program, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    program(
        "generate",
        "--operator",
        "exp",
        "--operator",
        "BatchNorm_v1",
        "--input-profile",
        "small",
        "--folder",
        str(suite),
    )
    for number, cases in enumerate((suite / "cases.ndjson", suite / "exponential" / "exp.py")):
        folder = tmp_path / str(number)
        folder.mkdir()
        options = ("--warmup", "1", "--samples", "2", "--processes", "1", "--run-file", str(folder / "run.ndjson"))
        done = program("run", *BOTH, "--cases", str(cases), *options)
        assert done.returncode == 0, done.stderr
        old, new = by_operator(folder / "run-1.9.1.ndjson"), by_operator(folder / "run-2.0.0b1.ndjson")
        assert old["exp"].case == new["exp"].case
        assert old["exp"].status is new["exp"].status is Status.MEASURED
        if number == 0:
            assert new["BatchNorm_v1"].reason == "MXNet 2.0.0b1 has no operator BatchNorm_v1"


def test_one_release_against_itself_has_two_run_files(program: Program, tmp_path: Path) -> None:
    twice = ("--mxnet", "installed", "--mxnet", "1.9.1")
    program("run", *twice, "--operator", "exp", *QUICK, "--run-file", str(tmp_path / "aa.ndjson"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["aa-1.9.1-2.ndjson", "aa-1.9.1.ndjson"]


def test_discover_shows_each_release(program: Program) -> None:
    found = program("discover", *BOTH).stdout
    assert (
        found.index("MXNet 1.9.1")
        < found.index("611 forward")
        < found.index("MXNet 2.0.0b1")
        < found.index("678 forward")
    )
    listed = json.loads(program("discover", *BOTH, *NAMED, "--format", "json").stdout)["releases"]
    names = [{row["name"] for row in release["report"]["operators"]} for release in listed]
    assert "BatchNorm_v1" in names[0] - names[1]
    assert "_npi_bitwise_left_shift" in names[1] - names[0]


@pytest.mark.parametrize(
    ("command", "detail"),
    [
        (("discover", "--mxnet", "1.6.0"), "MXNet 1.6.0 is not installed; run `autoperf releases install 1.6.0`"),
        (("run", *BOTH, "--mxnet", "1.7.0"), "did you mean 1.7.0.post2?"),
        (("generate", "--mxnet", "3.0", "--folder", "x"), "MXNet 3.0 is not installed"),
        (("discover", "--mxnet", "./1.6.0"), "'./1.6.0', has no libmxnet.so"),
        (("discover", *BOTH, "--operator", "bradcast_add"), "did you mean broadcast_add"),
        (("discover", *BOTH, "--check", "x.json"), "invalid --mxnet: expected one release with --check"),
        (("run", *BOTH, "--category", "nope"), "unknown category 'nope'"),
        (("releases", "install"), "Missing argument"),
        (("releases", "path", "0.1"), "MXNet 0.1 is not installed"),
        (("releases", "remove", "x"), "invalid version 'x': expected a version of MXNet"),
    ],
)
def test_mistakes_with_releases_say_what_to_do(
    program: Program, tmp_path: Path, command: tuple[str, ...], detail: str
) -> None:
    # A folder with 2.0.0b1 alone, whatever else stands beside it on this machine.
    (tmp_path / "2.0.0b1").symlink_to(Path(os.environ["AUTOPERF_RELEASES"]) / "2.0.0b1")
    done = program(*command, env={"AUTOPERF_RELEASES": str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, "")
    assert detail in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor_looks_at_the_release_that_was_named(program: Program) -> None:
    checks = json.loads(program("doctor", "--mxnet", "2.0.0b1", "--format", "json").stdout)["checks"]
    (found,) = [check for check in checks if check["name"] == "MXNet"]
    assert found["finding"].startswith("2.0.0b1, 1362 names registered")


# Names, operators, backward kernels and forward operators that each release registers.
TOTALS = {
    "1.5.1.post0": (738, 561, 194, 367),
    "1.6.0": (1044, 779, 242, 537),
    "1.7.0.post2": (1161, 880, 274, 606),
    "1.8.0.post0": (1163, 882, 275, 607),
    "1.9.1": (1167, 886, 275, 611),
    "2.0.0b1": (1362, 1006, 328, 678),
}


@pytest.mark.nightly
def test_every_supported_release_crawls_and_runs(program: Program, tmp_path: Path) -> None:
    assert program("releases", "install", *TOTALS).returncode == 0
    every = tuple(word for version in TOTALS for word in ("--mxnet", version))
    found = json.loads(program("discover", *every, "--format", "json").stdout)["releases"]
    sums = {one["label"]: one["report"]["summary"] for one in found}
    keys = ("registered", "canonical", "backward", "forward")
    assert {label: tuple(total[key] for key in keys) for label, total in sums.items()} == TOTALS
    kinds = ("broadcast", "convolution", "reduction", "random", "optimizer", "indexing", "sparse")
    categories = tuple(word for kind in kinds for word in ("--category", kind))
    done = program("run", *every, *categories, *QUICK, "--run-file", str(tmp_path / "run.ndjson"))
    assert done.returncode == 0, done.stdout
    for version in TOTALS:
        run = read_run(tmp_path / f"run-{version}.ndjson")
        assert run.header.mxnet == version
        assert run.end
        assert run.end.measured > run.end.asked / 3
