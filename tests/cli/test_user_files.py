"""Files that a user brings: what they misspell is an error before anything is measured, however the file comes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.case import Case, Input
from autoperf.core.graph import Graph, Node
from autoperf.core.tensors import TensorSpec, Uniform
from tests.forked_program import Program

DATA = Input("data", TensorSpec((2, 3), "float32", Uniform()))
SOFTMAX = Case(operator="softmax", category="activation", profile="small", inputs=(DATA,), params={"axis": -1})
BODY = Graph(("row", "state"), (Node("halves", "split", ("row",), {"num_outputs": 2}),), ("halves", "state"))
LOOP = Case(
    operator="_foreach",
    category="control_flow",
    profile="loop",
    inputs=(Input("data[0]", DATA.tensor), Input("data[1]", TensorSpec((3,), "float32", Uniform()))),
    graphs={"fn": BODY},
    way="graph",
)
FAST = ("--processes", "1", "--warmup", "0", "--samples", "1", "--profiler", "python")


def body(operator: str = "split", outputs: tuple[str, ...] = ("halves", "state"), **params: int) -> dict[str, Graph]:
    return {"fn": Graph(("row", "state"), (Node("halves", operator, ("row",), params),), outputs)}


def stored(path: Path, *cases: Case, mxnet: str = "1.9.1") -> Path:
    write_cases(path, CasesHeader(VERSION, "0.1.0", mxnet, 1), cases)
    return path


MISSPELT = {
    "a parameter": ({"params": {"axs": -1}}, "unknown parameter of softmax 'axs'; did you mean axis"),
    "a tensor": ({"inputs": (msgspec.structs.replace(DATA, name="dta"),)}, "unknown input of softmax 'dta'"),
    "an operator": ({"operator": "sofmax"}, "unknown operator 'sofmax'; did you mean softmax"),
}
MISSPELT_IN_A_GRAPH = {
    "a parameter": (body(num_outpts=2), "node 'halves': unknown parameter of SliceChannel|split 'num_outpts'"),
    "an operator": (body("splt", num_outputs=2), "node 'halves': unknown operator 'splt'"),
    "an output": (body(outputs=("halves[5]", "state"), num_outputs=2), "the node 'halves' (split) has 2 outputs"),
}


@pytest.mark.parametrize("what", MISSPELT)
def test_a_misspelt_name_in_a_case_file_is_an_error(program: Program, tmp_path: Path, what: str) -> None:
    change, words = MISSPELT[what]
    file = stored(tmp_path / "cases.ndjson", SOFTMAX, msgspec.structs.replace(SOFTMAX, **change))
    done = program("run", "--cases", str(file), "--run-file", str(tmp_path / "run.ndjson"))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file}, line 3: {words}" in done.stderr
    assert not (tmp_path / "run.ndjson").exists()


@pytest.mark.parametrize("what", MISSPELT_IN_A_GRAPH)
def test_a_misspelt_name_in_a_graph_is_an_error(program: Program, tmp_path: Path, what: str) -> None:
    graphs, words = MISSPELT_IN_A_GRAPH[what]
    file = stored(tmp_path / "cases.ndjson", msgspec.structs.replace(LOOP, graphs=graphs))
    done = program("run", "--cases", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file}, line 2: " in done.stderr
    assert any(part in done.stderr for part in words.split("|"))


def test_a_misspelt_name_in_a_python_file_is_an_error(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "\ufefffrom autoperf.bench import Suite, case, tensor\n"
        'SUITE = Suite(operator="softmax", category="activation")\n'
        '@case(profile="a")\ndef first():\n    return dict(data=tensor((2, 3)), axs=1)\n',
        encoding="utf-8",
    )
    done = program("run", "--cases", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file}, first(): unknown parameter of softmax 'axs'; did you mean axis" in done.stderr


def test_what_another_release_has_is_skipped_with_the_reason(program: Program, tmp_path: Path) -> None:
    strange = msgspec.structs.replace(SOFTMAX, params={"axs": -1})
    file = stored(tmp_path / "cases.ndjson", strange, mxnet="2.0.0b1")
    done = program("run", "--cases", str(file), *FAST)
    assert done.returncode != 2
    assert "MXNet 1.9.1 has no parameter axs of softmax" in " ".join(done.stdout.split())


def test_an_unknown_dtype_is_told_with_the_nearest(program: Program, tmp_path: Path) -> None:
    file = stored(tmp_path / "cases.ndjson", SOFTMAX)
    file.write_text(file.read_text().replace('"float32"', '"float33"'))
    done = program("run", "--cases", str(file))
    assert done.returncode == 2
    assert "line 2: unknown dtype 'float33'; did you mean float32" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("/dev/zero", ("run", "--cases", "PATH")),
        ("/dev/zero", ("run", "--resume", "PATH")),
        ("/dev/zero", ("compare", "PATH", "PATH")),
        ("/dev/zero", ("discover", "--check", "PATH")),
        ("fifo", ("report", "PATH")),
        ("fifo", ("compare", "PATH", "PATH", "--aa", "PATH", "PATH")),
        ("fifo.py", ("run", "--cases", "PATH")),
    ],
)
def test_devices_and_named_pipes_are_refused(
    program: Program, tmp_path: Path, path: str, command: tuple[str, ...]
) -> None:
    if "fifo" in path:
        os.mkfifo(tmp_path / path)
    done = program(*(str(tmp_path / path) if word == "PATH" else word for word in command))
    assert done.returncode == 2
    assert any(words in done.stderr for words in ("it is a device", "it is a named pipe", "expected an existing file"))


def test_a_substituted_pipe_is_measured_and_shown(tmp_path: Path) -> None:
    file = stored(tmp_path / "cases.ndjson", SOFTMAX)
    # Only the last line feed is missing.
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().removesuffix(b"\n"))
    autoperf = f"{sys.executable} -m autoperf"
    run = f"{autoperf} run --cases <(cat {file}) {' '.join(FAST)} --run-file {tmp_path}/run.ndjson"
    done = subprocess.run(
        ["bash", "-c", f"{run} && {autoperf} report <(cat {tmp_path}/run.ndjson)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("softmax") >= 2
    again = subprocess.run(
        f"cat {file} | {autoperf} run --cases /dev/stdin {' '.join(FAST)}",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr


def test_a_path_that_is_no_text_is_no_reason_to_fail(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff"
    Path(os.fsdecode(folder)).mkdir()
    stored(Path(os.fsdecode(folder)) / "cases.ndjson", SOFTMAX)
    command = [sys.executable, "-m", "autoperf", "run", "--cases", folder + b"/cases.ndjson", *FAST]
    done = subprocess.run([*command, "--run-file", folder + b"/run.ndjson"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    for end in (b"/none.ndjson", b"/none.py", b"/cases.ndjson"):
        told = subprocess.run(
            [sys.executable, "-m", "autoperf", "report", folder + end], capture_output=True, check=False
        )
        assert told.returncode == 2
        assert b"Traceback" not in told.stderr


def test_half_a_character_in_a_python_file_is_told(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    for mark in ('@case("\\ud800")', '@case(profile="\\ud800")'):
        file.write_text(
            "from autoperf.bench import Suite, case, tensor\n"
            'SUITE = Suite(operator="softmax", category="activation")\n'
            f"{mark}\ndef first():\n    return dict(data=tensor((2, 3)))\n"
        )
        done = program("run", "--cases", str(file))
        assert done.returncode == 2
        assert "ud800" in done.stderr
        assert "ended without an answer" not in done.stderr


def test_a_broken_line_of_a_run_file_is_measured_again(program: Program, tmp_path: Path) -> None:
    other = msgspec.structs.replace(SOFTMAX, params={"axis": 0})
    cases, run = stored(tmp_path / "cases.ndjson", SOFTMAX, other), tmp_path / "run.ndjson"
    assert program("run", "--cases", str(cases), *FAST, "--run-file", str(run)).returncode == 0
    run.write_bytes(run.read_bytes().replace(b'"profile":"small"', b'"profile":5', 1))
    told = f"{run}, line 3: Expected `str`, got `int` - at `$.profile`; the line is left out"
    # One process can't decide whether a run is slower than itself, unless its samples agree.
    for command, codes in ((("report", str(run)), {0}), (("compare", str(run), str(run)), {0, 3})):
        done = program(*command)
        assert done.returncode in codes
        assert " ".join(told.split()) in " ".join((done.stdout + done.stderr).split())
    resumed = program("run", "--resume", str(run), "--format", "json")
    assert resumed.returncode == 0, resumed.stderr
    assert told in resumed.stderr
    assert len(msgspec.json.decode(resumed.stdout)["outcomes"]) == 2
