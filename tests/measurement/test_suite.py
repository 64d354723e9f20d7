"""A file of cases reads back as the cases that it states, and one that can't be read says where and why."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from autoperf.cases import suite as vocabulary
from autoperf.cases.suite import load
from autoperf.core.errors import CaseFileError
from autoperf.core.tensors import DTYPES, AnyContent, Boxes, Integers, Mask, TensorSpec, Uniform

HEAD = """\
from autoperf.cases.suite import *
SUITE = Suite(operator="softmax", category="activation", mxnet="1.9.1", seed=42)
"""


@pytest.fixture
def write(tmp_path: Path):
    def write_file(text: str, head: str = HEAD) -> Path:
        path = tmp_path / "cases.py"
        path.write_text(head + text, encoding="utf-8")
        return path

    return write_file


def test_cases_come_in_the_order_of_the_file(write) -> None:
    path = write("""
@case("softmax/00000000", profile="skewed")
def tall():
    return dict(data=tensor((10000, 1), "float32", uniform(0.0, 1.0)), axis=-1)

@case(training=False, category="other")
def another():
    return dict(data=tensor([2, 3], "int32"), axis=(0, 1), flag=True, name="x", nothing=None, ratio=0.5)

def helper():
    return None
""")
    found = load(path)
    assert found.header.seed == 42
    assert [(one.function, one.label, one.case.category) for one in found.cases] == [
        ("tall", "softmax/00000000", "activation"),
        ("another", "", "other"),
    ]
    tall, another = (one.case for one in found.cases)
    assert tall.inputs[0].tensor == TensorSpec((10000, 1), "float32", Uniform(0.0, 1.0))
    assert (tall.params, tall.profile, tall.training) == ({"axis": -1}, "skewed", True)
    assert another.inputs[0].tensor.content == Integers(0, 10)
    assert another.params == {"axis": (0, 1), "flag": True, "name": "x", "nothing": None, "ratio": 0.5}
    assert another.training is False


def test_the_id_is_that_of_the_content_whatever_the_label_says(write) -> None:
    text = '@case("softmax/00000000")\ndef one():\n    return dict(data=tensor((2, 3)), axis={axis})\n'
    first = load(write(text.format(axis=0))).cases[0].case
    edited = load(write(text.format(axis=1))).cases[0].case
    assert first.id != edited.id
    assert first.id.startswith("softmax/")


def test_a_list_of_tensors_is_numbered_inputs(write) -> None:
    path = write(
        "@case()\ndef one():\n    return dict(data=[tensor((2,)), tensor((3,))], weight=tensor((1,)), num_args=2)\n"
    )
    case = load(path).cases[0].case
    assert [item.name for item in case.inputs] == ["data[0]", "data[1]", "weight"]
    assert case.params == {"num_args": 2}


def test_in_place_names_inputs(write) -> None:
    path = write("@case(in_place=('mom',))\ndef one():\n    return dict(weight=tensor((2,)), mom=tensor((2,)))\n")
    assert load(path).cases[0].case.in_place == ("mom",)


def test_every_content_has_a_constructor() -> None:
    made = {
        vocabulary.uniform(), vocabulary.normal(), vocabulary.integers(0, 1), vocabulary.constant(1),
        vocabulary.literal(1, 2),
        vocabulary.distinct(3), vocabulary.ascending(),
        vocabulary.probabilities(), vocabulary.mask(), vocabulary.matrices("symmetric"), vocabulary.boxes(),
        vocabulary.patterned(vocabulary.uniform(), "sorted"),
    }  # fmt: skip
    assert {type(content) for content in made} == set(get_args(AnyContent))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_tensor_without_content_gets_one_that_its_dtype_has(dtype: str) -> None:
    content = vocabulary.tensor((2,), dtype).content
    assert isinstance(content, Mask if dtype == "bool" else Integers if "int" in dtype else Uniform)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("x",), "tensor: invalid shape"),
        (((-1,),), "tensor: invalid shape"),
        (((1.0,),), "tensor: invalid shape"),
        (((True,),), "tensor: invalid shape"),
        (((1,), "float33"), "unknown dtype 'float33'"),
        (((1,), "float32", 3), "tensor: invalid content"),
        (((1,), "float32", None, "coo"), "unknown storage 'coo'"),
    ],
)
def test_a_tensor_that_is_none_is_refused(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(CaseFileError, match=words):
        vocabulary.tensor(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@case()\ndef one(:\n", r"cases.py, line 4: invalid Python file: "),
        ("x = 1 / 0\n", r"cases.py, line 3: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)\n", r"cases.py, line 3: SystemExit: 0"),
        (
            "import sys\ntry:\n    import no_such_module\nexcept Exception:\n    sys.exit(2)\n",
            r"cases.py, line 5: ModuleNotFoundError: No module",
        ),
        ("", r"cases.py: has no case; mark a function with @case\(\)"),
        (
            "@case(in_place='weight')\ndef one():\n    return dict(weight=tensor((1,)))\n",
            r"invalid @case\(...\): Expected `array`, got `str` - at `\$.in_place`",
        ),
        (
            "@case()\ndef one():\n    return 3\n",
            r"one\(\): invalid result 3: expected dict\(...\) of tensors and parameters",
        ),
        ("@case()\ndef one():\n    return dict(a=tensor((1,), 'x'))\n", r"line \d+: tensor: unknown dtype 'x'"),
        (
            "@case()\ndef one():\n    return dict(a=[tensor((1,)), 3])\n",
            r"one\(\): invalid item 3 of a: expected tensors alone",
        ),
        ("@case()\ndef one():\n    return dict(a=object)\n", r"invalid parameter a=.* of type type: expected"),
        (
            "@case()\ndef one():\n    return dict(a=float('nan'))\n",
            r"invalid parameter a=nan: expected a finite number, or text",
        ),
        ("@case()\ndef one():\n    return dict(a=2**64)\n", r"one\(\): a value can't be stored: can't serialize ints"),
        (
            "@case(in_place=('b',))\ndef one():\n    return dict(a=1)\n",
            r"invalid in_place \['b'\]: expected names of this case's inputs",
        ),
        (
            "@case()\ndef one():\n    return {}\n@case()\ndef one():\n    return {}\n",
            r"'one' is defined in line 4 already",
        ),
        ("SUITE = 3\n", r"cases.py: has no SUITE = Suite"),
        ("SUITE = Suite(operator='x', category='y', format=2)\n", r"is of format 2; this autoperf reads format 1"),
        ("SUITE = Suite(category='y')\n", r"line 3: TypeError: Missing required argument 'operator'"),
        ("import no_such_module\n", r"line 3: ModuleNotFoundError"),
        ("@case(-0.0)\ndef one():\n    return dict(a=1)\n", r"one\(\): invalid @case\(...\): .* - at `\$.label`"),
        ("@case('a', training=3)\ndef one():\n    return dict(a=1)\n", r"invalid @case\(...\): .* - at `\$.training`"),
        ("@case('a', profile=max)\ndef one():\n    return dict(a=1)\n", r"one\(\): invalid @case\(...\): "),
    ],
)
def test_a_file_that_is_wrong_says_where(write, text: str, words: str) -> None:
    with pytest.raises(CaseFileError, match=words):
        load(write(text))


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match=r"can't read .*: No such file"):
        load(tmp_path / "missing.py")
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaseFileError, match="expected UTF-8 text"):
        load(tmp_path / "binary.py")


def test_boxes_and_literals_keep_their_arguments() -> None:
    assert vocabulary.boxes(4, 5, lead=((0, 2),)) == Boxes(4, 5, ((0, 2),))
    assert vocabulary.literal(1, 2).values == (1, 2)
