"""The Markdown cells that name a measured case."""

from __future__ import annotations

from autoperf.core.outcome import Outcome


def case_cells(outcome: Outcome) -> str:
    """`operator | input shapes | passes`, without the outer bars."""
    shapes = ", ".join(str(item.tensor.shape) for item in outcome.inputs) or "-"
    passes = "forward + backward" if outcome.backward else "forward"
    return f"`{outcome.operator}` | {shapes} | {passes}"
