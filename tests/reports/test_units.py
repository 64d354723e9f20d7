from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.core.case import Input
from autoperf.core.tensors import Integers, Literal_, TensorSpec
from autoperf.core.texts import count
from autoperf.reports.units import (
    case_words,
    describe_case,
    duration,
    factor,
    flow,
    one_line,
    quantity,
    shape,
    size,
    span,
    spread,
    within,
)
from tests.reports.report_values import run_text
from tests.values import IMAGE, PAIR, inputs, measured, stated, tensor, timed

RUN = timed(1.0, 2.0)


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (None, "-"), (0.0, "0 us"), (0.05, "50.0 ns"), (0.85, "0.85 us"), (9.994, "9.99 us"), (9.996, "10.0 us"),
        (12.34, "12.3 us"), (99.96, "100 us"), (999.4, "999 us"), (999.7, "1.00 ms"), (4560, "4.56 ms"),
        (999_600, "1.00 s"), (1_200_000, "1.20 s"), (75_000_000, "75.0 s"),
    ],
)  # fmt: skip
def test_duration(microseconds: float | None, text: str) -> None:
    assert duration(microseconds) == text


@given(st.floats(0.1, 1e8))
def test_duration_keeps_three_digits(microseconds: float) -> None:
    number, unit = duration(microseconds).split()
    shown = float(number) * {"us": 1.0, "ms": 1e3, "s": 1e6}[unit]
    assert shown == pytest.approx(microseconds, rel=0.05 if microseconds < 1 else 0.0051)


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (None, "-"), (0, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (4096, "4.00 KiB"), (1023 * 1024, "1023 KiB"),
        (1024 * 1024 - 1, "1.00 MiB"), (400_000_000, "381 MiB"), (5 * 2**30, "5.00 GiB"), (2**41, "2048 GiB"),
    ],
)  # fmt: skip
def test_size(nbytes: int | None, text: str) -> None:
    assert size(nbytes) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(-1, "0 s"), (7.6, "8 s"), (59.6, "1 min 00 s"), (80, "1 min 20 s"), (3900, "1 h 05 min")]
)
def test_span(seconds: float, text: str) -> None:
    assert span(seconds) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1234.4, "1,234"), (12.34, "12.3"), (4.209, "4.21"), (0.952, "0.95"), (0.0346, "0.035"), (0.0042, "0.0042")],
)
def test_a_ratio_never_becomes_zero(ratio: float, text: str) -> None:
    assert factor(ratio) == text


def test_small_words() -> None:
    assert (count(1, "case"), count(2, "case"), count(2, "entry", "entries")) == ("1 case", "2 cases", "2 entries")
    assert (shape(()), shape((64,)), shape((10000, 1))) == ("()", "(64,)", "(10000, 1)")
    assert one_line("a\n  b\tc \x1b[31m") == "a b c \\u001b[31m"


def test_spread_is_relative_to_the_median() -> None:
    assert spread(stated(10, 11.2)) == "+12%"
    assert (spread(stated(10, 50)), spread(stated(10, 150))) == ("+400%", ">999%")
    assert spread(stated(0, 1)) == spread(None) == "-"


def test_a_case_with_nothing_unusual() -> None:
    assert describe_case(measured("broadcast_add", "small", PAIR, RUN)) == "lhs (32, 32), rhs (32, 1)"


def test_parameters_follow_the_inputs() -> None:
    case = measured("Convolution", "common", IMAGE, RUN, kernel=(3, 3), axes=(1,), no_bias=False, layout="NCHW", act="")
    assert describe_case(case) == (
        "data (8, 64, 56, 56), weight (64, 64, 3, 3), bias (64,); "
        "kernel=(3, 3), axes=(1,), no_bias=False, layout=NCHW, act=''"
    )


def test_parameters_alone() -> None:
    assert describe_case(measured("_zeros", "small", (), RUN, shape=(3, 4), dtype="float16")) == (
        "shape=(3, 4), dtype=float16"
    )


def test_dtypes_are_named_where_they_are_not_float32() -> None:
    mixed = inputs(data=tensor(4, 4), indices=tensor(3, dtype="int32"))
    shared = inputs(lhs=tensor(4, dtype="int8"), rhs=tensor(4, dtype="int8"))
    single = inputs(data=tensor(4, dtype="float64"))
    assert describe_case(measured("take", "small", mixed, RUN)) == "data (4, 4), indices (3,) int32"
    assert describe_case(measured("add", "small", shared, RUN)) == "lhs (4,), rhs (4,), all int8"
    assert describe_case(measured("exp", "small", single, RUN)) == "data (4,) float64"


def test_sparse_inputs_say_so() -> None:
    sparse = inputs(lhs=tensor(64, 100, storage="csr", density=0.05))
    assert describe_case(measured("dot", "small", sparse, RUN)) == "lhs (64, 100) csr 5% full"


OWN = TensorSpec((2048,), "int32", Integers(0, 2), "csr", 0.05)


def test_contents_of_the_users_are_stated_and_those_of_a_rule_are_not() -> None:
    given = (Input("data", OWN, own_content=True), Input("index", OWN), Input("axis", tensor(1), own_content=True))
    assert describe_case(measured("dot", "user", given, RUN)) == (
        "data (2048,) int32 csr 5% full integers(0, 2), index (2048,) int32 csr 5% full, axis (1,) uniform(-1.0, 1.0)"
    )
    literal = msgspec.structs.replace(OWN, content=Literal_((1.0, 2.0)), density=1.0, storage="default")
    many = msgspec.structs.replace(literal, content=Literal_((1.0,) * 2048))
    texts = [
        describe_case(measured("dot", "user", (Input("a", one, own_content=True),), RUN)) for one in (literal, many)
    ]
    assert texts == ["a (2048,) int32 literal(1.0, 2.0)", "a (2048,) int32 literal(2,048 values)"]


@pytest.mark.parametrize("form", ["csv", "md", "html", "json"])
def test_each_format_states_contents_of_the_users(form: str) -> None:
    outcome = measured("dot", "user", (Input("data", OWN, own_content=True),), RUN)
    assert ("integers(0, 2)" in run_text((outcome,), form=form)) == (form != "json")
    assert ('"own_content":true' in run_text((outcome,), form=form)) == (form == "json")


@pytest.mark.parametrize("width", [50, 80, 120])
def test_a_table_states_contents_of_the_users_in_one_piece(width: int) -> None:
    given = tuple(Input(name, OWN, own_content=True) for name in ("data", "indices"))
    lines = run_text((measured("dot", "user", given, RUN, RUN),), width).splitlines()
    assert sum(line.count("integers(0, 2)") for line in lines) == 2
    assert all(len(line) <= width for line in lines)


def test_members_of_a_list_with_one_shape_are_taken_together() -> None:
    members = inputs(data=(*(tensor(32, 32),) * 8, tensor(32, 1)), axis=tensor(1))
    assert describe_case(measured("Concat", "small", members, RUN)) == (
        "data[0..7] 8 x (32, 32), data[8] (32, 1), axis (1,)"
    )


@given(st.integers(5, 60), st.integers(0, 60))
def test_flow_loses_nothing_and_keeps_its_width(rest: int, first: int) -> None:
    case = measured("Convolution", "common", IMAGE, RUN, kernel=(3, 3), graph="x" * 70, layout="NCHW")
    lines = flow(case_words(case), first, rest)
    assert "".join(lines).replace(" ", "") == describe_case(case).replace(" ", "")
    assert len(lines[0]) <= first
    assert all(len(line) <= rest for line in lines[1:])


def test_within_is_how_far_the_interval_reaches_to_its_farther_side() -> None:
    assert within(stated(10, 11)) == "±3%"
    assert within(msgspec.structs.replace(stated(10, 11), low=7.7, high=10.1)) == "±23%"
    assert within(msgspec.structs.replace(stated(10, 11), low=9.96, high=10.0)) == "±0.4%"
    assert within(msgspec.structs.replace(stated(10, 11), low=9.0, high=31.0)) == "±210%"
    assert within(msgspec.structs.replace(stated(10, 11), low=4.0, high=11.0)) == "±60%"
    assert within(msgspec.structs.replace(stated(10, 11), low=None, high=None)) == within(None) == "-"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.25, "0.25"), (1234.5, "1234"), (9999.0, "9999"), (9999.5, "10.0 k"), (12_345.6, "12.3 k"),
        (999_600.0, "1.00 M"), (7_890_000.0, "7.89 M"), (4.56e9, "4.56 G"), (1.2e16, "12000 T"), (float("inf"), "inf"),
        (123_456, "123456"), (None, "-"),
    ],
)  # fmt: skip
def test_counts_have_prefixes(number: float | None, text: str) -> None:
    assert quantity(number, "") == text
