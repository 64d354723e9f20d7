"""What stands in for an operator: its name in another release, and faster calls in place of slow ones."""

from __future__ import annotations

from typing import NamedTuple

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
