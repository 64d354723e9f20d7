"""Contents are kept alike over dtypes, as far as a dtype can hold them, and have patterns that no rule draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from autoperf.backends.contents import materialise
from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.tensors import (
    AnyContent,
    Constant,
    Integers,
    Mask,
    Pattern,
    Patterned,
    Probabilities,
    TensorSpec,
    Uniform,
    default_content,
)
from autoperf.hunt.contents import (
    dense,
    differ_by_draw,
    drawn_share,
    loss,
    of_dtype,
    patterned_calls,
    patterns_of,
    plain,
    with_numbers_of,
    with_pattern,
)
from autoperf.rules.rule import Draft, Inputs, inputs, tensor
from tests.hunt.hunt_values import point

SIZE = 10_000
AS_HALF = Patterned(Uniform(), drawn_as="float16", kept=0.1)
STRETCHED = Patterned(Uniform(), drawn_as="float32", kept=0.1)


def content_in(call: Inputs, name: str = "data") -> AnyContent | None:
    draft = call.tensors[name]
    assert isinstance(draft, Draft)
    return draft.content


def numbers(content: AnyContent | None, dtype: str) -> np.ndarray:
    return materialise(TensorSpec((SIZE,), dtype, content or default_content(dtype)), "digest", "data").astype(
        "float64"
    )


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("int64", "float32", None, Integers(0, 10)),
        ("float32", "int64", Integers(0, 10), None),
        ("uint8", "int32", None, None),
        ("float32", "float64", None, None),
        ("float16", "float32", None, AS_HALF),
        ("float32", "float16", AS_HALF, None),
        ("float32", "int64", None, STRETCHED),
        ("int64", "float32", STRETCHED, None),
        ("int64", "float64", STRETCHED, None),
        ("float32", "float64", Uniform(0.5, 2.0), Uniform(0.5, 2.0)),
        ("int32", "float32", Uniform(0.5, 2.0), Patterned(Uniform(0.5, 2.0), drawn_as="int32", kept=0.1)),
        ("float32", "int32", Uniform(0.5, 2.0), Uniform(0.5, 2.0)),
        ("float32", "int32", Mask(0.5), Mask(0.5)),
        ("float32", "int8", Constant(3.0), Constant(3.0)),
        ("float16", "float32", Patterned(Uniform(), "sorted"), Patterned(Uniform(), "sorted", "float16")),
        # A float16 tensor has rounded them already, and an int8 tensor has 256 of them.
        ("float16", "float64", STRETCHED, AS_HALF),
        ("int8", "float64", STRETCHED, Integers(-128, 128)),
        ("uint8", "float32", AS_HALF, Integers(0, 256)),
        ("int32", "int64", AS_HALF, Patterned(Uniform(), drawn_as="float16", kept=0.1)),
        ("float32", "int64", Patterned(Uniform(), "subnormal", kept=0.1), STRETCHED),
    ],
)
def test_a_step_to_another_dtype_keeps_the_contents_alike(
    old: str, new: str, before: AnyContent | None, after: AnyContent | None
) -> None:
    assert content_in(of_dtype(inputs(data=tensor(SIZE, content=before)), old, new)) == after


@pytest.mark.parametrize(("old", "new"), [("int64", "float32"), ("float16", "float32"), ("float32", "int64")])
def test_as_many_numbers_are_distinct(old: str, new: str) -> None:
    before, after = (
        len(np.unique(numbers(content, dtype)))
        for content, dtype in ((None, old), (content_in(of_dtype(inputs(data=tensor(SIZE)), old, new)), new))
    )
    assert after == pytest.approx(before, rel=0.05)


def test_a_tensor_with_a_dtype_of_its_own_keeps_it() -> None:
    call = inputs(a=tensor(4), b=tensor(4, dtype="float32"), indices=tensor(2, dtype="int64", content=Integers(0, 4)))
    other = of_dtype(call, "float32", "float16")
    assert {name: draft.dtype for name, draft in other.tensors.items()} == {
        "a": None,
        "b": "float16",
        "indices": "int64",
    }
    assert content_in(other, "indices") == Integers(0, 4)


@pytest.mark.parametrize(
    ("old", "new", "content", "why"),
    [
        ("int64", "float32", None, ""),
        ("float16", "float64", None, ""),
        ("float64", "float32", None, ""),
        ("float32", "float16", None, "numbers are rounded to fewer distinct ones"),
        ("float32", "int64", None, "fractions become whole numbers"),
        ("float32", "int64", Integers(0, 100), ""),
        ("int64", "int8", Integers(0, 1000), "large numbers are cut off"),
        ("int64", "float16", Integers(0, 10_000), "large numbers are rounded"),
    ],
)
def test_a_step_says_why_contents_cannot_be_alike(
    release: Release, old: str, new: str, content: AnyContent | None, why: str
) -> None:
    assert loss(point(release, "sort", inputs(data=tensor(SIZE, content=content)), old), new) == why


@pytest.mark.parametrize(
    ("old", "new", "content"),
    [
        ("float32", "float16", None),
        ("float32", "float16", Patterned(Uniform(), "sorted")),
        ("float32", "int8", None),
        ("float32", "uint8", None),
        ("float32", "int32", Uniform(0.0, 20.0)),
        ("int64", "int8", Integers(0, 1000)),
    ],
)
def test_the_numbers_of_a_narrower_dtype_can_be_had_in_the_wider_one(
    old: str, new: str, content: AnyContent | None
) -> None:
    call = inputs(data=tensor(SIZE, content=content))
    narrow = numbers(content_in(of_dtype(call, old, new)), new)
    rounded = numbers(content_in(with_numbers_of(call, old, new)), old)
    assert len(np.unique(rounded)) == pytest.approx(len(np.unique(narrow)), rel=0.05)
    assert (rounded.min(), rounded.max()) == pytest.approx((narrow.min(), narrow.max()), rel=0.05, abs=1)
    assert (np.sort(rounded) == rounded).all() == (np.sort(narrow) == narrow).all()


def test_contents_that_are_alike_stay() -> None:
    call = inputs(data=tensor(SIZE), indices=tensor(2, dtype="int64", content=Integers(0, 4)))
    assert with_numbers_of(call, "float32", "float64") == call
    assert with_numbers_of(call, "float16", "float32") == call


def test_a_small_tensor_that_its_draw_makes_constant_differs_from_one_that_it_does_not(release: Release) -> None:
    shapes = [(1,) * rank + (size,) for size in (1, 2, 3) for rank in range(4)]
    binary = [point(release, "sort", inputs(data=tensor(*shape, content=Integers(0, 2)))).case for shape in shapes]
    drawn = [(case, set(materialise(case.inputs[0].tensor, case.digest, "data").flat)) for case in binary[4:]]
    constant, mixed = ([case for case, values in drawn if (len(values) == 1) is same] for same in (True, False))
    assert constant
    assert mixed
    assert all(differ_by_draw(*pair) for pair in product(constant, mixed))
    single = point(release, "sort", inputs(data=tensor(100, content=Integers(0, 1)))).case
    double = point(release, "sort", inputs(data=tensor(100, content=Integers(0, 2)))).case
    assert differ_by_draw(single, double)
    filled = [point(release, "sort", inputs(data=tensor(size, content=Constant(1.0)))).case for size in (64, 65)]
    for each in (constant, mixed, [binary[0], mixed[0]], filled):
        assert not any(differ_by_draw(*pair) for pair in product(each, each))


def masked(release: Release, *shape: int, longest: int) -> Case:
    lengths = tensor(shape[1], content=Integers(1, longest + 1))
    call = inputs(data=tensor(*shape), sequence_length=lengths, use_sequence_length=True)
    return point(release, "SequenceMask", call).case


def test_sequences_of_the_same_lengths_are_a_smaller_part_of_longer_data(release: Release) -> None:
    slow = masked(release, 128, 100, 8, longest=128)
    assert drawn_share(slow, masked(release, 1024, 100, 1, longest=128)) == pytest.approx(1 / 8)
    assert drawn_share(slow, masked(release, 128, 100, 9, longest=128)) == 1.0


def test_lengths_of_a_few_sequences_are_those_of_their_draw(release: Release) -> None:
    slow, fast = (masked(release, 1000 + more, 1, 8, longest=1000 + more) for more in (0, 1))
    means = [materialise(case.inputs[1].tensor, case.digest, "sequence_length").mean() for case in (slow, fast)]
    assert drawn_share(slow, fast) == pytest.approx(min(1.0, means[1] / 1001 / (means[0] / 1000)))


def test_a_sparse_tensor_counts_as_it_is_stored(release: Release) -> None:
    slow, fast = (
        point(release, "cast_storage", inputs(data=tensor(rows, 50, storage="csr", density=0.2), stype="default")).case
        for rows in (3, 4)
    )
    stored = [(materialise(case.inputs[0].tensor, case.digest, "data") != 0).mean() for case in (slow, fast)]
    assert drawn_share(slow, fast) == pytest.approx(min(1.0, stored[1] / stored[0]))


def test_a_dense_tensor_stores_all(release: Release) -> None:
    call = inputs(data=tensor(30, 50, storage="csr", density=0.2), stype="default")
    sparse = point(release, "cast_storage", call)
    dense_point = point(release, "cast_storage", dense(sparse.call, sparse.dtype))
    assert drawn_share(sparse.case, dense_point.case) == drawn_share(dense_point.case, sparse.case) == 1.0


def test_a_row_of_many_elements_is_stored_or_not(release: Release) -> None:
    """Of four rows, each draw stores another number."""
    cases = [
        point(
            release, "cast_storage", inputs(data=tensor(4, size, storage="row_sparse", density=0.5), stype="default")
        ).case
        for size in range(100_000, 100_006)
    ]
    rows = [materialise(case.inputs[0].tensor, case.digest, "data").any(axis=1).sum() for case in cases]
    assert len(set(rows)) > 1
    for case, stored in zip(cases, rows, strict=True):
        if stored:
            assert drawn_share(case, cases[0]) == pytest.approx(min(1.0, rows[0] / stored))


def test_deduced_tensors_have_contents_too(release: Release) -> None:
    dense_layer = point(release, "FullyConnected", inputs(data=tensor(8, 8), num_hidden=4))
    assert loss(dense_layer, "float64") == ""
    whole = point(release, "FullyConnected", inputs(data=tensor(8, 8, content=Integers(0, 10)), num_hidden=4))
    assert loss(whole, "int64") == "deduced tensors have other contents"


def test_the_tensors_of_a_list_are_given(release: Release) -> None:
    """With numbers of their own in another dtype, as a single tensor."""
    listed = point(release, "Concat", Inputs({"data": (Draft((8, 8)), Draft((8, 8)))}, {}), "int32")
    single = point(release, "relu", inputs(data=tensor(8, 8)), "int32")
    assert loss(listed, "float32") == loss(single, "float32") == ""


def patterns(release: Release, operator: str, draft: Draft, dtype: str = "float32") -> set[Pattern]:
    return {pattern for _, pattern, _ in patterned_calls(point(release, operator, inputs(data=draft), dtype))}


ALWAYS = {"sorted", "reversed", "constant", "few"}


@pytest.mark.parametrize(
    ("content", "further"),
    [
        (None, {"zeros", "subnormal"}),
        (Uniform(0.0, 1.0), {"zeros"}),
        (Uniform(0.5, 1.0), set()),
        (Integers(0, 9), {"zeros"}),
        (Integers(1, 9), set()),
    ],
)
def test_patterns_stay_within_the_numbers_that_a_rule_draws(
    release: Release, content: AnyContent | None, further: set[str]
) -> None:
    assert patterns(release, "exp", tensor(64, content=content)) == ALWAYS | further


def test_numbers_that_depend_on_each_other_have_no_patterns(release: Release) -> None:
    assert not patterns(release, "exp", tensor(64, content=Probabilities()))
    assert not patterns(release, "exp", tensor(8, 8, storage="csr", density=0.5))
    assert not patterns(release, "exp", tensor(2))


def test_only_operators_that_are_made_for_it_get_nan(release: Release) -> None:
    assert "nan" in patterns(release, "nansum", tensor(64))
    assert "nan" not in patterns(release, "sum", tensor(64))
    assert "nan" not in patterns(release, "nansum", tensor(64), "int64")


def test_a_pattern_is_taken_away_again() -> None:
    call = inputs(data=tensor(64), other=tensor(64, content=Integers(0, 5)))
    both = with_pattern(with_pattern(call, "data", "sorted", "float32"), "other", "few", "float32")
    assert patterns_of(both) == {"data": "sorted", "other": "few"}
    assert plain(both, "float32") == call
    assert with_pattern(both, "data", "", "float32") == with_pattern(call, "other", "few", "float32")


def test_a_plain_call_has_numbers_of_its_own_dtype() -> None:
    assert plain(inputs(data=tensor(64, content=AS_HALF)), "float32") == inputs(data=tensor(64))
    assert plain(inputs(data=tensor(64, content=STRETCHED)), "int64") == inputs(data=tensor(64))


@pytest.mark.parametrize(("storage", "pattern"), [("csr", "zeros"), ("row_sparse", "zero_rows")])
def test_a_dense_tensor_has_as_many_zeros_as_the_sparse_one(storage: str, pattern: Pattern) -> None:
    made = dense(inputs(data=Draft((8, 8), None, None, storage, 0.25)), "float32")  # type: ignore[arg-type]
    assert made == inputs(data=tensor(8, 8, content=Patterned(Uniform(), pattern, kept=0.25)))
    assert dense(inputs(data=Draft((8, 8), storage="csr")), "float32") == inputs(data=tensor(8, 8))
