"""A call of a network is measured after the calls that make its inputs: which these are, and what they leave."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.passes import CPU, forward, release
from autoperf.backends.protocol import BackwardRequest
from autoperf.core.case import Case, Upstream, check_case
from autoperf.core.errors import CaseFileError
from autoperf.core.graph import IMPERATIVE, Graph
from autoperf.core.tensors import Patterned
from autoperf.measurement.runner import Runner
from tests.networks.network_values import TWO_LAYERS, Node, symbol_file
from tests.networks.test_captured import captured
from tests.values import stored_cases

CONVOLUTION = {"kernel": "(3, 3)", "num_filter": "16", "no_bias": "True", "pad": "(1, 1)"}
POOLED: list[Node] = [
    ("null", "data", [], {}),
    ("null", "first_weight", [], {}),
    ("Convolution", "first", [(0, 0), (1, 0)], CONVOLUTION),
    ("Activation", "bent", [(2, 0)], {"act_type": "relu"}),
    ("null", "second_weight", [], {}),
    ("Convolution", "second", [(3, 0), (4, 0)], CONVOLUTION),
    ("Pooling", "pooled", [(5, 0)], {"kernel": "(2, 2)", "pool_type": "max", "stride": "(2, 2)"}),
    ("Reshape", "flat", [(6, 0)], {"shape": "(0, -1)"}),
]


@pytest.fixture
def cases(tmp_path: Path) -> dict[str, Case]:
    captured(tmp_path, symbol_file(tmp_path, POOLED), inputs={"data": "2x16x8x8"})
    return {case.profile: case for case in stored_cases(tmp_path / "cases.ndjson")}


def calls_before(case: Case) -> list[str]:
    return [node.operator for node in case.upstream.graph.nodes] if case.upstream else []


def test_the_calls_before_a_call_begin_with_weights(cases: dict[str, Case]) -> None:
    before = {name: calls_before(case) for name, case in cases.items() if case.way == "call"}
    assert before == {
        "first": ["Convolution", "Activation"],
        "bent": ["Convolution"],
        "pooled": ["Convolution"],
        "flat": ["Convolution", "Pooling"],
    }


def test_results_of_calls_that_are_left_out_are_alike_within_a_map(cases: dict[str, Case]) -> None:
    upstream = cases["pooled"].upstream
    assert upstream
    assert [item.tensor.shape for item in upstream.inputs] == [(2, 16, 8, 8), (16, 16, 3, 3)]
    assert isinstance(content := upstream.inputs[0].tensor.content, Patterned)
    assert content.pattern == "maps"


def test_calls_before_a_call_leave_its_id(cases: dict[str, Case]) -> None:
    alone = msgspec.structs.replace(cases["pooled"], upstream=msgspec.UNSET)
    assert alone.id == cases["pooled"].id


def test_a_call_reads_the_results_of_the_calls_before_it(library: Library, cases: dict[str, Case]) -> None:
    call = Call(library, cases["bent"], CPU, upstream=True)
    assert call.upstream
    call.upstream()
    outputs = forward(call)
    (result,), given = call.values(outputs), call.input_values()["data"]
    release(call, outputs)
    assert np.array_equal(result, np.maximum(given, 0))
    assert np.abs(given).max() > 1, "inputs of its own are below 1"
    call.free()


def test_the_calls_before_run_before_each_pass(library: Library, cases: dict[str, Case]) -> None:
    call = Call(library, cases["pooled"], CPU, upstream=True)
    assert call.upstream
    first = call.input_values()["data"]
    call.write_inputs({**call.input_values(), "data": np.zeros_like(first)})
    assert not call.input_values()["data"].any()
    Runner(call).run_once(time.perf_counter_ns)
    assert np.array_equal(call.input_values()["data"], first)
    call.free()


def test_the_call_alike_has_weights_of_its_own(library: Library, cases: dict[str, Case]) -> None:
    """So that those of the call stay as cold as the rest of the network leaves them."""
    call = Call(library, cases["first"], CPU, upstream=True)
    assert call.upstream
    alike = call.upstream.alike
    assert alike
    given = call.input_values()
    call.write_inputs({**given, "weight": np.zeros_like(given["weight"])})
    outputs = alike()
    assert all(value.any() for value in call.values(outputs))
    alike.free(outputs)
    call.free()


def test_as_many_bytes_as_a_pass_reads_and_writes_are_read_between_two_calls(cases: dict[str, Case]) -> None:
    numbers = 2 * 16 * 8 * 8 + 2 * (16 * 16 * 3 * 3) + 3 * (2 * 16 * 8 * 8) + 2 * (2 * 16 * 4 * 4)
    assert {case.upstream.other_bytes for case in cases.values() if case.upstream} == {4 * numbers}


def test_a_call_that_is_recorded_stays_so(library: Library, cases: dict[str, Case]) -> None:
    case = msgspec.structs.replace(cases["bent"], training=True)
    call = Call(library, case, CPU, upstream=True)
    call.request_gradients(BackwardRequest(("data",)))
    outputs = forward(call)
    call.make_heads(call.describe(outputs))
    release(call, outputs)
    Runner(call).run_once(time.perf_counter_ns)
    given = call.input_values()["data"]
    assert np.array_equal(call.gradient_values()["data"], (given > 0).astype("float32"))
    call.free()


def test_a_release_that_lacks_a_call_before_gets_plain_inputs(library: Library, cases: dict[str, Case]) -> None:
    case = cases["pooled"]
    assert case.upstream
    (node,) = case.upstream.graph.nodes
    graph = msgspec.structs.replace(case.upstream.graph, nodes=(msgspec.structs.replace(node, operator="Gone"),))
    lost = msgspec.structs.replace(case, upstream=msgspec.structs.replace(case.upstream, graph=graph))
    call = Call(library, lost, CPU, upstream=True)
    assert call.upstream is None
    assert "its inputs are plain" in call.note
    assert "Gone" in call.note
    call.free()


def test_the_whole_and_calls_of_inputs_have_none(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, symbol_file(tmp_path, TWO_LAYERS), inputs={"data": "3x4"})
    assert all(not case.upstream for case in cases if case.profile == IMPERATIVE)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"names": ("absent",)}, "expected an output of its graph for each of a call's inputs"),
        ({"inputs": ()}, "expected a tensor for each of its variables"),
        ({"graph": Graph((), (), ())}, "expected at least one output"),
    ],
)
def test_an_invalid_upstream_is_refused(cases: dict[str, Case], changes: dict[str, object], words: str) -> None:
    upstream = cases["pooled"].upstream
    assert isinstance(upstream, Upstream)
    invalid = msgspec.structs.replace(cases["pooled"], upstream=msgspec.structs.replace(upstream, **changes))
    with pytest.raises(CaseFileError, match=words):
        check_case(invalid)
