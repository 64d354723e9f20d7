"""Operators written in C++, in libraries that every process loads with MXNet."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from planted.build import FLAGS, build, compiler

from autoperf.backends.mxnet.backend import BACKEND, find_library
from autoperf.backends.mxnet.capi.library import Library, open_library
from autoperf.backends.user_code import extensions
from autoperf.core.errors import UsageError
from autoperf.core.files import EXTENSIONS_VARIABLE
from autoperf.core.outcome import Status
from autoperf.registry.client import library_key
from autoperf.runs.run_reader import RunReader
from tests.forked_program import Program
from tests.networks.network_values import Node, symbol_file

DATA = Path(__file__).parents[2] / "data"
RULES = ("--rules", str(DATA / "scaled_rules.py"))
BLOCKS = """\
from mxnet import gluon


class Scaling(gluon.HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.dense = gluon.nn.Dense(units)

    def hybrid_forward(self, F, x):
        return F.scaled(self.dense(x), factor=2.0)
"""
IN_GRAPHS = """\
from autoperf.rules.composites.composite import composite
from autoperf.rules.gluon_layers.layer import N, of
from autoperf.rules.gluon_layers.layer import user_layer
from autoperf.rules.rule import tensor

scaling = user_layer("blocks.py:Scaling", of({"data": tensor(N, 16)}, units=8))


@composite({"small": (32, 32)})
def scaled_sum(g, rows, columns):
    data = g.tensor("data", rows, columns)
    return data + data.call("scaled", factor=2.0)
"""
NETWORK: list[Node] = [
    ("null", "data", [], {}),
    ("scaled", "first", [(0, 0)], {"factor": "2.0"}),
    ("relu", "bent", [(1, 0)], {}),
    ("scaled", "second", [(2, 0)], {"factor": "2.0"}),
]
QUICK = ("--processes", "1", "--warmup", "1", "--samples", "2")
Autoperf = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def built(library: Library) -> Path:
    """The library with the operator `scaled`. No process of these tests loads it but those that they start."""
    if compiler() is None:
        pytest.skip("there is no C++ compiler to build an operator with")
    return build(library.path, DATA / "scaled.cc", tuple("-O0" if flag == "-O2" else flag for flag in FLAGS))


@pytest.fixture
def autoperf(program: Program) -> Autoperf:
    """Runs a command line with an extension."""

    def call(*arguments: str, extension: Path | str = "") -> subprocess.CompletedProcess[str]:
        return program(*arguments, env={EXTENSIONS_VARIABLE: str(extension)})

    return call


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ()),
        ("", ()),
        ("/a.so", ("/a.so",)),
        ("/a.so:/b/c.so", ("/a.so", "/b/c.so")),
        (":/a.so::/b.so:", ("/a.so", "/b.so")),
        ("/b/../a.so", ("/a.so",)),
    ],
)
def test_the_variable_is_read_like_a_path(value: str | None, expected: tuple[str, ...]) -> None:
    environment = {} if value is None else {EXTENSIONS_VARIABLE: value}
    assert extensions(environment) == tuple(map(Path, expected))


def test_paths_may_be_relative_or_below_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = extensions({EXTENSIONS_VARIABLE: "own.so:~/own.so"})
    assert found == (tmp_path / "own.so", tmp_path / "home" / "own.so")


def test_a_missing_file_is_named(library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(EXTENSIONS_VARIABLE, str(tmp_path / "gone.so"))
    with pytest.raises(
        UsageError, match=rf"invalid --extension or {EXTENSIONS_VARIABLE}: .*{tmp_path}/gone\.so is not a file"
    ):
        open_library(library.path)


def test_what_is_no_library_is_refused(library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("not ELF, but long enough for a header of one, so that it is read and found to be none\n")
    monkeypatch.setenv(EXTENSIONS_VARIABLE, str(text))
    with pytest.raises(
        UsageError, match=rf"--extension or {EXTENSIONS_VARIABLE}: .*can't load {text} \(.*invalid ELF header"
    ):
        open_library(library.path)


def test_a_library_without_operators_is_refused(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EXTENSIONS_VARIABLE, str(library.path))
    with pytest.raises(UsageError, match=r"can't load .*undefined symbol.*build the extension with the lib_api\.h"):
        open_library(library.path)


def test_a_release_that_knows_no_such_operators_is_named(
    library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("autoperf.backends.mxnet.capi.library.MIN_EXTENSIONS_NUMBER", library.number + 1)
    monkeypatch.setenv(EXTENSIONS_VARIABLE, str(tmp_path / "own.so"))
    with pytest.raises(UsageError, match=r"MXNet 1\.9\.1 doesn't support extensions.*leave out --extension or "):
        open_library(library.path)


def test_a_mistake_ends_a_command_with_2_and_one_line(autoperf: Autoperf, tmp_path: Path) -> None:
    ended = autoperf("discover", extension=tmp_path / "gone.so")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert "is not a file" in ended.stderr


def test_what_a_registry_has_is_remembered_for_these_extensions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, keys = tmp_path / "own.so", []
    for content in (None, "one", "another"):
        if content:
            file.write_text(content)
            monkeypatch.setenv(EXTENSIONS_VARIABLE, str(file))
        keys.append(library_key(find_library(), BACKEND))
    assert len(set(keys)) == 3


def test_an_operator_is_there_with_its_gradient_where_its_library_is_named(autoperf: Autoperf, built: Path) -> None:
    without = autoperf("discover", "--operator", "scaled", *RULES)
    assert without.returncode == 2
    assert "unknown operator" in without.stderr
    found = autoperf("discover", "--operator", "scaled", *RULES, "--format", "json", extension=built)
    (operator,) = json.loads(found.stdout)["operators"]
    assert operator["name"] == "scaled"
    assert operator["backward_kernels"] == ["_backward_scaled"]


def test_an_operator_is_measured_by_its_rule_and_from_a_case_file(
    autoperf: Autoperf, built: Path, tmp_path: Path
) -> None:
    suite, drawn, stored = tmp_path / "suite", tmp_path / "drawn.ndjson", tmp_path / "stored.ndjson"
    chosen = ("--operator", "scaled", *RULES, "--draws", "2")
    assert autoperf("run", *chosen, *QUICK, "--run-file", str(drawn), extension=built).returncode == 0
    assert autoperf("generate", *chosen, "--folder", str(suite), extension=built).returncode == 0
    again = autoperf("run", "--cases", str(suite / "cases.ndjson"), *QUICK, "--run-file", str(stored), extension=built)
    assert again.returncode == 0
    with RunReader(drawn) as first, RunReader(stored) as second:
        outcomes, repeated = list(first), list(second)
    assert [one.case for one in outcomes] == [one.case for one in repeated]
    for one in (*outcomes, *repeated):
        assert one.status is Status.MEASURED
        assert set(one.params) == {"factor"}
        assert one.forward
        assert one.backward
        assert (set(one.forward.kernels), set(one.backward.kernels)) == ({"scaled"}, {"_backward_scaled"})


def test_the_next_release_loads_extensions_too(autoperf: Autoperf, built: Path, next_library: Path) -> None:
    found = autoperf("discover", "--mxnet", str(next_library), "--operator", "scaled", *RULES, extension=built)
    assert found.returncode == 0
    assert "scaled" in found.stdout


def test_a_network_that_calls_it_is_captured_and_measured(autoperf: Autoperf, built: Path, tmp_path: Path) -> None:
    symbol, cases, run = symbol_file(tmp_path, NETWORK), tmp_path / "cases.ndjson", tmp_path / "run.ndjson"
    done = autoperf("capture", str(symbol), "--input", "data=4x4", "--cases-file", str(cases), extension=built)
    assert "small: 3 calls, 2 distinct calls of 2 operators" in done.stdout
    assert autoperf("run", "--cases", str(cases), *QUICK, "--run-file", str(run), extension=built).returncode == 0
    with RunReader(run) as reader:
        outcomes = {outcome.profile: outcome for outcome in reader}
    assert {outcome.status for outcome in outcomes.values()} == {Status.MEASURED}
    assert outcomes["first"].calls == {"small": 2}
    hybridized = outcomes["hybridized"].forward
    assert hybridized
    assert set(hybridized.kernels) == {"scaled", "relu"}


@pytest.mark.nightly
def test_composites_and_layers_call_it(autoperf: Autoperf, built: Path, tmp_path: Path) -> None:
    rules, run = tmp_path / "in_graphs.py", tmp_path / "run.ndjson"
    rules.write_text(IN_GRAPHS)
    (tmp_path / "blocks.py").write_text(BLOCKS)
    chosen = ("--rules", str(rules), "--operator", "scaled_sum", "--operator", "gluon_Scaling", "--draws", "0")
    done = autoperf("run", *chosen, *QUICK, "--run-file", str(run), extension=built)
    assert done.returncode == 0, done.stderr
    with RunReader(run) as reader:
        outcomes = list(reader)
    assert len(outcomes) == 6
    for outcome in outcomes:
        assert outcome.status is Status.MEASURED
        assert outcome.forward
        assert outcome.backward
        assert "scaled" in outcome.forward.kernels
        assert "_backward_scaled" in outcome.backward.kernels
