"""The least that work takes, from figures that one can check by hand."""

from __future__ import annotations

import datetime as dt

import pytest

from autoperf.core.machine import Roofline
from autoperf.core.work import Work

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
