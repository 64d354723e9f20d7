"""Operators that do about equal work, with the reasons: which a hunt compares, and what stands in for which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from autoperf.core.operator import Value


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
_ELEMENTWISE = "both read two operands and write one value for each element"
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
    "_npi_argmax": (
        RelatedOperator("_npi_max", _NUMPY_EXTREME),
        RelatedOperator("_np_max", _NUMPY_EXTREME),
        RelatedOperator("argmax", _NUMPY_EXTREME),
    ),
    "_npi_argmin": (
        RelatedOperator("_npi_min", _NUMPY_EXTREME),
        RelatedOperator("_np_min", _NUMPY_EXTREME),
        RelatedOperator("argmin", _NUMPY_EXTREME),
    ),
    "max": (RelatedOperator("sum", _READS_ONCE),),
    "min": (RelatedOperator("sum", _READS_ONCE),),
    "prod": (RelatedOperator("sum", _READS_ONCE),),
    "sum": (RelatedOperator("max", _READS_ONCE),),
    "nansum": (RelatedOperator("sum", _READS_ONCE),),
    "nanprod": (RelatedOperator("prod", _READS_ONCE),),
    "norm": (RelatedOperator("sum", _READS_ONCE),),
    "argsort": (RelatedOperator("sort", "both find the order of the elements"),),
    "log_softmax": (RelatedOperator("softmax", "both need the maximum and the sum of exponentials of each row"),),
    "softmin": (RelatedOperator("softmax", "it is softmax of the negated input"),),
    "softmax": (RelatedOperator("log_softmax", "both need the maximum and the sum of exponentials of each row"),),
    "SwapAxis": (RelatedOperator("transpose", "both move each element once"),),
    "flip": (RelatedOperator("_copy", "both read and write each element once"),),
    "where": (RelatedOperator("elemwise_add", _CHOOSES, {}, ("condition",)),),
    "elemwise_mul": (RelatedOperator("elemwise_add", _ELEMENTWISE),),
    **{name: (RelatedOperator("negative", _CHEAP),) for name in ("abs", "square", "sign", "floor", "ceil", "trunc")},
    "relu": (RelatedOperator("negative", _CHEAP),),
    "clip": (RelatedOperator("relu", "both compare each element with limits"),),
    "mean": (RelatedOperator("sum", _DIVIDES),),
    "_npi_mean": (RelatedOperator("_npi_sum", _DIVIDES), RelatedOperator("_np_sum", _DIVIDES)),
    "broadcast_mul": (RelatedOperator("broadcast_add", _ELEMENTWISE),),
    "broadcast_div": (RelatedOperator("broadcast_mul", _ELEMENTWISE),),
    "broadcast_maximum": (RelatedOperator("broadcast_add", _ELEMENTWISE),),
    "broadcast_minimum": (RelatedOperator("broadcast_add", _ELEMENTWISE),),
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
