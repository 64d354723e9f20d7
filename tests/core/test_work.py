"""The work of a case: what it moves, the least time that it takes, and its throughput, from figures checked by hand."""

from __future__ import annotations

import datetime as dt

import msgspec
import pytest

from autoperf.core.case import Case, Input
from autoperf.core.machine import Roofline, Throughput, dtype_of, throughput_of
from autoperf.core.tensors import ArrayType, TensorSpec, Uniform
from autoperf.core.work import Work, work_of
from tests.values import case, inputs, tensor

MACHINE = Roofline(
    bandwidth=10e9,
    cached_bandwidth=40e9,
    cache_bytes=16_000_000,
    flops={"float32": 100e9, "float64": 50e9},
    overhead_us=20.0,
    load=0.1,
    processors=2,
    measured=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc),
)


def work(size: float, flops: float = 0.0) -> Work:
    return Work(bytes_in=size / 2, bytes_out=size / 2, elements=1, flops=flops)


def test_memory_bounds_what_computes_little() -> None:
    assert MACHINE.min_seconds(work(1e9, 1e8)) == pytest.approx(0.1)


def test_arithmetic_bounds_what_computes_much() -> None:
    assert MACHINE.min_seconds(work(1e9, 1e12)) == pytest.approx(10)


def test_what_fits_into_half_of_the_cache_moves_at_its_speed() -> None:
    assert MACHINE.min_seconds(work(8e6)) == pytest.approx(8e6 / 40e9)
    assert MACHINE.min_seconds(work(8e6 + 2)) == pytest.approx(8e6 / 10e9, rel=1e-6)


@pytest.mark.parametrize(
    ("dtype", "peak"),
    [("float64", 50e9), ("int64", 50e9), ("float32", 100e9), ("int32", 100e9), ("float16", 200e9), ("int8", 400e9)],
)
def test_the_peak_of_each_dtype(dtype: str, peak: float) -> None:
    assert MACHINE.peak(dtype) == peak


WORK = Work(bytes_in=6e6, bytes_out=2e6, elements=1e6, flops=4e6)
ROOFLINE = Roofline(
    bandwidth=8e9, cached_bandwidth=8e9, cache_bytes=0, flops={"float32": 1e12, "float64": 5e11}, overhead_us=5.0,
    load=0.1, processors=2, measured=dt.datetime(2026, 11, 1, tzinfo=dt.timezone.utc),
)  # fmt: skip


def test_it_is_the_work_over_the_time() -> None:
    assert throughput_of(WORK, 2000.0, None) == Throughput(gb_per_s=4.0, gflop_per_s=2.0, roofline=None)


def test_the_share_is_that_of_the_least_time() -> None:
    throughput = throughput_of(WORK, 2000.0, ROOFLINE)
    assert throughput is not None
    # 8 MB at 8 GB/s take a millisecond.
    assert throughput.roofline == pytest.approx(0.5)


def test_a_time_of_zero_has_none() -> None:
    assert throughput_of(WORK, 0.0, ROOFLINE) is None


def test_the_dtype_is_that_of_the_largest_array() -> None:
    indices = Input("indices", TensorSpec((4,), "int64", Uniform()))
    table = Input("table", TensorSpec((100, 4), "float16", Uniform()))
    assert dtype_of((indices, table), (ArrayType((4, 4), "float32"),)) == "float16"
    assert dtype_of((), ()) == "float32"


def moved(*outputs: ArrayType, in_place: tuple[str, ...] = (), **tensors: TensorSpec) -> Case:
    return case("x", inputs=inputs(**tensors), outputs=outputs, in_place=in_place)


def test_inputs_and_outputs_by_their_dtypes() -> None:
    plain = moved(ArrayType((10,), "int64"), data=tensor(10, 20, dtype="float16"), other=tensor(3))
    assert work_of(plain) == Work(bytes_in=400 + 12, bytes_out=80, elements=200, flops=200)
    assert work_of(plain).bytes == 492


def test_a_larger_output_has_the_elements() -> None:
    assert work_of(moved(ArrayType((300,), "bool"), data=tensor(1))).elements == 300


def test_a_formula_counts_the_operations() -> None:
    assert work_of(moved(data=tensor(8)), lambda one: 5 * one.input_bytes).flops == 160


def test_csr_stores_a_value_and_a_column_for_each_element_and_where_rows_begin() -> None:
    found = work_of(moved(ArrayType((100,), "float32"), data=tensor(100, 50, storage="csr", density=0.1)))
    assert found.bytes_in == pytest.approx(500 * (4 + 8) + 101 * 8)
    assert found.elements == pytest.approx(500)


def test_row_sparse_stores_whole_rows_and_their_numbers() -> None:
    found = work_of(moved(data=tensor(100, 50, storage="row_sparse", density=0.2)))
    assert found.bytes_in == pytest.approx(20 * 50 * 4 + 20 * 8)


def test_what_is_updated_in_place_is_read_and_written_once() -> None:
    update = moved(ArrayType((10,), "float32"), weight=tensor(10), grad=tensor(10), in_place=("weight",))
    assert work_of(update) == Work(bytes_in=80, bytes_out=40, elements=10, flops=10)


def test_states_are_written_too() -> None:
    update = moved(ArrayType((10,), "float32"), weight=tensor(10), grad=tensor(10), mom=tensor(10))
    update = msgspec.structs.replace(update, in_place=("weight",))
    assert work_of(update, states=("mom",)) == Work(bytes_in=120, bytes_out=80, elements=10, flops=10)


def test_out_is_written_alone() -> None:
    assert work_of(moved(data=tensor(10), out=tensor(10), in_place=("out",))) == Work(40, 40, 10, 10)
    assert work_of(moved(out=tensor(10), in_place=("out",))) == Work(0, 40, 10, 10)
