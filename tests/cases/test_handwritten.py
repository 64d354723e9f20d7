"""Cases of a command line: shapes by position, parameters combined, values of the parameters' types."""

from __future__ import annotations

import pytest

from autoperf.cases.handwritten import HandwrittenCase, OwnInputs, handwritten_cases, typed
from autoperf.cases.release import Release
from autoperf.core.errors import UsageError
from autoperf.rules.rule import Draft


def written(*inputs: str, params: tuple[str, ...] = ()) -> list[HandwrittenCase]:
    return handwritten_cases("any", OwnInputs(inputs, params), ("float16", "float32"))


def test_several_shapes_are_several_cases() -> None:
    one, two = written("data=128x30522,(8, 12, 512, 512)")
    assert (one.inputs, two.inputs) == ({"data": Draft((128, 30522))}, {"data": Draft((8, 12, 512, 512))})
    assert one.dtypes == ("float16", "float32")


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (
            "data=128,30522",
            [
                "note: --input data=128,30522 is 2 cases of one dimension each; one case of 2 dimensions is written "
                "data=128x30522"
            ],
        ),
        ("data=128x30522,64x8", []),
        ("data=128", []),
        ("data=128,(2, 3)", []),
        ("data=[2,3]", []),
    ],
)
def test_plain_numbers_with_commas_are_told_as_several_cases(text: str, notes: list[str]) -> None:
    assert list(OwnInputs((text,)).notes()) == notes


def test_a_repeated_name_adds_to_its_list() -> None:
    assert written("data=2", "data=3") == written("data=2,3")


def test_shapes_of_several_tensors_are_matched_by_position_and_one_serves_all() -> None:
    shapes = [
        {name: tensor.shape for name, tensor in item.inputs.items() if isinstance(tensor, Draft)}
        for item in written("lhs=2x3,4x5", "rhs=3x2,5x4", "bias=7")
    ]
    assert shapes == [{"lhs": (2, 3), "rhs": (3, 2), "bias": (7,)}, {"lhs": (4, 5), "rhs": (5, 4), "bias": (7,)}]


def test_values_of_parameters_are_combined() -> None:
    made = written("data=2", params=("axis=0,1", "kernel=(3,3),(5,5)"))
    assert [tuple(item.params.values()) for item in made] == [(0, (3, 3)), (0, (5, 5)), (1, (3, 3)), (1, (5, 5))]


def test_members_of_a_list_have_its_name() -> None:
    assert written("data[0]=2x3", "data[1]=2x4") == written("data=[2x3, 2x4]")


BROKEN = {
    "no name": (("2x3",), (), "invalid --input '2x3': expected NAME=VALUE, such as data=128x64"),
    "no value": (("data=",), (), "invalid --input 'data=': expected a value"),
    "a gap": (("data=2,,3",), (), "expected a value"),
    "no parameter": (("data=2",), ("axis",), "invalid --param 'axis': expected NAME=VALUE"),
    "other numbers of shapes": (("lhs=1,2", "rhs=1,2,3"), (), "there are 2 of lhs and 3 of rhs"),
    "a tuple as a list": (("data=2",), ("kernel=3,3",), "3 is given twice; .* kernel=(3,3)"),
    "a text with commas": (
        ("data=2",),
        ("subscripts=ij,jk->ik",),
        "one text is written in quotes: --param 'subscripts=",
    ),
    "a missing member": (("data[1]=2",), (), r"invalid input 'data\[1\]': expected data\[0\]"),
    "a tensor and a list": (("data=2", "data[0]=2"), (), r"invalid input 'data': its members are given too"),
    "a list after its members": (("data[0]=2", "data=2"), (), "invalid input 'data': its members are given too"),
    "too many": (("data=2",), (f"a={','.join(map(str, range(200)))}", f"b={','.join(map(str, range(200)))}"), "80,000"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_what_can_not_be_meant_is_refused(fault: str) -> None:
    inputs, params, words = BROKEN[fault]
    with pytest.raises(UsageError, match=words.replace("(3,3)", r"\(3,3\)")):
        written(*inputs, params=params)


def test_values_get_the_types_of_the_parameters(release: Release) -> None:
    operator = release.registry.find("Pooling")
    assert operator
    case = HandwrittenCase("Pooling", {}, {"kernel": "3x3", "global_pool": 1, "pool_type": "max", "p_value": 2})
    assert typed(case, operator).params == {"kernel": (3, 3), "global_pool": True, "pool_type": "max", "p_value": 2}
    softmax = release.registry.find("softmax")
    assert softmax
    value = typed(HandwrittenCase("softmax", {}, {"temperature": 2}), softmax).params["temperature"]
    assert (value, type(value)) == (2.0, float)


def test_texts_in_quotes_may_have_commas() -> None:
    cases = written("data=2", params=('subscripts="ij,jk->ik","ij,jk->ki"',))
    assert [case.params["subscripts"] for case in cases] == ["ij,jk->ik", "ij,jk->ki"]


def test_a_single_tensor_of_a_list_is_a_list_of_one(release: Release) -> None:
    concat = release.registry.find("Concat")
    assert concat
    assert typed(HandwrittenCase("Concat", {"data": Draft((2, 3))}), concat).inputs == {"data": (Draft((2, 3)),)}
