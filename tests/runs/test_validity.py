"""Figures of files are checked before they are used, and those far slower than expected are pointed out."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.graph import HYBRIDIZED, profile_in_mode
from autoperf.core.machine import Probes, Reference, Roofline, Throughput
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import VIEW, Memory, Outcome, Pass, PassMemory, Series
from autoperf.core.tensors import ArrayType
from autoperf.core.work import CodeCount, Part, Work
from autoperf.reports.provenance import anomaly_sentences
from autoperf.runs.anomalies import anomalies
from autoperf.runs.run_reader import (
    MAX_COUNT,
    MAX_SAMPLE_US,
    RunReader,
    check_outcome,
    check_series,
    check_statistics,
)
from autoperf.runs.runfile import machine_of
from autoperf.stats.statistics import Correction, summarise
from tests.values import ENVIRONMENT, inputs, outcome, passed, series, tensor, write_run

MANY = 10 * MAX_SAMPLE_US


PROBES = Probes((4.0, 4.4, 4.0, 8.0), (4.0, 4.0, 4.0, 8.0))
PROBED = summarise(
    [10.0, 11.0, 10.5, 20.0], processes=[2, 2], correction=Correction(PROBES, Reference("probe-1", 4.0, ""), 1.0)
)
# More samples than this baseline file has, one for each process.
REDUCED = msgspec.structs.replace(summarise([10.0, 12.0]), count=100, processes=(1, 1), min=8.0, mean=15.0, max=30.0)


def read(**series: float) -> Outcome:
    return outcome(0, msgspec.structs.replace(Pass(), **{key: summarise([value]) for key, value in series.items()}))


def test_a_count_may_be_larger_than_a_time() -> None:
    check_outcome(read(instructions=MANY))
    with pytest.raises(ValueError, match=r"expected times from 0 to 2\.7e\+12 us"):
        check_outcome(read(wall_us=MANY))


@pytest.mark.parametrize("count", [-1.0, 2 * MAX_COUNT])
def test_a_count_that_no_counter_holds_is_refused(count: float) -> None:
    with pytest.raises(ValueError, match="expected counts from 0"):
        check_outcome(read(instructions=count))


AMOUNTS = {
    "seconds": {"seconds": -1.0},
    "seconds beyond": {"seconds": 1e308},
    "memory": {"memory": Memory(PassMemory(10**400, 0, 0))},
    "work": {"work": Work(bytes_in=1e308, bytes_out=1e308, elements=0.0, flops=0.0)},
    "calls": {"calls": {"net": 10**400}},
    "calls beyond": {"network_calls": {"net": 10**16}},
}


@pytest.mark.parametrize("what", AMOUNTS)
def test_impossible_amounts_of_a_case_are_refused(what: str) -> None:
    name = what.partition(" ")[0]
    check_outcome(outcome(seconds=1.0, memory=Memory(PassMemory(2**40, 2**39, -1)), calls={"net": 10**12}))
    with pytest.raises(ValueError, match=rf"invalid {name} \S+( 1e\+300)?: expected from \S+ to "):
        check_outcome(outcome(**AMOUNTS[what]))


ROOFLINE = Roofline(
    bandwidth=1e10, cached_bandwidth=1e11, cache_bytes=2**25, flops={"float32": 1e11, "float64": 5e10}, overhead_us=1.0,
    load=0.0, processors=2, measured=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc),
)  # fmt: skip
IMPOSSIBLE: tuple[dict[str, Any], ...] = (
    {"bandwidth": 0.0}, {"cached_bandwidth": -1.0}, {"flops": {"float32": 0.0}}, {"cache_bytes": 10**400},
    {"cache_bytes": -1}, {"processors": 10**400}, {"load": 1e308},
)  # fmt: skip


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_a_machine_with_an_impossible_roofline_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    def written(name: str, roofline: Roofline) -> Path:
        return write_run(tmp_path / name, [outcome(0)], machine=machine_of(ENVIRONMENT, roofline=roofline))

    with RunReader(written("good.ndjson", ROOFLINE)) as run:
        assert not run.notices
    with pytest.raises(CaseFileError, match=r"line 2: invalid .*: expected from .*the record of a machine"):
        RunReader(written("bad.ndjson", msgspec.structs.replace(ROOFLINE, **change)))


WRONG: dict[str, tuple[Series, dict[str, float], str]] = {
    "a median of another order": (PROBED, {"median": 1e300}, "ascending order"),
    "statistics of another order": (PROBED, {"p90": 1.0}, "ascending order"),
    "a mean beyond the samples": (PROBED, {"mean": 1e6}, "ascending order"),
    "an interval of another order": (PROBED, {"low": 12.0, "high": 11.0}, "ascending order"),
    "a spread of less than nothing": (PROBED, {"std": -1.0}, "invalid std -1"),
    "more than the samples can be": (PROBED, {"max": 1e9}, r"invalid min 7 and max 1e\+09: expected 4.881 to 39.048"),
    "less than the samples can be": (PROBED, {"min": 0.0}, "invalid min 0 and max"),
    "another median as measured": (PROBED, {"uncorrected": 10.2}, "invalid median 10.2: expected 10.75"),
    "another count": (PROBED, {"count": 3}, "invalid count 3: expected 4"),
    "another count of one process each": (summarise([1.0, 2.0], processes=[1, 1]), {"count": 1}, "invalid count 1"),
    "a count of the whole run, larger than its times": (REDUCED, {"max": 1e300}, r"invalid min 8 and max 1e\+300"),
}


@pytest.mark.parametrize("what", WRONG)
def test_statistics_that_the_samples_contradict_are_refused(what: str) -> None:
    series, change, words = WRONG[what]
    check_statistics(series)
    with pytest.raises(ValueError, match=words):
        check_statistics(msgspec.structs.replace(series, **change))


def test_impossible_readings_and_references_of_the_probe_are_refused() -> None:
    long = Probes((1e10, *PROBES.before[1:]), PROBES.after)
    with pytest.raises(ValueError, match="invalid readings of the probe of 4 to 1e"):
        check_series(msgspec.structs.replace(PROBED, probes=long))
    with pytest.raises(ValueError, match="invalid samples"):
        check_series(msgspec.structs.replace(PROBED, samples=()))
    for us in (1e300, 1e-300, float("nan")):
        with pytest.raises(ValueError, match="invalid time of the probe"):
            Reference("probe-1", us, "")


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_samples_of_a_faster_machine_than_its_reference_are_valid(speed: float) -> None:
    """A correction makes no sample longer, so these are as measured; those of a slower machine are corrected."""
    probes = Probes((4.0 * speed,) * 4, (4.0 * speed,) * 4)
    correction = Correction(probes, Reference("probe-1", 4.0, ""), 1.0)
    check_statistics(summarise([10.0, 11.0, 10.5, 20.0], processes=[2, 2], correction=correction))


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


HYBRID = msgspec.structs.replace(
    large("softmax", 10.0), category=COMPOSITE_NAMESPACE, profile=profile_in_mode("small", HYBRIDIZED)
)
SPARSE = msgspec.structs.replace(large("softmax", 10.0), inputs=inputs(data=tensor(8, 8, storage="csr", density=0.1)))


@pytest.mark.parametrize("other", [large("softmin", 10.0), large("softmax", 10.0, size=9), HYBRID, SPARSE])
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


@pytest.mark.parametrize(
    ("share", "median", "changes", "kinds"),
    [
        (50.0, 10.0, {}, ["impossible"]),
        (4.0, 100.0, {}, []),
        (50.0, 0.1, {}, []),
        (50.0, 10.0, {"work": Work(bytes_in=1e6, bytes_out=10.0, elements=1e6, flops=0.0)}, []),
        (50.0, 10.0, {"work": Work(bytes_in=1e6, bytes_out=1e6, elements=1e6, flops=0.0)}, ["impossible"]),
        (50.0, 10.0, {"work": Work(bytes_in=1e6, bytes_out=4.0, elements=1e6, flops=1e6)}, ["impossible"]),
        (50.0, 10.0, {"inputs": SPARSE.inputs, "outputs": (ArrayType((8, 8), "float32"),)}, []),
        (50.0, 10.0, {"inputs": SPARSE.inputs, "outputs": (ArrayType((8,), "float32"),)}, ["impossible"]),
    ],
    ids=["returns early", "Winograd", "short", "reads a part", "moves all", "sums", "may be sparse", "is dense"],
)
def test_a_time_that_the_machine_cannot_reach_is_impossible(
    share: float, median: float, changes: dict[str, object], kinds: list[str]
) -> None:
    found = msgspec.structs.replace(large("relu", median, share=share), **changes)
    assert [entry.kind for entry in anomalies([found])] == kinds
    (view,) = (msgspec.structs.replace(run, notes=(VIEW,)) for run in found.passes.values())
    assert anomalies([msgspec.structs.replace(found, forward=view)]) == []


def coded(operator: str, dtype: str, path: Part, instructions: int, size: int = 8, axis: int = -1) -> Outcome:
    """A counted pass, most of whose instructions are of a part."""
    code = CodeCount("valgrind-3.19.0", (), {path.value: instructions, Part.DISPATCH.value: 100}, "")
    made = large(operator, 10.0, dtype, size)
    forward = msgspec.structs.replace(made.forward or passed(), code=code)
    outputs = (ArrayType((size, size), dtype),)
    return msgspec.structs.replace(made, forward=forward, outputs=outputs, params={"axis": axis})


def test_a_dtype_off_the_library_s_path_is_one() -> None:
    fast, slow = coded("softmax", "float32", Part.ONEDNN, 10_000), coded("softmax", "float16", Part.MATH, 375_000)
    (entry,) = anomalies([fast, slow])
    assert (entry.kind, entry.dtype, entry.path, entry.factor) == ("path", "float16", "oneDNN", pytest.approx(37.5))
    (sentence,) = anomaly_sentences([fast, slow])
    assert sentence.startswith("off the fast path: float16 softmax executes 37.5 times as many instructions for equal")


@pytest.mark.parametrize(
    "other",
    [
        coded("softmax", "float16", Part.OPERATOR, 19_000),
        coded("softmax", "float16", Part.OPERATOR, 375_000, axis=0),
        coded("softmin", "float16", Part.OPERATOR, 375_000),
        coded("softmax", "float16", Part.BLAS, 375_000),
        # A larger input does more.
        coded("softmax", "float32", Part.OPERATOR, 375_000, size=64),
    ],
    ids=["little more", "another axis", "another operator", "a library", "larger"],
)
def test_what_executes_little_more_or_another_call_is_on_its_path(other: Outcome) -> None:
    assert anomalies([coded("softmax", "float32", Part.ONEDNN, 10_000), other]) == []


def logged(dtype: str, median: float, library: str, size: int = 256) -> Outcome:
    """A timed pass with the kernel of oneDNN that its log names."""
    made = large("softmax", median, dtype, size)
    forward = msgspec.structs.replace(made.forward or passed(), library=library)
    return msgspec.structs.replace(made, forward=forward, outputs=(ArrayType((size, size), dtype),))


def test_without_counts_the_log_of_the_library_and_times_tell_a_slow_path_and_the_dtype_isn_t_told_again() -> None:
    fast, slow = logged("float32", 30.0, "oneDNN jit:avx2"), logged("float16", 750.0, "")
    (sentence,) = anomaly_sentences([fast, slow])
    words = (
        "off the fast path: float16 softmax takes 25.0 times as long for equal work as where oneDNN jit:avx2 runs it"
    )
    assert sentence.startswith(words)


@pytest.mark.parametrize(
    "other",
    [
        logged("float32", 20.0, "", size=16),
        logged("float16", 50.0, ""),
        logged("float16", 110.0, "oneDNN jit:avx2"),
        msgspec.structs.replace(logged("float32", 750.0, ""), params={"axis": 0}),
    ],
    ids=["a small input", "little more", "on the path", "other parameters"],
)
def test_a_time_that_a_small_input_or_another_call_explains_is_no_slow_path(other: Outcome) -> None:
    assert anomalies([logged("float32", 30.0, "oneDNN jit:avx2"), other]) == []


def test_impossible_times_stand_first() -> None:
    slow = large("sort", 1e4, share=0.01)
    assert [entry.kind for entry in anomalies([slow, large("relu", 10.0, share=50.0)])] == ["impossible", "roofline"]
    first, *_ = anomaly_sentences([slow, large("relu", 10.0, share=50.0)])
    assert first.startswith("impossibly fast: relu takes 2% of the time that this machine needs")
