"""Groups have the operators that opperf's users look for; related operators exist and differ."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.errors import UnknownNameError
from autoperf.core.operator import Operator
from autoperf.rules.categories import CATEGORIES, GROUPS, RELATED, named_group
from autoperf.rules.rule import Rule

# What opperf runs, where it goes by lists of names.
LISTED = {
    "gemm_operators": "dot batch_dot khatri_rao",
    "binary_misc_operators": "choose_element_0index reshape_like",
    "sorting_searching_operators": "sort argsort argmax argmin topk",
    "rearrange_operators": "transpose swapaxes flip depth_to_space space_to_depth",
    "array_rearrange": "transpose swapaxes flip depth_to_space space_to_depth",
    "indexing_routines": "slice slice_axis slice_like take one_hot where ravel_multi_index gather_nd pick",
    "nn_basic_operators": "FullyConnected Dropout BatchNorm SoftmaxOutput LinearRegressionOutput "
    "LogisticRegressionOutput MAERegressionOutput SVMOutput L2Normalization LayerNorm InstanceNorm Embedding "
    "Correlation SpatialTransformer im2col col2im GroupNorm RNN LRN",
    "activation_operators": "SoftmaxActivation softmin Activation LeakyReLU hard_sigmoid softmax log_softmax",
    "nn_activation_operators": "SoftmaxActivation softmin Activation LeakyReLU hard_sigmoid softmax log_softmax",
    "pooling_operators": "Pooling ROIPooling",
    "convolution_operators": "Convolution",
    "transpose_convolution_operators": "Deconvolution",
    "nn_conv_operators": "Convolution Deconvolution Pooling ROIPooling",
    "optimizer_operators": "mp_sgd_update signum_update rmspropalex_update ftml_update rmsprop_update sgd_mom_update "
    "signsgd_update mp_sgd_mom_update ftrl_update sgd_update adam_update mp_nag_mom_update nag_mom_update "
    "lamb_update_phase1 lamb_update_phase2 multi_sgd_update multi_mp_sgd_mom_update preloaded_multi_sgd_update",
    "nn_optimizer_operators": "sgd_update adam_update ftrl_update preloaded_multi_mp_sgd_mom_update",
    "loss_operators": "CTCLoss MakeLoss softmax_cross_entropy",
    "nn_loss_operators": "smooth_l1 CTCLoss MakeLoss softmax_cross_entropy",
    "misc_operators": "reset_arrays multi_all_finite multi_sum_sq add_n UpSampling Custom",
    "linalg_operators": "moments linalg_potrf linalg_gemm",
}


def arguments(operator: Operator) -> list[str]:
    return [*(tensor.name for tensor in operator.tensors), *(parameter.name for parameter in operator.parameters)]


def public(release: Release) -> list[tuple[str, Operator]]:
    """The names that opperf sees, those of `mx.nd`, with their operators."""
    return [
        (name, operator) for operator in release.registry.forward for name in operator.names if not name.startswith("_")
    ]


def group(release: Release, name: str) -> set[str]:
    """Every name of every operator in a group."""
    members = targets(release.registry, release.catalog, Selection(categories=(name,)))
    return {alias for target in members for alias in target.operator.names}


@pytest.mark.parametrize("name", LISTED)
def test_a_group_has_what_opperf_lists(release: Release, name: str) -> None:
    assert set(LISTED[name].split()) <= group(release, name)


def test_a_group_has_what_opperf_finds_by_signature(release: Release) -> None:
    groups: dict[str, set[str]] = {}
    for name, operator in public(release):
        names = arguments(operator)
        if names == ["data"] or name in ("cast", "amp_cast", "amp_multicast"):
            groups.setdefault("unary_operators", set()).add(name)
        if name.startswith("broadcast_") and sorted(names) == ["lhs", "rhs"]:
            groups.setdefault("binary_broadcast_operators", set()).add(name)
        if (name.startswith("elemwise_") and sorted(names) == ["lhs", "rhs"]) or name == "ElementWiseSum":
            groups.setdefault("binary_element_wise_operators", set()).add(name)
        if name.startswith(("random_", "sample_")) or name in ("GridGenerator", "BilinearSampler"):
            groups.setdefault("random_sampling_operators", set()).add(name)
        if name == "norm" or (len(names) == 4 and {"data", "axis", "exclude", "keepdims"} <= set(names)):
            groups.setdefault("reduction_operators", set()).add(name)
        if name.startswith("linalg_"):
            groups.setdefault("linalg_operators", set()).add(name)
    assert len(groups) == 6
    for name, members in groups.items():
        assert members <= group(release, name), name


@pytest.mark.parametrize("name", sorted(GROUPS))
def test_a_group_is_made_of_what_there_is(release: Release, name: str) -> None:
    made = GROUPS[name]
    assert made.categories <= CATEGORIES.keys()
    assert name not in CATEGORIES
    assert group(release, name)
    for operator in made.operators:
        selected = targets(release.registry, release.catalog, Selection(operators=(operator,)))
        assert selected[0].category not in made.categories, f"{operator} is in the group by its category"


@pytest.mark.parametrize("name", sorted(CATEGORIES))
def test_a_category_is_itself(name: str) -> None:
    assert named_group(name).categories == {name}
    assert not named_group(name).operators


def test_a_category_is_found_by_opperf_s_spelling() -> None:
    assert named_group("reduction_operators") == named_group("reduction")
    assert named_group("nn_conv_operators") == named_group("nn_conv")
    assert named_group("nn_basic_operators") != named_group("nn_basic")


def test_what_is_neither_is_told_with_what_is_near() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean .*sorting_searching"):
        named_group("sorting_serching")
    with pytest.raises(UnknownNameError, match="known are activation, arithmetic"):
        named_group("xyz")


# Names of other releases: what one doesn't register is no relation there.
ELSEWHERE = {"1.9.1": {"_npi_min", "_npi_max", "_npi_sum"}, "2.0.0b1": {"_np_max", "_np_min", "_np_sum"}}


def test_relations_are_operators_with_rules(either: Release) -> None:
    known: dict[str, Operator] = {name: operator for operator in either.registry.operators for name in operator.names}
    named = {*RELATED, *(other.name for related in RELATED.values() for other in related)}
    assert named - known.keys() <= ELSEWHERE[either.registry.mxnet]
    for name in named & known.keys():
        assert isinstance(either.catalog.find(known[name]), Rule), name


def test_relations_are_others_and_take_what_they_are_given(either: Release) -> None:
    known: dict[str, Operator] = {name: operator for operator in either.registry.operators for name in operator.names}
    for name, related in RELATED.items():
        for other in related:
            if name in known and other.name in known:
                assert known[other.name] is not known[name], (name, other)
                assert all(known[other.name].parameter(param) for param in other.params), (name, other)
                assert all(known[name].parameter(param) for param in other.where), (name, other)
                assert set(other.without) <= {tensor.name for tensor in known[name].tensors}, (name, other)


def test_each_relation_has_a_sentence() -> None:
    reasons = [other.reason for related in RELATED.values() for other in related]
    assert all(reason.strip() and not reason.endswith(".") for reason in reasons)
