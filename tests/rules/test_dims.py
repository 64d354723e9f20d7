"""Dimensions that must be equal, where MXNet doesn't check it."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.cases.build import Recipe, build
from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import OwnInputs, handwritten_cases
from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.errors import EngineError, RuleError
from autoperf.core.tensors import ArrayType
from autoperf.rules.rule import EQUAL, OUTPUT, Draft, Inputs, InputSpec, Rule, rule
from tests.hunt.hunt_values import factory_of, point
from tests.values import case, inputs, tensor

LISTED = {"stack": ["data[0]", "data[1]", "data[2]"], "_contrib_PSROIPooling": ["data", "rois"]}
UNCHECKED = "MXNet's inference doesn't check it, and kernels may crash, corrupt memory or compute nonsense"


def _nothing(_draw: object, _spec: InputSpec) -> Inputs:
    return Inputs({})


def of(dims: object) -> Rule:
    decorate = rule("Correlation", category="image", canonical={}, dims=dims)  # type: ignore[arg-type]
    return decorate(_nothing)


def call(*shapes: tuple[int, ...]) -> Case:
    named = {name: tensor(*shape) for name, shape in zip("abc", shapes, strict=False)}
    return case("Correlation", inputs=inputs(**named), params={"heads": 4, "zero": 0})


@pytest.mark.parametrize(
    ("dims", "shapes", "misfit"),
    [
        ({"a": "n c", "b": "n c"}, [(2, 3), (2, 3)], ""),
        ({"a": "n c", "b": "n c"}, [(2, 3), (2, 4)], "c of b (n c) is 4, and in a it is 3"),
        ({"a": "n n"}, [(2, 3)], "n of a (n n) is 3, and in a it is 2"),
        ({"a": "n _", "c": "_ n"}, [(2, 3), (9,), (5, 2)], ""),
        ({"a": "n _ _", "b": "_ n"}, [(2, 3, 4), (5, 6)], "n of b (_ n) is 6, and in a it is 2"),
        ({"a": "n c", "b": "n c"}, [(2, 3), (7,)], "b has the shape (7,), expected (n c)"),
        ({"a": "heads*n", "b": "n"}, [(12,), (3,)], ""),
        ({"a": "heads*n", "b": "n"}, [(12,), (4,)], "n of b (n) is 4, and in a it is 3"),
        ({"a": "3*heads*n"}, [(18,)], "a (3*heads*n) has a dimension of 18, expected a multiple of 12"),
        ({"a": "missing*n", "b": "n"}, [(12,), (5,)], ""),
        ({"a": "5"}, [(4,)], "a (5) has a dimension of 4, expected 5"),
        ({"a": "zero|heads _"}, [(4, 9)], ""),
        ({"a": "zero|heads _"}, [(5, 9)], "a (zero|heads _) has a dimension of 5, expected 4"),
        ({"a": "...", "b": "..."}, [(2, 3), (2, 3)], ""),
        ({"a": "...", "b": "..."}, [(2, 3), (3, 2)], "b has the shape (3, 2), and a (2, 3)"),
        ({"a": "...", "b": "..."}, [(2, 3), (7,)], "b has the shape (7,), and a (2, 3)"),
        ({"a": "2*heads+ _"}, [(8, 1)], ""),
        ({"a": "2*heads+ _"}, [(7, 1)], "a (2*heads+ _) has a dimension of 7, expected 8 or more"),
        ({"a": "2*_"}, [(3,)], "a (2*_) has a dimension of 3, expected a multiple of 2"),
        ({"a": "9" * 5000}, [(3,)], ""),
        ({"a": "... heads+ _"}, [(4, 9)], ""),
        ({"a": "... heads+ _"}, [(1, 1, 4, 9)], ""),
        ({"a": "... heads+ _"}, [(8, 3, 9)], "a (... heads+ _) has a dimension of 3, expected 4 or more"),
        ({"a": "... heads+ _"}, [(9,)], "a has the shape (9,), expected (... heads+ _)"),
        ({"b": "n"}, [(2, 3)], ""),
        ({}, [(2, 3), (4, 5)], ""),
    ],
)
def test_dimensions_of_a_letter_are_equal(dims: dict[str, str], shapes: list[tuple[int, ...]], misfit: str) -> None:
    assert of(dims).misfit(call(*shapes)) == misfit


def test_the_tensors_of_a_list_have_the_dimensions_of_its_name() -> None:
    shapes = {"data[0]": tensor(2, 3), "data[1]": tensor(2, 4)}
    stacked = case("stack", inputs=inputs(**shapes))
    assert of({"data": "..."}).misfit(stacked) == "data[1] has the shape (2, 4), and data[0] (2, 3)"


@pytest.mark.parametrize("shape", [(5,), (20,), (-1, 5), (4, 3, 1)])
def test_a_reshaped_tensor_has_as_many_elements(release: Release, shape: tuple[int, ...]) -> None:
    """Inference makes 5 or 10 of 12, and the kernel of 2.0.0b1 copies 12."""
    factory = factory_of(release, "Reshape")
    made = factory.make([(Inputs({"data": Draft((4, 3))}, {"shape": shape}), "float32")])
    assert (made == [None]) is (shape != (4, 3, 1))
    whole = point(release, "Reshape", Inputs({"data": Draft((4, 3))}, {"shape": (12,)})).case
    unequal = msgspec.structs.replace(whole, outputs=(ArrayType((5,), "float32"),))
    assert factory.rule.misfit(whole) == factory.rule.misfit(msgspec.structs.replace(whole, outputs=())) == ""
    assert factory.rule.misfit(unequal) == "data (4, 3) has 12 elements, and the output (5,) 5"


@pytest.mark.parametrize("dims", [["a"], {"a": 3}, {3: "n"}])
def test_dims_are_texts(dims: object) -> None:
    with pytest.raises(RuleError, match="invalid dims"):
        of(dims)


@pytest.mark.parametrize("text", ["", "n*c", "n -", "3.5", "heads*", "a|", "heads * n", "n+", "_+", "= data"])
def test_dimensions_are_letters_parameters_and_numbers(text: str) -> None:
    with pytest.raises(RuleError, match=r"invalid dimension .* of a: expected letters"):
        of({"a": text})


def test_dims_are_of_the_operators_tensors(either: Release) -> None:
    names: dict[str, set[str]] = {}
    dims: dict[str, set[str]] = {}
    for operator in either.registry.forward:
        found = either.catalog.find(operator)
        if isinstance(found, Rule) and found.dims:
            measured = {text.removeprefix(EQUAL) for name, text in found.dims.items() if name == OUTPUT}
            dims[found.source] = (set(found.dims) - {OUTPUT}) | measured
            for made in build(operator, found, Recipe(draws=8, seed=2), either.client).cases:
                names.setdefault(found.source, set()).update(item.name.partition("[")[0] for item in made.inputs)
    assert len(dims) >= 10
    assert {source: listed - names[source] for source, listed in dims.items() if listed - names[source]} == {}


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
    assert str(caught.value) == (f"Correlation: c of data2 (n c h w) is 4, and in data1 it is 3; {UNCHECKED}")


def test_canonical_inputs_that_do_not_fit_are_rejected_in_words(release: Release) -> None:
    operator = next(one for one in release.registry.forward if one.name == "Correlation")
    unfit = Inputs({"data1": Draft((1, 3, 8, 8)), "data2": Draft((2, 3, 8, 8))}, {})
    own = rule(
        "Correlation", category="image", canonical={"small": unfit}, dims={"data1": "n c h w", "data2": "n c h w"}
    )
    built = build(operator, own(_nothing), Recipe(draws=0), release.client)
    assert not built.cases
    assert [each.reason for each in built.rejections] == [
        f"n of data2 (n c h w) is 2, and in data1 it is 1; {UNCHECKED}"
    ]


@pytest.mark.parametrize(
    ("operator", "shapes", "params", "fits"),
    [
        ("_mp_adamw_update", [(64, 3)] * 5 + [(1,)], {}, True),
        ("_mp_adamw_update", [(7,)] * 5 + [(1,)], {}, True),
        ("_mp_adamw_update", [(64, 3)] * 4 + [(3,), (1,)], {}, False),
        ("stack", [(2, 3), (2, 3), (2, 3)], {}, True),
        ("stack", [(2, 3), (7,)], {}, False),
        ("batch_take", [(4, 5), (4, 1)], {}, True),
        ("batch_take", [(4, 5, 1), (4, 5)], {}, False),
        ("_contrib_PSROIPooling", [(1, 98, 9, 9), (4, 5)], {"output_dim": 2, "group_size": 7}, True),
        ("_contrib_PSROIPooling", [(1, 100, 9, 9), (4, 5)], {"output_dim": 2, "pooled_size": 7}, True),
        ("_contrib_PSROIPooling", [(1, 97, 9, 9), (4, 5)], {"output_dim": 2, "pooled_size": 7}, False),
        ("_sparse_adagrad_update", [(4, 5), (4, 5), (4, 5)], {}, True),
        ("_sparse_adagrad_update", [(9,), (9,), (9,)], {}, True),
        ("where", [(4,), (4, 5), (4, 5)], {}, True),
        ("_sparse_retain", [(4, 5), (4,)], {}, True),
        ("_sparse_retain", [(4, 5), (5,)], {}, False),
    ],
)
def test_what_fits_in_mxnet_is_accepted(
    release: Release, operator: str, shapes: list[tuple[int, ...]], params: dict[str, int], fits: bool
) -> None:
    found = next(one for one in release.registry.forward if operator in one.names)
    known = release.catalog.find(found)
    assert isinstance(known, Rule)
    names = LISTED.get(operator) or [one.name for one in found.tensors]
    tensors = {name: tensor(*shape) for name, shape in zip(names, shapes, strict=False)}
    assert (known.misfit(case(operator, inputs=inputs(**tensors), params=params)) == "") is fits
