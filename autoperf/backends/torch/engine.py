"""PyTorch, its profiler and the kernels of a trace, in a process that has imported it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch._C import _autograd, _dispatch_get_registrations_for_dispatch_key
from torch._C._profiler import ProfilerActivity, ProfilerConfig, ProfilerState, _ExperimentalConfig

from autoperf.backends.expressions import ExpressionCall, ExpressionEngine
from autoperf.backends.protocol import Array, BackwardRequest, BuildDescription, Kernel, KernelRoles
from autoperf.core.errors import EngineError
from autoperf.core.tensors import ArrayType
from autoperf.implementations.expressions import results_of

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

    @property
    def end(self) -> int:
        """The end in nanoseconds."""
        return self.start + self.duration


def kernels_of(calls: Iterable[TracedCall], working: Container[str]) -> list[Kernel]:
    """The kernels, by start, each by its own time: that of the call without the calls in it.

    An operator that calls others is one if it is of `working`, those with code for the processor: `aten::sum` works,
    though it calls `aten::fill_` first. Others dispatch, as `aten::softmax`, of which `aten::_softmax` is the kernel.
    """
    by_thread: dict[int, list[TracedCall]] = {}
    for call in calls:
        by_thread.setdefault(call.thread, []).append(call)
    found = [kernel for thread in by_thread.values() for kernel in _of_thread(thread, working)]
    return sorted(found, key=lambda kernel: kernel.start)


def _of_thread(calls: Iterable[TracedCall], working: Container[str]) -> Iterator[Kernel]:
    """The kernels of one thread, one after the other: the calls in a kernel stand behind it, within its call."""
    end = 0
    for each in _nested(calls):
        if each.is_kernel(working):
            start, duration = max(each.call.start // 1000, end), round(each.own / 1000)
            end = start + duration
            yield Kernel(each.call.name, start, duration)


def _nested(calls: Iterable[TracedCall]) -> list[_NestedCall]:
    """The calls of one thread, which lie within each other or apart, by start."""
    found: list[_NestedCall] = []
    around: list[_NestedCall] = []
    for call in sorted(calls, key=lambda each: (each.start, -each.duration)):
        while around and around[-1].call.end <= call.start:
            around.pop()
        if around:
            around[-1].add(call)
        around.append(_NestedCall(call))
        found.append(around[-1])
    return found


class _NestedCall:
    """A call, its own nanoseconds without the calls in it, and whether one of those is no helper."""

    def __init__(self, call: TracedCall) -> None:
        self.call = call
        self.own = call.duration
        self._calls_others = False

    def add(self, inner: TracedCall) -> None:
        """Adds a call within this one."""
        self.own -= inner.duration
        self._calls_others |= inner.name not in HELPERS

    def is_kernel(self, working: Container[str]) -> bool:
        """Whether it has code for the processor, or calls nothing but helpers."""
        name = self.call.name
        return name in working or (name.startswith(OPERATORS) and not self._calls_others)


class TorchProfiler:
    """Records the operators that this process calls on the CPU.

    It is the part of `torch.profiler` that records: it starts and ends in a millisecond, the rest takes tens of them.
    """

    roles = ROLES

    def __init__(self) -> None:
        self._config = ProfilerConfig(ProfilerState.KINETO, False, False, False, False, False, _ExperimentalConfig())
        self._calls: list[TracedCall] = []
        # With their overloads, which a trace leaves out: `aten::sum.dim_IntList`.
        registered = _dispatch_get_registrations_for_dispatch_key("CPU")
        self._working = frozenset(name.partition(".")[0] for name in registered)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Records inside the context."""
        activities = {ProfilerActivity.CPU}
        _autograd._prepare_profiler(self._config, activities)  # noqa: SLF001 - as torch.autograd.profiler does
        _autograd._enable_profiler(self._config, activities)  # noqa: SLF001
        try:
            yield
        finally:
            events = _autograd._disable_profiler().events()  # noqa: SLF001
            self._calls += [
                TracedCall(event.name(), event.start_ns(), event.duration_ns(), event.start_thread_id())
                for event in events
            ]

    def pause(self) -> None:
        """Goes on, since freeing outputs calls no operator."""

    def resume(self) -> None:
        """Goes on."""

    def kernels(self) -> list[Kernel]:
        """The kernels recorded since the last reading, sorted by start."""
        calls, self._calls = self._calls, []
        return kernels_of(calls, self._working)


class TorchCall(ExpressionCall):
    """An expression over tensors, with gradients by torch.autograd."""

    framework = "torch"

    def array(self, values: Array, dtype: str) -> Any:
        """A tensor on the CPU."""
        return torch.from_numpy(values.copy()).to(getattr(torch, dtype))

    def to_numpy(self, array: Any) -> Array:
        """The contents of a tensor; bfloat16 as float32."""
        plain = array.detach().resolve_conj().resolve_neg()
        result: Array = (plain.float() if plain.dtype == torch.bfloat16 else plain).numpy()
        return result

    def shares_memory(self, array: Any, other: Any) -> bool:
        """Whether both have one storage."""
        if not (isinstance(array, torch.Tensor) and isinstance(other, torch.Tensor) and array.numel()):
            return False
        return bool(array.untyped_storage().data_ptr() == other.untyped_storage().data_ptr())

    def dtype_of(self, array: Any) -> str:
        """The name of a tensor's dtype."""
        return str(array.dtype).removeprefix("torch.")

    def mode(self) -> AbstractContextManager[None]:
        """Records if the call has gradients."""
        context: AbstractContextManager[None] = torch.enable_grad() if self.gradients else torch.no_grad()
        return context

    def request_gradients(self, request: BackwardRequest, /) -> None:
        """Marks the inputs."""
        for tensor in self.gradients.values():
            tensor.requires_grad_(requires_grad=False)
        self.ask_for(request.inputs)
        for tensor in self.gradients.values():
            tensor.requires_grad_()

    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None, /) -> None:
        """Makes head gradients for the outputs that depend on the marked inputs. Raises EngineError if none does."""
        super().make_heads(outputs, values)
        with torch.enable_grad():
            made = results_of(self.function())
        flowing = [number for number in range(len(outputs)) if made[number].requires_grad]
        if not flowing:
            raise EngineError("no output depends on the inputs by a gradient")
        self._flowing = None if len(flowing) == len(made) else flowing
        self._marked = tuple(self.gradients.values())
        self._seeds = [self.heads[number].reshape(made[number].shape) for number in flowing]

    def run_backward(self, outputs: Any, /) -> None:
        """Computes the gradients."""
        flowing = outputs if self._flowing is None else [outputs[number] for number in self._flowing]
        self._results = torch.autograd.grad(flowing, self._marked, self._seeds, allow_unused=True)


class TorchEngine(ExpressionEngine):
    """PyTorch on the CPU, which has computed the results when a call returns."""

    title = "PyTorch"
    call = TorchCall
    roles = ROLES

    @property
    def build(self) -> BuildDescription:
        """The package, with the libraries that it uses, and its threads within an operator."""
        libraries = {
            "MKL": torch.backends.mkl.is_available(),
            "MKLDNN": torch.backends.mkldnn.is_available(),
            "OPENMP": torch.backends.openmp.is_available(),
            "CUDA": torch.version.cuda is not None,
        }
        folder = str(Path(torch.__file__).parent)
        return BuildDescription(str(torch.__version__), folder, libraries, torch.get_num_threads())

    def profiler(self) -> TorchProfiler | None:
        """PyTorch's profiler of operators on the CPU."""
        return TorchProfiler()

    def seed(self, seed: int) -> None:
        """Seeds PyTorch's random numbers."""
        torch.manual_seed(seed)


ENGINE = TorchEngine
