"""Calls of registered operators, prepared once and then made with as little Python as possible."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from autoperf.capi.library import Library, handle_array, text_array
from autoperf.core.errors import EngineError
from autoperf.core.operator import Value


def format_value(value: Value) -> str:
    """A parameter as MXNet's parsers read it: True, (3, 3), None, 1e-05, ((0, 1), (2, 3))."""
    if isinstance(value, tuple | list):
        inner = ", ".join(format_value(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(float(value))
    return str(value)


class Holder(Protocol):
    """Something that owns a handle and frees it when it goes: an NDArray."""

    @property
    def handle(self) -> int | None:
        """The handle, or None once it is freed."""


Array = int | Holder


def handles_of(arrays: Sequence[Array]) -> list[int]:
    """The handles of arrays; raises EngineError for one that was freed, which MXNet would crash on."""
    handles = [array if isinstance(array, int) else array.handle for array in arrays]
    if not all(handles):
        raise EngineError("an array was freed before the call that takes it")
    return [handle for handle in handles if handle]


def handles_at(address: int | None, count: int) -> tuple[int, ...]:
    """The handles of a C array that MXNet owns until its next call; none if there is no array."""
    return tuple((c.c_void_p * count).from_address(address)) if address and count else ()


def give_back(library: Library, handles: Sequence[int]) -> None:
    """Free arrays that MXNet handed out; the memory goes once the engine is done with it."""
    release = library.function("NDArrayFree")
    for handle in handles:
        release(handle)


class Invocation:
    """One operator with its inputs and parameters; every call of it runs the operator again.

    `inputs` are arrays, kept alive here, or bare handles, kept alive by the caller. With `out`, the results are
    written to these arrays.
    Calling it gives the handles of the outputs; without `out` these are new arrays, which the caller must `free`.
    Parameters are MXNet's own text already if they are strings.
    """

    __slots__ = ("_arguments", "_count", "_invoke", "_keep", "_library", "_out", "_slot", "_types")

    def __init__(
        self,
        library: Library,
        operator: str | int,
        inputs: Sequence[Array],
        params: Mapping[str, Value] | None = None,
        out: Sequence[Array] | None = None,
    ) -> None:
        self._library = library
        handle = library.operator(operator) if isinstance(operator, str) else operator
        params = params or {}
        values = [format_value(value) for value in params.values()]
        arrays = handle_array(handles_of(inputs)), text_array(list(params)), text_array(values)
        self._out = tuple(handles_of(out)) if out is not None else None
        results = handle_array(self._out or ())
        self._slot = c.c_void_p(c.addressof(results) if self._out is not None else None)
        self._count = c.c_int(len(results))
        self._types: dict[int, Any] = {}
        stypes = c.c_void_p()
        self._keep = (arrays, results, stypes, inputs, out)
        self._arguments = (
            c.c_void_p(handle),
            c.c_int(len(inputs)),
            c.byref(arrays[0]),
            c.byref(self._count),
            c.byref(self._slot),
            c.c_int(len(params)),
            c.byref(arrays[1]),
            c.byref(arrays[2]),
            c.byref(stypes),
        )
        self._invoke = unchecked(library, "ImperativeInvoke")

    def __call__(self) -> tuple[int, ...]:
        """Run the operator; the handles of its outputs. Raises EngineError if MXNet refuses at once.

        Kernels run in the engine's own time: wait for an output, or for all, to see them done (or failed).
        """
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
        """Give back outputs; the memory goes once the engine is done with it. Arrays given as `out` stay."""
        if self._out is None:
            give_back(self._library, handles)


def unchecked(library: Library, name: str) -> Callable[..., int]:
    """A C function by its name in `prototypes.FUNCTIONS`, without argument types, since their conversion costs time.

    Every argument has to be a C value already, of the right kind. What it returns is for `Library.check`.
    """
    function: Callable[..., int] = library.dll[library.function(name).__name__]
    return function


def invoke(
    library: Library,
    operator: str | int,
    inputs: Sequence[Array],
    params: Mapping[str, Value] | None = None,
    out: Sequence[Array] | None = None,
) -> tuple[int, ...]:
    """Run an operator once; see Invocation."""
    return Invocation(library, operator, inputs, params, out)()
