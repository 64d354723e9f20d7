"""Calls of a graph's operators one after the other, as a block that isn't hybridized makes them."""

from __future__ import annotations

import ctypes as c
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autoperf.backends.mxnet.capi.invoke import (
    Array,
    format_value,
    free_handles,
    handles_at,
    handles_of,
    unchecked_function,
)
from autoperf.backends.mxnet.capi.library import Library, text_array
from autoperf.core.errors import EngineError
from autoperf.core.graph import Graph, Node, split_reference


class _Source(NamedTuple):
    """Where an array comes from: a variable or a node, by name, and the number of the output."""

    name: str
    output: int


class _NodeCall:
    """One operator of the graph, called with the arrays of its sources."""

    __slots__ = ("_arguments", "_count", "_handles", "_invoke", "_library", "_references", "_slot", "name", "sources")

    def __init__(self, library: Library, node: Node) -> None:
        self.name = node.name
        self.sources = tuple(_Source(*split_reference(text)) for text in node.inputs)
        self._library = library
        self._invoke = unchecked_function(library, "ImperativeInvoke")
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
        """The handles of the outputs. Raises EngineError if MXNet rejects the call."""
        self._handles[:] = [arrays[source.name][source.output] for source in self.sources]
        self._slot.value = None
        self._count.value = 0
        if self._invoke(*self._arguments):
            self._library.check(-1)
        return handles_at(self._slot.value, self._count.value)


class EagerInvocation:
    """A graph whose nodes are called in order; `inputs` are arrays in the order of MXNet's list of its inputs.

    An array is freed after its last use, as in a Python program whose variables go out of scope. A call returns the
    output handles, which the caller must `free`; see Invocation. Raises EngineError for a graph that returns one of its
    inputs, or one array twice.
    """

    __slots__ = ("_calls", "_dead", "_inputs", "_library", "_outputs", "_references")

    def __init__(self, library: Library, graph: Graph, inputs: Sequence[Array]) -> None:
        self._library = library
        self._references = inputs
        _check_distinct_outputs(graph)
        handles = ((handle,) for handle in handles_of(inputs))
        self._inputs: dict[str, tuple[int, ...]] = dict(zip(graph.input_order(), handles, strict=True))
        self._calls = [_NodeCall(library, node) for node in graph.nodes]
        self._outputs = [_Source(*split_reference(text)) for text in graph.outputs]
        self._dead = _last_uses(self._calls, self._inputs, self._outputs)

    def __call__(self) -> tuple[int, ...]:
        """Call all operators and return the graph's output handles. Raises EngineError if MXNet rejects a call."""
        arrays = dict(self._inputs)
        for place, call in enumerate(self._calls):
            arrays[call.name] = call(arrays)
            for name in self._dead.get(place, ()):
                free_handles(self._library, arrays.pop(name))
        return tuple(self._kept(arrays))

    def _kept(self, arrays: Mapping[str, Sequence[int]]) -> Iterator[int]:
        """The handles of the graph's outputs; the other outputs of their nodes are freed."""
        wanted = defaultdict[str, set[int]](set)
        for source in self._outputs:
            wanted[source.name].add(source.output)
            yield arrays[source.name][source.output]
        for name, numbers in wanted.items():
            free_handles(self._library, [handle for number, handle in enumerate(arrays[name]) if number not in numbers])

    def free(self, handles: Sequence[int]) -> None:
        """Free output handles; the engine frees the memory after its last use."""
        free_handles(self._library, handles)


def _check_distinct_outputs(graph: Graph) -> None:
    """Raises EngineError for outputs that would be freed though they are inputs, or freed twice."""
    for number, text in enumerate(graph.outputs):
        if text in graph.inputs or split_reference(text) in map(split_reference, graph.outputs[:number]):
            raise EngineError(f"the output {text!r} of the graph is an input of it, or listed twice")


def _last_uses(
    calls: Sequence[_NodeCall], variables: Mapping[str, object], outputs: Sequence[_Source]
) -> dict[int, list[str]]:
    """The nodes whose outputs are used for the last time by each call, by the call's place; without the graph's."""
    last: dict[str, int] = {}
    for place, call in enumerate(calls):
        last[call.name] = place
        last.update((source.name, place) for source in call.sources)
    kept = {*variables, *(source.name for source in outputs)}
    dead: dict[int, list[str]] = defaultdict(list)
    for name, place in last.items():
        if name not in kept:
            dead[place].append(name)
    return dict(dead)
