"""PyTorch and its profiler, in a process that has imported it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import torch
from torch._C import _autograd, _dispatch_get_registrations_for_dispatch_key
from torch._C._profiler import ProfilerActivity, ProfilerConfig, ProfilerState, _ExperimentalConfig

from autoperf.backends.expressions import ExpressionCall, ExpressionEngine
from autoperf.backends.protocol import Array, BackwardRequest, BuildDescription, Kernel
from autoperf.backends.torch.trace import ROLES, TracedCall, kernels_of
from autoperf.core.errors import EngineError
from autoperf.core.tensors import ArrayType
from autoperf.implementations.expressions import results_of


class TorchProfiler:
    """Records operators on the CPU, by the part of `torch.profiler` that starts and ends in a millisecond."""

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
                TracedCall(each.name(), each.start_ns(), each.duration_ns(), each.start_thread_id()) for each in events
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
