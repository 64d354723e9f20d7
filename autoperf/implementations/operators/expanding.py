"""Repeat, tile, broadcast to a shape."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import line

_BROADCAST = {"torch": "torch.broadcast_to({}, target).contiguous()", "numpy": "np.broadcast_to({}, target).copy()",
              "jax": "jnp.broadcast_to({}, target)"}  # fmt: skip


def _texts(name: str) -> dict[str, Any]:
    return {framework: text.format(name) for framework, text in _BROADCAST.items()}


LINES = (
    line("_npi_broadcast_to", prepare={"target": "shape"}, **_texts("array")),
    line(
        "broadcast_axis",
        prepare={"target": "with_sizes(data.shape, axis, size)"},
        **_texts("data"),
    ),
    line(
        "broadcast_like",
        prepare={"target": "broadcast_like_shape(lhs.shape, rhs.shape, lhs_axes, rhs_axes)"},
        **_texts("lhs"),
    ),
    line(
        "broadcast_to",
        prepare={"target": "tuple(new or old for new, old in zip(shape, data.shape, strict=True))"},
        **_texts("data"),
    ),
    line("repeat", torch="torch.repeat_interleave(data, repeats, axis)"),
    line("tile", torch="torch.tile(data, reps)"),
)
