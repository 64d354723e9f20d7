"""A case prepared to run: its arrays, its gradients and the call; and the calls that stand before it in its network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from autoperf.backends.contents import contents_of, ones
from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.capi.graph_calls import BoundInvocation, CachedInvocation, EagerInvocation, InTurn
from autoperf.backends.mxnet.capi.invoke import BackwardPass, GradientRequest, Invocation, pass_mode, set_recording
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import BorrowedArray, NDArray
from autoperf.backends.mxnet.capi.symbol import fused_symbol, graph_symbol
from autoperf.backends.mxnet.python_operators import resolve_params
from autoperf.backends.passes import Context
from autoperf.backends.protocol import Array, BackwardRequest, PreparedCall
from autoperf.core.case import FILE, Case, Upstream
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.graph import COMPILED, IN_TURN, Node, operators_of, split_reference
from autoperf.core.tensors import ArrayType, Storage

MAX_COPIED_BYTES = 2**26
"""Weights of more bytes leave the caches by themselves between two calls."""


class UpstreamPasses:
    """Makes inputs of a call by the calls before it; `made` are these arrays by the names of the inputs.

    All of these calls run once. At each call of this object other memory takes the place of everything in the caches,
    as the rest of the network does; `alike`, the call itself with other weights, brings back what the network has used
    a moment ago, its code and the memory of its results; then the last of the calls before, whose results are the
    inputs, run again into the same arrays. A call with `inputs` has such a twin. Raises EngineError if MXNet rejects a
    call.
    """

    def __init__(self, library: Library, case: Case, upstream: Upstream, ctx: Context) -> None:
        self._library, self._case, self._ctx = library, case, ctx
        self.inputs: Mapping[str, NDArray] = {}
        self._others = np.ones(upstream.other_bytes // 8)
        arrays: dict[str, Sequence[NDArray]] = {}
        for item in upstream.inputs:
            values, tensor = contents_of(case, item), item.tensor
            arrays[item.name] = [NDArray.from_numpy(library, values, tensor.dtype, ctx, tensor.storage)]
        with pass_mode(library, recording=False, training=case.training):
            for node in upstream.graph.nodes:
                handles = Invocation(library, node.operator, _inputs(node, arrays), node.params)()
                arrays[node.name] = [NDArray(library, handle) for handle in handles]
            library.wait_all()
        sources = [split_reference(text) for text in upstream.graph.outputs]
        self.made = {name: arrays[node][output] for name, (node, output) in zip(upstream.names, sources, strict=True)}
        last = {node for node, _ in sources}
        self._calls = [
            Invocation(library, node.operator, _inputs(node, arrays), node.params, arrays[node.name])
            for node in upstream.graph.nodes
            if node.name in last
        ]

    @cached_property
    def alike(self) -> Invocation | None:
        """The call on the results of others and copies of its weights; made late, since counting needs none."""
        if not self.inputs:
            return None
        weights = [item for item in self._case.arguments if item.name not in self.made]
        is_copied = sum(item.tensor.nbytes for item in weights) < MAX_COPIED_BYTES
        copies = {item.name: self._copy(self.inputs[item.name]) for item in (weights if is_copied else ())}
        arguments = [copies.get(item.name) or self.inputs[item.name] for item in self._case.arguments]
        params = resolve_params(self._library, self._case.params)
        return Invocation(self._library, self._case.operator, arguments, params)

    def _copy(self, array: NDArray) -> NDArray:
        return NDArray.from_numpy(self._library, array.to_numpy(), array.dtype, self._ctx, array.storage)

    def __call__(self) -> None:
        """Leaves the caches as the rest of the network does. Runs unrecorded, and waits. Raises EngineError."""
        self._others.sum()
        recorded = set_recording(self._library, False)
        if self.alike:
            outputs = self.alike()
            self._library.wait_all()
            self.alike.free(outputs)
        for call in self._calls:
            call()
        self._library.wait_all()
        set_recording(self._library, recorded)


def _inputs(node: Node, arrays: Mapping[str, Sequence[NDArray]]) -> list[NDArray]:
    return [arrays[name][output] for name, output in map(split_reference, node.inputs)]


class PackageInvocation:
    """A call of the package in an operator's place, whose results are the package's and live until `free`."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._result: object = None

    def __call__(self) -> tuple[int, ...]:
        """Makes the call and keeps its result; there are no handles, since the results aren't ours."""
        self._result = self._call()
        return ()

    @property
    def results(self) -> list[Any]:
        """The arrays that the last call returned, those of nested lists too."""
        return list(_flat(self._result))

    def free(self, _handles: Sequence[int]) -> None:
        """Frees the results of the last call."""
        self._result = None


def front_end_invocation(library: Library, case: Case) -> PackageInvocation:
    """The call of a front-end benchmark. Raises EngineError without a front end, or if that lacks a name of it."""
    # Not at the top: rules import Hypothesis, which the processes that time operators don't need.
    from autoperf.rules.front_end_benchmarks import front_end_benchmarks_by_name  # noqa: PLC0415

    benchmark = front_end_benchmarks_by_name().get(case.operator)
    if benchmark is None:
        raise UsageError(f"unknown front-end benchmark {case.operator!r}")
    package = front_end(library.path)
    arrays = {item.name: package.nd.array(contents_of(case, item), dtype=item.tensor.dtype) for item in case.inputs}
    try:
        return PackageInvocation(benchmark.prepare(package, **arrays))
    except AttributeError as error:
        if not (isinstance(error.obj, ModuleType) and error.obj.__name__.split(".")[0] == package.__name__):
            raise
        raise EngineError(f"MXNet {library.version} has no {benchmark.call}: {error}") from error


def _flat(result: object) -> Iterator[Any]:
    if isinstance(result, list | tuple):
        for member in result:
            yield from _flat(member)
    elif result is not None:
        yield result


_SEMANTICS_EVERYWHERE = 2
_ALWAYS_NUMPY = 20000


def use_shape_semantics(library: Library, case: Case) -> None:
    """Sets NumPy shape semantics for operators of the NumPy namespaces (on 2.x for all), else legacy semantics."""
    graphs = (*case.graphs.values(), *((case.upstream.graph,) if case.upstream else ()))
    names = operators_of(case.operator, graphs)
    everywhere = library.number >= _ALWAYS_NUMPY or any(name.startswith("_np") for name in names)
    # In all threads, as `npx.set_np()` does, since kernels create arrays in the engine's threads.
    library.set_np_shape(_SEMANTICS_EVERYWHERE if everywhere else 0)


class EngineCall(PreparedCall):
    """What all calls of MXNet share; its outputs and gradients are arrays of their own, never views."""

    upstream: UpstreamPasses | None = None

    def __init__(self, library: Library, case: Case) -> None:
        self.library, self.case = library, case
        self.idle = library.unchecked("NDArrayWaitAll")

    def check(self) -> None:
        """Raises the EngineError of the failure that `idle` has reported."""
        self.library.check(-1)

    def mode(self) -> AbstractContextManager[None]:
        """Records if the call has gradients, in training mode if the case says so."""
        # Once for a block of calls, since switching takes as long as the smallest kernels.
        return autograd.pass_mode(self.library, recording=bool(self.gradients), training=self.case.training)

    def describe(self, outputs: Sequence[int]) -> tuple[ArrayType, ...]:
        """The types of outputs."""
        return tuple(describe(self.library, handle) for handle in outputs)

    def request_gradients(self, request: BackwardRequest) -> None:
        """A call of the front end has its gradients from the start."""

    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None) -> None:
        """A call of the front end has its head gradients from the start."""

    def storages(self, outputs: Sequence[int]) -> tuple[Storage, ...]:
        """How outputs are stored."""
        return tuple(BorrowedArray(self.library, handle).storage for handle in outputs)

    def values(self, outputs: Sequence[int]) -> list[Array]:
        """The contents of outputs."""
        return [BorrowedArray(self.library, handle).to_numpy() for handle in outputs]

    def spoil_gradients(self) -> None:
        """Fills the dense gradients of this call with NaN, those of whole numbers with 113."""
        for array in self.gradients.values():
            if isinstance(array, NDArray) and array.storage == "default":
                array.write(np.full(array.shape, np.nan if "float" in array.dtype else 113))

    def gradient_values(self) -> dict[str, Array]:
        """The contents of gradients that this call has made."""
        return {name: array.to_numpy() for name, array in self.gradients.items() if isinstance(array, NDArray)}


class Call(EngineCall):
    """The arrays of a case on a device, and its operator, ready to be invoked."""

    gradients: dict[str, NDArray]

    def __init__(
        self,
        library: Library,
        case: Case,
        ctx: Context,
        contents: Mapping[str, Array] | None = None,
        *,
        upstream: bool = False,
    ) -> None:
        """Fills arrays with these contents, or the case's. Raises EngineError, RuleError for an invalid content."""
        super().__init__(library, case)
        self.ctx = ctx
        use_shape_semantics(library, case)
        if upstream and case.upstream:
            try:
                self.upstream = UpstreamPasses(library, case, case.upstream, ctx)
            except EngineError as error:
                self.note = f"its inputs are plain, since the calls before it fail: {error}"
        # A call of the front end creates its own.
        self.inputs = self._arrays(contents or {}) if case.way != "front_end" else {}
        self._file: int | None = None
        self.gradients = {}
        self.heads: list[NDArray] = []
        self._backward: BackwardPass | None = None
        try:
            self.invoke = self._prepare()
            if self.upstream and case.way == "call" and not case.in_place:
                self.upstream.inputs = self.inputs
            library.wait_all()
        except BaseException:
            self._close_file()
            raise

    def _prepare(
        self,
    ) -> Invocation | CachedInvocation | EagerInvocation | InTurn | BoundInvocation | PackageInvocation:
        """The call: imperative, of the front end, or a graph for operators that contain graphs or only run in one."""
        case = self.case
        if case.way == "front_end":
            return front_end_invocation(self.library, case)
        handles = [handle_of(self.inputs[item.name]) for item in case.arguments]
        params = {**resolve_params(self.library, case.params), **self._file_name()}
        if case.way == "call":
            out = [handle_of(self.inputs[name]) for name in case.in_place] or None
            return Invocation(self.library, case.operator, handles, params, out)
        if IN_TURN in case.params:
            return self._in_turn(handles)
        if case.way == "eager":
            return EagerInvocation(self.library, next(iter(case.graphs.values())), handles)
        names = [item.name for item in case.arguments]
        symbol = graph_symbol(self.library, case.operator, names, params, case.graphs, way=case.way)
        if case.way == "executor":
            return BoundInvocation(self.library, symbol, handles, self.ctx)
        if case.way == "fused":
            handles_by_name = dict(zip(symbol.list_inputs(), handles, strict=True))
            symbol = fused_symbol(symbol)
            handles = [handles_by_name[name] for name in symbol.list_inputs()]
        flags = params if case.way in COMPILED else {}
        threads = case.way == "thread_safe"
        return CachedInvocation(self.library, symbol, handles, flags=flags, thread_safe=threads, ctx=self.ctx)

    def _in_turn(self, handles: Sequence[int]) -> InTurn:
        case = self.case
        (graph,) = case.graphs.values()
        sizes = graph.by_size(handles, case.params)
        if case.way == "eager":
            return InTurn(self.library, EagerInvocation(self.library, graph, sizes[0]), sizes)
        symbol = graph_symbol(self.library, case.operator, [], {}, case.graphs, way=case.way)
        flags = {name: value for name, value in case.params.items() if name != IN_TURN}
        return InTurn(self.library, CachedInvocation(self.library, symbol, sizes[0], flags=flags, ctx=self.ctx), sizes)

    def _file_name(self) -> dict[str, str]:
        for item in self.case.inputs:
            if item.name == FILE:
                self._file = os.memfd_create("autoperf-input")
                with open(self._file, "wb", closefd=False) as file:
                    file.write(contents_of(self.case, item).tobytes())
                return {FILE: f"/proc/self/fd/{self._file}"}
        return {}

    def _arrays(self, contents: Mapping[str, Array]) -> dict[str, NDArray]:
        """The input arrays by name, those that the calls before make among them."""
        made = self.upstream.made if self.upstream else {}
        arrays: dict[str, NDArray] = {}
        for item in self.case.inputs:
            if item.name != FILE:
                array, kind = made.get(item.name), item.tensor
                if array is None:
                    given = contents.get(item.name)
                    values = contents_of(self.case, item) if given is None else given
                    array = NDArray.from_numpy(self.library, values, kind.dtype, self.ctx, kind.storage)
                arrays[item.name] = array
        return arrays

    def input_values(self) -> dict[str, Array]:
        """The present contents of the inputs."""
        return {name: array.to_numpy() for name, array in self.inputs.items()}

    def write_inputs(self, contents: Mapping[str, Array], /) -> None:
        """Writes contents into the arrays of the inputs, in place."""
        for name, array in self.inputs.items():
            array.write(contents[name])

    def request_gradients(self, request: BackwardRequest) -> None:
        """Marks the inputs whose gradients the backward pass writes, in place of those marked before."""
        self._clear_gradients()
        for name in request.inputs:
            array = self.inputs[name]
            make = NDArray.empty_row_sparse if request.sparse else NDArray.create
            self.gradients[name] = make(self.library, array.shape, array.dtype, self.ctx)
        self._mark("write")

    def _mark(self, request: GradientRequest) -> None:
        inputs = [handle_of(self.inputs[name]) for name in self.gradients]
        autograd.mark_variables(self.library, inputs, [handle_of(array) for array in self.gradients.values()], request)

    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None) -> None:
        """Creates dense head gradients, one for each output."""
        for described, head in zip(outputs, ones(outputs) if values is None else values, strict=True):
            self.heads.append(NDArray.from_numpy(self.library, head, described.dtype, self.ctx))
        self._backward = BackwardPass(self.library, self.heads, train=self.case.training)
        self.library.wait_all()

    def run_backward(self, outputs: Sequence[int]) -> None:
        """Starts a backward pass from recorded outputs. Raises EngineError if `make_heads` was not called."""
        if self._backward is None:
            raise EngineError("a backward pass was asked for before its head gradients were made")
        self._backward(outputs)

    def _clear_gradients(self) -> None:
        # A marked input stays marked, and a later backward pass would write to the freed gradient.
        self._mark("null")
        for array in (*self.gradients.values(), *self.heads):
            array.free()
        self.gradients.clear()
        self.heads.clear()
        self._backward = None

    def free(self) -> None:
        """Frees all arrays and waits until the engine has deleted them."""
        self._clear_gradients()
        for array in self.inputs.values():
            array.free()
        self.library.wait_all()
        self._close_file()

    def _close_file(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def handle_of(array: NDArray) -> int:
    """The handle of an array that has not been freed."""
    return array.handle or 0


def describe(library: Library, handle: int) -> ArrayType:
    """Shape and dtype of an array that is owned elsewhere."""
    array = BorrowedArray(library, handle)
    return ArrayType(array.shape, array.dtype)
