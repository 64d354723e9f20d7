"""Composites: their names and cases; every way to run them computes the same, as plain NumPy does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autoperf.backends.mxnet.capi.library import Library
from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.core.operator import Operator, Role
from autoperf.rules.composites.composite import GraphBuilder, GraphValue, composite
from autoperf.rules.rule import DRAWN, Draft, Inputs, InputSpec, in_each_mode
from tests.rules.composites import detection_references, layer_references, training_references
from tests.rules.composites.composite_runs import composites, computed, contents, small_cases

MIN_COMPOSITES = 60
REFERENCES = {**detection_references.REFERENCES, **training_references.REFERENCES, **layer_references.REFERENCES}
WAYS = ("imperative", "hybridized", "static")


@pytest.mark.parametrize("name", composites())
def test_every_way_computes_the_same(release: Release, library: Library, name: str) -> None:
    cases = small_cases(release, name)
    arrays = contents(cases["imperative"])
    eager = computed(library, cases["imperative"], arrays)
    assert all(np.isfinite(values).all() for values in (*eager.outputs, *eager.gradients.values()))
    assert bool(eager.gradients) == cases["imperative"].training
    for way in ("hybridized", "static"):
        compiled = computed(library, cases[way], arrays)
        for mine, theirs in zip(eager.outputs, compiled.outputs, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)
        for input_name, gradient in eager.gradients.items():
            np.testing.assert_allclose(gradient, compiled.gradients[input_name], rtol=1e-4, atol=1e-5)


def test_there_are_many() -> None:
    assert len(composites()) >= MIN_COMPOSITES


def test_each_has_cases_of_growing_sizes_and_draws_others(release: Release) -> None:
    for operator in release.registry.composites:
        sizes = list(composites()[operator.name].canonical(InputSpec(operator)))
        built = build(operator, composites()[operator.name], Recipe(seed=3, draws=1), release.client)
        assert not built.rejections
        profiles = [f"{size}:{way}" for size in (*sizes, DRAWN) for way in WAYS]
        assert [case.profile for case in built.cases] == profiles[: len(built.cases)]
        small, common, large = (
            case.input_bytes + case.output_bytes for case in built.cases[: 3 * len(WAYS) : len(WAYS)]
        )
        assert small < common < large, operator.name
        assert built.missing_draws == 1 - (len(built.cases) - len(WAYS) * len(sizes)) / len(WAYS)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_each_takes_other_floating_dtypes(release: Release, dtype: str) -> None:
    recipe = Recipe(draws=0, profiles=frozenset({"small"}), dtypes=(dtype,))
    built = [build(each, composites()[each.name], recipe, release.client) for each in release.registry.composites]
    assert not [rejection for one in built for rejection in one.rejections]


@pytest.mark.nightly
def test_the_next_release_takes_them(next_release: Release) -> None:
    for operator in next_release.registry.composites:
        built = build(operator, composites()[operator.name], Recipe(draws=0), next_release.client)
        assert not built.rejections


@pytest.mark.parametrize("file", ["names-1.6.0.txt", "names-2.0.0b1.txt"])
def test_no_operator_has_the_name_of_one(release: Release, file: str) -> None:
    others = set((Path(__file__).parents[2] / "data" / file).read_text().split())
    registered = {name for operator in release.registry.operators for name in operator.names}
    assert not composites().keys() & (others | registered)


def selected(release: Release, **selection: tuple[str, ...]) -> list[str]:
    return [target.operator.name for target in targets(release.registry, release.catalog, Selection(**selection))]


def test_their_category_selects_all_of_them_and_nothing_else_does(release: Release) -> None:
    assert sorted(selected(release, categories=("composite",))) == sorted(composites())
    assert not composites().keys() & set(selected(release))
    assert not composites().keys() & set(selected(release, operators=("*",)))


def test_names_and_globs_select_them(release: Release) -> None:
    assert selected(release, operators=("giou_loss",)) == ["giou_loss"]
    assert {"adam_step", "lamb_step"} <= set(selected(release, operators=("*_step",)))
    with pytest.raises(UnknownNameError, match="did you mean giou_loss"):
        selected(release, operators=("giuo_loss",))


def test_an_input_that_no_output_needs_is_refused() -> None:
    g = GraphBuilder("mine")
    used, _ = g.tensor("used", 2), g.tensor("idle", 2)
    with pytest.raises(RuleError, match="mine: invalid input 'idle': expected an input that an output needs"):
        g.inputs([used.exp()], differentiable=True)


def test_an_input_that_is_given_twice_is_refused() -> None:
    g = GraphBuilder("mine")
    g.tensor("data", 2)
    with pytest.raises(RuleError, match="mine: invalid input 'data': expected a name that no other input has"):
        g.tensor("data", 3)


def test_inputs_are_in_the_order_of_mxnet() -> None:
    g = GraphBuilder("mine")
    first, second = g.tensor("first", 2), g.tensor("second", 3, 2)
    call = g.inputs([second + first], differentiable=True)
    assert list(call.tensors) == ["second", "first"] == list(call.graphs["graph"].inputs)


def test_a_graph_without_an_input_is_refused() -> None:
    g = GraphBuilder("mine")
    with pytest.raises(RuleError, match=r"mine: invalid graph: expected an input, made by tensor\(\.\.\.\)"):
        g.inputs([g.arange(3)], differentiable=True)


def test_an_operator_alone_runs_in_one_way() -> None:
    call = Inputs({"data": Draft((2,))})
    assert in_each_mode("small", call) == {"small": call}


def test_an_inference_failure_rejects_every_way_of_a_size_and_a_draw_once(release: Release) -> None:
    @composite({"small": (2,), "common": (3,)})
    def mismatched(g: GraphBuilder, size: int) -> GraphValue:
        return g.tensor("x", size) + g.tensor("y", size + 2)

    operator = Operator("mismatched", Role.FORWARD, "composite")
    built = build(operator, mismatched, Recipe(draws=1, profiles=frozenset({"small", DRAWN})), release.client)
    profiles = [rejection.profile for rejection in built.rejections]
    assert profiles[:3] == [f"small:{way}" for way in WAYS]
    assert set(profiles[3:]) == {DRAWN}


@pytest.mark.parametrize("name", REFERENCES)
def test_outputs_are_those_of_numpy(release: Release, library: Library, name: str) -> None:
    case = small_cases(release, name)["imperative"]
    arrays = contents(case)
    expected = REFERENCES[name]({key: values.astype("float64") for key, values in arrays.items()})
    outputs = computed(library, case, arrays).outputs
    for mine, theirs in zip(outputs, expected if isinstance(expected, list) else [expected], strict=True):
        np.testing.assert_allclose(mine.reshape(np.shape(theirs) or (1,)), theirs, rtol=2e-4, atol=2e-5)


def test_most_composites_have_a_reference() -> None:
    assert len(REFERENCES) > len(composites()) / 2
