"""The sources of networks, the texts of their inputs, networks of one name, and where gradients flow."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, UnknownNameError, UsageError
from autoperf.core.graph import NETWORK, Graph, Node
from autoperf.core.tensors import ArrayType, Integers
from autoperf.networks.calls import NetworkLabels, gradient_places
from autoperf.networks.source import check_names, distinct_names, drafts, parse_inputs, parse_source, size_label
from autoperf.networks.tracing import common_block, input_texts, layer_of
from autoperf.registry.calls import InferredGraph, InferredNode
from autoperf.rules.gluon_layers.layer import COMMON, N, gluon_layers_by_name
from autoperf.rules.rule import Draft
from tests.values import case


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("resnet50_v1", "zoo", "resnet50_v1"),
        ("mobilenetv2_1.0", "zoo", "mobilenetv2_1.0"),
        ("models/detector-symbol.json", "symbol", "detector"),
        ("plain.json", "symbol", "plain"),
        ("models/net.py:make", "python", "net.make"),
        ("net.py:umlaut_größe", "python", "net.umlaut_größe"),
        ("net.py:Gro\u0308ße", "python", "net.Größe"),
        ("gluon.nn.Dense", "layer", "gluon.nn.Dense"),
        ("mx.gluon.contrib.nn.Identity", "layer", "gluon.contrib.nn.Identity"),
    ],
)
def test_a_source_has_a_kind_and_a_name(text: str, kind: str, name: str) -> None:
    source = parse_source(text)
    assert (source.kind, source.name) == (kind, name)


@pytest.mark.parametrize("text", ["net.py", "net.py:", "net.py:a-b", "net.py:class", "net.py:1a", "models/net.bin", ""])
def test_other_texts_are_no_source(text: str) -> None:
    with pytest.raises(UsageError, match=r"invalid network .*expected"):
        parse_source(text)


@pytest.mark.parametrize("text", ["~nobody-here/model-symbol.json", "~nobody-here/net.py:make"])
def test_the_home_of_an_unknown_user_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match=r"invalid network '~nobody-here/.*home"):
        parse_source(text)


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["a/net.py:make", "b/net.py:make"], ["a/net.py:make", "b/net.py:make"]),
        (["x/1/net.json", "x/2/net.json", "y/2/net.json"], ["1/net.json", "x/2/net.json", "y/2/net.json"]),
        (["net.json", "net-symbol.json", "net.py:make"], ["net.json", "net-symbol.json", "net.make"]),
        (["net.make.json", "net.py:make"], ["net.make.json", "net.py:make"]),
        (["resnet18_v1", "resnet18_v1-symbol.json"], ["resnet18_v1", "resnet18_v1-symbol.json"]),
        (["net.py:make", "net.py:make", "gluon.nn.Dense"], ["net.make", "gluon.nn.Dense"]),
    ],
)
def test_files_of_one_name_have_their_folders_in_it(texts: list[str], names: list[str]) -> None:
    assert list(distinct_names(map(parse_source, texts)).values()) == names


def test_the_zoo_takes_images() -> None:
    assert parse_source("resnet18_v1").default_inputs == {"data": "Nx3x224x224"}
    assert parse_source("inception_v3").default_inputs == {"data": "Nx3x299x299"}
    assert parse_source("net.json").default_inputs == {}


@pytest.mark.parametrize(
    ("text", "shape"),
    [("Nx3x8x8", (2, 3, 8, 8)), ("35xN", (35, 2)), ("(N, 4)", (2, 4)), ("N", (2,)), ("1x4", (1, 4))],
)
def test_n_is_the_batch_size(text: str, shape: tuple[int, ...]) -> None:
    assert drafts({"data": text}, 2)["data"].shape == shape


def test_a_batch_size_changes_shapes_only() -> None:
    texts = parse_inputs(["tokens=35xN:int32:integers(0, 100)"])
    assert size_label(texts, 12) == "batch 12"
    assert drafts(texts, 3)["tokens"].dtype == "int32"
    assert not size_label({"data": "4x4:normal(0, 1)"}, 12)


@pytest.mark.parametrize(
    ("shapes", "label"),
    [
        (["Nx3x224x224"], "batch 12"),
        (["(N, 3)"], "batch 12"),
        (["35xN"], "batch 12"),
        (["10x4", "N"], "batch 12"),
        (["1xNx768"], "N=12"),
        (["1x3xNxN"], "N=12"),
        (["8x16xN", "8"], "N=12"),
    ],
)
def test_n_is_called_the_batch_size_only_where_it_is_one(shapes: list[str], label: str) -> None:
    assert size_label({f"data{number}": text for number, text in enumerate(shapes)}, 12) == label


@pytest.mark.parametrize("words", [["data"], ["=2x3"], ["data="], ["data=2x3", "data=2x4"]])
def test_invalid_inputs_are_named(words: list[str]) -> None:
    with pytest.raises(UsageError, match="invalid --input"):
        parse_inputs(words)


def test_an_invalid_shape_is_told_with_its_input() -> None:
    with pytest.raises(UsageError, match=r"^input data=Nx3x8x: invalid shape '1x3x8x': expected"):
        drafts({"data": "Nx3x8x"}, 1)


def test_an_input_is_dense() -> None:
    with pytest.raises(UsageError, match=r"^input data=Nx3:csr\(0\.1\): invalid storage csr: expected a dense tensor"):
        drafts({"data": "Nx3:csr(0.1)"}, 1)


def test_an_input_that_a_network_does_not_declare_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown input of net.make 'date'; did you mean data\?"):
        check_names("net.make", ["date"], {"data": "Nx3"})
    check_names("net.make", ["data"], {"data": "Nx3"})
    check_names("net.make", ["any"], {})


def test_a_layer_has_the_inputs_of_its_common_configuration() -> None:
    layer = layer_of("gluon.rnn.LSTMCell")
    assert input_texts(layer.configurations[COMMON]) == {"data": "Nx256", "states[0]": "Nx256", "states[1]": "Nx256"}
    tokens = input_texts(layer_of("gluon.nn.Embedding").configurations[COMMON])
    assert drafts(tokens, 4) == {"data": Draft((4, 35), "int32", Integers(0, 10_000))}
    with pytest.raises(UnknownNameError, match=r"unknown layer 'gluon.nn.Dens'; did you mean gluon.nn.Dense"):
        layer_of("gluon.nn.Dens")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gluon.nn.Lambda", "gluon.nn.Lambda can't be captured: a block without a graph"),
        ("gluon.nn.SiLU", "MXNet 1.9.1 has no gluon.nn.SiLU"),
    ],
)
def test_why_a_layer_can_not_be_captured(path: str, words: str) -> None:
    package = SimpleNamespace(__version__="1.9.1", gluon=SimpleNamespace())
    with pytest.raises(UsageError, match=re.escape(words)):
        common_block(package, layer_of(path))


@pytest.mark.parametrize("name", gluon_layers_by_name())
def test_the_inputs_of_every_layer_can_be_read(name: str) -> None:
    for inputs in gluon_layers_by_name()[name].configurations.values():
        made = drafts(input_texts(inputs), 2)
        assert all(N not in draft.shape for draft in made.values())


NAME = "net.make, batch 1"


def call(size: int, count: int) -> Case:
    return case("exp", size, category="exponential", profile="n0", calls={NAME: count})


def whole(size: int, way: str = "static") -> Case:
    graph = Graph(("data",), (Node("n0", "exp", ("data",)),), ("n0",))
    return msgspec.structs.replace(
        call(size, 1), operator="_CachedOp", category=NETWORK, profile=way, graphs={"graph": graph}
    )


def held(*files: list[Case]) -> None:
    """Reads files of these cases, 0.ndjson and so on."""
    labels = NetworkLabels()
    for number, cases in enumerate(files):
        for one in cases:
            labels.add(Path(f"{number}.ndjson"), one)
        labels.end_file()


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ([call(8, 2), whole(8)], [call(9, 2), whole(9)]),
        ([call(8, 2), whole(8)], [call(9, 2)]),
        ([call(8, 2)], [call(8, 3)]),
    ],
)
def test_different_networks_of_one_name_are_refused(first: list[Case], other: list[Case]) -> None:
    with pytest.raises(CaseFileError, match=r"^0.ndjson and 1.ndjson have different networks .*'net.make, batch 1'"):
        held(first, other)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ([call(8, 2), whole(8)], [call(8, 2), whole(8)]),
        ([call(8, 2), whole(8, "static")], [whole(8, "hybridized")]),
        ([call(8, 2)], [call(8, 2)]),
        ([call(8, 2), whole(8)], [msgspec.structs.replace(call(9, 1), calls={"other": 1})]),
    ],
)
def test_one_network_may_be_in_several_files(first: list[Case], other: list[Case]) -> None:
    """Both files are accepted; a third, with another network of the name, conflicts with the first."""
    with pytest.raises(CaseFileError, match=r"^0.ndjson and 2.ndjson have different networks"):
        held(first, other, [call(7, 5), whole(7)])


def test_one_network_of_two_names_is_refused() -> None:
    renamed = [msgspec.structs.replace(one, calls={"copy": 1}) for one in (call(8, 2), whole(8))]
    words = r"^0.ndjson and 1.ndjson have one network under two names, 'net.make, batch 1' and 'copy'"
    with pytest.raises(CaseFileError, match=words):
        held([call(8, 2), whole(8)], renamed)
    held([call(8, 2), whole(8), *renamed], [*renamed, whole(8)])


def test_a_oneof_two_networks_has_the_counts_of_both() -> None:
    first = msgspec.structs.replace(call(8, 2), network_calls={NAME: 7})
    second = msgspec.structs.replace(call(8, 1), calls={"other": 3})
    labels = NetworkLabels()
    for one in (first, second):
        labels.add(Path("cases.ndjson"), one)
        labels.end_file()
    assert [labels.with_calls(case).calls for case in (first, second)] == [{NAME: 2, "other": 3}] * 2
    assert labels.with_calls(second).network_calls == {NAME: 7}


def node(name: str, operator: str, *inputs: tuple[int, int], dtype: str = "float32") -> InferredNode:
    return InferredNode(name, operator, {}, inputs, (ArrayType((4,), dtype),))


GRAPH = InferredGraph(
    (
        node("tokens", "", dtype="int32"),
        node("table", ""),
        node("label", ""),
        node("rows", "Embedding", (0, 0), (1, 0)),
        node("target", "square", (2, 0)),
        node("loss", "elemwise_sub", (3, 0), (4, 0)),
        node("scaled", "square", (3, 0)),
        node("positive", "_greater_scalar", (6, 0)),
        node("masked", "elemwise_mul", (5, 0), (7, 0)),
    ),
    ((8, 0),),
)


def is_differentiable(number: int) -> bool:
    return GRAPH.nodes[number].operator != "_greater_scalar"


def test_gradients_flow_from_the_variables_that_get_one_through_floats() -> None:
    places = gradient_places(GRAPH, lambda variable: variable.name != "label", is_differentiable)
    # Compared values reach the output only through the comparison.
    assert places == {3: (1,), 5: (0,), 8: (0,)}


def test_without_variables_that_get_one_there_are_none() -> None:
    assert gradient_places(GRAPH, lambda variable: variable.name == "tokens", is_differentiable) == {}
