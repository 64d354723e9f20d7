"""Front-end benchmarks: their names, their inputs, and how they are selected."""

from __future__ import annotations

from math import prod
from types import SimpleNamespace

import pytest

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.rules.front_end_benchmarks import front_end_benchmarks_by_name, of_release
from tests.scripts import load_script

SMALL = 1000


def selected(release: Release, **selection: tuple[str, ...]) -> list[str]:
    return [target.operator.name for target in targets(release.registry, release.catalog, Selection(**selection))]


def test_their_category_selects_all_of_them(release: Release) -> None:
    assert sorted(selected(release, categories=("front_end",))) == sorted(front_end_benchmarks_by_name())


def test_without_a_selection_only_operators_are_selected(release: Release) -> None:
    everything = selected(release)
    assert len(everything) == len(release.registry.forward)
    assert not front_end_benchmarks_by_name().keys() & set(everything)


def test_a_name_and_a_glob_select_them(release: Release) -> None:
    assert selected(release, operators=("NDArray_copyto",)) == ["NDArray_copyto"]
    steps = selected(release, operators=("optimizer_S*",))
    assert {"optimizer_SGD", "optimizer_Signum"} <= set(steps)


def test_a_glob_that_operators_match_selects_operators_alone(release: Release) -> None:
    names = selected(release, operators=("*",))
    assert not front_end_benchmarks_by_name().keys() & set(names)


def test_they_are_in_no_namespace_of_operators(release: Release) -> None:
    with pytest.raises(UsageError, match="no operator is named NDArray_copyto and in namespace nd"):
        selected(release, operators=("NDArray_copyto",), namespaces=("nd",))


def test_a_misspelt_name_is_told_with_the_nearest(release: Release) -> None:
    with pytest.raises(UnknownNameError, match="did you mean NDArray_copyto"):
        selected(release, operators=("NDArray_copy_to",))


@pytest.mark.parametrize("name", front_end_benchmarks_by_name())
def test_each_has_canonical_and_drawn_cases_within_the_limit(release: Release, name: str) -> None:
    entry = front_end_benchmarks_by_name()[name]
    recipe = Recipe(seed=3, draws=2, elements=SMALL)
    built = build(entry.operator, entry.rule(), recipe, release.client)
    assert [case.profile for case in built.cases][: len(entry.shapes)] == list(entry.shapes)
    assert not built.rejections
    assert {case.way for case in built.cases} == {"front_end"}
    smallest = min(sum(prod(item.tensor.shape) for item in case.inputs) for case in built.cases)
    for case in built.cases:
        if case.profile == "drawn":
            assert all(prod(item.tensor.shape) <= max(SMALL, smallest) for item in case.inputs)


def test_from_2_0_on_arrays_are_those_of_numpy() -> None:
    array = SimpleNamespace(as_np_ndarray=lambda: "of mx.np")
    assert of_release(SimpleNamespace(__version__="1.9.1"), array) is array
    assert of_release(SimpleNamespace(__version__="2.0.0"), array) == "of mx.np"


def test_the_page_lists_them_and_every_operation_of_the_proposal() -> None:
    assert load_script("tools", "front_end.py").main(["--check"]) == 0
