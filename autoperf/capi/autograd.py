"""Recording and backward passes over the C API."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from typing import Literal

from autoperf.capi.invoke import Array, handles_of
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
