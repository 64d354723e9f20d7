"""The operator groups of opperf and of its design, each as categories and additional operators.

A group holds every operator that opperf runs under that name, and similar ones that it doesn't run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autoperf.core.errors import UnknownNameError
from autoperf.rules.categories import CATEGORIES

SUFFIXES = ("_operators", "_operations", "_routines")


@dataclass(frozen=True)
class OperatorGroup:
    """Categories, and operators of other categories by name."""

    categories: frozenset[str]
    operators: frozenset[str] = frozenset()

    def holds(self, category: str, names: Iterable[str]) -> bool:
        """Whether an operator of this category and these names is in the group."""
        return category in self.categories or not self.operators.isdisjoint(names)


def _group(categories: str, operators: str = "") -> OperatorGroup:
    return OperatorGroup(frozenset(categories.split()), frozenset(operators.split()))


_ELEMENTWISE = "unary exponential trigonometric rounding power"
# Operators that opperf counts as unary or as basic layers, but that have another category here.
_UNARY = (
    "BlockGrad Flatten _copy amp_cast amp_multicast argmax_channel cast logical_not make_loss ones_like relu "
    "shape_array shuffle sigmoid size_array softsign zeros_like"
)
_LAYERS = (
    "Correlation LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput SVMOutput SoftmaxOutput "
    "SpatialTransformer col2im im2col"
)

GROUPS = {
    # opperf's modules and drivers
    "unary_operators": _group(_ELEMENTWISE, _UNARY),
    "binary_broadcast": _group(
        "broadcast",
        "broadcast_equal broadcast_greater broadcast_greater_equal broadcast_lesser broadcast_lesser_equal "
        "broadcast_logical_and broadcast_logical_or broadcast_logical_xor broadcast_not_equal",
    ),
    "binary_element_wise": _group("elementwise", "add_n"),
    "binary_misc": _group("", "choose_element_0index reshape_like"),
    "random_sampling": _group("random", "BilinearSampler GridGenerator"),
    "sorting_searching": _group("sorting"),
    "array_rearrange": _group("array"),
    "rearrange": _group("array"),
    "shape": _group("", "SliceChannel diag Reshape reshape_like shape_array size_array"),
    "nn_basic_operators": _group("nn_basic normalization recurrent", _LAYERS),
    "nn_activation": _group("activation"),
    "nn_conv": _group("convolution pooling"),
    "transpose_convolution": _group("", "Deconvolution"),
    "nn_optimizer": _group("optimizer"),
    "nn_loss": _group("loss", "smooth_l1"),
    "linalg_operators": _group("linalg", "moments"),
    "misc_operators": _group("misc", "Custom UpSampling add_n multi_all_finite multi_sum_sq reset_arrays"),
    # the design's list of operations
    "arithmetic": _group("broadcast elementwise scalar", "negative"),
    "conversion": _group("", "Cast _copy _copyto amp_cast cast_storage"),
    "exponents_and_logarithms": _group("exponential"),
    "powers": _group("power"),
    "shape_change": _group("array expanding"),
    "view": _group("array"),
    "join_and_split": _group("join_split"),
    "neural_network": _group("nn_basic normalization convolution pooling activation recurrent loss"),
}


def named_group(name: str) -> OperatorGroup:
    """The category of this name, or else the group; `nn_conv_operators` is `nn_conv`.

    Raises UnknownNameError for an unknown name.
    """
    group = find_group(name)
    if group is None:
        raise UnknownNameError("category", name, CATEGORIES.keys() | GROUPS.keys())
    return group


def find_group(name: str) -> OperatorGroup | None:
    """The category or group of this name, as `named_group` does; None for an unknown name."""
    stems = [name, *(name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix))]
    for stem in stems:
        if stem in CATEGORIES:
            return OperatorGroup(frozenset((stem,)))
        if stem in GROUPS:
            return GROUPS[stem]
    return None
