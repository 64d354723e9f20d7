"""Calls of graphs by the executor that 1.x has, for the operators that nothing else runs."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence

from autoperf.capi.dtypes import CPU, DEVICES, Context
from autoperf.capi.invoke import Array, give_back, handles_at, handles_of
from autoperf.capi.library import Library, handle_array
from autoperf.capi.symbol import Symbol


class BoundInvocation:
    """A symbol bound to arrays in the order of its inputs, run forward and without gradients; see Invocation.

    Raises LibraryError on 2.x, which has no executor, and EngineError if MXNet refuses the graph.
    """

    __slots__ = ("_handle", "_keep", "_library")

    def __init__(self, library: Library, symbol: Symbol, inputs: Sequence[Array], ctx: Context = CPU) -> None:
        self._library = library
        self._handle = c.c_void_p()
        count = len(inputs)
        arrays, gradients = handle_array(handles_of(inputs)), handle_array([None] * count)
        requests = (c.c_uint32 * count)()
        self._keep = (symbol, inputs, arrays, gradients, requests)
        device, groups, auxiliary = (DEVICES[ctx[0]], ctx[1]), (0, None, None, None), (0, None)
        bound = (*device, *groups, count, arrays, gradients, requests, *auxiliary, None, c.byref(self._handle))
        library.call("ExecutorBind", symbol.handle, *bound)

    def __call__(self) -> tuple[int, ...]:
        """Run the graph; the handles of its outputs. Raises EngineError if MXNet refuses at once."""
        self._library.call("ExecutorForward", self._handle, 0)
        count, found = c.c_uint32(), c.c_void_p()
        self._library.call("ExecutorOutputs", self._handle, c.byref(count), c.byref(found))
        return handles_at(found.value, count.value)

    def free(self, handles: Sequence[int]) -> None:
        """Give back outputs; their memory is the executor's and stays."""
        give_back(self._library, handles)

    def __del__(self) -> None:
        if self._handle:
            self._library.function("ExecutorFree")(self._handle)
