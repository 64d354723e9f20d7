"""Recording and backward passes over the C API."""

from __future__ import annotations

import ctypes as c
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from autoperf.backends.mxnet.capi.invoke import Array, handles_of, unchecked_function
from autoperf.backends.mxnet.capi.library import Library, handle_array

GradientRequest = Literal["null", "write"]
_REQUESTS = {"null": 0, "write": 1}


def set_recording(library: Library, on: bool) -> bool:
    """Switches recording for a backward pass in this thread; returns the previous state."""
    before = c.c_int()
    library.call("AutogradSetIsRecording", int(on), c.byref(before))
    return bool(before.value)


def set_training(library: Library, on: bool) -> bool:
    """Switches training mode in this thread; returns the previous state."""
    before = c.c_int()
    library.call("AutogradSetIsTraining", int(on), c.byref(before))
    return bool(before.value)


@contextmanager
def pass_mode(library: Library, *, recording: bool, training: bool = True) -> Iterator[None]:
    """Records and trains inside the context as these say, and does neither after it."""
    set_recording(library, recording)
    set_training(library, training)
    try:
        yield
    finally:
        set_recording(library, False)
        set_training(library, False)


def mark_variables(
    library: Library, arrays: Sequence[Array], gradients: Sequence[Array], request: GradientRequest = "write"
) -> None:
    """Sets the gradient array of each array, which a backward pass writes to.

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


def backward(library: Library, outputs: Sequence[Array]) -> None:
    """Starts the backward pass from `outputs` with head gradients of ones. Raises EngineError if MXNet refuses it."""
    handles = handle_array(handles_of(outputs))
    library.call("AutogradBackward", len(outputs), handles, None, 0, None, 0, 0, 1, None, None)


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
        """Starts the pass from recorded outputs. Raises EngineError if MXNet rejects the call."""
        self._outputs[:] = [*outputs]
        if self._run(*self._arguments):
            self._library.check(-1)
