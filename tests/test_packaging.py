"""What is installed with autoperf: no MXNet unless it is asked for, so that NumPy and MXNet are the user's choice."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.errors import UsageError
from autoperf.history.store import History
from tests.forked_program import Program

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_neither_mxnet_nor_a_bound_on_numpy_is_required() -> None:
    required = PROJECT["dependencies"]
    assert not [line for line in required if line.startswith("mxnet")]
    assert [line for line in required if line.startswith("numpy")] == ["numpy>=1.24"]


def test_the_extra_brings_mxnet_and_so_do_the_makefile_and_the_tests() -> None:
    assert EXTRAS["mxnet"] == ["mxnet>=1.9.1,<2", "setuptools<81; python_version >= '3.12'"]
    assert "autoperf[mxnet]" in EXTRAS["dev"]
    makefile = (ROOT / "Makefile").read_text()
    assert "--editable '.[mxnet,history]'" in makefile
    assert "--editable '.[dev]'" in makefile


def test_make_run_checks_the_machine_and_measures_well_known_operators_beside_the_roofline(program: Program) -> None:
    printed = subprocess.run(["make", "--dry-run", "run"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pip, (doctor, run) = (
        [shlex.split(line) for line in printed.splitlines() if f"/{name} " in line] for name in ("python", "autoperf")
    )
    assert all("--quiet" not in command for command in pip)
    assert doctor[1:] == ["doctor"]
    assert program("doctor").returncode == 0
    done = program(*run[1:], "--processes", "1", "--samples", "6", env={"COLUMNS": "100"})
    assert done.returncode == 0, done.stderr
    assert "roofline" in done.stdout
    assert "float16 softmax takes " in " ".join(done.stdout.split())
    # The others are those that MXNet refuses in float16 on a CPU.
    assert "22 cases = 19 measured + 3 skipped + 0 failed" in " ".join(done.stdout.split())


def test_a_history_without_duckdb_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert EXTRAS["history"] == ["duckdb>=1.0"]
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"a history needs DuckDB: `pip install '\.\[history\]'`"):
        History(tmp_path / "history.duckdb", write=True)


def test_data_frames_bring_no_numpy_that_mxnet_cannot_be_imported_with() -> None:
    assert EXTRAS["dataframe"] == ["pandas>=2.0,<3"]


def test_the_project_names_an_address() -> None:
    assert all(address.startswith("https://") for address in PROJECT["urls"].values())
    assert PROJECT["urls"]


@pytest.mark.nightly
def test_numpy_2_measures_a_build_of_ones_own(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True, capture_output=True)
    program = tmp_path / "venv" / "bin"
    pip = [str(program / "python"), "-m", "pip", "install", "--quiet", str(ROOT), "numpy>=2"]
    subprocess.run(pip, check=True, capture_output=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"AUTOPERF_CACHE": str(tmp_path / "cache"), "AUTOPERF_RELEASES": str(tmp_path / "releases")}

    def autoperf(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(program / "autoperf"), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)

    without = autoperf("run", "--operator", "softmax")
    assert without.returncode == 2
    assert "run `autoperf releases install 1.9.1`" in without.stderr
    library = str(find_library("installed"))
    measured = autoperf(
        "run", "--mxnet", library, "--operator", "softmax", "--input-profile", "small", "--format", "csv"
    )
    assert measured.returncode == 0, measured.stderr
    assert "softmax/" in measured.stdout
