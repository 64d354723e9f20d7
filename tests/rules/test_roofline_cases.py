"""The calls that measure a machine move and compute what the roofline divides by their time."""

from __future__ import annotations

import pytest

from autoperf.core.work import work_of
from autoperf.executor.roofline import copy_case, overhead_case, product_cases
from autoperf.rules.catalog import catalog


def test_a_copy_reads_and_writes_four_bytes_an_element() -> None:
    work = work_of(copy_case(1000))
    assert (work.bytes_in, work.bytes_out) == (4000, 4000)


@pytest.mark.parametrize(("dtype", "operators"), [("float32", ["dot", "FullyConnected"]), ("float64", ["dot"])])
def test_a_product_of_matrices_is_two_operations_for_each_of_its_steps(dtype: str, operators: list[str]) -> None:
    rules = catalog().named
    cases = product_cases(dtype, 100)
    assert [case.operator for case in cases] == operators
    assert all(work_of(case, rules[case.operator].flops).flops == 2 * 100**3 for case in cases)
    assert {item.tensor.dtype for case in cases for item in case.inputs} == {dtype}


def test_an_idle_call_has_one_number() -> None:
    assert work_of(overhead_case()).elements == 1
