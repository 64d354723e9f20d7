"""Reads a pass's memory from the profiler's storage events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autoperf.capi.dtypes import Context
from autoperf.core.outcome import PassMemory
from autoperf.executor.trace import Held


def device_name(ctx: Context) -> str:
    """What the trace calls a device."""
    return f"{ctx[0]}/{ctx[1]}"


class Span(NamedTuple):
    """A stretch of time, in nanoseconds since the epoch."""

    start: int
    end: int


def forward_memory(events: Sequence[Held], ctx: Context, span: Span, results: int) -> PassMemory:
    """The memory of a pass that gave `results` bytes of arrays.

    Peak is the most that was held above what was held at the start. Of it, output is what the results take, as far as
    the pass has allocated that much (none, where they share the memory of an input); workspace is the rest, whether
    given back or kept, as MXNet keeps its temporary space and what it saves for a backward pass.
    """
    peak = _peak(events, ctx, span)
    output = min(results, peak)
    return PassMemory(peak=peak, output=output, workspace=peak - output)


def backward_memory(events: Sequence[Held], ctx: Context, span: Span, allocated: int, results: int) -> PassMemory:
    """The memory of a pass whose gradients held `allocated` bytes before it began, and `results` bytes after it.

    Dense gradients are allocated beforehand, and are the pass's output all the same; row-sparse ones get their rows in
    the pass. What it takes beyond its output is workspace.
    """
    peak = allocated + _peak(events, ctx, span)
    output = min(results, peak)
    return PassMemory(peak=peak, output=output, workspace=peak - output)


def _peak(events: Sequence[Held], ctx: Context, span: Span) -> int:
    device = device_name(ctx)
    own = [event for event in events if event.device == device]
    before = [event.bytes for event in own if event.time < span.start // 1000]
    during = [event.bytes for event in own if span.start // 1000 <= event.time <= span.end // 1000]
    baseline = before[-1] if before else 0
    return max(0, max(during, default=baseline) - baseline)
