"""Recording and backward passes over the C API."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from typing import Literal

from autoperf.capi.invoke import Array, handles_of, unchecked
from autoperf.capi.library import Library, handle_array

GradientRequest = Literal["null", "write", "add"]
_REQUESTS = {"null": 0, "write": 1, "add": 3}


def set_recording(library: Library, on: bool) -> bool:
    """Whether this thread's calls are recorded for a backward pass; returns how it was before."""
    before = c.c_int()
    library.call("AutogradSetIsRecording", int(on), c.byref(before))
    return bool(before.value)


def set_training(library: Library, on: bool) -> bool:
    """Whether this thread's calls run in training mode; returns how it was before."""
    before = c.c_int()
    library.call("AutogradSetIsTraining", int(on), c.byref(before))
    return bool(before.value)


def mark_variables(
    library: Library, arrays: Sequence[Array], gradients: Sequence[Array], request: GradientRequest = "write"
) -> None:
    """Have a backward pass write the gradient of each array into the array beside it.

    MXNet holds on to both until other gradients are marked.
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

    `retain` keeps the recorded graph, so that the pass can be run again. Raises EngineError, for instance if nothing
    was recorded.
    """
    heads = None
    if head_gradients is not None:
        heads = handle_array([None if head is None else handles_of([head])[0] for head in head_gradients])
    library.call(
        "AutogradBackward",
        len(outputs), handle_array(handles_of(outputs)), heads, 0, None, int(retain), 0, int(train), None, None,
    )  # fmt: skip


class BackwardPass:
    """A backward pass with its head gradients, prepared once and then made with as little Python as possible.

    There is a head gradient for each output that the pass will begin from; they are kept alive by the caller.
    """

    __slots__ = ("_arguments", "_library", "_outputs", "_run")

    def __init__(self, library: Library, head_gradients: Sequence[Array], *, train: bool) -> None:
        self._library = library
        count = len(head_gradients)
        self._outputs = (c.c_void_p * count)()
        heads = handle_array(handles_of(head_gradients))
        none, keep_no_graph, create_none = c.c_uint32(0), c.c_int(0), c.c_int(0)
        self._arguments = (
            *(c.c_uint32(count), self._outputs, heads),
            *(none, None, keep_no_graph, create_none, c.c_int(train), None, None),
        )
        self._run = unchecked(library, "AutogradBackward")

    def __call__(self, outputs: Sequence[int]) -> None:
        """Start the pass from outputs that were recorded; raises EngineError if MXNet refuses at once."""
        self._outputs[:] = [*outputs]
        if self._run(*self._arguments):
            self._library.check(-1)
