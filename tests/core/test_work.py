"""What cases move, as they are stored and written."""

from __future__ import annotations

import pytest

from autoperf.core.case import Case
from autoperf.core.tensors import ArrayType, TensorSpec
from autoperf.core.work import Work, work_of
from tests.values import case, inputs, tensor


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


def test_out_is_written_alone() -> None:
    assert work_of(moved(data=tensor(10), out=tensor(10), in_place=("out",))) == Work(40, 40, 10, 10)
    assert work_of(moved(out=tensor(10), in_place=("out",))) == Work(0, 40, 10, 10)
