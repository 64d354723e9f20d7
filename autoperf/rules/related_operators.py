"""Operators that do about equal work on the same input, which a hunt compares, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
