"""Operators that do about equal work on the same input, which a hunt compares."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.operator import Value

RELATED: Mapping[str, tuple[tuple[str, Mapping[str, Value]], ...]] = {
    "argmax": (("max", {}), ("topk", {"k": 1})),
    "argmin": (("min", {}), ("topk", {"k": 1, "is_ascend": True})),
    "_npi_argmax": (("_npi_max", {}), ("_np_max", {}), ("argmax", {})),
    "_npi_argmin": (("_npi_min", {}), ("_np_min", {}), ("argmin", {})),
    "max": (("sum", {}),),
    "min": (("sum", {}),),
    "prod": (("sum", {}),),
    "nansum": (("sum", {}),),
    "nanprod": (("prod", {}),),
    "norm": (("sum", {}),),
    "argsort": (("sort", {}),),
    "log_softmax": (("softmax", {}),),
    "softmin": (("softmax", {}),),
    "softmax": (("log_softmax", {}),),
    "SwapAxis": (("transpose", {}),),
    "flip": (("_copy", {}),),
}
"""Equivalents by operator name, with the parameters that they need in addition to the shared ones."""
