"""The categories and groups by which users select operators, and operators that do about equal work.

A group is categories and additional operators. It has every operator that opperf runs under its name, and similar ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from autoperf.core.errors import UnknownNameError
from autoperf.core.operator import Value

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
    """The category of this name, or else the group: `nn_conv_operators` is `nn_conv`. Raises UnknownNameError."""
    group = find_group(name)
    if group is None:
        raise UnknownNameError("category", name, CATEGORIES.keys() | GROUPS.keys())
    return group


def find_group(name: str) -> OperatorGroup | None:
    """The category or group of this name, as `named_group` does; None for an unknown name."""
    suffixes = ("_operators", "_operations", "_routines")
    for stem in (name, *(name.removesuffix(suffix) for suffix in suffixes if name.endswith(suffix))):
        if stem in CATEGORIES:
            return OperatorGroup(frozenset((stem,)))
        if stem in GROUPS:
            return GROUPS[stem]
    return None


@dataclass(frozen=True)
class RelatedOperator:
    """An operator that does about equal work, and the reason.

    It gets the same tensors, except those named in `without`, the shared parameters, and `params`. It does equal work
    only `where` these parameters of the first operator have these values, which are their defaults. `defaults` are
    those of the first operator that differ from its own: shared parameters that aren't given have these values.
    """

    name: str
    reason: str
    params: Mapping[str, Value] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    where: Mapping[str, Value] = field(default_factory=dict)
    defaults: Mapping[str, Value] = field(default_factory=dict)


_READS_ONCE = "both read each element once and keep one value for each reduced row"
_SORTS_MORE = "sorting does more work than finding the largest element"
_NUMPY_EXTREME = "the position of an extreme and its value come from the same pass over the elements"
_ELEMENT_BY_ELEMENT = "both read two operands and write one value for each element"
_FIRST = "the first position in the order is the position of the largest element"
_DIVIDES = "a mean is a sum and one division for each row"
_CHEAP = "both read each element, do little with it, and write one"
_CHOOSES = "an addition reads the same two operands, which `where` chooses from, and writes as much"

_FLAT: Mapping[str, Value] = {"axis": None}

RELATED: Mapping[str, tuple[RelatedOperator, ...]] = {
    "argmax": (RelatedOperator("max", _READS_ONCE), RelatedOperator("topk", _SORTS_MORE, {"k": 1}, defaults=_FLAT)),
    "argmin": (
        RelatedOperator("min", _READS_ONCE),
        RelatedOperator("topk", _SORTS_MORE, {"k": 1, "is_ascend": True}, defaults=_FLAT),
    ),
    "topk": (
        RelatedOperator("sort", "a complete order has the first elements too", defaults={"is_ascend": False}),
        RelatedOperator(
            "argmax", _FIRST, where={"k": 1, "ret_typ": "indices", "is_ascend": False}, defaults={"axis": -1}
        ),
    ),
    "_npi_argmax": tuple(RelatedOperator(name, _NUMPY_EXTREME) for name in ("_npi_max", "_np_max", "argmax")),
    "_npi_argmin": tuple(RelatedOperator(name, _NUMPY_EXTREME) for name in ("_npi_min", "_np_min", "argmin")),
    **dict.fromkeys(("max", "min", "prod", "nansum", "norm"), (RelatedOperator("sum", _READS_ONCE),)),
    "sum": (RelatedOperator("max", _READS_ONCE),),
    "nanprod": (RelatedOperator("prod", _READS_ONCE),),
    "argsort": (RelatedOperator("sort", "both find the order of the elements"),),
    "log_softmax": (RelatedOperator("softmax", "both need the maximum and the sum of exponentials of each row"),),
    "softmin": (RelatedOperator("softmax", "it is softmax of the negated input"),),
    "softmax": (RelatedOperator("log_softmax", "both need the maximum and the sum of exponentials of each row"),),
    "SwapAxis": (RelatedOperator("transpose", "both move each element once"),),
    "flip": (RelatedOperator("_copy", "both read and write each element once"),),
    "where": (RelatedOperator("elemwise_add", _CHOOSES, {}, ("condition",)),),
    "elemwise_mul": (RelatedOperator("elemwise_add", _ELEMENT_BY_ELEMENT),),
    **{name: (RelatedOperator("negative", _CHEAP),) for name in ("abs", "square", "sign", "floor", "ceil", "trunc")},
    "relu": (RelatedOperator("negative", _CHEAP),),
    "clip": (RelatedOperator("relu", "both compare each element with limits"),),
    "mean": (RelatedOperator("sum", _DIVIDES),),
    "_npi_mean": (RelatedOperator("_npi_sum", _DIVIDES), RelatedOperator("_np_sum", _DIVIDES)),
    "broadcast_div": (RelatedOperator("broadcast_mul", _ELEMENT_BY_ELEMENT),),
    "broadcast_mul": (RelatedOperator("broadcast_add", _ELEMENT_BY_ELEMENT),),
    "broadcast_maximum": (RelatedOperator("broadcast_add", _ELEMENT_BY_ELEMENT),),
    "broadcast_minimum": (RelatedOperator("broadcast_add", _ELEMENT_BY_ELEMENT),),
}
"""Related operators by operator name."""

EARLIER = "_v1"
"""The end of the name of an operator that a later one has replaced."""
MOVED = {
    "_contrib_DeformableConvolution": "_npx_deformable_convolution",
    "_contrib_ModulatedDeformableConvolution": "_npx_modulated_deformable_convolution",
    "_contrib_SparseEmbedding": "Embedding",
}
"""Operators that 2.0.0b1 has under names that nothing in the old ones says."""
SHORT_ROW = 16
"""The length of rows up to which MXNet works row by row, and slowly."""


class Workaround(NamedTuple):
    """Slow calls of MXNet, and what to call in their place: calls of all these properties; an empty one holds for all.

    `dtypes` are of any input; `max_row` is the last dimension of the largest input.
    """

    words: str
    operators: frozenset[str] = frozenset()
    dtypes: frozenset[str] = frozenset()
    max_row: int | None = None

    def holds(self, operator: str, dtypes: frozenset[str], row: int) -> bool:
        """Whether it is for a call of this operator over inputs of these dtypes."""
        is_named = not self.operators or operator in self.operators
        is_typed = not self.dtypes or not self.dtypes.isdisjoint(dtypes)
        return is_named and is_typed and (self.max_row is None or row <= self.max_row)


_JUMPS = frozenset(
    f"{prefix}{name}{suffix}"
    for name in ("equal", "not_equal", "logical_and", "logical_or", "logical_xor", "logical_not")
    for prefix in ("", "_", "broadcast_")
    for suffix in ("", "_scalar")
)
WORKAROUNDS = (
    Workaround("store float16, and compute in float32", dtypes=frozenset({"float16"})),
    Workaround(
        "call the operator of np, which returns bool, or compute with masks of 0 and 1", _JUMPS, frozenset({"float32"})
    ),
    Workaround(
        "merge dimensions before it, so that rows are longer than 16",
        frozenset({"batch_dot", "softmax", "_npi_vstack"}),
        max_row=SHORT_ROW,
    ),
    Workaround("call norm, whose ord=2 is the same", frozenset({"_npi_norm"})),
    Workaround(
        "raise MXNET_CPU_PARALLEL_SIZE for copies; slice in place of slice_axis",
        frozenset({"_copyto", "_CrossDeviceCopy", "slice_axis"}),
        frozenset({"int8", "uint8"}),
    ),
)
"""The workarounds of docs/hunts/1.9.1-sources.md that are for operators, with their times there."""
