"""A case: its id, the same for equal content in any process; its inputs from files and pipes; its graphs."""

from __future__ import annotations

import math
import os
import threading
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from autoperf.core.case import Case, Input, check_case
from autoperf.core.errors import CaseFileError
from autoperf.core.files import check_input, open_input, read_input
from autoperf.core.graph import Graph, Node, check_graph
from autoperf.core.tensors import Ascending, Integers, Literal_, Mask, Patterned, TensorSpec, Uniform


def softmax(**changes: object) -> Case:
    tensor = TensorSpec((10_000, 1), "float32", Uniform(0.0, 1.0))
    case = Case(
        operator="softmax",
        category="activation",
        profile="skewed",
        inputs=(Input("data", tensor),),
        params={"axis": -1},
    )
    return msgspec.structs.replace(case, **changes)


def test_the_id_is_the_operator_and_a_digest_that_never_changes() -> None:
    # Written down: a change of this value orphans every stored result.
    assert softmax().id == "softmax/01405842"


def test_the_profile_and_the_inferred_outputs_are_not_part_of_the_id() -> None:
    assert softmax(profile="drawn", outputs=()).id == softmax().id


@pytest.mark.parametrize(
    "changes",
    [
        {"operator": "log_softmax"},
        {"params": {"axis": 1}},
        {"way": "graph"},
        {"graphs": {"body": Graph(("x",), (Node("y", "exp", ("x",)),), ("y",))}},
        {"params": {"axis": -1, "temperature": 2.0}},
        {"inputs": (Input("data", TensorSpec((10_000, 1), "float64", Uniform(0.0, 1.0))),)},
        {"inputs": (Input("data", TensorSpec((10_000, 1), "float32", Integers(0, 2))),)},
        {"training": False},
        {"in_place": ("data",)},
    ],
)
def test_any_other_change_gives_another_id(changes: dict[str, object]) -> None:
    assert softmax(**changes).digest != softmax().digest


def test_numbers_count_by_value_and_not_by_how_they_were_written() -> None:
    made = [Uniform(0, 1), Uniform(0.0, 1.0), Uniform(float("0"), float("1"))]
    tensors = [TensorSpec((10_000, 1), "float32", content, "default", float("1")) for content in made]
    assert {softmax(inputs=(Input("data", tensor),)).id for tensor in tensors} == {softmax().id}


def test_a_case_survives_json_with_its_id() -> None:
    case = softmax(params={"axis": (0, 1), "flag": True, "none": None, "nested": ((1, 2), (3, 4)), "rate": 0.5})
    back = msgspec.json.decode(msgspec.json.encode(case), type=Case)
    assert back == case
    assert back.id == case.id


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (TensorSpec((2,), "bool", Mask(9)), "input data: invalid density of the mask 9: expected a share from 0 to 1"),
        (TensorSpec((2,), "bool", Mask(-0.5)), "invalid density of the mask -0.5"),
        (TensorSpec((2,), "int8", Patterned(Integers(3, 3))), "expected at least one whole number"),
        (TensorSpec((2,), "int8", Patterned(Mask(), kept=2.0)), "invalid share kept by the pattern 2.0"),
        (TensorSpec((2,), "int8", Patterned(Mask(), "sortd")), "did you mean sorted"),  # type: ignore[arg-type]
        (TensorSpec((2,), "int8", Patterned(Mask(), drawn_as="int9")), "did you mean int8"),
        (TensorSpec((2,), "int8", Patterned(Patterned(Mask()))), "expected a content without one"),  # type: ignore[arg-type]
        (TensorSpec((2,), "bool", Mask("half")), "invalid density of the mask 'half'"),  # type: ignore[arg-type]
        (TensorSpec((2, 2), "float32", Uniform(), "csr", 1.5), "input data: invalid density 1.5"),
        (TensorSpec((2, 2), "float32", Uniform(), "csr", float("nan")), "invalid density nan"),
        (TensorSpec((2,), "float32", Uniform(1, -1)), "input data: invalid range [1, -1): expected low <= high"),
        (TensorSpec((2,), "float32", Ascending(2, 1)), "invalid range [2, 1)"),
        (TensorSpec((2,), "int64", Integers(-(2**63), 1)), "expected at most 2**63 whole numbers in it"),
        (TensorSpec((2,), "int32", Integers(3, 3)), "invalid range [3, 3): expected at least one whole number"),
        (TensorSpec((2,), "float32", Uniform(0, "x")), "invalid range [0, 'x'): expected two numbers"),  # type: ignore[arg-type]
        (
            TensorSpec((2,), "float32", Uniform(0, math.inf)),
            "invalid high inf of the content: expected a finite",
        ),
        (TensorSpec((2,), "float32", Literal_((1.0, math.nan))), "invalid values nan of the content"),
        (TensorSpec((2,), "float32", Literal_(())), "invalid literal content: expected at least one value"),
    ],
)
def test_a_tensor_that_cannot_be_filled_is_refused_with_its_value(tensor: TensorSpec, words: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        check_case(softmax(inputs=(Input("data", tensor),)))
    assert words in str(caught.value)


def test_shares_may_be_all_or_nothing() -> None:
    for density in (0, 1, 0.0, 1.0):
        check_case(softmax(inputs=(Input("data", TensorSpec((2,), "bool", Mask(density))),)))


SPEC = TensorSpec((2,), "float32", Uniform())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"inputs": (Input("data[5]", SPEC),)}, "invalid input 'data[5]': expected data[0]"),
        ({"inputs": (Input("data[1]", SPEC), Input("data[0]", SPEC))}, "invalid input 'data[1]': expected data[0]"),
        ({"inputs": (Input("data[00]", SPEC),)}, "invalid input 'data[00]': expected data[0]"),
        ({"operator": "a" * 300}, ": expected a name of letters, digits and underscores"),
        ({"in_place": ("weight",)}, "invalid in_place 'weight': expected an input of this case"),
    ],
)
def test_what_could_not_be_rendered_is_refused(changes: dict[str, object], words: str) -> None:
    """Else it would fail when it is run, in a file that nobody knows of."""
    with pytest.raises(CaseFileError) as caught:
        check_case(softmax(**changes))
    assert words in str(caught.value)


@pytest.mark.parametrize("way", [False, True, "static"])
def test_a_layer_runs_in_these_ways(way: bool | str) -> None:
    case = softmax(way="layer", params={"units": 4, "hybridize": way})
    assert check_case(case).params["hybridize"] == way


@pytest.mark.parametrize("way", ["maybe", 2, None])
def test_another_way_to_run_a_layer_is_refused(way: object) -> None:
    with pytest.raises(CaseFileError, match=f"invalid hybridize {way!r}: expected False, True or 'static'"):
        check_case(softmax(way="layer", params={"hybridize": way}))


def test_the_parameter_of_layers_is_free_for_operators() -> None:
    assert check_case(softmax(params={"hybridize": "maybe"})).params == {"hybridize": "maybe"}


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one\ntwo\n")
    assert read_input(file) == b"one\ntwo\n"
    with open_input(file) as opened:
        assert list(opened) == [b"one\n", b"two\n"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/dev/zero", "it is a device; give a regular file"),
        ("/dev/full", "it is a device"),
        ("fifo", "it is a named pipe; give a regular file"),
        (".", "Is a directory"),
        ("missing", "No such file"),
        ("nul\0", "null"),
        ("long", "it has 100 bytes, but the limit is 99"),
    ],
)
def test_what_is_no_such_file_is_refused_at_once(tmp_path: Path, name: str, words: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "long").write_bytes(b"x" * 100)
    for reader in (check_input, read_input):
        with pytest.raises(CaseFileError, match=f"can't read .*{words}"):
            reader(tmp_path / name, max_bytes=99)  # type: ignore[operator]


def test_a_substituted_pipe_is_read_to_its_end_and_can_be_read_again() -> None:
    reading, writing = os.pipe()
    content = b"line\n" * 100_000
    writer = threading.Thread(target=lambda: (os.write(writing, content[:7]), _rest(writing, content[7:])))
    writer.start()
    path = Path(f"/dev/fd/{reading}")
    try:
        assert read_input(path) == content
        writer.join()
        with open_input(path) as opened:
            opened.seek(10)
            assert opened.readline() == b"line\n"
    finally:
        os.close(reading)


def _rest(writing: int, content: bytes) -> None:
    with os.fdopen(writing, "wb") as file:
        file.write(content)


def test_a_pipe_that_says_nothing_or_too_much_is_refused() -> None:
    reading, writing = os.pipe()
    path = Path(f"/dev/fd/{reading}")
    try:
        with pytest.raises(CaseFileError, match=r"the pipe had no data for 0\.01 s"):
            open_input(path, seconds=0.01)
        os.write(writing, b"x" * 100)
        with pytest.raises(CaseFileError, match="the pipe has more than the limit of 99 bytes"):
            open_input(path, max_bytes=99)
    finally:
        os.close(reading)
        os.close(writing)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(CaseFileError):
            open_input(tmp_path / "fifo")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


EXP = Node("y", "exp", ("x",))


def test_variables_are_listed_depth_first_from_the_outputs() -> None:
    cell = Graph(
        ("row", "state", "weight", "recurrent", "unused"),
        (
            Node("read", "FullyConnected", ("row", "weight")),
            Node("kept", "FullyConnected", ("state", "recurrent")),
            Node("total", "elemwise_add", ("kept", "read")),
        ),
        ("total", "read"),
    )
    assert cell.input_order() == ("state", "recurrent", "row", "weight")


def test_an_output_of_several_is_a_reference_too() -> None:
    halves = Graph(("x",), (Node("halves", "split", ("x",)), Node("y", "exp", ("halves[1]",))), ("y", "halves[0]"))
    check_graph(halves)
    assert halves.input_order() == ("x",)


class Compared(str):
    """A name that counts how often it is compared with others."""

    compared: ClassVar[int] = 0

    def __eq__(self, other: object) -> bool:
        Compared.compared += 1
        return str(self) == str(other)

    __hash__ = str.__hash__


def test_the_work_for_a_network_grows_with_its_size() -> None:
    """Each variable is looked up, not compared with all others, and the digest of thousands of inputs is made once."""
    variables = tuple(Compared(f"x{number}") for number in range(1000))
    graph = Graph(variables, (Node("sum", "add_n", tuple(map(str, variables))),), ("sum",))
    assert graph.input_order() == variables
    assert Compared.compared < 3 * len(variables)
    case = Case(operator="exp", category="unary", profile="small", inputs=())
    assert case.digest is case.digest


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (Graph(("x",), (EXP,), ()), "invalid graph: expected at least one output"),
        (Graph(("x", "x"), (EXP,), ("y",)), "'x' is defined twice"),
        (Graph(("x", "y"), (EXP,), ("y",)), "'y' is defined twice"),
        (Graph((), (EXP,), ("y",)), "invalid graph: 'x' is used by node 'y' but not defined; defined are "),
        (Graph(("x",), (EXP,), ("z",)), "invalid graph: 'z' is used by its outputs but not defined; defined are x, y"),
        (Graph(("x",), (EXP,), ("x[1]",)), "'x[1]' is used by its outputs, but the variable 'x' has one output"),
        (Graph(("x",), (EXP,), ("y[-1]",)), "invalid reference 'y[-1]': expected a variable or node"),
        (Graph(("a b",), (), ("a b",)), "invalid reference 'a b': expected a variable or node"),
        (Graph(("x[1]",), (), ("x[1]",)), "invalid name 'x[1]': expected a name of letters"),
    ],
)
def test_what_is_no_graph_is_refused_in_words(graph: Graph, words: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        check_graph(graph)
    assert words in str(caught.value)
