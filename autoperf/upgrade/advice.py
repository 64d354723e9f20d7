"""What to do for a call that doesn't move or becomes slower: another name, and workarounds that were measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import NamedTuple

from autoperf.core.case import Case
from autoperf.core.outcome import Outcome
from autoperf.hunt.equivalents import plain_name
from autoperf.hunt.registry_causes import MAX_SHORT, is_broadcast
from autoperf.registry.spellings import function_of

PAGE = "docs/hunts/1.9.1-sources.md"
_OLD = "_v1"
_MOVED = {
    "_contrib_DeformableConvolution": "_npx_deformable_convolution",
    "_contrib_ModulatedDeformableConvolution": "_npx_modulated_deformable_convolution",
    "_contrib_SparseEmbedding": "Embedding",
}
"""Operators that 2.0.0b1 has under names that nothing in the old ones says."""


def other_names(operator: str, known: Iterable[str]) -> list[str]:
    """The names of a release that may stand for an operator, the likelier first; whether they do is to be tried.

    They are the same function of NumPy, the operator that an earlier version became, or one of the same name in another
    namespace.
    """
    moved = {**_MOVED, **{new: old for old, new in _MOVED.items()}}
    first = [moved.get(operator, ""), operator.removesuffix(_OLD)]
    alike = sorted(name for name in known if plain_name(name) == plain_name(operator) and "backward" not in name)
    alike.sort(key=lambda name: function_of(name) != function_of(operator))
    listed = set(known)
    return [name for name in dict.fromkeys((*first, *alike)) if name != operator and name in listed]


class Workaround(NamedTuple):
    """A slow call of MXNet, and what to call in its place."""

    holds: Callable[[Case | Outcome], bool]
    words: str


def _dtypes(call: Case | Outcome) -> set[str]:
    return {item.tensor.dtype for item in call.inputs}


def _last(call: Case | Outcome) -> int:
    shapes = [item.tensor.shape for item in call.inputs]
    return (max(shapes, key=prod, default=()) or (1,))[-1]


_JUMPS = frozenset(
    f"{prefix}{name}{suffix}"
    for name in ("equal", "not_equal", "logical_and", "logical_or", "logical_xor", "logical_not")
    for prefix in ("", "_", "broadcast_")
    for suffix in ("", "_scalar")
)
_BYTES = ("_copyto", "_CrossDeviceCopy", "slice_axis")
WORKAROUNDS = (
    Workaround(lambda call: "float16" in _dtypes(call), "store float16, and compute in float32"),
    Workaround(
        lambda call: call.operator in _JUMPS and "float32" in _dtypes(call),
        "call the operator of np, which returns bool, or compute with masks of 0 and 1",
    ),
    Workaround(
        lambda call: call.operator in ("batch_dot", "softmax", "_npi_vstack") and _last(call) <= MAX_SHORT,
        "merge dimensions before it, so that rows are longer than 16",
    ),
    Workaround(lambda call: call.operator == "_npi_norm", "call norm, whose ord=2 is the same"),
    Workaround(
        lambda call: call.operator in _BYTES and not _dtypes(call).isdisjoint(("int8", "uint8")),
        "raise MXNET_CPU_PARALLEL_SIZE for copies; slice in place of slice_axis",
    ),
    Workaround(is_broadcast, "hold a constant operand in full, or bring it to full size by a product with ones"),
)
"""Those of PAGE, which has their times."""


def workarounds(call: Case | Outcome) -> Iterator[str]:
    """The workarounds that apply to a slow call of MXNet."""
    yield from (f"{each.words} ({PAGE})" for each in WORKAROUNDS if each.holds(call))
