"""The kernels in a trace of PyTorch's profiler: the operators that call no other one that works."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from autoperf.backends.protocol import Kernel, KernelRoles

OPERATORS = "aten::"
# They allocate an output, or make a view of a tensor.
_NAMES = (
    "alias as_strided detach empty empty_like empty_strided expand lift_fresh movedim narrow new_empty "
    "new_empty_strided permute resize_ resolve_conj resolve_neg select set_ slice squeeze t transpose unbind unfold "
    "unsqueeze view view_as _unsafe_view"
)
HELPERS = frozenset(OPERATORS + name for name in _NAMES.split())
# They prepare or finish the result of an operator that works itself, as `aten::sum` does; in one that only fills or
# copies they are the work.
PARTS = frozenset(OPERATORS + name for name in ("copy_", "fill_", "item", "_local_scalar_dense"))
_FILLING_OR_COPYING = (
    "clone contiguous flatten full full_like item new_full new_ones new_zeros ones ones_like repeat reshape "
    "scalar_tensor to _to_copy zero_ zeros zeros_like"
)
WRAPPERS = frozenset(OPERATORS + name for name in _FILLING_OR_COPYING.split())
ROLES = KernelRoles(
    helpers=HELPERS | {"aten::copy_", "aten::fill_"},
    copies=frozenset({"aten::copy_"}),
    filling="aten::fill_",
    named=False,
)


class TracedCall(NamedTuple):
    """A call of an operator in a trace: nanoseconds since the epoch, and the thread that made it."""

    name: str
    start: int
    duration: int
    thread: int

    @property
    def end(self) -> int:
        """The end in nanoseconds."""
        return self.start + self.duration


def kernels_of(calls: Iterable[TracedCall]) -> list[Kernel]:
    """The kernels, by start. Their time is that of the call without the calls of helpers in it.

    An operator that calls others, such as aten::softmax, dispatches; `aten::_softmax` in it is the kernel.
    """
    by_thread: dict[int, list[TracedCall]] = {}
    for call in calls:
        by_thread.setdefault(call.thread, []).append(call)
    found = [kernel for thread in by_thread.values() for kernel in _of_thread(thread)]
    return sorted(found, key=lambda kernel: kernel.start)


def _of_thread(calls: Iterable[TracedCall]) -> Iterator[Kernel]:
    """The kernels of one thread, whose calls lie within each other or apart."""
    open_calls: list[_OpenCall] = []
    for call in sorted(calls, key=lambda each: (each.start, -each.duration)):
        while open_calls and open_calls[-1].call.end <= call.start:
            yield from open_calls.pop().kernels()
        if open_calls:
            open_calls[-1].add(call)
        open_calls.append(_OpenCall(call))
    while open_calls:
        yield from open_calls.pop().kernels()


class _OpenCall:
    """A call whose inner calls are read: nanoseconds of helpers in it, and whether another operator works in it."""

    def __init__(self, call: TracedCall) -> None:
        self.call = call
        self._helpers = 0
        self._dispatches = not call.name.startswith(OPERATORS)

    def add(self, inner: TracedCall) -> None:
        """Reads a call within this one."""
        if inner.name in HELPERS or (inner.name in PARTS and self.call.name not in WRAPPERS):
            self._helpers += inner.duration
        else:
            self._dispatches = True

    def kernels(self) -> Iterator[Kernel]:
        """The kernel, if the call is one; times in microseconds."""
        if not self._dispatches:
            call = self.call
            yield Kernel(call.name, call.start // 1000, round((call.duration - self._helpers) / 1000))
