"""What a handwritten case leaves out is deduced: shapes by inference, dtypes, contents and modes by the rule."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from autoperf.backends.contents import materialise
from autoperf.cases.build import BuildResult, Recipe
from autoperf.cases.deduction import Subject, deduced, with_own_contents
from autoperf.cases.handwritten import OwnInputs, handwritten_cases
from autoperf.cases.release import Release
from autoperf.cases.render import built_cases
from autoperf.core.case import Case
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.tensors import AnyContent, Boxes, Constant, Distinct, Integers, Literal_, Matrices, Uniform
from autoperf.rules.rule import Rule, inputs, rule, tensor
from autoperf.rules.table import below


def made(
    release: Release, name: str, *inputs: str, params: tuple[str, ...] = (), dtypes: tuple[str, ...] = ()
) -> BuildResult:
    operator = release.registry.find(name)
    assert operator
    rule = release.catalog.find(operator)
    subject = Subject(operator, rule if isinstance(rule, Rule) else None, release.client)
    (written,) = handwritten_cases(name, OwnInputs(inputs, params), dtypes)
    return deduced(written, subject)


def case_of(release: Release, name: str, *inputs: str, params: tuple[str, ...] = ()) -> Case:
    (case,) = made(release, name, *inputs, params=params).cases
    return case


def test_weights_and_biases_are_inferred(release: Release) -> None:
    case = case_of(release, "Convolution", "data=1x3x32x32", params=("kernel=3x3", "num_filter=8"))
    assert {item.name: item.tensor.shape for item in case.inputs} == {
        "data": (1, 3, 32, 32),
        "weight": (8, 3, 3, 3),
        "bias": (8,),
    }
    assert (case.category, case.profile, case.outputs[0].shape) == ("convolution", "user", (1, 8, 30, 30))


def test_the_operators_order_is_kept(release: Release) -> None:
    case = case_of(release, "dot", "rhs=3x4", "lhs=2x3")
    assert [item.name for item in case.inputs] == ["lhs", "rhs"]


def test_indices_have_the_dtype_of_the_rule_and_the_range_of_these_sizes(release: Release) -> None:
    data = case_of(release, "Embedding", "data=64", params=("input_dim=5000", "output_dim=8")).inputs[0].tensor
    assert (data.dtype, data.content) == ("int32", Integers(0, 5000))
    indices = case_of(release, "take", "a=700x8", "indices=64").inputs[1].tensor
    assert (indices.dtype, indices.content) == ("int32", Integers(0, 700))
    columns = case_of(release, "take", "a=700x8", "indices=64", params=("axis=1",)).inputs[1].tensor
    assert columns.content == Integers(0, 8)


FOUR_LABELS = Boxes(lead=((0, 4),), tail=((0, 1),))
OWN_CALLS: dict[str, tuple[str, list[str], list[str], dict[str, AnyContent]]] = {
    "the default axis, written out": ("take", ["a=2000x16", "indices=100"], ["axis=0"], {"indices": Integers(0, 2000)}),
    "another axis": ("take", ["a=2000x16", "indices=100"], ["axis=-1"], {"indices": Integers(0, 16)}),
    "lengths along axis 0": (
        "SequenceMask",
        ["data=512x8x768", "sequence_length=8"],
        ["use_sequence_length=true"],
        {"sequence_length": Integers(1, 513)},
    ),
    "lengths along axis 1": (
        "SequenceMask",
        ["data=8x512x768", "sequence_length=8"],
        ["use_sequence_length=true", "axis=1"],
        {"sequence_length": Integers(1, 513)},
    ),
    "few steps": (
        "SequenceLast",
        ["data=6x4x2", "sequence_length=4"],
        ["use_sequence_length=true"],
        {"sequence_length": Integers(1, 7)},
    ),
    "reversed steps": (
        "SequenceReverse",
        ["data=6x4x2", "sequence_length=4"],
        ["use_sequence_length=true"],
        {"sequence_length": Integers(1, 7)},
    ),
    "regions of a scaled map": (
        "ROIPooling",
        ["data=2x64x50x38", "rois=300x5"],
        ["pooled_size=(7,7)", "spatial_scale=0.0625"],
        {"rois": Boxes(608.0, 800.0, ((0, 2),))},
    ),
    "regions of another scale": (
        "_contrib_ROIAlign",
        ["data=2x64x50x38", "rois=300x5"],
        ["pooled_size=(7,7)", "spatial_scale=0.5"],
        {"rois": Boxes(76.0, 100.0, ((0, 2),))},
    ),
    "boxes before their score and class": (
        "_contrib_box_nms",
        ["data=1x2000x6"],
        ["id_index=5", "score_index=4", "coord_start=0"],
        {"data": Boxes(tail=((0, 1), (0, 4)))},
    ),
    "boxes without a class": (
        "_contrib_box_nms",
        ["data=1x20x5"],
        ["score_index=0", "coord_start=1"],
        {"data": Boxes(lead=((0, 1),))},
    ),
    "boxes with more columns": (
        "_contrib_box_nms",
        ["data=1x20x8"],
        ["id_index=0"],
        {"data": Boxes(lead=((0, 4), (0, 1)), tail=((0, 1), (0, 1)))},
    ),
    "labels with more columns": (
        "_contrib_MultiBoxTarget",
        ["anchor=1x64x4", "label=2x3x6", "cls_pred=2x5x64"],
        [],
        {"label": FOUR_LABELS},
    ),
    "lengths of a softmax": ("softmax", ["data=3x5", "length=3"], ["use_length=true"], {"length": Integers(1, 6)}),
    "points of a narrow matrix": ("gather_nd", ["data=10x4", "indices=2x5"], [], {"indices": Integers(0, 4)}),
    "points of a result": (
        "scatter_nd",
        ["data=5", "indices=2x5"],
        ["shape=(10,4)"],
        {"indices": Integers(0, 4)},
    ),
    "few points of a result": ("scatter_nd", ["data=3", "indices=2x3"], ["shape=(10,4)"], {"indices": Distinct(4)}),
    "lengths of speech": (
        "CTCLoss",
        ["data=20x2x10", "label=2x4", "data_lengths=2"],
        ["use_data_lengths=true"],
        {"data_lengths": Integers(9, 21), "label": Integers(1, 10)},
    ),
    "a mask for as many values": (
        "_npi_boolean_mask_assign_tensor",
        ["data=4x4", "mask=4x4:bool", "value=12"],
        [],
        {"mask": Literal_((1.0, 1.0, 1.0, 0.0))},
    ),
    "roots of positive numbers": (
        "Pooling",
        ["data=1x1x8x8"],
        ["kernel=(2,2)", "pool_type=lp", "p_value=2"],
        {"data": Uniform(0.1, 1.0)},
    ),
    "an upper triangle": (
        "_linalg_trsm",
        ["A=8x8", "B=8x8"],
        ["lower=false"],
        {"A": Matrices("upper")},
    ),
}


@pytest.mark.parametrize("nature", OWN_CALLS)
def test_contents_follow_from_the_call(release: Release, nature: str) -> None:
    name, given, params, contents = OWN_CALLS[nature]
    case = case_of(release, name, *given, params=tuple(params))
    made = {item.name: item.tensor.content for item in case.inputs}
    assert {name: made[name] for name in contents} == contents
    for item in case.inputs:
        materialise(item.tensor, case.digest, item.name)


UPDATES = {
    "multi_sgd_update": (("data=[4x4, 4x4, 8, 8, 3, 3]",), ("data[0]", "data[2]", "data[4]")),
    "multi_mp_sgd_mom_update": (("data=[4x4, 4x4, 4x4, 4x4]",), ("data[0]",)),
    "_multi_adamw_update": (("data=[4x4, 4x4, 4x4, 4x4, 8, 8, 8, 8, 1]",), ("data[0]", "data[4]")),
}


@pytest.mark.parametrize("name", UPDATES)
def test_updates_take_any_number_of_weights(release: Release, name: str) -> None:
    given, written = UPDATES[name]
    count = len(written)
    listed = [f"{param}=({','.join(['0.1'] * count)},)" for param in ("lrs", "wds")]
    etas = [f"etas=({','.join(['1.0'] * count)},)"] if "adamw" in name else []
    case = case_of(release, name, *given, params=(*listed, *etas, f"num_weights={count}"))
    assert case.in_place == written
    tensors = {item.name: item.tensor for item in case.inputs}
    assert {tensors[weight].content for weight in written} == {Uniform()}
    assert tensors["data[1]"].content == Uniform(-0.1, 0.1)
    if name == "multi_mp_sgd_mom_update":
        assert [tensor.dtype for tensor in tensors.values()] == ["float16", "float16", "float32", "float32"]
    if name == "_multi_adamw_update":
        assert tensors["data[8]"].content == Constant(1.0)


@pytest.mark.parametrize("states", [(), ("mean=64x4", "var=64x4")], ids=["deduced", "given"])
def test_states_are_stored_as_their_weight_is(release: Release, states: tuple[str, ...]) -> None:
    given = ("weight=64x4:row_sparse(1.0)", "grad=64x4:row_sparse(0.1)", *states)
    case = case_of(release, "adam_update", *given, params=("lr=0.1",))
    assert {item.name: (item.tensor.storage, item.tensor.density) for item in case.inputs} == {
        "weight": ("row_sparse", 1.0),
        "grad": ("row_sparse", 0.1),
        "mean": ("row_sparse", 1.0),
        "var": ("row_sparse", 1.0),
    }


def test_a_rule_that_states_contents_for_its_own_inputs_alone_asks_for_others(release: Release) -> None:
    operator = release.registry.find("one_hot")
    assert operator
    common = inputs(indices=tensor(16, content=Integers(0, 10)), depth=10)
    plain = rule("one_hot", category="indexing", canonical={"common": common})(lambda _draw, _spec: common)
    (written,) = handwritten_cases("one_hot", OwnInputs(("indices=8",), ("depth=50",)), ())
    with pytest.raises(UsageError, match="states what indices holds only for its own inputs: give its content too"):
        deduced(written, Subject(operator, plain, release.client))
    stated = dataclasses.replace(plain, contents=lambda case: {"indices": below(case.number("depth"))})
    (case,) = deduced(written, Subject(operator, stated, release.client)).cases
    assert case.inputs[0].tensor.content == Integers(0, 50)


def test_a_stated_dtype_and_content_win(release: Release) -> None:
    params = ("input_dim=5000", "output_dim=8")
    data = case_of(release, "Embedding", "data=64:float32:integers(0, 7)", params=params).inputs[0].tensor
    assert (data.dtype, data.content) == ("float32", Integers(0, 7))
    other = case_of(release, "exp", "data=64:int32").inputs[0].tensor
    assert other.content == Integers(1, 8)


def own_contents(case: Case) -> list[str]:
    return [item.name for item in case.inputs if item.own_content is True]


@pytest.mark.parametrize(
    ("name", "given", "params", "own"),
    [
        ("exp", ("data=64",), (), []),
        ("exp", ("data=64:uniform(5, 6)",), (), ["data"]),
        ("sort", ("data=64:ascending",), (), ["data"]),
        ("sort", ("data=64:uniform(-1, 1)",), (), []),
        ("take", ("a=700x8", "indices=64"), (), []),
        ("take", ("a=700x8", "indices=64:integers(0, 2)"), (), ["indices"]),
        ("take", ("a=700x8:constant(0)", "indices=64:integers(0, 700)"), (), ["a"]),
        ("Concat", ("data=[2x3:constant(0), 2x4]",), ("dim=1",), ["data[0]"]),
        ("FullyConnected", ("data=4x8", "bias=3:constant(1)"), ("num_hidden=3",), ["bias"]),
    ],
)
def test_a_stated_content_other_than_the_rules_is_marked(
    release: Release, name: str, given: tuple[str, ...], params: tuple[str, ...], own: list[str]
) -> None:
    case = case_of(release, name, *given, params=params)
    assert own_contents(case) == own
    plain = [msgspec.structs.replace(item, own_content=msgspec.UNSET) for item in case.inputs]
    assert case.id == msgspec.structs.replace(case, inputs=tuple(plain)).id


def test_contents_of_a_file_are_marked_where_they_are_other_than_the_rules(release: Release) -> None:
    operator = release.registry.find("take")
    rule = release.catalog.find(operator) if operator else None
    assert operator
    assert isinstance(rule, Rule)
    case = case_of(release, "take", "a=700x8", "indices=64:integers(0, 2)")
    plain = [msgspec.structs.replace(item, own_content=msgspec.UNSET) for item in case.inputs]
    for profile, own in {"mine": ["indices"], "common": ["indices"], "drawn": []}.items():
        stored = msgspec.structs.replace(case, inputs=tuple(plain), profile=profile)
        assert own_contents(with_own_contents(stored, operator, rule)) == own
    (canonical,) = (
        case for case in built_cases(operator, rule, Recipe(draws=0), release.client).cases if case.profile == "common"
    )
    assert own_contents(with_own_contents(canonical, operator, rule)) == []


def test_contents_are_those_that_the_algorithm_needs(release: Release) -> None:
    assert case_of(release, "_linalg_potrf", "A=16x16").inputs[0].tensor.content == Matrices("positive_definite")


def test_states_are_written_in_place_and_lists_are_counted(release: Release) -> None:
    sgd = case_of(release, "sgd_mom_update", "weight=4x4", "grad=4x4", "mom=4x4", params=("lr=0.1",))
    assert sgd.in_place
    concat = case_of(release, "Concat", "data=[2x3, 2x4]", params=("dim=1",))
    assert ([item.name for item in concat.inputs], concat.params["num_args"]) == (["data[0]", "data[1]"], 2)


def test_each_dtype_is_a_case_and_one_that_mxnet_refuses_is_a_rejection(release: Release) -> None:
    built = made(release, "softmax", "data=4x4", dtypes=("float16", "float64"))
    assert [case.inputs[0].tensor.dtype for case in built.cases] == ["float16", "float64"]
    assert all(isinstance(case.inputs[0].tensor.content, Uniform) for case in built.cases)
    mixed = made(release, "_linalg_gemm2", "A=4x4", "B=4x4:float32", dtypes=("float32", "float64"))
    assert len(mixed.cases) == 1
    assert mixed.rejections[0].reason.startswith("in float64: MXNet refuses these inputs of _linalg_gemm2: ")


def test_what_mxnet_refuses_in_every_dtype_is_an_error_with_its_first_sentence(release: Release) -> None:
    with pytest.raises(
        EngineError, match=r"MXNet refuses these inputs of dot: .*\(3 vs. 4\) : dot shape error"
    ) as caught:
        case_of(release, "dot", "lhs=2x3", "rhs=4x5")
    assert "Stack trace" not in str(caught.value)
    with pytest.raises(EngineError, match="Required parameter num_filter"):
        case_of(release, "Convolution", "data=1x3x8x8", params=("kernel=3x3",))


def test_a_tensor_that_can_not_be_deduced_is_named(release: Release) -> None:
    with pytest.raises(UsageError, match=r"the shape of rhs of dot .* give it too$"):
        case_of(release, "dot", "lhs=2x3")


def test_a_scalar_is_a_shape_of_numpys_operators_alone(release: Release) -> None:
    assert case_of(release, "_npi_exp", "x=()").inputs[0].tensor.shape == ()
    with pytest.raises(EngineError, match=r"data has the shape \(\).*only operators of mx.np take a scalar"):
        case_of(release, "exp", "data=()")


def test_a_graph_is_left_to_a_python_file(release: Release) -> None:
    with pytest.raises(UsageError, match="takes graphs: write its cases in a Python file"):
        case_of(release, "_foreach", "data=2x3")


def test_an_operator_without_a_rule_can_be_measured(release: Release) -> None:
    operator = release.registry.find("exp")
    assert operator
    (written,) = handwritten_cases("exp", OwnInputs(("data=4",)), ())
    (case,) = deduced(written, Subject(operator, None, release.client)).cases
    assert (case.category, case.inputs[0].tensor.dtype) == ("misc", "float32")
