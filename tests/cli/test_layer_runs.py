"""Layers of Gluon run like operators, recurrent ones of 2.0.0b1 as captured graphs; `discover --layers` lists them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from front_end_names import NEXT, package

import autoperf
from autoperf.backends.mxnet.backend import find_library
from autoperf.core.case import Case
from autoperf.core.graph import MODES, NETWORK
from autoperf.core.outcome import Outcome, Status
from autoperf.networks.capture import CaptureRequest, capture
from autoperf.networks.source import TracingClient, parse_source
from tests.forked_program import Program
from tests.values import stored_cases
from tools.stored_run import read_run

QUICK = ("--draws", "0", "--warmup", "1", "--samples", "3", "--processes", "1")
LAYERS = ("--operator", "gluon.nn.HybridSequential", "--operator", "gluon.nn.SiLU", "--operator", "gluon.nn.Identity")
FRAGILE = """
import os

from mxnet import gluon


class Fragile(gluon.nn.HybridLambda):
    def __init__(self):
        super().__init__("tanh")
        assert os.environ.get("MXNET_ENGINE_TYPE") != "NaiveEngine"
"""
"""A layer that can't be built where memory is measured."""
FRAGILE_RULES = """
from autoperf.rules.gluon_layers.layer import N, of
from autoperf.rules.gluon_layers.layer import user_layer
from autoperf.rules.rule import tensor

fragile = user_layer("fragile.py:Fragile", of({"data": tensor(N, 4)}), imperative_only="the test needs one way")
"""
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "layers.md"
EVERY = """
import sys
import time
from dataclasses import replace

from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.backend import find_library
from autoperf.cases.build import Recipe, build
from autoperf.core.errors import AbsentLayerError
from autoperf.backends.mxnet.engine import LayerCall
from autoperf.measurement.runner import Runner
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name

library = open_library(find_library())
for name, entry in gluon_layers_by_name().items():
    small = replace(entry, configurations={key: replace(each, batch=2) for key, each in entry.configurations.items()})
    for case in build(entry.operator, small.rule(), Recipe(draws=0), None).cases:
        try:
            call = LayerCall(library, case, {})
            Runner(call).run_once(time.perf_counter_ns)
            if call.note:
                print(name, case.profile, "no backward pass")
            call.free()
        except AbsentLayerError:
            print(name, "absent")
"""


@pytest.fixture(scope="module")
def run_file(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layers")
    path = folder / "run.ndjson"
    for name, block in zip(("net.py", "my_layers.py"), PAGE.read_text().split("```python\n")[1:3], strict=True):
        (folder / name).write_text(block.partition("```")[0])
    (folder / "fragile.py").write_text(FRAGILE)
    (folder / "fragile_rules.py").write_text(FRAGILE_RULES)
    own = [word for name in ("my_layers", "fragile_rules") for word in ("--rules", str(folder / f"{name}.py"))]
    own += ["--operator", "gluon_GatedDense", "--operator", "gluon_Fragile"]
    done = program("run", *LAYERS, *own, *QUICK, "--run-file", str(path))
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def outcomes(run_file: Path) -> dict[tuple[str, str], Outcome]:
    return {(outcome.operator, outcome.profile): outcome for outcome in read_run(run_file).outcomes}


def test_each_way_has_both_passes_and_the_kernels_of_its_operators(outcomes: dict[tuple[str, str], Outcome]) -> None:
    for way in MODES:
        outcome = outcomes["gluon_HybridSequential", way]
        assert (outcome.status, outcome.category) == (Status.MEASURED, "gluon")
        assert outcome.forward
        assert outcome.backward
        assert "FullyConnected" in outcome.forward.kernels
        assert "_backward_FullyConnected" in outcome.backward.kernels
        # Three dense layers of 256 units over 32 rows.
        flops = 2 * 32 * (1024 + 256 + 256) * 256
        assert outcome.work
        assert flops <= outcome.work.flops <= 1.02 * flops
        assert outcome.forward.throughput
        # The data too gets a gradient, and each gradient takes as many operations.
        assert outcome.backward_work
        assert 2 * flops <= outcome.backward_work.flops <= 1.02 * 2 * flops
        assert outcome.backward.throughput
        assert outcome.memory
        assert outcome.memory.forward.output == 32 * 256 * 4
        assert outcome.memory.forward.peak == 3 * 32 * 256 * 4
        assert outcome.memory.backward
        weights = 1024 + 256 + 256 + 3
        assert outcome.memory.backward.output == (weights * 256 + 32 * 1024) * 4


def test_a_layer_of_the_users_own_is_measured_like_any_other(outcomes: dict[tuple[str, str], Outcome]) -> None:
    outcome = outcomes["gluon_GatedDense", "tanh_static"]
    assert (outcome.status, outcome.reason) == (Status.MEASURED, "")
    assert outcome.forward
    assert {"FullyConnected", "Activation", "elemwise_mul"} <= set(outcome.forward.kernels)
    assert outcome.work
    assert outcome.memory


def test_a_layer_without_a_trial_is_timed_all_the_same(outcomes: dict[tuple[str, str], Outcome]) -> None:
    outcome = outcomes["gluon_Fragile", "imperative"]
    assert (outcome.status, outcome.memory) == (Status.MEASURED, None)


def test_a_layer_that_the_release_does_not_have_is_skipped(outcomes: dict[tuple[str, str], Outcome]) -> None:
    outcome = outcomes["gluon_SiLU", "static"]
    assert (outcome.status, outcome.reason) == (Status.SKIPPED, "MXNet 1.9.1 has no gluon.nn.SiLU")


def test_why_there_is_no_backward_pass_is_noted(outcomes: dict[tuple[str, str], Outcome]) -> None:
    hybridized = outcomes["gluon_Identity", "hybridized"]
    assert hybridized.backward is None
    assert hybridized.forward
    assert hybridized.forward.notes[0].startswith("no backward pass: ")
    assert outcomes["gluon_Identity", "imperative"].backward


def test_the_table_has_the_ways_side_by_side(program: Program, run_file: Path) -> None:
    shown = program("report", str(run_file)).stdout
    assert "gluon_HybridSequential data (32, 1024); layers=3, units=256\n  forward  wall " in shown
    assert "16 cases = 13 measured + 3 skipped" in shown


def test_a_hunt_refuses_them(program: Program) -> None:
    done = program("hunt", "--operator", "gluon.nn.Dense", "--time-budget", "1s")
    assert done.returncode == 2
    assert done.stderr.startswith("autoperf: hunt searches operators, and gluon_Dense is a layer of Gluon: ")


def test_options_about_operators_do_not_go_with_layers(program: Program) -> None:
    done = program("discover", "--layers", "--operator", "exp", "--test-dtypes")
    assert (done.returncode, done.stdout) == (2, "")
    assert "leave out --operator, --test-dtypes" in done.stderr


@pytest.mark.nightly
def test_every_layer_runs_in_every_way() -> None:
    done = subprocess.run([sys.executable, "-c", EVERY], capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()) == {
        "gluon_SiLU absent",
        "gluon_Concatenate absent",
        "gluon_HybridConcatenate absent",
        "gluon_Identity hybridized no backward pass",
    }


def test_a_missing_argument_is_refused_before_anything_is_measured(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text("- {operator: gluon.nn.Conv2D, inputs: {data: 2x3x8x8}, params: {channels: 4}}\n")
    for words, told in (
        (
            ("--operator", "gluon.nn.Dense", "--input", "data=2x3"),
            "autoperf: the layer gluon.nn.Dense needs units: give it as a parameter (--param units=VALUE)\n",
        ),
        (("--cases", str(file)), "the layer gluon.nn.Conv2D needs kernel_size: give it as a parameter"),
    ):
        done = program("run", *words, *QUICK[2:])
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr


NEEDING = """
from mxnet import gluon


class Needing(gluon.nn.Dense):
    def __init__(self, width, bias=True):
        super().__init__(width, use_bias=bias)
"""
NEEDING_RULES = FRAGILE_RULES.replace("fragile", "needing").replace("Fragile", "Needing")


def test_a_missing_argument_that_only_the_package_knows_fails_the_case(program: Program, tmp_path: Path) -> None:
    (tmp_path / "needing.py").write_text(NEEDING)
    rules = tmp_path / "rules.py"
    rules.write_text(NEEDING_RULES)
    done = program("run", "--operator", "gluon_Needing", "--rules", str(rules), *QUICK)
    assert done.returncode == 1, done.stderr
    assert "needing.py:Needing needs width" in " ".join(done.stdout.split())
    assert "TypeError" not in done.stdout


CHANGED = """
import os

import mxnet as mx
from mxnet import gluon


class Same(gluon.nn.Dense):
    def __init__(self):
        super().__init__(3, in_units=4)


class Scaled(Same):
    def forward(self, x):
        return super().forward(x) * float(os.environ.get("DNNL_SCALE", "1"))


class Bent(Same):
    def forward(self, x):
        y = super().forward(x)
        if not mx.autograd.is_recording() or "DNNL_GRADIENT" not in os.environ:
            return y
        # The same values, and other gradients.
        return y.detach() + (x - x.detach()).sum()
"""
"""Layers of which one computes, and one differentiates, something else where a variable is set."""
CHANGED_RULES = FRAGILE_RULES.partition("fragile =")[0] + "".join(
    f'{name.lower()} = user_layer("changed.py:{name}", of({{"data": tensor(N, 4)}}), imperative_only="one way")\n'
    for name in ("Same", "Scaled", "Bent")
)


def test_results_of_layers_are_compared(program: Program, tmp_path: Path) -> None:
    (tmp_path / "changed.py").write_text(CHANGED)
    (tmp_path / "rules.py").write_text(CHANGED_RULES)
    sides = ("--env", "A:OMP_NUM_THREADS=1", "--env", "B:DNNL_SCALE=1.01", "--env", "B:DNNL_GRADIENT=1")
    own = ("--operator", "gluon_Same,gluon_Scaled,gluon_Bent", "--rules", str(tmp_path / "rules.py"), "--draws", "0")
    done = program("compare", *sides, *own, "--clock", "none", "--format", "json")
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert document["equal_results"] == 1
    told = {each["operator"]: each["difference"]["result"] for each in document["different"]}
    assert told == {"gluon_Scaled": "output", "gluon_Bent": "gradient of data"}


SIGNATURES = """
import inspect

from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.backend import find_library
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name
from autoperf.rules.gluon_layers.layer import constructed

package = front_end(find_library())
for name, layer in gluon_layers_by_name().items():
    made = layer.class_in(package) if layer.build is constructed else None
    parameters = inspect.signature(made).parameters.values() if made else ()
    named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    needed = {each.name for each in named if each.default is each.empty}
    if made and needed != layer.needed:
        print(name, sorted(needed), sorted(layer.needed))
"""


def test_the_needed_arguments_are_those_without_a_default() -> None:
    ended = subprocess.run([sys.executable, "-c", SIGNATURES], capture_output=True, text=True, check=True)
    assert ended.stdout == ""


GRAPHS = Path(__file__).parents[1] / "data" / "recurrent-2.0.0b1"
STATES = {"LSTM": ("state", "state_cell"), "GRU": ("state",), "RNN": ("state",)}
STEPS, BATCH, UNITS = 35, 2, 256


@pytest.fixture(scope="module")
def cases_file(next_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recurrent") / "cases.ndjson"
    request = CaptureRequest(
        sources=tuple(parse_source(str(GRAPHS / f"{name}-symbol.json")) for name in STATES),
        output=path,
        inputs={"data0": f"{STEPS}xNx{UNITS}"},
        batches=(BATCH,),
        training=True,
        library=str(next_library),
    )
    assert [(network.calls, network.refusals) for network in capture(request)] == [(1, ())] * len(STATES)
    return path


def network_of(case: Case) -> str:
    (name,) = case.calls or {}
    return name.partition(",")[0]


def test_each_layer_is_one_call_with_its_states(cases_file: Path) -> None:
    parts = {network_of(case): case for case in stored_cases(cases_file) if case.category != NETWORK}
    assert parts.keys() == STATES.keys()
    for name, states in STATES.items():
        case = parts[name]
        assert case.operator == "RNN"
        assert [item.name for item in case.inputs] == ["data", "parameters", *states]
        assert case.inputs[0].tensor.shape == (STEPS, BATCH, UNITS)
        assert {item.tensor.shape for item in case.inputs[2:]} == {(1, BATCH, UNITS)}


def test_the_whole_is_there_in_each_way_of_a_training_pass(cases_file: Path) -> None:
    whole = [(network_of(case), case.profile) for case in stored_cases(cases_file) if case.category == NETWORK]
    assert whole == [(name, way) for name in STATES for way in ("imperative", "hybridized", "static")]


@pytest.mark.nightly
def test_it_runs_with_its_gradients(program: Program, next_library: Path, cases_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    words = ("--operator", "RNN", "--samples", "1", "--warmup", "0", "--processes", "1", "--run-file", str(path))
    done = program("run", "--mxnet", str(next_library), "--cases", str(cases_file), *words)
    assert done.returncode == 0, done.stderr
    outcomes = read_run(path).outcomes
    assert [outcome.status for outcome in outcomes] == [Status.MEASURED] * len(STATES)
    for outcome in outcomes:
        assert outcome.backward, outcome.profile
        assert outcome.work
        assert outcome.backward_work
        assert outcome.backward_work.flops == 2 * outcome.work.flops


@pytest.mark.nightly
def test_the_front_end_traces_these_graphs() -> None:
    """The whole package of 2.0.0b1 is fetched."""
    with package(NEXT) as home, TracingClient(find_library(str(home)), 100.0, 2**33) as client:
        for name in STATES:
            traced = json.loads(client.trace(parse_source(f"gluon.rnn.{name}"), {}, BATCH).text)
            kept = json.loads((GRAPHS / f"{name}-symbol.json").read_text(encoding="utf-8"))
            assert _calls(traced) == _calls(kept)


def _calls(graph: dict[str, list[dict[str, object]]]) -> list[tuple[object, object]]:
    """The operators and their parameters; names count what was traced before."""
    return [(node["op"], node["attrs"]) for node in graph["nodes"] if node["op"] != "null"]


ARGUMENTS = """
- {operator: gluon.rnn.LSTM, inputs: {data: 5x2x3}, params: {hidden_size: 4, dropout: 0.5}, name: fine}
- {operator: gluon.rnn.LSTM, inputs: {data: 5x2x3}, params: {hidden_size: 4, nought: 0.5}, name: unknown}
- {operator: gluon.rnn.ResidualCell, inputs: {data: 2x3x5}, params: {hidden_size: 5}, name: missing}
"""


@pytest.mark.nightly
def test_a_layer_takes_the_arguments_of_its_class(program: Program, tmp_path: Path) -> None:
    cases, run = tmp_path / "cases.yaml", tmp_path / "run.ndjson"
    cases.write_text(ARGUMENTS)
    done = program("run", "--cases", str(cases), *QUICK[2:], "--run-file", str(run))
    assert done.returncode == 1, done.stderr
    reasons = {outcome.profile: outcome.reason for outcome in autoperf.load(run) if outcome.status is Status.FAILED}
    assert reasons.keys() == {"unknown", "missing"}
    assert [outcome.profile for outcome in autoperf.load(run) if outcome.status is Status.MEASURED] == ["fine"]
    assert "unexpected keyword argument 'nought'" in reasons["unknown"]
    assert reasons["missing"].startswith("the layer gluon.rnn.ResidualCell needs unroll")
