"""Operators of the user's own by `--extension`: mistakes, and Python files alone and in graphs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autoperf.backends.user_code import with_extensions
from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.cli.run import FREE, comparable, run
from autoperf.core.files import EXTENSIONS_VARIABLE
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.settings import Settings
from tests.forked_program import Program

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "own-operators.md"
QUICK = ("--warmup", "1", "--samples", "2", "--processes", "1", "--format", "json")
GRAPH = """
from autoperf.rules.composites.composite import composite


@composite({"small": (32, 32), "common": (256, 256)})
def clipped_layer(g, rows, columns):
    data = g.tensor("data", rows, columns) * g.tensor("scale", 1, columns)
    return data.call("Custom", op_type="clipped_relu", high=0.5).mean(1)
"""
BLOCK = """
from mxnet import gluon


class Clipping(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.Custom(x, op_type="clipped_relu", high=0.5)


def make():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(8), Clipping())
    return net, {"data": "Nx16"}
"""
LAYER = """
from autoperf.rules.gluon_layers.layer import N, of
from autoperf.rules.gluon_layers.layer import user_layer
from autoperf.rules.rule import tensor

clipping = user_layer("net.py:Clipping", of({"data": tensor(N, 16)}))
"""


@pytest.fixture
def operators(tmp_path: Path) -> str:
    """The file of the documentation."""
    file = tmp_path / "my_operators.py"
    section = PAGE.read_text().partition("\n## In Python\n")[2]
    file.write_text(section.partition("```python\n")[2].partition("```")[0])
    return str(file)


def test_files_are_added_to_those_of_the_environment(tmp_path: Path) -> None:
    given = [tmp_path / "a.so", tmp_path / "b.py", tmp_path / "a.so"]
    value = with_extensions(given, {EXTENSIONS_VARIABLE: f"/c.so:{tmp_path}/b.py"})
    assert value == f"/c.so:{tmp_path}/b.py:{tmp_path}/a.so"


@pytest.mark.parametrize("command", ["run", "compare", "hunt", "discover", "generate", "capture"])
def test_a_path_that_is_no_file_is_refused(program: Program, command: str, tmp_path: Path) -> None:
    done = program(command, "--extension", str(tmp_path / "gone.so"))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"invalid extension '{tmp_path}/gone.so': expected a built library or a Python file" in done.stderr


def test_every_option_may_be_given_with_resume() -> None:
    """Each has a value in the request of the run that is resumed, to which the given one is compared."""
    request = RunRequest(Selection(), Recipe(), Settings())
    names = {str(parameter.name) for parameter in run.params if parameter.expose_value} - FREE
    values = {name: comparable(request, name) for name in names}
    assert values["runs"] is None
    assert values["processes"] == Settings().processes
    assert values["seed"] == Recipe().seed
    assert values["caller"] == Settings().caller
    with pytest.raises(AttributeError):
        comparable(request, "unknown")


@pytest.mark.nightly
def test_an_operator_in_python_is_measured_with_its_parameters(program: Program, operators: str) -> None:
    call = ("--operator", "Custom", "--input", "data=[8x8]", "--param", "op_type=clipped_relu", "--param", "high=1,6")
    done = program("run", "--extension", operators, *call, "--caller", "python", *QUICK)
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)["outcomes"]
    assert [outcome["params"]["high"] for outcome in outcomes] == [1, 6]
    for outcome in outcomes:
        assert outcome["forward"]["python_function"] == "mx.nd.Custom"
        assert outcome["forward"]["wall_us"]["median"] > outcome["forward"]["kernel_us"]["median"] > 0
        assert outcome["backward"]


@pytest.mark.nightly
def test_an_operator_in_python_runs_in_graphs(program: Program, operators: str, tmp_path: Path) -> None:
    rules = tmp_path / "my_rules.py"
    rules.write_text(GRAPH)
    chosen = ("--rules", str(rules), "--operator", "clipped_layer", "--input-profile", "small")
    done = program("run", "--extension", operators, *chosen, *QUICK)
    assert done.returncode == 0, done.stderr
    assert [outcome["status"] for outcome in json.loads(done.stdout)["outcomes"]] == ["measured"] * 3
    without = json.loads(program("run", *chosen, *QUICK).stdout)["outcomes"]
    assert {outcome["status"] for outcome in without} == {"failed"}
    assert "unknown op_type 'clipped_relu'; name the file that registers it by --extension" in without[0]["reason"]


@pytest.mark.nightly
def test_a_block_that_calls_it_is_captured(program: Program, operators: str, tmp_path: Path) -> None:
    network, captured = tmp_path / "net.py", tmp_path / "net.ndjson"
    network.write_text(BLOCK)
    extension = ("--extension", operators)
    done = program("capture", f"{network}:make", *extension, "--cases-file", str(captured))
    assert "2 calls, 2 distinct calls of 2 operators" in done.stdout, done.stderr
    document = json.loads(program("run", "--cases", str(captured), *extension, *QUICK).stdout)
    assert {outcome["status"] for outcome in document["outcomes"]} == {"measured"}
    assert {call["operator"] for call in document["networks"][0]["operators"]} == {"FullyConnected", "Custom"}


@pytest.mark.nightly
def test_a_layer_that_calls_it_is_measured(program: Program, operators: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(BLOCK)
    rules = tmp_path / "my_layers.py"
    rules.write_text(LAYER)
    chosen = ("--rules", str(rules), "--operator", "gluon_Clipping", "--draws", "0")
    done = program("run", "--extension", operators, *chosen, *QUICK)
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)["outcomes"]
    assert [outcome["status"] for outcome in outcomes] == ["measured"] * 3
    assert all("clipped_relu::clip" in outcome["forward"]["kernels"] for outcome in outcomes)


MISTAKES = """
- {operator: Custom, inputs: {data: [8x8]}, params: {op_type: clipped_relu, high: 1}, name: raises}
- {operator: Custom, inputs: {data: [8x8]}, params: {op_type: clipped_relu, high: 2}, name: exits}
- {operator: Custom, inputs: {data: [8x8]}, params: {op_type: clipped_relu, high: abc}, name: can't be made}
- {operator: Custom, inputs: {data: [8x8]}, params: {op_type: cliped_relu}, name: misspelt}
"""


def test_an_operator_that_fails_tells_what_it_raised_and_where(
    program: Program, operators: str, tmp_path: Path
) -> None:
    file, cases = Path(operators), tmp_path / "cases.yaml"
    right, wrong = "mx.nd.clip(in_data[0], 0, self.high)", "1 / 0 if self.high == 1 else exit(3)"
    file.write_text(file.read_text().replace(right, wrong))
    cases.write_text(MISTAKES)
    done = program("run", "--extension", operators, "--cases", str(cases), *QUICK)
    outcomes = json.loads(done.stdout)["outcomes"]
    assert (done.returncode, {outcome["status"] for outcome in outcomes}) == (1, {"failed"}), outcomes
    reasons = {outcome["profile"]: outcome["reason"] for outcome in outcomes}
    assert f"ZeroDivisionError: division by zero ({file}, line 10)" in reasons["raises"]
    assert f"SystemExit: 3 ({file}, line 10)" in reasons["exits"]
    assert f"could not convert string to float: 'abc' ({file}, line 21)" in reasons["can't be made"]
    assert reasons["misspelt"] == "unknown op_type 'cliped_relu'; did you mean clipped_relu?"


@pytest.mark.nightly
def test_a_file_that_fails_is_told_with_its_line(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("import mxnet as mx\n\nmx.operator.no_such_name\n")
    done = program("discover", "--extension", str(file))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"invalid extension {file}, line 3: AttributeError" in done.stderr


def test_profiles_are_compared_in_one_order() -> None:
    names = tuple("abcdefghij")
    request = RunRequest(Selection(), Recipe(profiles=frozenset(names)), Settings())
    assert comparable(request, "profiles") == list(names)
