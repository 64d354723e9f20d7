"""Contents keep their promises for every dtype, and are the same bytes everywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autoperf.backends import contents
from autoperf.backends.contents import materialise, storage_dtype
from autoperf.core.errors import RuleError
from autoperf.core.tensors import (
    DTYPES,
    PATTERNS,
    ArrayType,
    Ascending,
    Boxes,
    Constant,
    Distinct,
    Integers,
    Literal_,
    Mask,
    Matrices,
    Normal,
    Patterned,
    Probabilities,
    TensorSpec,
    Uniform,
    default_content,
    whole_limits,
)

CONTENTS = (
    Uniform(), Normal(), Integers(0, 7), Constant(1.0), Literal_((0.0, 1.0, 2.0)), Distinct(5),
    Distinct(5, ordered=True),
    Ascending(), Probabilities(), Mask(), Matrices("dominant"), Boxes(8, 8),
)  # fmt: skip
FLOATS = ("float64", "float32", "float16", "bfloat16")
DIGEST = hashlib.sha256(b"a case").hexdigest()

shapes = st.lists(st.integers(0, 6), max_size=3).map(tuple)
dtypes = st.sampled_from(DTYPES)
digests = st.integers(0, 1000).map(str)


def array(content, shape=(5, 4), dtype="float32", digest=DIGEST, **more) -> np.ndarray:
    return materialise(TensorSpec(shape, dtype, content, **more), digest, "data")


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: type(content).__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_content_fills_every_dtype(content, dtype: str) -> None:
    if isinstance(content, Distinct) and dtype == "bool":
        with pytest.raises(RuleError, match="can't hold"):
            array(content, (4, 4), dtype)
        return
    values = array(content, (4, 4), dtype)
    assert values.shape == (4, 4)
    assert values.dtype == storage_dtype(dtype)
    assert values.flags.c_contiguous
    assert np.isfinite(values).all()


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_pattern_fills_every_dtype(pattern, dtype: str) -> None:
    values = array(Patterned(default_content(dtype), pattern), (4, 4), dtype)
    assert values.shape == (4, 4)
    assert values.dtype == storage_dtype(dtype)
    assert values.flags.c_contiguous
    assert np.isfinite(values).all() or (pattern == "nan" and dtype in FLOATS)
    array(Patterned(default_content(dtype), pattern), (), dtype)
    array(Patterned(default_content(dtype), pattern), (0, 3), dtype)


@pytest.mark.parametrize("base", [Uniform(0.5, 2.0), Integers(3, 9)])
def test_patterns_keep_to_the_numbers_of_their_content(base) -> None:
    def patterned(pattern: str, kept: float = 0.25) -> np.ndarray:
        return array(Patterned(base, pattern, kept=kept), (64, 64))

    low, high = base.low, base.high
    for pattern in ("", "sorted", "reversed", "constant", "few"):
        assert low <= patterned(pattern).min() <= patterned(pattern).max() < high
    flat = patterned("sorted").ravel()
    assert (np.diff(flat) >= 0).all()
    assert (np.diff(patterned("reversed").ravel()) <= 0).all()
    assert len(np.unique(patterned("constant"))) == 1
    assert len(np.unique(patterned("few"))) == 4
    assert np.mean(patterned("constant")) == pytest.approx((low + high) / 2, rel=0.1)
    assert np.mean(patterned("few")) == pytest.approx(np.mean(patterned("")), rel=0.1)
    assert np.mean(patterned("zeros") != 0) == pytest.approx(0.25, abs=0.05)
    rows = patterned("zero_rows", 0.5).any(axis=1)
    assert set(np.unique((patterned("zero_rows", 0.5) != 0).sum(axis=1))) == {0, 64}
    assert 16 < rows.sum() < 48
    assert np.mean(np.isnan(patterned("nan"))) == pytest.approx(0.75, abs=0.05)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_subnormal_numbers_are_below_the_smallest_normal_one(dtype: str) -> None:
    values = array(Patterned(Uniform(), "subnormal"), (64,), dtype)
    assert (np.abs(values) < np.finfo(dtype).smallest_normal).all()
    assert (values != 0).all()
    assert {-1, 1} == set(np.sign(values))


@pytest.mark.parametrize(("dtype", "low", "high"), [("int8", -128, 127), ("uint8", 0, 255), ("int64", -1024, 1023)])
def test_fractions_are_stretched_over_the_range_of_an_integer_dtype(dtype: str, low: int, high: int) -> None:
    values = array(Patterned(Uniform(), drawn_as="float16"), (256, 256), dtype)
    assert low <= values.min() <= low + 1
    assert high - 1 <= values.max() <= high
    assert abs(np.mean(values.astype("float64")) - (low + high) / 2) < 0.02 * (high - low)


def test_numbers_are_drawn_as_another_dtype_holds_them() -> None:
    values = array(Patterned(Uniform(), drawn_as="float16"), (64, 64))
    assert (values == values.astype("float16")).all()
    assert set(np.unique(array(Patterned(Uniform(0.0, 3.0), drawn_as="int32"), (64, 64)))) == {0, 1, 2}


@given(shapes, dtypes, digests, st.floats(-100, 100), st.floats(0, 100))
def test_uniform_stays_on_its_interval(shape, dtype, digest, low, width) -> None:
    values = array(Uniform(low, low + width), shape, dtype, digest)
    if dtype == "bool" or values.size == 0:
        return
    if dtype in ("uint8", "int8"):
        low, high = np.clip((low, low + width), *whole_limits(dtype))
        assert values.min() >= np.floor(low)
        assert values.max() <= high
        return
    unit = np.spacing(np.array(max(abs(low), abs(low + width)), dtype=storage_dtype(dtype))) if "float" in dtype else 1
    assert values.min() >= low - unit
    if dtype in ("float32", "float64") and width > unit:
        assert values.max() < low + width
    else:
        assert values.max() <= low + width + unit


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_uniform_never_reaches_its_upper_end(dtype: str) -> None:
    assert array(Uniform(0.0, 1.0), (300000,), dtype).max() < 1


@given(shapes, st.sampled_from(DTYPES), digests, st.integers(-300, 300), st.integers(1, 100000))
def test_integers_are_whole_and_in_range(shape, dtype, digest, low, width) -> None:
    values = array(Integers(low, low + width), shape, dtype, digest).astype("float64")
    smallest, largest = whole_limits(dtype)
    assert (values == np.floor(values)).all()
    if values.size and low <= largest and low + width - 1 >= smallest:
        assert values.min() >= max(low, smallest)
        assert values.max() <= min(low + width - 1, largest)


def test_integers_reach_both_ends() -> None:
    assert set(array(Integers(-1, 3), (1000,), "float32")) == {-1, 0, 1, 2}


def test_large_integers_are_in_range_in_low_precision() -> None:
    values = array(Integers(0, 100000), (10000,), "float16").astype("float64")
    assert values.max() <= whole_limits("float16")[1]
    assert array(Integers(0, 2**40), (10000,), "int64").max() > 2**39


@given(st.integers(0, 3), st.integers(1, 6), st.integers(0, 5), digests, st.booleans())
def test_distinct_numbers_differ_along_the_last_axis(rows, count, spare, digest, ordered) -> None:
    values = array(Distinct(count + spare, ordered), (rows, count), "int32", digest)
    for row in values:
        assert len(set(row.tolist())) == count
        assert row.min() >= 0
        assert row.max() < count + spare
        assert not ordered or (np.diff(row) > 0).all()


def test_distinct_numbers_take_every_order() -> None:
    rows = {tuple(row) for row in array(Distinct(3), (200, 3), "int32").tolist()}
    assert len(rows) == 6


@given(shapes, st.sampled_from([dtype for dtype in DTYPES if dtype != "bool"]), digests)
def test_ascending_values_ascend(shape, dtype, digest) -> None:
    values = array(Ascending(-3, 9), shape, dtype, digest)
    if shape:
        assert (np.diff(values.astype("float64"), axis=-1) >= 0).all()


@given(st.integers(0, 3), st.integers(1, 50), st.sampled_from(FLOATS), digests)
def test_probabilities_sum_to_one(rows, count, dtype, digest) -> None:
    values = array(Probabilities(), (rows, count), dtype, digest).astype("float64")
    assert (values > 0).all()
    tolerance = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-2, "bfloat16": 1e-5}[dtype]
    np.testing.assert_allclose(values.sum(axis=-1), 1, atol=tolerance)


@given(st.integers(0, 2), st.integers(1, 12), digests)
def test_matrices_have_their_property(batch, size, digest) -> None:
    shape = (batch, size, size)
    made = {
        form: array(Matrices(form), shape, "float64", digest)
        for form in ("positive_definite", "symmetric", "dominant", "lower", "upper")
    }
    for form in ("positive_definite", "symmetric"):
        np.testing.assert_array_equal(made[form], np.swapaxes(made[form], 1, 2))
    if batch:
        definite = np.linalg.eigvalsh(made["positive_definite"])
        assert definite.min() >= 1 - 1e-9
        assert definite.max() <= 3 + 1e-9
        assert np.abs(np.linalg.eigvalsh(made["symmetric"])).max() <= 1 + 1e-9
    dominant = np.abs(made["dominant"])
    diagonal = np.diagonal(dominant, axis1=1, axis2=2)
    assert (2 * diagonal >= dominant.sum(axis=2)).all()
    np.testing.assert_array_equal(np.tril(made["lower"]), made["lower"])
    np.testing.assert_array_equal(np.triu(made["upper"]), made["upper"])
    assert (np.diagonal(made["lower"], axis1=1, axis2=2) == 1).all()


@given(st.integers(0, 20), st.sampled_from(["float32", "float64", "float16", "int32"]), digests)
def test_boxes_are_boxes(count, dtype, digest) -> None:
    values = array(Boxes(20, 30, lead=((0, 3), (0, 1))), (count, 6), dtype, digest).astype("float64")
    index, score, x1, y1, x2, y2 = values.T
    assert ((index >= 0) & (index < 3) & (index == np.floor(index))).all()
    assert ((score >= 0) & (score <= 1)).all()
    assert ((x1 >= 0) & (x1 < x2) & (x2 <= 20)).all()
    assert ((y1 >= 0) & (y1 < y2) & (y2 <= 30)).all()


def test_a_literal_repeats_in_row_major_order() -> None:
    assert array(Literal_((1.0, 2.0, 3.0)), (2, 2), "int64").tolist() == [[1, 2], [3, 1]]


def test_a_mask_has_its_density() -> None:
    values = array(Mask(0.25), (10000,), "bool")
    assert 0.2 < values.mean() < 0.3


@pytest.mark.parametrize(
    ("content", "dtype", "low", "high"),
    [
        (Uniform(-3e38, 3e38), "float32", -3e38, 3e38),
        (Uniform(-1e308, 1e308), "float64", -1e308, 1e308),
        (Uniform(0, 1e18), "int64", 0, 1e18),
        (Ascending(0, 1e18), "int64", 0, 1e18),
        (Integers(-(2**62), 2**62), "int64", -(2**62), 2**62),
    ],
)
def test_wide_ranges_are_filled(content, dtype: str, low: float, high: float) -> None:
    values = array(content, (1, 1000), dtype).astype("float64")
    assert len(np.unique(values)) > 900
    shares = (values / 4 - low / 4) / (high / 4 - low / 4)
    assert np.quantile(shares, (0, 0.5, 1)) == pytest.approx((0, 0.5, 1), abs=0.1)


def test_normal_numbers_beyond_the_dtype_are_clipped() -> None:
    largest = np.finfo("float32").max
    assert set(np.unique(array(Normal(0, 1e60), (100,)))) == {-largest, largest}
    assert array(Normal(1e39, 1), (2,)).tolist() == [largest] * 2


def test_constants_are_clipped_to_the_dtype() -> None:
    assert array(Constant(2**60), (1,), "int64").tolist() == [2**60]
    assert array(Constant(1e30), (1,), "int64").tolist() == [2**63 - 1024]
    assert array(Constant(1000.0), (2,), "int8").tolist() == [127, 127]
    assert np.isfinite(array(Constant(1e30), (2,), "float16")).all()


def test_sparse_tensors_are_zero_beyond_their_density() -> None:
    csr = array(Constant(1.0), (100, 50), storage="csr", density=0.1)
    rows = array(Constant(1.0), (1000, 5), storage="row_sparse", density=0.1)
    assert 0.05 < csr.mean() < 0.15
    assert set(rows.sum(axis=1)) == {0, 5}
    assert 0.05 < rows.mean() < 0.15


@pytest.mark.parametrize("storage", ["csr", "row_sparse"])
def test_sparse_tensors_with_nan_are_zero_beyond_their_density(storage: str) -> None:
    values = array(Patterned(Uniform(), "nan"), (1000, 5), storage=storage, density=0.1)
    assert 0.05 < (values != 0).mean() < 0.15
    assert np.isnan(values).any()


@pytest.mark.parametrize(
    ("dtype", "digest"), [("float32", "4d64a1c4623b"), ("int8", "91989538bed1"), ("bool", "e315a51aab95")]
)
def test_sparse_tensors_keep_their_bytes(dtype: str, digest: str) -> None:
    """A number that is left out leaves its sign to the zero."""
    kept = [array(Uniform(), (50, 4), dtype, storage=storage, density=0.5) for storage in ("csr", "row_sparse")]
    assert hashlib.sha256(b"".join(map(np.ndarray.tobytes, kept))).hexdigest()[:12] == digest


def test_a_large_tensor_repeats_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "REPEATED_FROM", 100)
    monkeypatch.setattr(contents, "BLOCK", 8)
    values = materialise(TensorSpec((160,), "int8", Integers(0, 100)), "digest", "data").reshape(-1, 8)
    assert (values == values[0]).all()
    assert len(set(values[0].tolist())) > 2
    smaller = materialise(TensorSpec((9, 11), "int8", Integers(0, 100)), "digest", "data").ravel()
    assert (smaller[:8] != smaller[8:16]).any()


@pytest.mark.parametrize("content", [c for c in CONTENTS if not isinstance(c, Matrices | Boxes)] + [Boxes(8, 8)])
def test_the_block_of_a_large_tensor_is_whole_rows(content: object, monkeypatch: pytest.MonkeyPatch) -> None:
    small = TensorSpec((2, 4), "float32", content)  # type: ignore[arg-type]
    block = materialise(small, "digest", "data")
    monkeypatch.setattr(contents, "REPEATED_FROM", 10)
    monkeypatch.setattr(contents, "BLOCK", 8)
    values = materialise(TensorSpec((5, 4), "float32", content), "digest", "data")  # type: ignore[arg-type]
    if isinstance(content, Literal_):
        assert values.ravel().tolist() == [0.0, 1.0, 2.0] * 6 + [0.0, 1.0]
    else:
        assert (values == np.concatenate([block, block, block[:1]])).all()


def test_large_matrices_large_sparse_tensors_and_large_sorted_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "REPEATED_FROM", 10)
    monkeypatch.setattr(contents, "BLOCK", 8)
    matrices = materialise(TensorSpec((3, 4, 4), "float64", Matrices("symmetric")), "digest", "data")
    assert (matrices == matrices[0].T).all()
    sparse = materialise(TensorSpec((100, 4), "float32", Constant(1.0), "csr", 0.5), "digest", "data")
    assert 0 < sparse[:2].sum() < 8
    assert (sparse.reshape(-1, 8) == sparse[:2].ravel()).all()
    ascending = materialise(TensorSpec((100,), "float32", Ascending()), "digest", "data")
    assert (np.diff(ascending) >= 0).all()


def test_scalars_and_empty_tensors_are_filled() -> None:
    for content in (Uniform(), Integers(0, 3), Ascending(), Probabilities(), Distinct(2)):
        assert array(content, ()).shape == ()
    for filled in (Uniform(), Integers(0, 3), Ascending(), Matrices("symmetric")):
        assert array(filled, (0, 0)).shape == (0, 0)


@pytest.mark.parametrize(
    ("content", "shape", "words"),
    [
        (Uniform(2, 1), (1,), "expected low <= high"),
        (Integers(1, 1), (1,), "expected at least one whole number"),
        (Literal_(()), (1,), "at least one value"),
        (Distinct(2), (3,), "can't hold 3 distinct"),
        (Matrices("symmetric"), (2, 3), "ends in a square"),
        (Boxes(), (2, 5), "ends in 4"),
        (object(), (1,), "invalid content"),
    ],
)
def test_a_content_that_does_not_fit_is_refused(content, shape, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        array(content, shape)


def test_inputs_differ_by_case_and_by_name() -> None:
    spec = TensorSpec((8,), "float32", Uniform())
    one = materialise(spec, "a", "x")
    assert not np.array_equal(one, materialise(spec, "b", "x"))
    assert not np.array_equal(one, materialise(spec, "a", "y"))
    np.testing.assert_array_equal(one, materialise(spec, "a", "x"))


SCRIPT = """
import hashlib
from autoperf.core.tensors import *
from autoperf.backends.contents import materialise
contents = [Uniform(), Normal(), Integers(0, 7), Distinct(64), Ascending(), Probabilities(), Mask(), Matrices("lower")]
arrays = [materialise(TensorSpec((64, 64), "float32", content), "digest", "data") for content in contents]
print(hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest())
"""


def test_the_bytes_are_the_same_in_every_process() -> None:
    seen = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(seen) == 1


@settings(max_examples=20)
@given(digests)
def test_a_content_is_not_degenerate(digest) -> None:
    assert np.unique(array(Uniform(), (100,), digest=digest)).size > 90


def test_head_gradients_differ_between_elements_and_are_zero_for_whole_outputs() -> None:
    outputs = [ArrayType((100,), "float32"), ArrayType((100,), "int32")]
    drawn, zero = contents.drawn_heads(outputs, "00c0ffee00000000")
    assert np.unique(drawn).size > 90
    assert not zero.any()
