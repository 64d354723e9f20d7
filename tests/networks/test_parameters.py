"""Contents like those of stored parameters."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from autoperf.core.errors import CaseFileError, UsageError
from autoperf.core.tensors import AnyContent, Constant, Normal, Patterned, Uniform
from autoperf.networks.capture import CaptureRequest, capture, content_of, stored_parameters
from autoperf.networks.source import parse_source
from tests.values import stored_cases

FILE = Path(__file__).parents[1] / "data" / "small-0000.params"
"""Written by `mx.nd.save` of 1.9.1: subnormal weights, a bias of zeros, weights of which half are zero, and ones."""
SYMBOL = """{"nodes": [
    {"op": "null", "name": "data", "inputs": []},
    {"op": "null", "name": "%s_weight", "inputs": []},
    {"op": "null", "name": "%s_bias", "inputs": []},
    {"op": "FullyConnected", "name": "one", "attrs": {"num_hidden": "8"}, "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}
], "arg_nodes": [0, 1, 2], "heads": [[3, 0, 0]]}"""


def stored_contents(path: Path) -> dict[str, AnyContent]:
    return {name: each.content for name, each in stored_parameters(path).items() if each.content}


def test_contents_follow_what_a_file_of_mxnet_stores() -> None:
    found = stored_contents(FILE)
    assert found["one_weight"] == Patterned(Normal(), "subnormal")
    assert (found["one_bias"], found["two_bias"]) == (Constant(0.0), Constant(1.0))
    sparse = found["two_weight"]
    assert isinstance(sparse, Patterned)
    assert (sparse.pattern, sparse.kept) == ("zeros", 0.5)


def test_the_file_of_a_later_release_is_read(tmp_path: Path) -> None:
    with (tmp_path / "net.params").open("wb") as file:
        np.savez(file, weight=np.array([-1.0, 3.0], "float32"), steps=np.array([1, 2]))
    assert stored_contents(tmp_path / "net.params") == {"weight": Normal(1.0, 2.0)}


def test_a_number_that_is_none_has_no_part_in_it() -> None:
    assert content_of(np.array([np.nan, -2.0, np.inf, 4.0], "float16")) == Normal(1.0, 3.0)


@pytest.mark.parametrize(
    ("stored", "content"),
    [
        ([0.01, 0.02, 3.0, 0.57], Uniform(0.0, 1.8)),
        ([-0.01, -0.02, -3.0, -0.57], Uniform(-1.8, 0.0)),
        ([1.0, 3.0], Uniform(0.268, 3.73)),
        ([99.0, 101.0], Normal(100.0, 1.0)),
    ],
)
def test_numbers_of_one_sign_are_drawn_with_that_sign(stored: list[float], content: Normal | Uniform) -> None:
    """A normalisation takes the square roots of variances."""
    assert content_of(np.array(stored, "float32")) == content


def test_a_captured_network_has_them_in_its_calls_and_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "net-symbol.json").write_text(SYMBOL % ("one", "one"))
    source, cases = parse_source(str(tmp_path / "net-symbol.json")), tmp_path / "cases.ndjson"
    (network,) = capture(CaptureRequest((source,), cases, {"data": "2x4", "one_bias": "8"}, parameters=FILE))
    assert network.note == f"net: {FILE} has 2 arrays that the network doesn't have (two_weight, two_bias)"
    part, *whole = stored_cases(cases)
    contents = {item.name: item.tensor.content for item in part.inputs}
    assert (contents["weight"], contents["bias"]) == (Patterned(Normal(), "subnormal"), Constant(0.0))
    assert all(Patterned(Normal(), "subnormal") in [item.tensor.content for item in case.inputs] for case in whole)


def test_what_a_file_lacks_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "net-symbol.json").write_text(SYMBOL % ("one", "other"))
    source, cases = parse_source(str(tmp_path / "net-symbol.json")), tmp_path / "cases.ndjson"
    networks = capture(CaptureRequest((source,), cases, {"data": "Nx4"}, (1, 2), parameters=FILE))
    assert {network.note for network in networks} == {
        f"net: {FILE} has none of 1 of 2 parameters (other_bias), which are drawn as without a file; it has 3 arrays "
        "that the network doesn't have (one_bias, two_weight, two_bias)"
    }


def test_a_file_whose_shapes_are_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net-symbol.json").write_text(SYMBOL % ("one", "one"))
    source, cases = parse_source(str(tmp_path / "net-symbol.json")), tmp_path / "cases.ndjson"
    with pytest.raises(UsageError, match=r"its one_weight has the shape \(8, 4\), but that of net \(8, 5\) with these"):
        capture(CaptureRequest((source,), cases, {"data": "2x5"}, parameters=FILE))
    assert not cases.exists()


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net-symbol.json").write_text(SYMBOL % ("other", "other"))
    source, cases = parse_source(str(tmp_path / "net-symbol.json")), tmp_path / "cases.ndjson"
    with pytest.raises(UsageError, match="no floating-point parameter of net, whose variables are data, other_weight"):
        capture(CaptureRequest((source,), cases, {"data": "2x4"}, parameters=FILE))
    data = FILE.read_bytes()
    for number, wrong in enumerate((b"", b"- operator: softmax\n", b"PK\x03\x04", data[:200], data[:-3])):
        (tmp_path / f"{number}").write_bytes(wrong)
        with pytest.raises(CaseFileError, match=r"invalid --params-file .* expected the parameters of"):
            stored_parameters(tmp_path / f"{number}")


def test_a_file_by_another_framework_has_no_parameters(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "model.pt", "w") as file:
        file.writestr("archive/data.pkl", b"weights")
    assert stored_parameters(tmp_path / "model.pt") == {}
