"""Networks with several sizes in turn: captured as one case, computed as each size alone, and told beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autoperf.backends.contents import contents_of
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.passes import CPU
from autoperf.cases.store import StoredGroups
from autoperf.core.case import Case, Input
from autoperf.core.errors import CaseFileError, UsageError
from autoperf.core.graph import IN_TURN, Graph, Node
from autoperf.core.outcome import Outcome
from autoperf.core.tensors import TensorSpec, Uniform
from autoperf.networks.capture import CaptureRequest, capture
from autoperf.networks.report import network_answer
from autoperf.networks.source import parse_source
from autoperf.networks.times import network_times
from tests.networks.network_values import TWO_LAYERS, symbol_file
from tests.networks.network_values import Node as FileNode
from tests.values import outcome, passed, steady

IMAGES: list[FileNode] = [
    ("null", "data", [], {}),
    *(("null", name, [], {}) for name in ("weight", "bias")),
    ("Convolution", "conv", [(0, 0), (1, 0), (2, 0)], {"kernel": "(3, 3)", "num_filter": "4"}),
    ("Pooling", "pool", [(3, 0)], {"global_pool": "True", "pool_type": "avg"}),
]


def captured(folder: Path, nodes: list[FileNode], shape: str) -> tuple[list[Any], list[Case]]:
    source = parse_source(str(symbol_file(folder, nodes)))
    output = folder / "cases.ndjson"
    networks = capture(CaptureRequest((source,), output, {"data": shape}, (6, 9), in_turn=True))
    return networks, [case for group in StoredGroups(output) for case in group]


def test_sizes_in_turn_are_a_case_in_each_mode_that_takes_any(tmp_path: Path) -> None:
    networks, cases = captured(tmp_path, IMAGES, "1x3xNxN")
    assert [network.name for network in networks][-1] == "small, N=6,9 in turn"
    turned = [case for case in cases if IN_TURN in case.params]
    assert {case.mode for case in turned} == {"imperative", "hybridized", "static"}
    shapes = {tuple(item.tensor.shape for item in case.inputs) for case in turned}
    assert shapes == {((1, 3, 6, 6), (4, 3, 3, 3), (4,), (1, 3, 9, 9))}
    assert {case.params[IN_TURN] for case in turned} == {(0,)}


@pytest.mark.parametrize("mode", ["imperative", "hybridized", "static"])
def test_each_size_in_turn_computes_what_it_does_alone(tmp_path: Path, library: Library, mode: str) -> None:
    _, cases = captured(tmp_path, IMAGES, "1x3xNxN")
    (turned,) = (case for case in cases if IN_TURN in case.params and case.mode == mode)
    given = {item.name: contents_of(turned, item) for item in turned.inputs}
    call = Call(library, turned, CPU, given)
    for _ in range(2):
        outputs = call.values(call.invoke())
        for image, found in zip((given["data[0]"], given["data[3]"]), outputs, strict=True):
            axes: Any = (1, 2)
            windows = np.lib.stride_tricks.sliding_window_view(image[0], (3, 3), axes)
            expected = np.einsum("cyxij,fcij->fyx", windows, given["data[1]"]).mean((1, 2)) + given["data[2]"]
            assert np.allclose(found.reshape(4), expected, rtol=1e-4)
    call.free()


def test_a_network_whose_parameters_follow_the_size_has_none_in_turn(tmp_path: Path) -> None:
    networks, cases = captured(tmp_path, TWO_LAYERS, "1xN")
    assert networks[-1].no_whole == "its parameter first_weight has another shape at each size"
    assert not [case for case in cases if IN_TURN in case.params]


def test_one_size_in_turn_is_refused(tmp_path: Path) -> None:
    source = parse_source(str(symbol_file(tmp_path, IMAGES)))
    request = CaptureRequest((source,), tmp_path / "cases.ndjson", {"data": "1x3xNxN"}, (6,), in_turn=True)
    with pytest.raises(UsageError, match="--in-turn calls a network with several sizes"):
        capture(request)


GRAPH = Graph(("x", "w"), (Node("y", "dot", ("x", "w")),), ("y",))


@pytest.mark.parametrize(
    ("count", "places", "words"), [(2, (0,), "1 more inputs"), (4, (0, 1, 0), "3 more"), (3, (2,), "expected places")]
)
def test_arguments_that_dont_fit_are_refused(count: int, places: tuple[int, ...], words: str) -> None:
    with pytest.raises(CaseFileError, match=words):
        GRAPH.by_size(list(range(count)), {IN_TURN: places})


def test_graphs_that_differ_by_names_alone_are_equal_without_them() -> None:
    other = Graph(("a", "b"), (Node("c", "dot", ("a", "b")),), ("c",))
    assert other != GRAPH
    assert other.unnamed() == GRAPH.unnamed()
    assert Graph(("a", "b"), (Node("c", "dot", ("b", "a")),), ("c",)).unnamed() == GRAPH.unnamed()
    assert Graph(("a", "b"), (Node("c", "dot", ("a", "a")),), ("c",)).unnamed() != GRAPH.unnamed()


def whole(number: int, name: str, *sizes: int, us: float, **params: Any) -> Outcome:
    first, *others = (TensorSpec((size, 4), "float32", Uniform()) for size in sizes)
    weight = TensorSpec((4, 4), "float32", Uniform())
    inputs = tuple(Input(f"data[{place}]", tensor) for place, tensor in enumerate((first, weight, *others)))
    return outcome(
        number, passed(wall=steady(us)), operator="_CachedOp", category="network", profile="hybridized",
        graphs={"graph": GRAPH}, calls={name: 1}, network_calls={name: 1}, inputs=inputs, params=params,
    )  # fmt: skip


def test_the_answer_compares_sizes_in_turn_with_each_alone() -> None:
    small, large = whole(1, "net, N=2", 2, us=10.0), whole(2, "net, N=8", 8, us=30.0)
    turned = whole(3, "net, N=2,8 in turn", 2, 8, us=80.0, in_turn=(0,))
    *_, network = network_times([small, large, turned])
    (times,) = network.turns
    assert [size.name for size in times.every] == ["net, N=2", "net, N=8", "net, N=2,8 in turn"]
    assert times.sum_us == pytest.approx(40, rel=0.01)
    (sentence,) = network_answer(network)
    assert "80.0 us in turn (hybridized), 40.0 us one by one" in sentence


def test_without_one_of_the_sizes_nothing_is_compared() -> None:
    *_, network = network_times([whole(1, "net, N=2", 2, us=10.0), whole(3, "turned", 2, 8, us=80.0, in_turn=(0,))])
    assert network.turns == ()
