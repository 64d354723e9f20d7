"""Comparison of arrays: what rounding explains, and what it doesn't."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest

from autoperf.core.outcome import ResultDifference, ResultPrint
from autoperf.equality.comparison import (
    BLOCK,
    COVERED_TERMS,
    HowCompared,
    Operand,
    compare_results,
    difference,
    magnitude,
    sources_of,
    terms,
    tolerance,
)
from autoperf.equality.fingerprint import print_of, prints_difference

Array = np.ndarray[Any, Any]
SHAPE = (48, 50)
RANDOM = HowCompared(random=True)


def numbers(dtype: str = "float32", shape: tuple[int, ...] = SHAPE) -> Array:
    drawn = np.random.default_rng(1).uniform(-1, 1, shape)
    return (drawn * 100).astype(dtype) if "int" in dtype else drawn.astype(dtype)


def with_value(place: tuple[int, ...], value: float) -> Callable[[Array], Array]:
    def changed(array: Array) -> Array:
        copy = array.copy()
        copy[place] = value
        return copy

    return changed


def zero_from(row: int) -> Callable[[Array], Array]:
    return lambda array: np.where(np.arange(array.shape[0])[:, None] >= row, np.zeros_like(array), array)


WRONG: dict[str, tuple[Callable[[Array], Array], str, tuple[int, ...] | None]] = {
    "last element": (with_value((47, 49), 7.0), "value", (47, 49)),
    "last row": (zero_from(47), "value", None),
    "NaN": (with_value((3, 4), math.nan), "value", (3, 4)),
    "infinity": (with_value((3, 4), math.inf), "value", (3, 4)),
    "half the precision": (lambda array: array.astype("float16").astype("float32"), "value", None),
    "constant": (np.ones_like, "value", None),
    "shape": (lambda array: array[:-1], "shape", ()),
    "dtype": (lambda array: array.astype("float64"), "dtype", ()),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_result_is_found_at_its_place(kind: str) -> None:
    change, compared, place = WRONG[kind]
    found = difference("output", numbers(), change(numbers()), HowCompared())
    assert found
    assert found.compared == compared
    assert place is None or found.place == place


@pytest.mark.parametrize("kind", sorted(set(WRONG) - {"half the precision"}))
def test_a_fingerprint_finds_it_too(kind: str) -> None:
    right, wrong = numbers(), WRONG[kind][0](numbers())
    assert prints_difference([printed(right)], [printed(wrong)])


def printed(array: Array, name: str = "output", **options: Any) -> Any:
    return print_of(name, array, array.dtype.name, sources_of([array]), **options)


@pytest.mark.parametrize(("dtype", "error"), [("float64", 1e-9), ("float32", 1e-6), ("float16", 4e-4)])
def test_rounding_is_no_difference(dtype: str, error: float) -> None:
    right = numbers(dtype)
    rounded = (right * (1 + error * np.random.default_rng(2).uniform(-1, 1, SHAPE))).astype(dtype)
    assert difference("output", right, rounded, HowCompared(sources_of([right]))) is None
    assert prints_difference([printed(right)], [printed(rounded)]) is None


def test_the_largest_error_is_told_with_the_number_of_wrong_elements() -> None:
    wrong = with_value((1, 1), 9.0)(with_value((0, 0), 5.0)(np.zeros((2, 2), "float32")))
    assert difference("gradient of data", np.zeros((2, 2), "float32"), wrong, HowCompared()) == ResultDifference(
        "gradient of data", "value", "0.0", "9.0", (1, 1), 9.0, 2, 4
    )


def test_whole_numbers_beyond_those_of_float64_are_told_apart() -> None:
    right = np.array([2**60], "int64")
    found = difference("output", right, right + 1, HowCompared())
    assert found
    assert (found.base, found.new) == (str(2**60), str(2**60 + 1))


def test_a_difference_in_a_later_block_is_found() -> None:
    right = np.zeros(BLOCK + 10, "float32")
    found = difference("output", right, with_value((BLOCK + 3,), 1.0)(right), HowCompared())
    assert found
    assert found.place == (BLOCK + 3,)


def test_a_nan_at_another_place_is_a_difference() -> None:
    right, wrong = (with_value((place, 0), math.nan)(numbers()) for place in (1, 2))
    assert difference("output", right, right.copy(), HowCompared()) is None
    assert difference("output", right, wrong, HowCompared())


def test_an_undefined_result_has_a_shape_alone() -> None:
    how = HowCompared(undefined=True)
    assert difference("output", numbers(), -numbers(), how) is None
    assert difference("output", numbers(), numbers()[1:], how)


def test_terms_follow_from_sizes() -> None:
    product = [Operand(64 * 4096, 1.0), Operand(4096 * 16, 1.0)]
    assert terms(64 * 16, product) == 4096
    assert terms(10, [Operand(1000, 1.0)]) == 100
    assert terms(1000, [Operand(1000, 1.0), Operand(10, 1.0)]) == pytest.approx(math.sqrt(10))
    assert terms(0, product) == terms(10, []) == 1


def test_the_tolerance_grows_with_the_root_of_the_terms() -> None:
    few, many = (tolerance("float32", 10, [Operand(10 * factor * COVERED_TERMS, 1.0)]) for factor in (1, 16))
    assert many.scaled == 4 * few.scaled
    assert many.relative == few.relative


def test_the_magnitude_is_of_finite_numbers() -> None:
    assert magnitude(np.array([-3.0, math.inf, math.nan, 2.0])) == 3
    assert magnitude(np.array([math.nan])) == magnitude(np.array([])) == 0
    assert magnitude(np.array([-128, 5], "int8")) == 128


def test_random_numbers_are_compared_by_moments() -> None:
    draws = [np.random.default_rng(seed).standard_normal(SHAPE).astype("float32") for seed in range(2)]
    first, second = (printed(draw, random=True) for draw in draws)
    assert prints_difference([first], [second]) is None
    for wrong in (draws[1] + 1, draws[1] * 2, draws[1] * np.nan):
        assert prints_difference([first], [printed(wrong.astype("float32"), random=True)])


@pytest.mark.parametrize("sign", [1, -1])
def test_random_numbers_may_stand_far_out_on_either_side(sign: int) -> None:
    draws = [sign * np.random.default_rng(seed).pareto(2.5, 4096).astype("float32") for seed in range(20)]
    first, *others = (printed(draw, random=True) for draw in draws)
    assert [prints_difference([first], [other]) for other in others] == [None] * len(others)


@pytest.mark.parametrize(("mean", "spread"), [(1000.0, 0.1), (1e4, 1.0)])
def test_a_mean_far_beyond_its_standard_error_is_compared_by_it(mean: float, spread: float) -> None:
    random = np.random.default_rng(5)
    first, second = (random.normal(mean, spread, 100_000).astype("float32") for _ in range(2))
    prints = [printed(each, random=True) for each in (first, second, second + np.float32(spread / 20))]
    assert prints_difference(prints[:1], prints[1:2]) is None
    assert prints_difference(prints[:1], prints[2:])


@pytest.mark.parametrize("random", [False, True])
@pytest.mark.parametrize("largest", [1e155, 1.7e308])
def test_a_fingerprint_of_large_numbers_can_be_read_again(largest: float, *, random: bool) -> None:
    """As a determinant has, whose squares or sums overflow."""
    made = printed(np.full(SHAPE, largest), random=random)
    read = msgspec.json.decode(msgspec.json.encode(made), type=ResultPrint)
    assert read == made
    assert made.rms == pytest.approx(largest)
    assert prints_difference([made], [read]) is None


def test_random_numbers_may_be_infinite_by_chance() -> None:
    """Of 400 million logistic numbers of MXNet 1.9.1, 11 are infinite, where it draws a 1."""
    random = np.random.default_rng(4)
    plain, rare, often, unknown = (random.logistic(size=20_000) for _ in range(4))
    rare[:3], often[:100], unknown[0] = math.inf, math.inf, math.nan
    for one, other, differs in ((plain, rare, False), (plain, often, True), (plain, unknown, True)):
        for pair in ((one, other), (other, one)):
            found = compare_results([pair[0]], [pair[1]], RANDOM)
            prints = [[printed(side, random=True)] for side in pair]
            for each in (found, prints_difference(*prints)):
                assert bool(each) is differs
                assert each is None or each.compared == "numbers of NaN, infinity and -infinity"
    assert compare_results([np.full(50, math.inf)], [plain[:50]], RANDOM)
    assert compare_results([np.full(50, math.inf)], [np.full(50, math.inf)], RANDOM) is None


def test_another_distribution_with_the_same_moments_is_a_difference() -> None:
    random = np.random.default_rng(3)
    normal, other = (random.standard_normal(20_000) for _ in range(2))
    uniform, lattice = random.uniform(-math.sqrt(3), math.sqrt(3), 20_000), random.choice([-1.0, 1.0], 20_000)
    assert compare_results([normal], [other], RANDOM) is None
    assert compare_results([lattice], [random.choice([-1.0, 1.0], 20_000)], RANDOM) is None
    for wrong in (uniform, lattice):
        found = compare_results([normal], [wrong], RANDOM)
        assert found
        assert found.words.startswith("output: distribution ")


def test_a_result_that_one_side_lacks_is_a_difference() -> None:
    output, gradient = printed(numbers()), printed(numbers(), "gradient of data")
    lost = prints_difference([output, gradient], [output])
    assert lost
    assert (lost.result, lost.compared, lost.new) == ("gradient of data", "presence", "none")
    assert prints_difference([output], [output, gradient])
    # A layer's parameter may have another layout in another release.
    assert prints_difference([output, gradient], [output], inputs=["data"])
    assert prints_difference([output, gradient], [output], inputs=["x"]) is None
    wrong = printed(numbers() + 1, "gradient of data")
    assert prints_difference([output, gradient], [output, wrong], inputs=["x"])


def test_a_gradient_of_zeros_may_be_left_out() -> None:
    zero, other = (print_of("gradient of x", array, "float32", ()) for array in (np.zeros(4, "f"), np.ones(4, "f")))
    assert prints_difference([zero], []) is prints_difference([], [zero]) is None
    assert prints_difference([other], [])
    output = print_of("output", np.zeros(4, "f"), "float32", ())
    assert prints_difference([output], [])


def test_an_operator_that_amplifies_rounding_has_a_larger_tolerance() -> None:
    right, rounded = np.ones(4, "float32"), np.full(4, 1.0001, "float32")
    assert difference("output", right, rounded, HowCompared())
    assert difference("output", right, rounded, HowCompared(rounding=100)) is None


@pytest.mark.parametrize("base", [10**9 + 1, 2**53, 2**62, -(2**62)])
@pytest.mark.parametrize("place", [0, 500])
def test_fingerprints_of_whole_numbers_are_exact(base: int, place: int) -> None:
    """At a place that a fingerprint holds, and by the largest number at one that it doesn't hold."""
    expected = np.full(1000, base)
    actual = expected.copy()
    actual[place] += 1
    prints = [
        msgspec.json.decode(msgspec.json.encode(print_of("output", each, "int64", ())), type=ResultPrint)
        for each in (expected, actual)
    ]
    found = prints_difference(prints[:1], prints[1:])
    assert found
    assert (found.base, found.new, found.error) == (str(base), str(base + 1), 1.0)
    assert prints_difference(prints[:1], prints[:1]) is None


def test_a_whole_number_equals_the_rounded_one_of_an_earlier_version() -> None:
    new = print_of("output", np.array([1_234_567_891]), "int64", ())
    old = msgspec.structs.replace(new, least=1.23456789e9, largest=1.23456789e9, values=(1.23456789e9,))
    assert prints_difference([old], [new]) is None
    assert prints_difference([new], [old]) is None
