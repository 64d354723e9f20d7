"""Calls of graphs by the executor of MXNet 1.x, for operators that only it runs."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence

from autoperf.backends.mxnet.capi.dtypes import DEVICES
from autoperf.backends.mxnet.capi.invoke import Array, free_handles, handles_at, handles_of
from autoperf.backends.mxnet.capi.library import Library, handle_array
from autoperf.backends.mxnet.capi.symbol import Symbol
from autoperf.backends.protocol import CPU, Context


class BoundInvocation:
    """A symbol bound to arrays in the order of its inputs, forward only; see Invocation.

    Raises LibraryError on 2.x, which has no executor, and EngineError if MXNet rejects the graph.
    """

    __slots__ = ("_handle", "_library", "_references")

    def __init__(self, library: Library, symbol: Symbol, inputs: Sequence[Array], ctx: Context = CPU) -> None:
        self._library = library
        self._handle = c.c_void_p()
        count = len(inputs)
        arrays, gradients = handle_array(handles_of(inputs)), handle_array([None] * count)
        requests = (c.c_uint32 * count)()
        self._references = (symbol, inputs, arrays, gradients, requests)
        device, groups, auxiliary = (DEVICES[ctx[0]], ctx[1]), (0, None, None, None), (0, None)
        arguments = (*device, *groups, count, arrays, gradients, requests, *auxiliary, None, c.byref(self._handle))
        library.call("ExecutorBind", symbol.handle, *arguments)

    def __call__(self) -> tuple[int, ...]:
        """Run the graph and return its output handles. Raises EngineError if MXNet rejects the call."""
        self._library.call("ExecutorForward", self._handle, 0)
        count, outputs = c.c_uint32(), c.c_void_p()
        self._library.call("ExecutorOutputs", self._handle, c.byref(count), c.byref(outputs))
        return handles_at(outputs.value, count.value)

    def free(self, handles: Sequence[int]) -> None:
        """Free output handles; the executor owns their memory."""
        free_handles(self._library, handles)

    def __del__(self) -> None:
        if self._handle:
            self._library.function("ExecutorFree")(self._handle)
