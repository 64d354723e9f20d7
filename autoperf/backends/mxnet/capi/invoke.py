"""Calls of registered operators with prepared arguments and minimal Python overhead; recording and backward passes."""

from __future__ import annotations

import ctypes as c
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Protocol

from autoperf.backends.mxnet.capi.library import Library, handle_array, text_array
from autoperf.core.errors import EngineError
from autoperf.core.operator import Value

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
    """Sets the gradient array of each array. MXNet keeps references to both until other gradients are marked."""
    requests = (c.c_uint32 * len(arrays))(*([_REQUESTS[request]] * len(arrays)))
    inputs, slots = handle_array(handles_of(arrays)), handle_array(handles_of(gradients))
    library.call("AutogradMarkVariables", len(arrays), inputs, requests, slots)


def backward(library: Library, outputs: Sequence[Array]) -> None:
    """Starts the backward pass from `outputs` with head gradients of ones. Raises EngineError if MXNet refuses it."""
    handles = handle_array(handles_of(outputs))
    library.call("AutogradBackward", len(outputs), handles, None, 0, None, 0, 0, 1, None, None)


class BackwardPass:
    """A backward pass with prepared arguments; it has a head gradient for each output, which the caller keeps alive."""

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
        self._run = library.unchecked("AutogradBackward")

    def __call__(self, outputs: Sequence[int]) -> None:
        """Starts the pass from recorded outputs. Raises EngineError if MXNet rejects the call."""
        self._outputs[:] = [*outputs]
        if self._run(*self._arguments):
            self._library.check(-1)


def format_value(value: Value) -> str:
    """A parameter in the text format of MXNet's parsers: True, (3, 3), None, 1e-05, ((0, 1), (2, 3))."""
    if isinstance(value, tuple | list):
        inner = ", ".join(format_value(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    # A float of NumPy is written as one of Python.
    return repr(float(value)) if isinstance(value, float) else str(value)


class HandleOwner(Protocol):
    """An object that owns a handle, such as an NDArray."""

    @property
    def handle(self) -> int | None:
        """The handle; None after it is freed."""


Array = int | HandleOwner


def handles_of(arrays: Sequence[Array]) -> list[int]:
    """The handles of arrays; raises EngineError for a freed array, since MXNet would crash."""
    handles = [array if isinstance(array, int) else array.handle for array in arrays]
    if not all(handles):
        raise EngineError("an input array was freed before the call")
    return [handle for handle in handles if handle]


def handles_at(address: int | None, count: int) -> tuple[int, ...]:
    """The handles of a C array that MXNet owns until its next call; empty for a null pointer."""
    return tuple((c.c_void_p * count).from_address(address)) if address and count else ()


def free_handles(library: Library, handles: Sequence[int]) -> None:
    """Frees array handles; the engine frees the memory after its last use."""
    release = library.function("NDArrayFree")
    for handle in handles:
        release(handle)


class Invocation:
    """One operator with its inputs and parameters; each call runs the operator.

    `inputs` are arrays, which this object keeps alive, or bare handles, which the caller keeps alive. With `out`, the
    results are written to these arrays. A call returns the output handles; without `out` these are new arrays, which
    the caller must `free`. String parameters are passed to MXNet as they are.
    """

    __slots__ = ("_arguments", "_count", "_invoke", "_library", "_out", "_references", "_slot", "_types")

    def __init__(
        self,
        library: Library,
        operator: str,
        inputs: Sequence[Array],
        params: Mapping[str, Value] | None = None,
        out: Sequence[Array] | None = None,
    ) -> None:
        self._library = library
        params = params or {}
        values = [format_value(value) for value in params.values()]
        arrays = handle_array(handles_of(inputs)), text_array(list(params)), text_array(values)
        self._out = tuple(handles_of(out)) if out is not None else None
        results = handle_array(self._out or ())
        self._slot = c.c_void_p(c.addressof(results) if self._out is not None else None)
        self._count = c.c_int(len(results))
        self._types: dict[int, Any] = {}
        stypes = c.c_void_p()
        self._references = (arrays, results, stypes, inputs, out)
        self._arguments = (
            c.c_void_p(library.operator(operator)),
            c.c_int(len(inputs)),
            c.byref(arrays[0]),
            c.byref(self._count),
            c.byref(self._slot),
            c.c_int(len(params)),
            c.byref(arrays[1]),
            c.byref(arrays[2]),
            c.byref(stypes),
        )
        self._invoke = library.unchecked("ImperativeInvoke")

    def __call__(self) -> tuple[int, ...]:
        """Runs the operator, asynchronously; returns its output handles. Raises EngineError if MXNet rejects it."""
        if self._out is not None:
            if self._invoke(*self._arguments):
                self._library.check(-1)
            return self._out
        slot = self._slot
        slot.value = None
        self._count.value = 0
        if self._invoke(*self._arguments):
            self._library.check(-1)
        count = self._count.value
        if not count:
            return ()
        kind = self._types.get(count)
        if kind is None:
            kind = self._types[count] = c.c_void_p * count
        return tuple(kind.from_address(slot.value))  # type: ignore[arg-type] # set by the call

    def free(self, handles: Sequence[int]) -> None:
        """Frees output handles; the engine frees the memory after its last use. Arrays of `out` stay."""
        if self._out is None:
            free_handles(self._library, handles)


def invoke(
    library: Library,
    operator: str,
    inputs: Sequence[Array],
    params: Mapping[str, Value] | None = None,
    out: Sequence[Array] | None = None,
) -> tuple[int, ...]:
    """Runs an operator once; see Invocation."""
    return Invocation(library, operator, inputs, params, out)()
