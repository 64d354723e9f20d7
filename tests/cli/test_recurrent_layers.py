"""Recurrent layers of 2.0.0b1, which its front end traces to one RNN: captured, and run with their gradients.

The whole package is large, so graphs that it traced are kept in tests/data; nightly they are traced again.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from front_end_names import NEXT, package

from autoperf.backends.mxnet.capi.library_path import find_library
from autoperf.core.case import Case
from autoperf.core.modes import NETWORK
from autoperf.core.outcome import Status
from autoperf.networks.source import parse_source
from autoperf.networks.tracing_client import TracingClient
from autoperf.pipeline.capture import CaptureRequest, capture
from tests.forked_program import Program
from tests.values import stored_cases
from tools.stored_run import read_run

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
