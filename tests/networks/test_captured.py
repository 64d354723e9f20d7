"""The cases of small networks: distinct calls with counts, contents, and the whole in each way of running."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, CaseFileError, EngineError, UnknownNameError, UsageError
from autoperf.core.graph import NETWORK, NETWORK_MODES
from autoperf.core.tensors import Integers, Uniform
from autoperf.networks.capture import CaptureRequest, capture
from autoperf.networks.captured import INFERENCE_ONLY, CapturedNetwork
from autoperf.networks.source import parse_source
from tests.networks.network_values import LOOKUP, NORMALISED, TWO_LAYERS, block_file, symbol, symbol_file
from tests.values import stored_cases


def captured(folder: Path, source: str | Path, **options: object) -> tuple[list[CapturedNetwork], list[Case]]:
    output = folder / "cases.ndjson"
    request = CaptureRequest((parse_source(str(source)),), output, **{"inputs": {}, **options})  # type: ignore[arg-type]
    return capture(request), stored_cases(output)


def parts(cases: list[Case]) -> list[Case]:
    return [case for case in cases if case.category != NETWORK]


def test_each_distinct_call_is_written_once_with_its_count(tmp_path: Path) -> None:
    (network,), cases = captured(tmp_path, symbol_file(tmp_path, TWO_LAYERS), inputs={"data": "3x4"})
    assert network.calls == 4
    assert [(case.operator, case.profile, case.calls) for case in parts(cases)] == [
        ("FullyConnected", "first", {"small": 2}),
        ("Activation", "bent", {"small": 2}),
    ]


def test_parameters_that_are_defaults_are_left_out(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, symbol_file(tmp_path, TWO_LAYERS), inputs={"data": "3x4"})
    assert cases[0].params == {"num_hidden": 4}


def test_the_whole_runs_in_each_way_over_one_graph(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, symbol_file(tmp_path, TWO_LAYERS), inputs={"data": "3x4"})
    whole = [case for case in cases if case.category == NETWORK]
    assert [(case.profile, case.way) for case in whole] == [
        ("imperative", "eager"),
        ("hybridized", "compiled"),
        ("static", "compiled"),
        ("fused", "fused"),
    ]
    (graph,) = whole[0].graphs.values()
    assert graph.inputs == ("data", "first_weight", "bias", "second_weight", "second_bias")
    assert [node.name for node in graph.nodes] == ["first", "bent", "second", "bent_again"]
    assert [item.tensor.shape for item in whole[0].inputs] == [(3, 4), (4, 4), (4,), (4, 4), (4,)]


def test_weights_of_the_whole_are_scaled(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, symbol_file(tmp_path, TWO_LAYERS), inputs={"data": "3x4"})
    data, weight = (item.tensor.content for item in cases[-1].inputs[:2])
    assert data == Uniform(-1.0, 1.0)
    assert isinstance(weight, Uniform)
    assert weight.high == pytest.approx((3 / 4) ** 0.5)


def test_the_variances_of_a_normalisation_are_positive(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, symbol_file(tmp_path, NORMALISED), inputs={"data": "3x4"})
    contents = [[item.tensor.content for item in case.inputs] for case in cases if len(case.inputs) > 1]
    assert len(contents) == 1 + len(NETWORK_MODES)
    assert all(each[3:] == [Uniform(-0.5, 0.5), Uniform(0.5, 1.5)] for each in contents)


def test_batch_sizes_are_networks_of_one_file(tmp_path: Path) -> None:
    path = symbol_file(tmp_path, TWO_LAYERS)
    _, cases = captured(tmp_path, path, inputs={"data": "Nx4"}, batches=(1, 8))
    assert [case.calls for case in parts(cases)] == [
        {"small, batch 1": 2},
        {"small, batch 8": 2},
        {"small, batch 1": 2},
        {"small, batch 8": 2},
    ]


def test_several_networks_are_in_one_file(tmp_path: Path) -> None:
    places = [symbol_file(tmp_path, TWO_LAYERS), symbol_file(tmp_path, TWO_LAYERS[:5], "other-symbol.json")]
    sources = tuple(parse_source(str(place)) for place in places)
    capture(CaptureRequest(sources, tmp_path / "cases.ndjson", {"data": "3x4"}))
    cases = stored_cases(tmp_path / "cases.ndjson")
    assert [case.calls for case in parts(cases)] == [{"small": 2, "other": 1}] * 2
    assert len(cases) == 2 + 2 * len(NETWORK_MODES)


def test_networks_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    networks = {tmp_path / "a": TWO_LAYERS, tmp_path / "b": TWO_LAYERS[:5]}
    for folder in networks:
        folder.mkdir()
    sources = tuple(parse_source(str(symbol_file(folder, nodes))) for folder, nodes in networks.items())
    capture(CaptureRequest(sources, tmp_path / "cases.ndjson", {"data": "3x4"}))
    cases = parts(stored_cases(tmp_path / "cases.ndjson"))
    assert cases[0].calls == {"a/small-symbol.json": 2, "b/small-symbol.json": 1}


def test_copies_of_a_file_do_not_count_twice(tmp_path: Path) -> None:
    paths = [symbol_file(tmp_path, TWO_LAYERS, name) for name in ("small-symbol.json", "copy-symbol.json")]
    sources = tuple(parse_source(str(path)) for path in paths)
    words = f"{paths[0]} and {paths[1]} have the same contents, so each call would count twice: name one of them"
    with pytest.raises(UsageError, match=re.escape(words)):
        capture(CaptureRequest(sources, tmp_path / "cases.ndjson", {"data": "3x4"}))


def test_a_network_that_is_named_twice_is_captured_once(tmp_path: Path) -> None:
    source = parse_source(str(symbol_file(tmp_path, TWO_LAYERS)))
    (network,) = capture(CaptureRequest((source, source), tmp_path / "cases.ndjson", {"data": "3x4"}))
    assert network.calls == 4
    assert parts(stored_cases(tmp_path / "cases.ndjson"))[0].calls == {"small": 2}


NEIGHBOURS = """
import layers

def make():
    return layers.make(), {"data": "Nx4"}
"""
ORDINARY = "from mxnet.gluon import nn\n\ndef make():\n    return nn.Dense(3)\n"
OF_NUMPY = """
import mxnet as mx

class Squared(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, data):
        return F.np.square(data)

def make():
    mx.npx.set_np()
    return Squared()
"""


@pytest.mark.nightly
def test_a_network_is_captured_alike_whatever_was_captured_before_it(tmp_path: Path) -> None:
    """Its nodes have the same names at each size, its arrays aren't NumPy's, its modules are those beside its file."""
    sources = []
    for name, layers in (("a", OF_NUMPY), ("b", ORDINARY)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "layers.py").write_text(layers, encoding="utf-8")
        sources.append(parse_source(f"{block_file(tmp_path / name, NEIGHBOURS)}:make"))
    capture(CaptureRequest(tuple(sources), tmp_path / "cases.ndjson", {}, batches=(1, 2)))
    cases = stored_cases(tmp_path / "cases.ndjson")
    assert [(case.operator, case.profile) for case in parts(cases)] == [
        *[("_npi_square", "squared0_square0")] * 2,
        *[("FullyConnected", "dense0_fwd")] * 2,
    ]


OWN_SHAPES = """
import mxnet as mx

class Product(mx.gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.weight = self.params.get("weight", shape=(0, 4), allow_deferred_init=True)

    def infer_shape(self, data):
        self.weight.shape = (data.shape[-1], 4)

    def hybrid_forward(self, F, data, weight):
        return F.dot(data, weight)

class ProductOfNumpy(Product):
    def hybrid_forward(self, F, data, weight):
        rows, weights = F.np.expand_dims(F.npx.relu(data), 0), F.np.expand_dims(weight, 0)
        return F.npx.batch_dot(rows, weights)

def make():
    return Product(), {"data": "2xN"}

def of_numpy():
    mx.npx.set_np()
    return ProductOfNumpy(), {"data": "2xN"}
"""


@pytest.mark.parametrize("function", ["make", "of_numpy"])
def test_shapes_that_a_layer_alone_deduces_follow_the_inputs(tmp_path: Path, function: str) -> None:
    source = f"{block_file(tmp_path, OWN_SHAPES)}:{function}"
    _, cases = captured(tmp_path, source, batches=(5,))
    assert [item.tensor.shape for item in cases[-1].inputs] == [(2, 5), (5, 4)]


PAIR = """
import mxnet as mx

class Pair(mx.gluon.HybridBlock):
    def hybrid_forward(self, space, query, states):
        return space.broadcast_mul(space.softmax(query), space.broadcast_add(states[0], states[1]))

def make():
    return Pair()
"""


def test_an_input_is_not_taken_for_another_that_is_left_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="query stands before states: give its shape too, --input query=SHAPE"):
        captured(tmp_path, f"{block_file(tmp_path, PAIR)}:make", inputs={"states[0]": "4x1", "states[1]": "1x1"})


def test_inputs_are_those_of_their_names_in_any_order(tmp_path: Path) -> None:
    inputs = {"states[0]": "4x1", "states[1]": "1x1", "query": "4x8"}
    _, cases = captured(tmp_path, f"{block_file(tmp_path, PAIR)}:make", inputs=inputs)
    shapes = {case.operator: [item.tensor.shape for item in case.inputs] for case in parts(cases)}
    assert shapes == {"softmax": [(4, 8)], "broadcast_add": [(4, 1), (1, 1)], "broadcast_mul": [(4, 8), (4, 1)]}


def test_a_training_pass_has_a_backward_pass_and_inference_none(tmp_path: Path) -> None:
    path = symbol_file(tmp_path, TWO_LAYERS)
    _, cases = captured(tmp_path, path, inputs={"data": "3x4"})
    assert not any(case.training or case.has_backward for case in cases)
    (tmp_path / "cases.ndjson").unlink()
    _, cases = captured(tmp_path, path, inputs={"data": "3x4"}, training=True)
    assert all(case.training and case.has_backward for case in cases)
    assert cases[0].calls == {"small, training": 2}
    assert not INFERENCE_ONLY & {case.profile for case in cases}


def test_indices_are_below_the_size_of_the_table_unless_given(tmp_path: Path) -> None:
    path = symbol_file(tmp_path, LOOKUP)
    _, cases = captured(tmp_path, path, inputs={"tokens": "2x5"})
    assert cases[0].inputs[0].tensor.content == Integers(0, 50)
    assert cases[-1].inputs[0].tensor.content == Integers(0, 50)
    (tmp_path / "cases.ndjson").unlink()
    _, cases = captured(tmp_path, path, inputs={"tokens": "2x5:integers(0, 7)"})
    assert cases[0].inputs[0].tensor.content == Integers(0, 7)
    assert cases[-1].inputs[0].tensor.content == Integers(0, 7)


MASKING = """
from mxnet.gluon import HybridBlock

class Masked(HybridBlock):
    def hybrid_forward(self, F, x, lengths, weights, chosen, points):
        masked = F.SequenceMask(x, F.cast(lengths, "float32"), use_sequence_length=True)
        paid = F.softmax(weights, F.cast(chosen.reshape((-1,)), "int32"), use_length=True)
        return masked, paid, F.gather_nd(weights, points)

def make():
    shapes = {"data0": "20x4x8", "data1": "4", "data2": "4x6", "data3": "4x1", "data4": "2x5"}
    return Masked(), shapes
"""


def test_lengths_and_points_are_within_the_tensors_that_they_are_of(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, f"{block_file(tmp_path, MASKING)}:make")
    contents = {(case.operator, item.name): item.tensor.content for case in cases for item in case.inputs}
    assert contents["SequenceMask", "sequence_length"] == Integers(1, 21)
    assert contents["softmax", "length"] == Integers(1, 7)
    assert contents["gather_nd", "indices"] == Integers(0, 4)
    # In the whole they are cast and reshaped before.
    whole = [item.tensor.content for item in cases[-1].inputs]
    assert whole == [Uniform(), Integers(1, 21), Uniform(), Integers(1, 7), Integers(0, 4)]


def test_second_outputs_are_references(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, symbol_file(tmp_path, LOOKUP), inputs={"tokens": "2x5"})
    (graph,) = cases[-1].graphs.values()
    assert graph.nodes[-1].inputs == ("halves", "halves[1]")


def test_a_block_with_its_inputs_is_traced(tmp_path: Path) -> None:
    (network,), cases = captured(tmp_path, f"{block_file(tmp_path)}:classifier", batches=(2,), training=True)
    assert network.name == "net.classifier, batch 2, training"
    assert [case.operator for case in parts(cases)] == [
        *("Convolution", "BatchNorm", "Activation", "FullyConnected", "Dropout")
    ]
    assert cases[0].inputs[0].tensor.shape == (2, 3, 8, 8)


def test_a_recurrent_network_whose_parameters_only_its_layers_deduce(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, f"{block_file(tmp_path)}:language")
    (recurrent,) = (case for case in cases if case.operator == "RNN")
    assert [item.name for item in recurrent.inputs] == ["data", "parameters", "state", "state_cell"]
    assert recurrent.params["mode"] == "lstm"
    (states,) = (case for case in cases if case.operator == "_zeros")
    assert states.params["shape"] == states.outputs[0].shape == (1, 1, 8)
    assert states.params["dtype"] == "float32"


OF_NUMPY_WITHOUT_STATES = """
import mxnet as mx

def make():
    mx.npx.set_np()
    return mx.gluon.rnn.LSTM(8), {"data": "5xNx4"}
"""


def test_a_recurrent_layer_of_numpy_creates_its_states_for_the_batch(tmp_path: Path) -> None:
    _, cases = captured(tmp_path, f"{block_file(tmp_path, OF_NUMPY_WITHOUT_STATES)}:make", batches=(2,))
    (states,) = (case for case in cases if case.operator == "_zeros")
    assert states.params["shape"] == states.outputs[0].shape == (1, 2, 8)
    (recurrent,) = (case for case in parts(cases) if case.operator == "RNN")
    assert [item.tensor.shape for item in recurrent.inputs[2:]] == [(1, 2, 8)] * 2
    assert len(cases) - len(parts(cases)) == len(NETWORK_MODES)


def test_a_fused_operator_is_refused_as_what_it_is(tmp_path: Path) -> None:
    path = symbol_file(
        tmp_path, [*TWO_LAYERS[:3], ("_sg_mkldnn_fully_connected", "fused", [(0, 0), (1, 0), (2, 0)], {})]
    )
    document, plain = json.loads(path.read_text()), json.loads(symbol(TWO_LAYERS[:4]))
    document["nodes"][-1]["subgraphs"] = [{name: plain[name] for name in ("nodes", "arg_nodes", "heads")}]
    path.write_text(json.dumps(document))
    words = (
        r"fused \(_sg_mkldnn_fully_connected\): a subgraph backend fused other operators into it .*capture the symbol"
    )
    with pytest.raises(UsageError, match=words):
        captured(tmp_path, path, inputs={"data": "3x4"})


def test_a_model_of_the_zoo_needs_no_inputs(tmp_path: Path) -> None:
    (network,), cases = captured(tmp_path, "squeezenet1_1")
    assert network.name == "squeezenet1_1, batch 1"
    assert len(parts(cases)) < network.calls
    assert network.refusals == ()


def test_a_layer_is_captured_with_its_states(tmp_path: Path) -> None:
    (network,), cases = captured(tmp_path, "gluon.rnn.LSTMCell", batches=(2,), training=True)
    assert network.name == "gluon.rnn.LSTMCell, batch 2, training"
    (dense,) = (case for case in parts(cases) if case.operator == "FullyConnected")
    assert dense.calls == {network.name: 2}
    shapes = [item.tensor.shape for item in cases[-1].inputs]
    assert shapes.count((2, 256)) == 3


@pytest.mark.parametrize(
    ("inputs", "kind", "words"),
    [
        ({"dta": "3x4"}, UnknownNameError, "unknown input of small 'dta'; did you mean data?"),
        ({}, UsageError, "can't deduce the shape of data"),
        ({"data": "0x4"}, UsageError, "can't deduce the shape of data.*with sizes above 0"),
        ({"data": "3x4", "bias": "5"}, AutoperfError, r"first \(FullyConnected\): "),
    ],
)
def test_a_mistake_in_the_inputs_is_named(
    tmp_path: Path, inputs: dict[str, str], kind: type[AutoperfError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        captured(tmp_path, symbol_file(tmp_path, TWO_LAYERS), inputs=inputs)
    assert not (tmp_path / "cases.ndjson").exists()


@pytest.mark.parametrize(("text", "dtype"), [("3x4", "float16"), ("3x4:float32", "float32")])
def test_an_input_without_a_dtype_has_the_one_that_its_file_states(tmp_path: Path, text: str, dtype: str) -> None:
    nodes = [("null", "data", [], {"__dtype__": "2"}), *TWO_LAYERS[1:]]
    _, cases = captured(tmp_path, symbol_file(tmp_path, nodes), inputs={"data": text})
    assert {item.tensor.dtype for case in cases for item in case.inputs} == {dtype}


def test_a_batch_size_needs_a_place(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--batch sets N in shapes, but no input of small has it"):
        captured(tmp_path, symbol_file(tmp_path, TWO_LAYERS), inputs={"data": "3x4"}, batches=(2,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Input data was truncated"),
        ("{}", "missing required field `nodes`"),
        ("[1]", "Expected `object`, got `array`"),
        ('{"nodes": 3}', "Expected `array`, got `int`"),
        ("\udc80", "expected UTF-8 text"),
    ],
)
def test_other_files_are_no_symbol(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(CaseFileError, match=f"^invalid symbol file .*bad.json: .*{words}"):
        captured(tmp_path, path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"heads": []}, "length >= 1 - at `$.heads`"),
        ({"heads": [[99, 0, 0]]}, "one of its heads reads node 99, but the last of its nodes is 8"),
        ({"arg_nodes": [3]}, "its arg_nodes name node 3, which is no variable"),
        ({"inputs": [[-1, 0, 0]]}, "Expected `int` >= 0 - at `$.nodes[4].inputs[0][0]`"),
        ({"inputs": [[9, 0, 0]]}, "its node 'bent' reads node 9, but the last of its nodes is 8"),
        ({"inputs": [[8, 0, 0]]}, "its nodes read each other in a cycle: 'bent' -> 'second' -> 'bent again' -> 'bent'"),
        ({"attrs": {"act_type": 1}}, "Expected `str`, got `int` - at `$.nodes[4].attrs[...]`"),
    ],
)
def test_a_graph_that_can_not_be_one_is_told_with_the_place(tmp_path: Path, change: Any, words: str) -> None:
    document = json.loads(symbol(TWO_LAYERS))
    changed = document if change.keys() <= {"heads", "arg_nodes"} else document["nodes"][4]
    changed |= change
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(CaseFileError, match=f"^invalid symbol file .*bad.json: .*{re.escape(words)}"):
        captured(tmp_path, path, inputs={"data": "3x4"})


@pytest.mark.parametrize(
    ("nodes", "heads", "words"),
    [
        (NORMALISED, [[5, 3, 0]], "the graph has output 3 of normalised, whose outputs are 0 to 0"),
        ([*NORMALISED[:-1], ("exp", "raised", [(5, 7)], {})], [[6, 0, 0]], "raised (exp) has output 7 of normalised"),
    ],
)
def test_an_output_that_its_node_does_not_have_is_told(
    tmp_path: Path, nodes: Any, heads: list[list[int]], words: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({**json.loads(symbol(nodes)), "heads": heads}))
    with pytest.raises(EngineError, match=f"^bad can't be captured: {re.escape(words)}"):
        captured(tmp_path, path, inputs={"data": "3x4"})


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("bare", "the inputs of net.bare aren't known"),
        ("no_block", r"invalid result of no_block\(\)"),
        ("only_symbol", r"invalid result of only_symbol\(\): expected a block.*; a symbol is captured from its file"),
        ("fails", r"net.py, line \d+: KeyError: 'layer'"),
        ("langauge", "did you mean language"),
        ("refusing", r"net.refusing can't be traced: \S+net.py, line \d+: RuntimeError: not today"),
    ],
)
def test_a_function_that_gives_no_block_is_named(tmp_path: Path, function: str, words: str) -> None:
    with pytest.raises(AutoperfError, match=words):
        captured(tmp_path, f"{block_file(tmp_path)}:{function}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def make(:\n", r"net.py, line 1: SyntaxError"),
        ("import os\n\n\ndef make():\n    os._exit(3)\n", "net.make can't be traced"),
    ],
)
def test_a_file_that_breaks_its_process_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(AutoperfError, match=words):
        captured(tmp_path, f"{block_file(tmp_path, text)}:make")


def test_an_unknown_model_of_the_zoo_has_neighbours(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"did you mean .*resnet50_v1"):
        captured(tmp_path, "resnet500_v1")


def test_a_loop_is_the_calls_of_its_steps_if_their_number_is_known(tmp_path: Path) -> None:
    file = block_file(tmp_path)
    sources = tuple(parse_source(f"{file}:{function}") for function in ("loop", "until"))
    loop, until = capture(CaptureRequest(sources, tmp_path / "cases.ndjson", {}))
    (addition,) = loop.parts
    assert (addition.operator, addition.calls) == ("elemwise_add", {loop.name: 10})
    assert addition.inputs[0].tensor.shape == (3,)
    assert (loop.calls, loop.refusals, loop.whole) == (10, (), ())
    assert "(_foreach) holds a graph of its own" in loop.no_whole
    assert [part.operator for part in until.parts] == ["sqrt"]
    reasons = {refusal.call.operator: refusal.reason for refusal in until.refusals}
    assert reasons["_while_loop"].startswith("its inputs decide which of its graphs run, and how often")
    assert reasons["relu"].startswith("MXNet can't deduce the shapes of its inputs")


RETURNING = """
import mxnet as mx


class Returning(mx.gluon.HybridBlock):
    def __init__(self, outputs):
        super().__init__()
        self.outputs = outputs

    def hybrid_forward(self, F, x):
        y = F.exp(x)
        return self.outputs(x, y)


def itself():
    return Returning(lambda x, y: x), {"x": "4"}


def among_others():
    return Returning(lambda x, y: [y, x]), {"x": "4"}


def twice():
    return Returning(lambda x, y: [y, [y]]), {"x": "4"}
"""


def test_a_network_that_returns_its_input_has_no_whole(tmp_path: Path) -> None:
    file = block_file(tmp_path, RETURNING)
    (network,), cases = captured(tmp_path, f"{file}:among_others")
    assert network.no_whole.startswith("it returns its input x, and ")
    assert [case.operator for case in cases] == ["exp"]
    (tmp_path / "cases.ndjson").unlink()
    with pytest.raises(
        UsageError, match=r"no call of net.itself can be measured: it calls no operator; it returns its"
    ):
        captured(tmp_path, f"{file}:itself")
    assert not (tmp_path / "cases.ndjson").exists()


def test_an_output_that_is_returned_twice_is_one(tmp_path: Path) -> None:
    (network,), cases = captured(tmp_path, f"{block_file(tmp_path, RETURNING)}:twice")
    assert network.no_whole == ""
    for case in cases[-len(NETWORK_MODES) :]:
        assert len(case.outputs) == len(case.graphs["graph"].outputs) == 1


UNUSED = """
import mxnet as mx


class Unused(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x, y=None):
        return F.exp(x)


def größe():
    return Unused(), {"x": "4", "y": "Nx3"}


class Named(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return {"a": F.exp(x)}


def named():
    return Named(), {"x": "4"}


def one():
    return Unused(), {"x": "4"}
"""


def test_an_input_that_the_block_does_not_use_is_left_out(tmp_path: Path) -> None:
    (network,), cases = captured(tmp_path, f"{block_file(tmp_path, UNUSED)}:größe")
    assert network.name == "net.größe, batch 1"
    assert [item.tensor.shape for item in cases[-1].inputs] == [(4,)]


def test_an_unused_input_that_the_file_does_not_declare_is_named(tmp_path: Path) -> None:
    with pytest.raises(AutoperfError, match=r"unknown input of net.one 'z'; "):
        captured(tmp_path, f"{block_file(tmp_path, UNUSED)}:one", inputs={"z": "4"})


def test_an_output_that_is_no_array_is_told_with_its_network(tmp_path: Path) -> None:
    with pytest.raises(
        AutoperfError, match=r"^net.named can't be traced: \S+net.py.*: invalid output \{'a': .*expected"
    ):
        captured(tmp_path, f"{block_file(tmp_path, UNUSED)}:named")
