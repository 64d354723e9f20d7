"""Recording and backward passes over the C API."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from typing import Literal

from autoperf.backends.mxnet.capi.invoke import Array, handles_of, unchecked_function
from autoperf.backends.mxnet.capi.library import Library, handle_array

GradientRequest = Literal["null", "write", "add"]
_REQUESTS = {"null": 0, "write": 1, "add": 3}


def set_recording(library: Library, on: bool) -> bool:
    """Switch recording for a backward pass in this thread; returns the previous state."""
    before = c.c_int()
    library.call("AutogradSetIsRecording", int(on), c.byref(before))
    return bool(before.value)


def set_training(library: Library, on: bool) -> bool:
    """Switch training mode in this thread; returns the previous state."""
    before = c.c_int()
    library.call("AutogradSetIsTraining", int(on), c.byref(before))
    return bool(before.value)


def mark_variables(
    library: Library, arrays: Sequence[Array], gradients: Sequence[Array], request: GradientRequest = "write"
) -> None:
    """Set the gradient array of each array, which a backward pass writes to.

    MXNet keeps references to both until other gradients are marked.
    """
    requests = (c.c_uint32 * len(arrays))(*([_REQUESTS[request]] * len(arrays)))
    library.call(
        "AutogradMarkVariables",
        len(arrays),
        handle_array(handles_of(arrays)),
        requests,
        handle_array(handles_of(gradients)),
    )


def backward(
    library: Library,
    outputs: Sequence[Array],
    head_gradients: Sequence[Array | None] | None = None,
    *,
    retain: bool = False,
    train: bool = True,
) -> None:
    """Start the backward pass from `outputs`; a head gradient of None is all ones.

    `retain` keeps the recorded graph for another pass. Raises EngineError, for instance if nothing was recorded.
    """
    heads = None
    if head_gradients is not None:
        heads = handle_array([None if head is None else handles_of([head])[0] for head in head_gradients])
    library.call(
        "AutogradBackward",
        len(outputs), handle_array(handles_of(outputs)), heads, 0, None, int(retain), 0, int(train), None, None,
    )  # fmt: skip


class BackwardPass:
    """A backward pass with prepared arguments, called with minimal Python overhead.

    It has a head gradient for each output; the caller keeps them alive.
    """

    __slots__ = ("_arguments", "_library", "_outputs", "_run")

    def __init__(self, library: Library, head_gradients: Sequence[Array], *, train: bool) -> None:
        self._library = library
        count = len(head_gradients)
        self._outputs = (c.c_void_p * count)()
        heads = handle_array(handles_of(head_gradients))
        no_variables, retain_graph, create_graph = c.c_uint32(0), c.c_int(0), c.c_int(0)
        self._arguments = (
            *(c.c_uint32(count), self._outputs, heads),
            *(no_variables, None, retain_graph, create_graph, c.c_int(train), None, None),
        )
        self._run = unchecked_function(library, "AutogradBackward")

    def __call__(self, outputs: Sequence[int]) -> None:
        """Start the pass from recorded outputs; raises EngineError if MXNet rejects the call."""
        self._outputs[:] = [*outputs]
        if self._run(*self._arguments):
            self._library.check(-1)
