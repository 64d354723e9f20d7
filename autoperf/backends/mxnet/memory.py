"""Computes the memory of a pass from the profiler's storage events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autoperf.backends.mxnet.capi.trace import Held
from autoperf.backends.protocol import Context
from autoperf.core.outcome import PassMemory


def device_name(ctx: Context) -> str:
    """The name of a device in a trace."""
    return f"{ctx[0]}/{ctx[1]}"


class Span(NamedTuple):
    """A time span in nanoseconds since the epoch."""

    start: int
    end: int


def forward_memory(events: Sequence[Held], ctx: Context, span: Span, results: int) -> PassMemory:
    """The memory of a pass whose output arrays have `results` bytes.

    Peak is the maximum above the bytes held at the start. Output is the part of it that the results take, at most what
    the pass has allocated (nothing if they share the memory of an input). Workspace is the rest, freed or kept: MXNet
    keeps its temporary space and the values that it saves for a backward pass.
    """
    peak = _peak(events, ctx, span)
    output = min(results, peak)
    return PassMemory(peak=peak, output=output, workspace=peak - output)


def backward_memory(events: Sequence[Held], ctx: Context, span: Span, allocated: int, results: int) -> PassMemory:
    """The memory of a pass whose gradients held `allocated` bytes before it began, and `results` bytes after it.

    Dense gradients are allocated before the pass and count as its output; row-sparse ones are allocated in the pass.
    The rest of the peak is workspace.
    """
    peak = allocated + _peak(events, ctx, span)
    output = min(results, peak)
    return PassMemory(peak=peak, output=output, workspace=peak - output)


def _peak(events: Sequence[Held], ctx: Context, span: Span) -> int:
    device = device_name(ctx)
    device_events = [event for event in events if event.device == device]
    before = [event.bytes for event in device_events if event.time < span.start // 1000]
    during = [event.bytes for event in device_events if span.start // 1000 <= event.time <= span.end // 1000]
    baseline = before[-1] if before else 0
    return max(0, max(during, default=baseline) - baseline)
