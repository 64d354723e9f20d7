"""Calls of compiled graphs (MXNet's CachedOp), as hybridized blocks make them."""

from __future__ import annotations

import ctypes as c
from collections.abc import Mapping, Sequence

from autoperf.backends.mxnet.capi.dtypes import DEVICES
from autoperf.backends.mxnet.capi.invoke import Array, format_value, free_handles, handles_at, handles_of
from autoperf.backends.mxnet.capi.library import Library, handle_array, text_array
from autoperf.backends.mxnet.capi.symbol import Symbol
from autoperf.backends.protocol import CPU, Context
from autoperf.core.operator import Value

_WITH_DEVICE = 20000


class CachedInvocation:
    """A symbol compiled with `flags` (static_alloc, ...) and called with arrays in the order of its inputs.

    A call returns the output handles, which the caller must `free`; see Invocation.
    """

    __slots__ = ("_arguments", "_count", "_function", "_handle", "_library", "_references", "_slot")

    def __init__(
        self,
        library: Library,
        symbol: Symbol,
        inputs: Sequence[Array],
        *,
        flags: Mapping[str, Value] | None = None,
        thread_safe: bool = False,
        ctx: Context = CPU,
    ) -> None:
        self._library = library
        self._handle = c.c_void_p()
        flags = flags or {}
        keys, values = text_array(list(flags)), text_array([format_value(value) for value in flags.values()])
        library.call(
            "CachedOpCreate", symbol.handle, len(flags), keys, values, c.byref(self._handle), c.c_bool(thread_safe)
        )
        arrays, stypes = handle_array(handles_of(inputs)), c.c_void_p()
        self._count, self._slot = c.c_int(), c.c_void_p()
        self._references = (symbol, inputs, arrays, stypes)
        results = c.byref(self._count), c.byref(self._slot), c.byref(stypes)
        # 2.x takes the device, since a graph may have no inputs.
        self._function = "CachedOpInvokeOn" if library.number >= _WITH_DEVICE else "CachedOpInvoke"
        device = (DEVICES[ctx[0]], ctx[1]) if library.number >= _WITH_DEVICE else ()
        self._arguments = (self._handle, len(inputs), arrays, *device, *results)

    def __call__(self) -> tuple[int, ...]:
        """Run the graph and return its output handles. Raises EngineError if MXNet rejects the call."""
        self._slot.value = None
        self._count.value = 0
        self._library.call(self._function, *self._arguments)
        return handles_at(self._slot.value, self._count.value)

    def free(self, handles: Sequence[int]) -> None:
        """Free output handles; the engine frees the memory after its last use."""
        free_handles(self._library, handles)

    def __del__(self) -> None:
        if self._handle:
            self._library.function("CachedOpFree")(self._handle)
