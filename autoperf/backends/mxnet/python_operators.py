"""Operators written in Python, which `Custom` and similar operators need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from autoperf.backends.mxnet.capi.callbacks import Arrays, Buffers, PythonOperator, array_info, native_info, register
from autoperf.backends.mxnet.capi.invoke import invoke
from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape


class AddOne:
    """data + 1, computed by one MXNet operator; the rest of its time is the overhead of the callback."""

    arguments: tuple[str, ...] = ("data",)
    outputs: tuple[str, ...] = ("output",)

    def shapes(self, inputs: Sequence[Shape]) -> tuple[Sequence[Shape], Sequence[Shape]]:
        """The output has the input's shape."""
        return inputs, inputs

    def forward(self, library: Library, arrays: Arrays) -> None:
        """output = data + 1."""
        invoke(library, "_plus_scalar", arrays.inputs, {"scalar": 1.0}, arrays.outputs)

    def backward(self, library: Library, arrays: Arrays) -> None:
        """The gradient passes through."""
        invoke(library, "_copy", arrays.output_gradients, None, arrays.input_gradients)

    def forward_native(self, buffers: Buffers) -> None:
        """output = data + 1."""
        np.add(buffers.inputs[0], 1.0, out=buffers.outputs[0])

    def backward_native(self, buffers: Buffers) -> None:
        """The gradient passes through."""
        np.copyto(buffers.input_gradients[0], buffers.output_gradients[0])


OWN: Mapping[str, PythonOperator] = {"autoperf_add_one": AddOne()}


# A case names callbacks as `info="autoperf_add_one.arrays"`; MXNet gets their address.
INFO: Mapping[str, Callable[[Library, str, PythonOperator], int]] = {"arrays": array_info, "memory": native_info}


def resolve_params(library: Library, params: Mapping[str, Value]) -> Mapping[str, Value]:
    """The parameters of a call as MXNet takes them; registers the Python operator that they name."""
    name = params.get("op_type")
    if isinstance(name, str) and name in OWN:
        register(library, name, OWN[name])
    name, _, kind = str(params.get("info")).partition(".")
    if name in OWN and kind in INFO:
        return {**params, "info": hex(INFO[kind](library, name, OWN[name]))}
    return params
