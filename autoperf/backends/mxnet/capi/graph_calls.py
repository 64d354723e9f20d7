"""Calls of graphs: by MXNet's CachedOp, bound to an executor of 1.x, or eagerly, one node after the other."""

from __future__ import annotations

import ctypes as c
from collections import defaultdict
from collections.abc import Mapping, Sequence

from autoperf.backends.mxnet.capi.invoke import Array, format_value, free_handles, handles_at, handles_of
from autoperf.backends.mxnet.capi.library import Library, handle_array, text_array
from autoperf.backends.mxnet.capi.ndarray import DEVICES
from autoperf.backends.mxnet.capi.symbol import Symbol
from autoperf.backends.passes import CPU, Context
from autoperf.core.errors import EngineError
from autoperf.core.graph import Graph, Node, split_reference
from autoperf.core.operator import Value

_WITH_DEVICE = 20000


class _GraphInvocation:
    """A graph that is called; the output handles are freed as those of Invocation."""

    __slots__ = ("_library",)

    def __init__(self, library: Library) -> None:
        self._library = library

    def free(self, handles: Sequence[int]) -> None:
        """Frees output handles; the engine frees the memory after its last use."""
        free_handles(self._library, handles)


class CachedInvocation(_GraphInvocation):
    """A symbol compiled with `flags` and called with arrays in the order of its inputs; see Invocation."""

    __slots__ = ("_arguments", "_arrays", "_count", "_function", "_handle", "_references", "_slot")

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
        super().__init__(library)
        self._handle = c.c_void_p()
        flags = flags or {}
        keys, values = text_array(list(flags)), text_array([format_value(value) for value in flags.values()])
        library.call(
            "CachedOpCreate", symbol.handle, len(flags), keys, values, c.byref(self._handle), c.c_bool(thread_safe)
        )
        self._arrays = arrays = handle_array(handles_of(inputs))
        stypes = c.c_void_p()
        self._count, self._slot = c.c_int(), c.c_void_p()
        self._references = (symbol, inputs, stypes)
        results = c.byref(self._count), c.byref(self._slot), c.byref(stypes)
        # 2.x takes the device, since a graph may have no inputs.
        self._function = "CachedOpInvokeOn" if library.number >= _WITH_DEVICE else "CachedOpInvoke"
        device = (DEVICES[ctx[0]], ctx[1]) if library.number >= _WITH_DEVICE else ()
        self._arguments = (self._handle, len(inputs), arrays, *device, *results)

    def take(self, place: int, handle: int) -> None:
        """Replaces an input of the calls from now on."""
        self._arrays[place] = handle

    def __call__(self) -> tuple[int, ...]:
        """Runs the graph and returns its output handles. Raises EngineError if MXNet rejects the call."""
        self._slot.value = None
        self._count.value = 0
        self._library.call(self._function, *self._arguments)
        return handles_at(self._slot.value, self._count.value)

    def __del__(self) -> None:
        if self._handle:
            self._library.function("CachedOpFree")(self._handle)


class BoundInvocation(_GraphInvocation):
    """A symbol bound to arrays in order, forward only. Raises LibraryError on 2.x, which has no executor."""

    __slots__ = ("_handle", "_references")

    def __init__(self, library: Library, symbol: Symbol, inputs: Sequence[Array], ctx: Context = CPU) -> None:
        super().__init__(library)
        self._handle = c.c_void_p()
        count = len(inputs)
        arrays, gradients = handle_array(handles_of(inputs)), handle_array([None] * count)
        requests = (c.c_uint32 * count)()
        self._references = (symbol, inputs, arrays, gradients, requests)
        device, groups, auxiliary = (DEVICES[ctx[0]], ctx[1]), (0, None, None, None), (0, None)
        arguments = (*device, *groups, count, arrays, gradients, requests, *auxiliary, None, c.byref(self._handle))
        library.call("ExecutorBind", symbol.handle, *arguments)

    def __call__(self) -> tuple[int, ...]:
        """Runs the graph and returns its output handles. Raises EngineError if MXNet rejects the call."""
        self._library.call("ExecutorForward", self._handle, 0)
        count, outputs = c.c_uint32(), c.c_void_p()
        self._library.call("ExecutorOutputs", self._handle, c.byref(count), c.byref(outputs))
        return handles_at(outputs.value, count.value)

    def __del__(self) -> None:
        if self._handle:
            self._library.function("ExecutorFree")(self._handle)


class _NodeCall:
    """One operator of the graph, called with the arrays of its sources."""

    __slots__ = ("_arguments", "_count", "_handles", "_invoke", "_library", "_references", "_slot", "name", "sources")

    def __init__(self, library: Library, node: Node) -> None:
        self.name = node.name
        self.sources = tuple(map(split_reference, node.inputs))
        self._library = library
        self._invoke = library.unchecked("ImperativeInvoke")
        self._handles = (c.c_void_p * len(self.sources))()
        self._count, self._slot, stypes = c.c_int(), c.c_void_p(), c.c_void_p()
        keys = text_array(list(node.params))
        values = text_array([format_value(value) for value in node.params.values()])
        self._references = (keys, values, stypes)
        self._arguments = (
            *(c.c_void_p(library.operator(node.operator)), c.c_int(len(self.sources)), c.byref(self._handles)),
            *(c.byref(self._count), c.byref(self._slot)),
            *(c.c_int(len(node.params)), c.byref(keys), c.byref(values), c.byref(stypes)),
        )

    def __call__(self, arrays: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
        self._handles[:] = [arrays[name][output] for name, output in self.sources]
        self._slot.value = None
        self._count.value = 0
        if self._invoke(*self._arguments):
            self._library.check(-1)
        return handles_at(self._slot.value, self._count.value)


class EagerInvocation(_GraphInvocation):
    """A graph whose nodes are called in order; `inputs` are arrays in the order of MXNet's list of its inputs.

    An array is freed after its last use, as in a Python program whose variables go out of scope. A call returns the
    output handles, which the caller must `free`; see Invocation. Raises EngineError for a graph that returns one of its
    inputs, or one array twice.
    """

    __slots__ = ("_calls", "_dead", "_inputs", "_names", "_outputs", "_references")

    def __init__(self, library: Library, graph: Graph, inputs: Sequence[Array]) -> None:
        super().__init__(library)
        self._references = inputs
        self._outputs = list(map(split_reference, graph.outputs))
        for number, (text, source) in enumerate(zip(graph.outputs, self._outputs, strict=True)):
            if source[0] in graph.inputs or source in self._outputs[:number]:
                raise EngineError(f"the output {text!r} of the graph is an input of it, or listed twice")
        handles = ((handle,) for handle in handles_of(inputs))
        self._inputs: dict[str, tuple[int, ...]] = dict(zip(graph.input_order(), handles, strict=True))
        self._names = tuple(self._inputs)
        self._calls = [_NodeCall(library, node) for node in graph.nodes]
        last: dict[str, int] = {}
        for place, call in enumerate(self._calls):
            last[call.name] = place
            last.update((name, place) for name, _ in call.sources)
        kept = {*self._inputs, *(name for name, _ in self._outputs)}
        # The nodes whose outputs are used for the last time by each call, by the call's place; without the graph's.
        self._dead: dict[int, list[str]] = {}
        for name, place in last.items():
            if name not in kept:
                self._dead.setdefault(place, []).append(name)

    def take(self, place: int, handle: int) -> None:
        """Replaces an input of the calls from now on."""
        self._inputs[self._names[place]] = (handle,)

    def __call__(self) -> tuple[int, ...]:
        """Calls all operators and returns the graph's output handles. Raises EngineError if MXNet rejects a call."""
        arrays = dict(self._inputs)
        for place, call in enumerate(self._calls):
            arrays[call.name] = call(arrays)
            for name in self._dead.get(place, ()):
                free_handles(self._library, arrays.pop(name))
        # The other outputs of the nodes that give the graph's outputs are freed.
        wanted = defaultdict[str, set[int]](set)
        for name, output in self._outputs:
            wanted[name].add(output)
        for name, numbers in wanted.items():
            free_handles(self._library, [handle for number, handle in enumerate(arrays[name]) if number not in numbers])
        return tuple(arrays[name][output] for name, output in self._outputs)


class InTurn(_GraphInvocation):
    """A graph that is called with several sizes in turn; the outputs of all sizes are those of the call."""

    __slots__ = ("_invocation", "_sizes")

    def __init__(
        self, library: Library, invocation: CachedInvocation | EagerInvocation, sizes: Sequence[Sequence[int]]
    ) -> None:
        """`sizes` has the handles of all inputs at each size, in the order of the graph's inputs."""
        super().__init__(library)
        self._invocation = invocation
        varying = [place for place, handles in enumerate(zip(*sizes, strict=True)) if len(set(handles)) > 1]
        self._sizes = [[(place, handles[place]) for place in varying] for handles in sizes]

    def __call__(self) -> tuple[int, ...]:
        """Runs the graph at each size, and returns all output handles. Raises EngineError if MXNet rejects a call."""
        outputs: list[int] = []
        for inputs in self._sizes:
            for place, handle in inputs:
                self._invocation.take(place, handle)
            outputs += self._invocation()
        return tuple(outputs)
