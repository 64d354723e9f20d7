"""Shapes, tensors and values as people type them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.cases.shorthand import parse_shape, parse_tensor, parse_tensors, parse_value, split_list
from autoperf.core.errors import AutoperfError
from autoperf.core.tensors import (
    DTYPES,
    Boxes,
    Distinct,
    Integers,
    Literal_,
    Mask,
    Matrices,
    Normal,
    Patterned,
    Uniform,
)
from autoperf.rules.rule import Draft

SHAPES = {
    "128x30522": (128, 30522),
    "8 x 12 x 512 x 512": (8, 12, 512, 512),
    "128X3": (128, 3),
    "(128, 30522)": (128, 30522),
    "(7,)": (7,),
    "(7)": (7,),
    "7": (7,),
    "()": (),
    "scalar": (),
    "0x3": (0, 3),
}
TENSORS = {
    "4x4": Draft((4, 4)),
    "4:float16": Draft((4,), "float16"),
    "1024:integers(0, 1000)": Draft((1024,), content=Integers(0, 1000)),
    "1024:int32:integers(0,1000)": Draft((1024,), "int32", Integers(0, 1000)),
    "(2, 3):uniform(high=2):float64": Draft((2, 3), "float64", Uniform(-1.0, 2.0)),
    "4:normal": Draft((4,), content=Normal()),
    "4:mask(0.25)": Draft((4,), content=Mask(0.25)),
    "4:distinct(9, true)": Draft((4,), content=Distinct(9, True)),
    "3x3:matrices(lower)": Draft((3, 3), content=Matrices("lower")),
    "3:literal(1, 2, 3)": Draft((3,), content=Literal_((1, 2, 3))),
    "5x6:boxes(10, 10, ((0, 3), (0, 1)))": Draft((5, 6), content=Boxes(10, 10, ((0, 3), (0, 1)))),
    "8:patterned(uniform(low=0, high=2), sorted)": Draft((8,), content=Patterned(Uniform(0.0, 2.0), "sorted")),
    "8:patterned(integers(0, 9), kept=0.1, pattern=zeros)": Draft(
        (8,), content=Patterned(Integers(0, 9), "zeros", kept=0.1)
    ),
    "9x9:csr(0.1)": Draft((9, 9), storage="csr", density=0.1),
    "9x9:row_sparse": Draft((9, 9), storage="row_sparse"),
}
BROKEN = {
    "": "invalid shape ''",
    "12xx3": "expected sizes such as 128x30522",
    "axb": "invalid shape 'axb'",
    "-1x3": "invalid shape '-1x3'",
    "1.5": "invalid shape '1.5'",
    "99999999999x99999999999": "elements, above",
    "4:flot16": "did you mean float16",
    "4:float16:float32": "two values of dtype",
    "4:integer(0, 3)": "did you mean integers",
    "4:integers(0)": "its values are low, high",
    "4:integers(0, x)": "invalid content 'integers(0, x)': invalid high 'x': expected a whole number; its values are",
    "4:integers(0, 2.5)": "invalid high 2.5: expected a whole number",
    "4:uniform(0, inf)": "invalid high 'inf': expected a finite number",
    "4:uniform(0, 1e999)": "invalid value inf: expected a finite number",
    "4:literal(1, nan)": "invalid values 'nan': expected a finite number",
    "4:distinct(9, ordered=2)": "invalid ordered 2: expected true or false",
    "4:matrices(odd)": "Invalid enum value 'odd'",
    "4:integers(3, 3)": "expected low < high",
    "4:integers(0, 3, 4)": "expected at most 2 values: low, high",
    "4:integers(0, low=1)": "low has two values",
    "4:integers(low=0, hihg=1)": "did you mean high",
    "4:patterned(uniform, sortd)": "Invalid enum value 'sortd'",
    "4:patterned(unifor, sorted)": "did you mean uniform",
    "4:patterned(uniform, drawn_as=flot16)": "did you mean float16",
    "4:mask(2)": "expected a share from 0 to 1",
    "4:csr(x)": "invalid storage 'csr(x)'",
    "4:literal()": "expected at least one value",
    "4:literal({[]})": "invalid values '{[]}': expected a finite number",
    "4:integers(0, 3": "expected ')' at the end",
    "4:+": "expected SHAPE, or SHAPE:DTYPE:CONTENT",
}
VALUES = {
    "{{1}}": "{{1}}",
    "-1": -1,
    "0.5": 0.5,
    "1e-3": 1e-3,
    "true": True,
    "False": False,
    "None": None,
    "(3, 3)": (3, 3),
    "(3,)": (3,),
    "()": (),
    "[1, 2]": (1, 2),
    "((0, 1), (2, 3))": ((0, 1), (2, 3)),
    "relu": "relu",
    "'3'": "3",
    "__import__('os')": "__import__('os')",
    "{1: 2}": "{1: 2}",
}


@pytest.mark.parametrize("text", SHAPES)
def test_shapes(text: str) -> None:
    assert parse_shape(text) == SHAPES[text]


@pytest.mark.parametrize("text", TENSORS)
def test_tensors(text: str) -> None:
    assert parse_tensor(text) == TENSORS[text]


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_tensor_is_refused_with_what_is_expected(text: str) -> None:
    with pytest.raises(AutoperfError) as caught:
        parse_tensor(text)
    assert BROKEN[text] in str(caught.value)


@pytest.mark.parametrize("text", VALUES)
def test_values_have_the_type_they_look_like(text: str) -> None:
    value = parse_value(text)
    assert (value, type(value)) == (VALUES[text], type(VALUES[text]))


@pytest.mark.parametrize("text", ["1e999", "9" * 20, "(((1, 2), 3), 4)", "(" * 600 + ")" * 600])
def test_what_mxnet_can_not_take_is_refused(text: str) -> None:
    with pytest.raises(AutoperfError, match="invalid"):
        parse_value(text)


def test_a_list_of_tensors_is_written_in_brackets() -> None:
    assert parse_tensors("[2x3, (2, 4):float16]") == (Draft((2, 3)), Draft((2, 4), "float16"))


def test_commas_separate_outside_of_brackets_and_quotes_alone() -> None:
    assert split_list("(1, 2), [3, 4],'5,6' ,x(7,8)") == ["(1, 2)", "[3, 4]", "'5,6'", "x(7,8)"]
    with pytest.raises(AutoperfError, match="unexpected"):
        split_list("1)")
    with pytest.raises(AutoperfError, match="characters"):
        split_list("1" * 10_001)


def test_a_text_that_begins_like_a_number_is_a_text_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    assert [parse_value(text) for text in ("1or2", "9in", "0x1for")] == ["1or2", "9in", "0x1for"]
    assert not recwarn


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(AutoperfError, match="invalid value of 20,000 bits: expected a number of at most 64 bits"):
        parse_value("0x" + "f" * 5000)


shapes_as_typed = st.lists(st.integers(0, 99), max_size=4).map(tuple)
numbers = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False)
values = st.none() | st.booleans() | numbers | st.lists(numbers, min_size=1, max_size=3).map(tuple)


@given(shapes_as_typed, st.sampled_from(sorted(DTYPES)), st.integers(-9, 9), st.integers(1, 9), st.randoms())
def test_a_tensor_is_read_as_it_is_spelled_in_any_order(shape, dtype, low, extent, random) -> None:
    content = Integers(low, low + extent)
    traits = [dtype, f"integers({content.low}, {content.high})"]
    random.shuffle(traits)
    spelled = random.choice([str(shape), "x".join(map(str, shape)) or "scalar"])
    assert parse_tensor(":".join([spelled, *traits])) == Draft(shape, dtype, content)


@given(values)
def test_a_value_is_read_as_python_spells_it(value) -> None:
    assert parse_value(repr(value)) == value
    assert type(parse_value(repr(value))) is type(value)


@given(st.lists(st.sampled_from(["2x3", "(1, 2)", "integers(0, 9)", "[2, 3]", "'a,b'"]), min_size=1, max_size=5))
def test_separators_in_brackets_and_quotes_divide_nothing(parts) -> None:
    assert split_list(", ".join(parts)) == parts
