"""Every mistake gets one clear line and exit code 2; nothing is written, and there is never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.core.errors import UsageError
from autoperf.core.releases import check_numpy, check_python
from tests.forked_program import Program

MISTAKES = {
    "an unknown command": (["runn"], "unknown command 'runn'; did you mean run?"),
    "an unknown operator": (["run", "--operator", "sofmax"], "did you mean softmax"),
    "a plain name": (["run", "--operator", "add"], "it may mean nd.add (broadcast_add)"),
    "a plain name of no operator": (
        ["discover", "--operator", "cov"],
        "np.cov is not an operator: it is computed by NumPy",
    ),
    "a function of several operators": (["run", "--operator", "nd.contrib.isinf"], "choose from abs, _equal_scalar"),
    "a layer without its path": (["run", "--operator", "LSTM"], "it may mean gluon.rnn.LSTM"),
    "an unknown pattern": (["run", "--operator", "zzz*"], "zzz*"),
    "an unknown category": (["run", "--category", "broadcst"], "did you mean broadcast"),
    "a category far from all": (["generate", "--category", "xyz", "--folder", "suite"], "known are activation"),
    "an unknown namespace": (["discover", "--namespace", "foo"], "unknown namespace 'foo'"),
    "an unknown profile": (["run", "--operator", "exp", "--input-profile", "tiny"], "known are common, drawn"),
    "an unknown dtype": (["run", "--operator", "exp", "--dtype", "float3"], "did you mean float32"),
    "a dtype that it doesn't take": (["run", "--operator", "_linalg_potrf", "--dtype", "int32"], "takes int32"),
    "no GPU": (["run", "--operator", "exp", "--ctx", "gpu(0)"], "sees no GPU"),
    "a malformed context": (
        ["run", "--operator", "exp", "--ctx", "gpu0"],
        "invalid --ctx 'gpu0': expected cpu, gpu(0), gpu(1), ...",
    ),
    "a seed that is no integer": (["run", "--seed", "abc"], "'abc' is not a valid integer"),
    "no runs": (["run", "--samples", "0"], "--samples"),
    "runs without an end": (["run", "--samples", "1000000000"], "1<=x<=1000000"),
    "a warm-up without an end": (["run", "--warmup", "1000000000"], "0<=x<=1000000"),
    "a size that is none": (
        ["run", "--memory-limit", "3x"],
        "invalid size '3x': expected a number of bytes, such as 500MB or 4GiB",
    ),
    "a folder that doesn't exist": (["run", "--operator", "exp", "--run-file", "no/where.ndjson"], "doesn't exist"),
    "an output that is a folder": (["run", "--operator", "exp", "--run-file", "."], "is a folder"),
    "a suite in a folder that doesn't exist": (
        ["generate", "--folder", "no/where/suite"],
        "does not exist; create it first",
    ),
    "no such case file": (["run", "--cases", "none.ndjson"], "none.ndjson"),
    "no such run file": (["report", "none.ndjson"], "none.ndjson"),
    "an endless time limit": (["run", "--timeout", "1e9"], "--timeout"),
    "another CPU": (
        ["run", "--operator", "exp", "--ctx", "cpu(999)"],
        "invalid --ctx 'cpu(999)': expected cpu, or a GPU",
    ),
    "a home that nobody has": (["run", "--operator", "exp", "--run-file", "~nobody-here/x"], "home"),
    "an empty path": (["generate", "--folder", ""], "empty"),
    "cases with an unknown selection": (["run", "--cases", "x.ndjson", "--operator", "epx"], "did you mean exp"),
    "cases with a dtype": (["run", "--cases", "x.ndjson", "--dtype", "float16"], "leave out --dtype"),
    "cases with inputs": (["run", "--cases", "x.ndjson", "--input", "data=1"], "--cases and --input exclude"),
    "no cases at all": (["run", "--operator", "exp", "--input-profile", "drawn", "--draws", "0"], "nothing to measure"),
    "a very long name": (["discover", "--mxnet", "x" * 300], "File name too long"),
    "nothing selected": (["run", "--category", "broadcast", "--operator", "exp"], "no operator is named exp"),
    "no MXNet there": (
        ["discover", "--mxnet", "/nowhere"],
        "'/nowhere', has no libmxnet.so: No such file",
    ),
    "inputs that MXNet refuses": (
        ["run", "--operator", "dot", "--input", "lhs=2x3", "--input", "rhs=4x5"],
        "MXNet refuses these inputs of dot",
    ),
    "no such rules": (["run", "--rules", "none.py"], "invalid rules none.py: expected an existing Python file"),
    "no such ledger": (["discover", "--check", "none.json"], "the ledger none.json can't be read"),
    "a ledger in no folder": (["discover", "--write-ledger", "no/where.json"], "can't be written"),
    "a check of a selection": (["discover", "--check", "x.json", "--operator", "exp"], "leave out --operator"),
    "a check of one status": (["discover", "--check", "x.json", "--covered"], "leave out --covered"),
    "a ledger of a selection": (["discover", "--write-ledger", "x.json", "--category", "gemm"], "leave out"),
    "a check that writes": (["discover", "--check", "x.json", "--write-ledger", "x.json"], "exclude each other"),
    "a check as CSV": (
        ["discover", "--check", "x.json", "--format", "csv"],
        "invalid --format csv with --check: expected table or json",
    ),
    "a ledger as Markdown": (["discover", "--write-ledger", "x.json", "--format", "md"], "leave out --format"),
}
HEADER = '{"type":"cases","version":1,"autoperf":"0","mxnet":"1.9.1","seed":1}\n'
CASE = (
    '{"type":"case","id":"exp/0","case":{"operator":"OP","category":"misc","profile":"small","params":{"PARAM":1},'
    '"inputs":[{"name":"INPUT","tensor":{"shape":[2],"dtype":"float32","content":{"kind":"uniform"}}}]}}\n'
)
BROKEN_FILES = {
    "empty": (HEADER, "has no cases"),
    "an operator that is a path": (
        HEADER + CASE.replace("OP", "../../exp"),
        "invalid operator '../../exp': expected a name",
    ),
    "a parameter that is a keyword": (HEADER + CASE.replace("OP", "exp").replace("PARAM", "class"), "'class'"),
    "a parameter with an input's name": (HEADER + CASE.replace("OP", "exp").replace("PARAM", "INPUT"), "'INPUT'"),
    "an input that is no name": (HEADER + CASE.replace("OP", "exp").replace("INPUT", "a b"), "'a b'"),
    "another version": ('{"type": "cases", "version": 9}\n', "version 9"),
    "no JSON": ("garbage\n", "line 1"),
    "another kind of file": ('{"type": "run", "version": 1}\n', "expected type 'cases' in line 1, not 'run'"),
    "truncated": (
        '{"type":"cases","version":1,"autoperf":"0","mxnet":"1.9.1","seed":1}\n{"type":"case","id":"exp/0',
        "truncated",
    ),
    "broken by hand": (
        '{"type":"cases","version":1,"autoperf":"0","mxnet":"1.9.1","seed":1}\n{"type":"case","id":7}\n',
        "line 2",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_a_line(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    arguments, words = MISTAKES[mistake]
    monkeypatch.chdir(tmp_path)
    done = program(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "results:" not in done.stderr
    assert done.stdout == ""
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("fault", BROKEN_FILES)
def test_a_broken_case_file_is_refused(program: Program, tmp_path: Path, fault: str) -> None:
    text, words = BROKEN_FILES[fault]
    file = tmp_path / "cases.ndjson"
    file.write_text(text)
    done = program("run", "--cases", str(file))
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_suite_that_is_there_is_not_written_over(program: Program, tmp_path: Path) -> None:
    options = ("generate", "--operator", "exp", "--input-profile", "small", "--folder", str(tmp_path))
    assert program(*options).returncode == 0
    file = tmp_path / "exponential" / "exp.py"
    file.write_text("edited")
    (other := tmp_path / ".autoperf").write_text("the user's")
    refused = program(*options)
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert file.read_text() == "edited"
    assert program(*options, "--force").returncode == 0
    assert file.read_text() != "edited"
    assert other.read_text() == "the user's"


def test_an_edited_case_is_noticed(program: Program, tmp_path: Path) -> None:
    program("generate", "--operator", "exp", "--input-profile", "small", "--folder", str(tmp_path / "suite"))
    cases = tmp_path / "suite" / "cases.ndjson"
    cases.write_text(cases.read_text().replace("[32,32]", "[33,32]"))
    done = program("run", "--cases", str(cases))
    assert done.returncode == 2
    assert "its content is" in done.stderr


@pytest.mark.parametrize("version", [(3, 9), (3, 13)])
def test_another_python_is_refused(version: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match=rf"Python {version[0]}\.{version[1]} is not supported"):
        check_python(version)


def test_an_old_numpy_is_refused_and_no_new_one() -> None:
    with pytest.raises(UsageError, match=r"1\.21\.6"):
        check_numpy("1.21.6")
    for version in ("1.24.0", "2.0.0", "3.1"):
        check_numpy(version)
