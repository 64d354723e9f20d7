"""The categories by which users select operators, and the operator groups of opperf and of its design.

A group is categories and additional operators. It has every operator that opperf runs under its name, and similar ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autoperf.core.errors import UnknownNameError

CATEGORIES = {
    "unary": "elementwise functions of one tensor",
    "elementwise": "binary functions of two tensors of one shape",
    "broadcast": "binary functions of two tensors that broadcast",
    "scalar": "binary functions of a tensor and a number",
    "comparison": "equal, greater, lesser and their like",
    "logical": "and, or, xor, not, all, any",
    "bitwise": "bitwise and, or, xor, not",
    "rounding": "round, rint, fix, floor, ceil, trunc",
    "trigonometric": "sine to inverse hyperbolic tangent, degrees and radians",
    "exponential": "exponents and logarithms",
    "power": "powers and roots",
    "reduction": "sum, mean, max, norm, moments, ... over axes",
    "cumulative": "cumulative sums and differences",
    "sorting": "sorting and searching",
    "indexing": "take, gather, scatter, slice, one-hot, where",
    "array": "reshape, transpose, pad, cast, copy and other rearrangements",
    "expanding": "repeat, tile, broadcast to a shape",
    "join_split": "concatenate, stack and split",
    "gemm": "dot, batch_dot, matmul, einsum",
    "linalg": "factorisations, solvers and matrix functions",
    "convolution": "convolution and deconvolution",
    "pooling": "pooling, resizing and regions of interest",
    "activation": "activations and the softmax family",
    "normalization": "batch, layer, instance, group and other normalisation",
    "recurrent": "recurrent networks",
    "nn_basic": "fully connected, embedding, dropout",
    "loss": "losses and output layers",
    "sequence": "operators on padded sequences",
    "attention": "the transformer's matrix products",
    "random": "random sampling and densities",
    "optimizer": "optimizer updates",
    "creation": "arrays made from nothing",
    "image": "image transformation",
    "detection": "boxes, anchors, proposals",
    "quantization": "8-bit inference",
    "sparse": "row-sparse and CSR storage",
    "graph": "graph sampling",
    "control_flow": "loops and branches over graphs",
    "subgraph": "custom, cached and fused operators",
    "statistics": "histogram, percentile, bincount",
    "misc": "what fits nowhere else",
    "composite": "graphs of many small operators: box coders, losses, attention, optimizer steps, ...",
    "front_end": "calls of the Python front end that are no operators: copies, x[key], optimizers, iterators, ...",
    "gluon": "layers of Gluon: imperative, hybridized, and hybridized with static memory",
}

MOVING = frozenset({"array", "join_split", "expanding", "indexing", "creation", "sequence"})
"""Categories whose operators move or fill memory, and compute nothing unless their rule counts it (`flops`)."""
MOVING_BACK = frozenset({"array", "join_split", "sequence"})
"""Categories of MOVING whose backward passes compute nothing either; the others add up gradients."""


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
    "well_known": _group(
        "", "Convolution FullyConnected dot softmax BatchNorm LayerNorm Pooling Embedding exp sum transpose"
    ),
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
