"""Runs one call forward and backward with the profiler, and reads the kernels of the backward pass.

It needs a separate process: it can crash, and the profiler can be configured only once.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autoperf.backends.mxnet.capi import autograd, profiler
from autoperf.backends.mxnet.capi.engine_kernels import ENGINE_KERNELS
from autoperf.backends.mxnet.capi.invoke import invoke
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.backends.mxnet.capi.trace import Recorder, kernels
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType
from autoperf.registry.calls import Completion


def traced_kernels(
    library: Library, operator: str, completion: Completion, params: Mapping[str, Value]
) -> tuple[str, ...]:
    """The unique kernel names in a backward pass's trace, in order. Raises EngineError if MXNet rejects the call."""
    recorder = Recorder(library, memory=False)
    profiler.set_bulk_size(library, 0)
    arrays = {name: _array(library, kind) for name, kind in completion.inputs}
    variables = [arrays[name] for name, kind in completion.inputs if _has_gradient(name, kind, completion)]
    slots = [NDArray.create(library, array.shape, array.dtype) for array in variables]
    autograd.mark_variables(library, variables, slots)
    outputs = _run_recorded(library, operator, list(arrays.values()), params)
    library.wait_all()
    profiler.set_state(library, True)
    try:
        autograd.backward(library, outputs)
        library.wait_all()
    finally:
        profiler.set_state(library, False)
    names = (kernel.name for kernel in kernels(recorder.dump()))
    return tuple(dict.fromkeys(name for name in names if name not in ENGINE_KERNELS))


def _has_gradient(name: str, kind: ArrayType, completion: Completion) -> bool:
    return "float" in kind.dtype and name not in completion.auxiliary


def _array(library: Library, kind: ArrayType) -> NDArray:
    """An array of 0.5, or of zeros for integer dtypes (indices, lengths)."""
    values = np.full(kind.shape, 0.5 if "float" in kind.dtype else 0.0, dtype="float32")
    return NDArray.from_numpy(library, values, kind.dtype)


def _run_recorded(library: Library, operator: str, inputs: list[NDArray], params: Mapping[str, Value]) -> list[NDArray]:
    autograd.set_recording(library, True)
    autograd.set_training(library, True)
    try:
        return [NDArray(library, handle) for handle in invoke(library, operator, inputs, params)]
    finally:
        autograd.set_recording(library, False)
        autograd.set_training(library, False)
