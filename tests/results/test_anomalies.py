"""What is far slower than expected is pointed out, and nothing else."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.machine import Throughput
from autoperf.core.outcome import Outcome
from autoperf.results.anomalies import anomalies
from tests.values import inputs, outcome, passed, series, tensor


def large(operator: str, median: float, dtype: str = "float32", size: int = 8, share: float | None = None) -> Outcome:
    throughput = msgspec.UNSET if share is None else Throughput(1.0, 1.0, share)
    forward = passed(series([median]), throughput=throughput)
    given = inputs(data=tensor(size, size, dtype=dtype))
    return outcome(0, forward, operator=operator, case=f"{operator}/{dtype}-{size}", inputs=given, params={"axis": -1})


def test_a_dtype_many_times_slower_than_float32_is_one() -> None:
    outcomes = [large("softmax", 10.0), large("softmax", 450.0, "float16"), large("softmax", 20.0, "float64")]
    (anomaly,) = anomalies(outcomes)
    assert (anomaly.kind, anomaly.operator, anomaly.dtype, anomaly.pass_) == ("dtype", "softmax", "float16", "forward")
    assert anomaly.factor == pytest.approx(45.0)


@pytest.mark.parametrize("other", [large("softmin", 10.0), large("softmax", 10.0, size=9)])
def test_another_operator_or_shape_is_no_comparison(other: Outcome) -> None:
    assert anomalies([other, large("softmax", 450.0, "float16")]) == []


@pytest.mark.parametrize(
    ("median", "share", "expected"),
    [(10_000.0, 0.01, 1), (10_000.0, 0.03, 0), (1_000.0, 0.01, 0), (10_000.0, None, 0)],
    ids=["far", "near", "short", "unknown roofline"],
)
def test_a_pass_far_from_the_roofline_is_one(median: float, share: float | None, expected: int) -> None:
    assert [entry.kind for entry in anomalies([large("sort", median, share=share)])] == ["roofline"] * expected


def test_a_backward_pass_far_from_the_roofline_is_one() -> None:
    near = large("sum", 10_000.0, share=0.5)
    (entry,) = anomalies([msgspec.structs.replace(near, backward=large("sum", 10_000.0, share=0.01).forward)])
    assert (entry.pass_, entry.factor) == ("backward", pytest.approx(100.0))


def test_of_an_operator_there_is_the_largest_alone() -> None:
    found = anomalies([large("sort", 1e4, size=size, share=share) for size, share in ((4, 0.01), (5, 0.005))])
    assert [entry.case for entry in found] == ["sort/float32-5"]


def test_a_pass_that_is_slow_for_its_dtype_is_not_far_from_the_roofline_too() -> None:
    found = anomalies([large("softmax", 1e4, share=0.5), large("softmax", 1e6, "float16", share=0.005)])
    assert [entry.kind for entry in found] == ["dtype"]
