"""The kernels in a trace of PyTorch's profiler: the operators that work themselves and don't only call others."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from autoperf.backends.protocol import Kernel, KernelRoles

OPERATORS = "aten::"
# They allocate an output, make a view of a tensor, or read a number or a dtype. What they call may work, as a copy in
# `reshape`.
_NAMES = (
    "alias as_strided as_strided_ broadcast_tensors broadcast_to chunk contiguous detach detach_ diagonal empty "
    "empty_like empty_strided expand expand_as flatten imag item lift_fresh _local_scalar_dense mH mT matrix_H "
    "meshgrid moveaxis movedim narrow new_empty new_empty_strided numpy_T permute _reshape_alias real reshape "
    "reshape_as resize_ resize_as_ resolve_conj resolve_neg result_type select set_ slice split split_with_sizes "
    "squeeze squeeze_ swapaxes swapdims t t_ tensor_split to transpose transpose_ unbind unflatten unfold unsafe_split "
    "unsafe_split_with_sizes unsqueeze unsqueeze_ view view_as view_as_complex view_as_real _unsafe_view"
)
HELPERS = frozenset(OPERATORS + name for name in _NAMES.split())
ROLES = KernelRoles(helpers=HELPERS, named=False)


class TracedCall(NamedTuple):
    """A call of an operator in a trace: nanoseconds since the epoch, and the thread that made it."""

    name: str
    start: int
    duration: int
    thread: int


def kernels_of(calls: Iterable[TracedCall], working: Container[str]) -> list[Kernel]:
    """The kernels, by start, each by its own time: that of the call without the calls in it.

    An operator that calls others is one if it is of `working`, those with code for the processor: `aten::sum` works,
    though it calls `aten::fill_` first. Others dispatch, as `aten::softmax`, of which `aten::_softmax` is the kernel.
    """
    by_thread: dict[int, list[TracedCall]] = {}
    for call in calls:
        by_thread.setdefault(call.thread, []).append(call)
    found: list[Kernel] = []
    for thread in by_thread.values():
        # One after the other: the calls in a kernel stand behind it, within its call.
        end = 0
        for each in _nested(thread):
            name = each.call.name
            if name in working or (name.startswith(OPERATORS) and not each.calls_others):
                start, duration = max(each.call.start // 1000, end), round(each.own / 1000)
                end = start + duration
                found.append(Kernel(name, start, duration))
    return sorted(found, key=lambda kernel: kernel.start)


def _nested(calls: Iterable[TracedCall]) -> list[_NestedCall]:
    """The calls of one thread, which lie within each other or apart, by start."""
    found: list[_NestedCall] = []
    around: list[_NestedCall] = []
    for call in sorted(calls, key=lambda each: (each.start, -each.duration)):
        while around and around[-1].call.start + around[-1].call.duration <= call.start:
            around.pop()
        if around:
            around[-1].own -= call.duration
            around[-1].calls_others |= call.name not in HELPERS
        around.append(_NestedCall(call, call.duration))
        found.append(around[-1])
    return found


@dataclass
class _NestedCall:
    """A call, its own nanoseconds without the calls in it, and whether one of those is no helper."""

    call: TracedCall
    own: int
    calls_others: bool = False
