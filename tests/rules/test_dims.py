"""Dimensions that must be equal, where MXNet doesn't check it."""

from __future__ import annotations

import pytest

from autoperf.cases.build import Recipe, build
from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import OwnInputs, handwritten_cases
from autoperf.core.case import Case
from autoperf.core.errors import EngineError, RuleError
from autoperf.pipeline.release import Release
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule, rule
from tests.hunt.hunt_values import factory_of, point
from tests.values import case, inputs, tensor


def _nothing(_draw: object, _spec: InputSpec) -> Inputs:
    return Inputs({})


def of(dims: object) -> Rule:
    decorate = rule("Correlation", category="image", canonical={}, dims=dims)  # type: ignore[arg-type]
    return decorate(_nothing)


def call(*shapes: tuple[int, ...]) -> Case:
    named = {name: tensor(*shape) for name, shape in zip("abc", shapes, strict=False)}
    return case("Correlation", inputs=inputs(**named))


@pytest.mark.parametrize(
    ("dims", "shapes", "misfit"),
    [
        ({"a": "nc", "b": "nc"}, [(2, 3), (2, 3)], ""),
        ({"a": "nc", "b": "nc"}, [(2, 3), (2, 4)], "c of b (nc) is 4, and in a it is 3"),
        ({"a": "nn"}, [(2, 3)], "n of a (nn) is 3, and in a it is 2"),
        ({"a": "n_", "c": "_n"}, [(2, 3), (9,), (5, 2)], ""),
        ({"a": "n__", "b": "_n"}, [(2, 3, 4), (5, 6)], "n of b (_n) is 6, and in a it is 2"),
        ({"a": "nc", "b": "nc"}, [(2, 3), (7,)], ""),
        ({"b": "n"}, [(2, 3)], ""),
        ({}, [(2, 3), (4, 5)], ""),
    ],
)
def test_dimensions_of_a_letter_are_equal(dims: dict[str, str], shapes: list[tuple[int, ...]], misfit: str) -> None:
    assert of(dims).misfit(call(*shapes)) == misfit


@pytest.mark.parametrize("dims", [["a"], {"a": 3}, {"a": ""}, {"a": "n1"}, {"a": "___ "}])
def test_dims_are_letters(dims: object) -> None:
    with pytest.raises(RuleError, match="invalid dims"):
        of(dims)


def test_names_and_ranks_of_dims_are_those_of_the_operators_tensors(either: Release) -> None:
    checked = 0
    for operator in either.registry.forward:
        found = either.catalog.find(operator)
        if not isinstance(found, Rule) or not found.dims:
            continue
        for made in build(operator, found, Recipe(draws=4, seed=2), either.client).cases:
            ranks = {item.name: len(item.tensor.shape) for item in made.inputs}
            assert any(ranks.get(name) == len(letters) for name, letters in found.dims.items()), made.id
            checked += 1
    assert checked


def test_a_hunt_takes_no_step_to_tensors_that_do_not_fit(release: Release) -> None:
    taken = point(release, "Correlation", Inputs({"data1": Draft((1, 3, 8, 8)), "data2": Draft((1, 3, 8, 8))}, {}))
    one = Inputs({**taken.call.tensors, "data2": Draft((1, 4, 8, 8))}, {})
    assert factory_of(release, "Correlation").make([(one, "float32")]) == [None]


def test_own_inputs_that_do_not_fit_are_refused_in_words(release: Release) -> None:
    operator = next(one for one in release.registry.forward if one.name == "Correlation")
    found = release.catalog.find(operator)
    assert isinstance(found, Rule)
    (written,) = handwritten_cases("Correlation", OwnInputs(("data1=1x3x8x8", "data2=1x4x8x8")))
    with pytest.raises(EngineError) as caught:
        deduced(written, Subject(operator, found, release.client))
    assert str(caught.value) == (
        "Correlation: c of data2 (nchw) is 4, and in data1 it is 3; "
        "MXNet doesn't check it, and may crash or corrupt memory"
    )


def test_canonical_inputs_that_do_not_fit_are_rejected_in_words(release: Release) -> None:
    operator = next(one for one in release.registry.forward if one.name == "Correlation")
    unfit = Inputs({"data1": Draft((1, 3, 8, 8)), "data2": Draft((2, 3, 8, 8))}, {})
    own = rule("Correlation", category="image", canonical={"small": unfit}, dims={"data1": "nchw", "data2": "nchw"})
    built = build(operator, own(_nothing), Recipe(draws=0), release.client)
    assert not built.cases
    assert [each.reason for each in built.rejections] == [
        "n of data2 (nchw) is 2, and in data1 it is 1; MXNet doesn't check it, and may crash or corrupt memory"
    ]
