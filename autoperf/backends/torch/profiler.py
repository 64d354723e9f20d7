"""PyTorch's own profiler, for the kernels of an operator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch._C import _autograd, _dispatch_get_registrations_for_dispatch_key
from torch._C._profiler import ProfilerActivity, ProfilerConfig, ProfilerState, _ExperimentalConfig

from autoperf.backends.kernels import Kernel
from autoperf.backends.torch.trace import ROLES, TracedCall, kernels_of


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
