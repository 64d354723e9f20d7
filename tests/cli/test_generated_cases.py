"""`generate --cases` and `generate --input` write a user's own cases as Python files."""

from __future__ import annotations

import json
from pathlib import Path

from autoperf.cases.store import VERSION, CasesHeader, write_cases
from tests.forked_program import Program
from tests.values import case

LAYERS = """
- {operator: softmax, name: logits, inputs: {data: 4x8}, dtype: [float16, float32]}
- {operator: nd.take, name: lookup, inputs: {a: 100x8, indices: 16}}
"""


def test_a_file_of_cases_becomes_a_suite(program: Program, tmp_path: Path) -> None:
    (tmp_path / "layers.yaml").write_text(LAYERS)
    folder = tmp_path / "suite"
    done = program("generate", "--cases", str(tmp_path / "layers.yaml"), "--folder", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"3 cases of 2 operators in {folder}\n"
    assert 'dict(\n        data=tensor((4, 8), "float16"' in (folder / "activation/softmax.py").read_text()
    run = program(
        *(
            "run",
            "--cases",
            str(folder),
            "--input-profile",
            "lookup",
            "--samples",
            "3",
            "--processes",
            "1",
            "--format",
            "json",
        )
    )
    assert run.returncode == 0, run.stderr
    (outcome,) = json.loads(run.stdout)["outcomes"]
    assert (outcome["operator"], outcome["profile"], outcome["status"]) == ("take", "lookup", "measured")


def test_what_is_left_out_is_told(program: Program, tmp_path: Path) -> None:
    stored = tmp_path / "stored.ndjson"
    write_cases(stored, CasesHeader(VERSION, "0", "2.0.0b1", 0), [case("softmax", 4), case("_npi_all", 4)])
    folder = tmp_path / "suite"
    done = program("generate", "--cases", str(stored), "--folder", str(folder))
    assert (done.returncode, done.stdout) == (0, f"1 case of 1 operator in {folder}\n")
    assert done.stderr.endswith("1 case of _npi_all skipped: MXNet 1.9.1 has no operator _npi_all\n")


def test_it_is_narrowed_as_elsewhere(program: Program, tmp_path: Path) -> None:
    (tmp_path / "layers.yaml").write_text(LAYERS)
    folder = tmp_path / "suite"
    done = program(
        *("generate", "--cases", str(tmp_path / "layers.yaml"), "--operator", "nd.take", "--folder", str(folder))
    )
    assert done.stdout == f"1 case of 1 operator in {folder}\n"
    assert sorted(path.name for path in folder.rglob("*.py")) == ["take.py"]


def test_inputs_of_the_command_line_become_one_too(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    done = program("generate", "--operator", "softmax", "--input", "data=2x3,4x5", "--folder", str(folder))
    assert done.stdout == f"2 cases of 1 operator in {folder}\n"


def test_a_mistake_writes_nothing(program: Program, tmp_path: Path) -> None:
    (tmp_path / "layers.yaml").write_text("- {operator: softmax, inputs: {dta: 4x8}}")
    folder = tmp_path / "suite"
    done = program("generate", "--cases", str(tmp_path / "layers.yaml"), "--folder", str(folder))
    assert done.returncode == 2
    assert "unknown input of softmax 'dta'; did you mean data?" in done.stderr
    assert not folder.exists()
    drawn = program("generate", "--cases", str(tmp_path / "layers.yaml"), "--draws", "3", "--folder", str(folder))
    assert drawn.returncode == 2
    assert "--cases has its own inputs: leave out --draws" in drawn.stderr
