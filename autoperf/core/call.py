"""A call as inference sees it: which arrays are known, and what MXNet says of the rest."""

from __future__ import annotations

import msgspec

from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType


class CallRequest(msgspec.Struct, frozen=True):
    """The arrays that are known, under the operator's names (`data[0]` for a member of a list), and the parameters."""

    operator: str
    inputs: dict[str, ArrayType]
    params: dict[str, Value]


class Completion(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every input in the operator's order, and the outputs; or MXNet's words in `error`.

    `dynamic` says that the outputs' shapes depend on contents, so that `outputs` is empty.
    """

    inputs: tuple[tuple[str, ArrayType], ...] = ()
    outputs: tuple[ArrayType, ...] = ()
    dynamic: bool = False
    error: str = ""
