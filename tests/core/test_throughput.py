"""The work of a case over its time, and as a share of the roofline."""

from __future__ import annotations

import datetime as dt

import pytest

from autoperf.core.case import Input
from autoperf.core.machine import Roofline, Throughput, dtype_of, throughput_of
from autoperf.core.tensors import ArrayType, TensorSpec, Uniform
from autoperf.core.work import Work

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
