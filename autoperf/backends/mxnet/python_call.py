"""Calls through MXNet's Python package: of an operator, a graph, or the block of a Gluon layer."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from inspect import Parameter
from pathlib import Path
from typing import Any

import numpy as np

from autoperf.backends.contents import contents_of, differentiable_inputs
from autoperf.backends.mxnet.call import Call, EngineCall, PackageInvocation, describe, handle_of, use_shape_semantics
from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi.front_end import front_end, registered_operators
from autoperf.backends.mxnet.capi.graph_symbol import graph_text
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import BorrowedArray, NDArray
from autoperf.backends.mxnet.python_operators import resolve_params
from autoperf.backends.passes import own_forward
from autoperf.backends.protocol import Array, Profiler, TrialResult
from autoperf.backends.user_code import user_attribute
from autoperf.core.case import FILE, Case, with_lists
from autoperf.core.errors import AbsentLayerError, EngineError, UsageError
from autoperf.core.graph import IN_TURN, OWN_GRAPH, STATIC_FLAGS, Graph, Node, short_reference
from autoperf.core.layers import LayerPlace, missing_arguments
from autoperf.core.modes import HYBRIDIZE, STATIC
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.registry.names import python_functions, takes_numpy_arrays
from autoperf.rules.front_end import FRONT_END


def attribute(package: Any, path: str) -> Callable[..., Any] | None:
    """The function at a path of the package; None if there is none."""
    value = package
    for part in path.split("."):
        value = getattr(value, part, None)
    return value if callable(value) else None


def borrowed(kind: type, package: Any, array: NDArray) -> Any:
    """An array of the package that doesn't own its handle."""
    return _borrowing(kind)(handle=package.base.NDArrayHandle(handle_of(array)))


@cache
def _borrowing(kind: type) -> type:
    """The class of arrays without its finaliser, which frees the handle."""
    return type(kind)(kind.__name__, (kind,), {"__del__": lambda _array: None})


def graph_function(call: Call, package: Any) -> tuple[str, Callable[[], object]]:
    """The name of a graph's call, and the call. Raises EngineError if an operator has no function of `mx.nd`."""
    case = call.case
    if IN_TURN in case.params:
        raise EngineError("the package calls a graph with one size")
    (graph,) = case.graphs.values()
    arrays = [borrowed(package.nd.NDArray, package, call.inputs[item.name]) for item in case.arguments]
    if case.way == "eager":
        try:
            return f"{len(graph.nodes)} functions of mx.nd", _eager(call, package, graph, arrays)
        except Exception as error:
            raise EngineError(f"MXNet's Python package can't run this graph: {error}") from error
    if case.way != "compiled":
        raise EngineError(f"the package has no graph that runs {case.way}")
    symbol = package.sym.load_json(graph_text(call.library, graph))
    return "mx.nd.CachedOp", partial(package.nd.CachedOp(symbol, list(case.params.items())), *arrays)


def _eager(call: Call, package: Any, graph: Graph, arrays: list[Any]) -> Callable[[], object]:
    """A function whose lines call the operators' own functions in order; each is called once while it is written."""
    names = {name: f"x{place}" for place, name in enumerate(graph.input_order())}
    values = dict(zip(names.values(), arrays, strict=True))
    functions: dict[str, Any] = {}
    lines = []
    for place, node in enumerate(graph.nodes):
        functions[f"f{place}"] = function = _function(call, package, node)
        taken = [names[short_reference(reference)] for reference in node.inputs]
        results = function(*(values[name] for name in taken), **node.params)
        parts = [f"y{place}_{number}" for number in range(len(results))] if isinstance(results, list) else [f"y{place}"]
        values |= zip(parts, results if isinstance(results, list) else [results], strict=True)
        names |= {short_reference(f"{node.name}[{number}]"): part for number, part in enumerate(parts)}
        words = [*taken, *(f"{name}={value!r}" for name, value in node.params.items())]
        lines.append(f"{', '.join(parts)} = f{place}({', '.join(words)})")
    lines.append(f"return [{', '.join(names[short_reference(reference)] for reference in graph.outputs)}]")
    inputs = {f"x{place}": array for place, array in enumerate(arrays)}
    scope = {"_values": {**inputs, **functions}}
    defaults = ", ".join(f"{name}=_values[{name!r}]" for name in scope["_values"])
    body = "".join(f"    {line}\n" for line in lines)
    exec(f"def graph({defaults}):\n{body}", scope)  # noqa: S102 - names and literals alone
    made: Callable[[], object] = scope["graph"]  # type: ignore[assignment]
    return made


def _function(call: Call, package: Any, node: Node) -> Callable[..., Any]:
    """The function that the package generates for an operator. Raises EngineError if there is none for its arrays."""
    for path in python_functions(node.operator, FRONT_END, call.library.version):
        function = attribute(package, path)
        if function and path not in FRONT_END and not takes_numpy_arrays(path):
            return function
    raise EngineError(f"no function of MXNet's Python package calls {node.operator}")


SCALAR, IS_INT = "scalar", "is_int"
COUNT = "num_args"


class PythonCall(EngineCall):
    """A call through the package over the arrays and gradients of a call of the C API, which owns them.

    `function` is the path that a user writes: `mx.nd.softmax`.
    """

    def __init__(self, call: Call, package: Any, function: str, invoke: PackageInvocation) -> None:
        super().__init__(call.library, call.case)
        self.function = function
        self.invoke = invoke
        self.gradients = call.gradients
        self.upstream = call.upstream
        self.first_us = call.first_us
        self._heads = [borrowed(package.nd.NDArray, package, head) for head in call.heads]
        self._backward = package.autograd.backward

    def run_backward(self, _outputs: Sequence[int]) -> None:
        """Starts a backward pass from the recorded results, as `mx.autograd.backward` does it."""
        self._backward(self.invoke.results, self._heads, train_mode=self.case.training)

    def free(self) -> None:
        """Frees the results; the arrays are the other call's."""
        self.invoke.free(())


def python_call(call: Call, trial_result: TrialResult, profiler: Profiler) -> PythonCall:
    """The call of the first function that runs the same kernels, and returns arrays of the same shapes and dtypes.

    Raises EngineError if there is none, or no Python package beside the library.
    """
    case = call.case
    if case.way not in ("call", *OWN_GRAPH) or any(item.name == FILE for item in case.inputs):
        raise EngineError("no function of MXNet's Python package makes this call")
    package = front_end(call.library.path)
    # The import may have changed the semantics of shapes.
    use_shape_semantics(call.library, case)
    for function, form in _candidates(call, package):
        candidate = PythonCall(call, package, function, PackageInvocation(form))
        if _does_the_same(candidate, trial_result, profiler):
            return candidate
    raise EngineError(f"no function of MXNet's Python package makes the call of {case.operator} with these inputs")


def _candidates(call: Call, package: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    """The functions that may make a call, each with the calls that may be meant."""
    if call.case.way in OWN_GRAPH:
        yield graph_function(call, package)
        return
    for path in python_functions(call.case.operator, FRONT_END, call.library.version):
        function = attribute(package, path)
        if function:
            yield from ((f"mx.{path}", form) for form in _forms(function, call, package, path))


def _forms(function: Callable[..., object], call: Call, package: Any, path: str) -> Iterator[Callable[[], object]]:
    """The calls that may be meant: tensors first, then parameters by name; a list; or a number on either side."""
    case = call.case
    arrays = {item.name: _array(call, package, path, item.name) for item in case.inputs}
    tensors = tuple(arrays[item.name] for item in case.arguments)
    params = _params(call.library, case)
    written = [arrays[name] for name in case.in_place]
    out = {"out": written[0] if len(written) == 1 else written} if written else {}
    if SCALAR in params:
        number = scalar_of(params)
        yield partial(function, *tensors, number, **out)
        yield partial(function, number, *tensors, **out)
    yield partial(function, *tensors, **params, **out)
    if any("[" in item.name for item in case.arguments):
        others = {name: value for name, value in params.items() if name != COUNT}
        yield partial(function, list(tensors), **others, **out)


def scalar_of(params: Mapping[str, Value]) -> Value:
    """The number as a user writes it; mx.np tells whole numbers apart, and some of its functions crash over others."""
    number = params[SCALAR]
    return int(number) if params.get(IS_INT) and isinstance(number, float) else number


def _params(library: Library, case: Case) -> dict[str, Value]:
    """The parameters. A dtype of None is left out: functions make NumPy's default of it, float64."""
    params = resolve_params(library, case.params)
    return {name: value for name, value in params.items() if name != "dtype" or value is not None}


def _array(call: Call, package: Any, path: str, name: str) -> Any:
    if takes_numpy_arrays(path):
        return borrowed(package.np.ndarray, package, call.inputs[name])
    storages = {"csr": package.nd.sparse.CSRNDArray, "row_sparse": package.nd.sparse.RowSparseNDArray}
    (storage,) = (item.tensor.storage for item in call.case.inputs if item.name == name)
    return borrowed(storages.get(storage, package.nd.NDArray), package, call.inputs[name])


def _does_the_same(candidate: PythonCall, trial_result: TrialResult, profiler: Profiler) -> bool:
    """Whether a call runs the trial's kernels, and returns its outputs. The package may raise anything."""
    try:
        seen = _kernels(candidate, profiler)
        outputs = tuple(describe(candidate.library, result.handle.value) for result in candidate.invoke.results)
    except Exception:  # noqa: BLE001 - another function or form is tried
        return False
    finally:
        candidate.free()
        with contextlib.suppress(EngineError):
            candidate.library.wait_all()
    return seen == set(trial_result.forward_kernels) and outputs == trial_result.outputs


def _kernels(candidate: PythonCall, profiler: Profiler) -> set[str]:
    """The operator's kernels in a call that isn't recorded: an array of `out` must not stay in a graph."""
    library = candidate.library
    try:
        with autograd.pass_mode(library, recording=False, training=candidate.case.training), profiler.recording():
            candidate.invoke()
            library.wait_all()
    finally:
        trace = profiler.kernels()
    own, _ = own_forward((kernel.name for kernel in trace), candidate.case.operator, profiler.roles)
    return set(own)


_NUMPY_SINCE = 2
_DEFAULT_DTYPE = "float32"
_DENSE = "default"
_WEIGHTS = (-0.07, 0.07)
"""The limits of weights and biases, those of Gluon's own default."""
_DRAWN = {"gamma": (0.5, 1.5), "running_var": (0.5, 1.5)}
"""The limits of parameters that divide or scale, by the ends of their names."""


class GluonBlock:
    """A layer's block, hybridized as the case says, with its arrays; `invoke` calls it."""

    def __init__(
        self, library: Library, case: Case, layers: Mapping[str, LayerPlace], shapes: Sequence[Shape] = ()
    ) -> None:
        """Builds the block and initialises its parameters by the case's id; `layers` are the user's own.

        Parameters get these shapes; without shapes, those that layers deduce wait for the first call. Raises
        EngineError if there is no front end beside the library, and AbsentLayerError if it doesn't have the layer.
        """
        self._library, self._case = library, case
        self.package = front_end(library.path)
        # The import may have changed the semantics of shapes.
        use_shape_semantics(library, case)
        self._is_numpy = int(library.version.partition(".")[0]) >= _NUMPY_SINCE
        if self._is_numpy:
            self.package.npx.set_np()
        try:
            self._arrays = {item.name: self._array(item.name) for item in case.inputs}
            self._block = self._prepared(layer_block(library, self.package, case, layers), shapes)
        except BaseException:
            self._leave_numpy_mode()
            raise
        self.invoke = PackageInvocation(partial(self._block, *with_lists(self._arrays.items()).values()))

    @property
    def parameter_shapes(self) -> tuple[Shape, ...]:
        """The shapes of all parameters, in the block's order; complete after the first call."""
        return tuple(tuple(parameter.shape) for parameter in self._block.collect_params().values())

    def write(self, contents: Mapping[str, Array]) -> None:
        """Writes contents into the arrays in place; parameters and random numbers begin as in each other process.

        Parameters are drawn by the case in their order, since releases initialise them by other random numbers. A layer
        of a recurrent network has the same numbers in the one array in which 2.x keeps all its parameters.
        """
        for name, array in self._arrays.items():
            array[:] = contents[name]
        seed = int(self._case.digest[:8], 16)
        drawn = np.random.default_rng(seed)
        for name, parameter in self._parameters.items():
            if type(parameter).__name__ != "Constant":
                low, high = next((limits for end, limits in _DRAWN.items() if name.endswith(end)), _WEIGHTS)
                values = drawn.uniform(low, high, parameter.shape)
                parameter.set_data(self._namespace.array(values, dtype=parameter.dtype))
        self.package.random.seed(seed)
        self._library.wait_all()

    def gradients(self) -> dict[str, Array]:
        """The contents of the gradients of the arrays, and of those of parameters by their names within the block."""
        inputs = {name: array.grad.asnumpy() for name, array in self._arrays.items() if array.grad is not None}
        trained = ((name, each) for name, each in self._parameters.items() if each.grad_req != "null")
        return {**inputs, **{name: parameter.grad().asnumpy() for name, parameter in trained}}

    def spoil_gradients(self) -> None:
        """Fills all dense gradients with NaN."""
        arrays = [array.grad for array in self._arrays.values() if array.grad is not None]
        for array in (*arrays, *(array for each in self._trained.values() for array in each.list_grad())):
            if array.stype == _DENSE:
                array[:] = np.nan

    def heads(self, values: Sequence[Array]) -> list[Any]:
        """Head gradients of these values, in the dtypes of the results of the last call."""
        pairs = zip(values, self.invoke.results, strict=True)
        return [self._namespace.array(value, dtype=result.dtype) for value, result in pairs]

    def attach_gradients(self) -> Mapping[str, object]:
        """The arrays that get gradients: the differentiable inputs, and the parameters, which have theirs already."""
        names = differentiable_inputs(self._case)
        for name in names:
            self._arrays[name].attach_grad()
        return {**{name: self._arrays[name] for name in names}, **self._trained}

    def recorded(self) -> list[Any]:
        """The results of a recorded call."""
        with self.package.autograd.record(train_mode=self._case.training):
            self.invoke()
        return self.invoke.results

    def head_gradients(self, results: Sequence[Any]) -> list[Any]:
        """Ones for each result."""
        return [self.package.np.ones_like(each) if self._is_numpy else each.ones_like() for each in results]

    def run_backward(self, heads: Sequence[Any]) -> None:
        """Starts a backward pass from the recorded results, as `mx.autograd.backward` does it."""
        self.package.autograd.backward(self.invoke.results, heads, train_mode=self._case.training)

    @property
    def result_bytes(self) -> int:
        """The bytes of the results of the last call."""
        return self._bytes(self.invoke.results)

    @property
    def gradient_bytes(self) -> int:
        """The bytes of all dense gradients, which are allocated before a backward pass."""
        arrays = [array.grad for array in self._arrays.values() if array.grad is not None]
        return self._bytes([*arrays, *(array for each in self._trained.values() for array in each.list_grad())])

    def free(self) -> None:
        """Frees the results, and waits until the engine is idle; later cases may be of the older arrays."""
        self.invoke.free(())
        try:
            self._library.wait_all()
        finally:
            self._leave_numpy_mode()

    def _leave_numpy_mode(self) -> None:
        if self._is_numpy:
            self.package.npx.reset_np()

    @property
    def _parameters(self) -> Mapping[str, Any]:
        """The parameters by their names within the block, most of which are those of all releases: `0.weight`."""
        found: Mapping[str, Any] = getattr(self._block, "_collect_params_with_prefix", self._block.collect_params)()
        return found

    @property
    def _namespace(self) -> Any:
        return self.package.np if self._is_numpy else self.package.nd

    @property
    def _trained(self) -> dict[str, Any]:
        parameters = self._block.collect_params()
        return {name: parameter for name, parameter in parameters.items() if parameter.grad_req != "null"}

    def _bytes(self, arrays: Sequence[Any]) -> int:
        dense = (array.handle.value for array in arrays if array.stype == _DENSE)
        return sum(BorrowedArray(self._library, handle).nbytes for handle in dense)

    def _prepared(self, block: Any, shapes: Sequence[Shape]) -> Any:
        self.package.random.seed(int(self._case.digest[:8], 16))
        if shapes:
            for parameter, shape in zip(block.collect_params().values(), shapes, strict=True):
                parameter.shape = shape
        block.initialize()
        hybridize = self._case.params.get(HYBRIDIZE, False)
        if hybridize:
            block.hybridize(**(STATIC_FLAGS if hybridize == STATIC else {}))
        return block

    def _array(self, name: str) -> Any:
        (item,) = (item for item in self._case.inputs if item.name == name)
        return self._namespace.array(contents_of(self._case, item), dtype=item.tensor.dtype)


def layer_block(library: Library, package: Any, case: Case, layers: Mapping[str, LayerPlace]) -> Any:
    """The block of a case in its dtype; its parameters are not initialised.

    Raises UsageError for an unknown layer, AbsentLayerError if the release doesn't have it, CaseFileError if the file
    of a user's layer fails.
    """
    arguments = {name: value for name, value in case.params.items() if name != HYBRIDIZE}
    place = layers.get(case.operator)
    if place is None:
        block = _built_in_block(library, package, case, arguments)
    else:
        block = _user_block(library, package, place, arguments)
    dtypes = (item.tensor.dtype for item in case.inputs)
    dtype = next((dtype for dtype in dtypes if "float" in dtype), _DEFAULT_DTYPE)
    if dtype != _DEFAULT_DTYPE:
        block.cast(dtype)
    return block


def _user_block(library: Library, package: Any, place: LayerPlace, arguments: dict[str, Any]) -> Any:
    from autoperf.rules.gluon_layers.layer import class_at  # noqa: PLC0415 - as below

    error_text = registered_operators().told
    layer_class: Any = (
        user_attribute(Path(place.file), place.name, error_text) if place.file else class_at(package, place)
    )
    if layer_class is None:
        raise AbsentLayerError(f"MXNet {library.version} has no {place.path}")
    if missing := _missing(layer_class, arguments):
        raise missing_arguments(f"{Path(place.file).name}:{place.name}" if place.file else place.path, missing)
    block = layer_class(**arguments)
    if not isinstance(block, package.gluon.Block):
        raise UsageError(f"invalid layer {place.path}: expected a block of Gluon, got a {type(block).__name__}")
    return block


def _built_in_block(library: Library, package: Any, case: Case, arguments: dict[str, Any]) -> Any:
    # Not at the top: rules import Hypothesis, which the processes that time operators don't need.
    from autoperf.rules.gluon_layers.layer import gluon_layers_by_name  # noqa: PLC0415

    layer = gluon_layers_by_name().get(case.operator)
    if layer is None:
        raise UsageError(f"unknown layer {case.operator!r}")
    layer_class = layer.class_in(package)
    if layer_class is None:
        raise AbsentLayerError(f"MXNet {library.version} has no {layer.place.path}")
    try:
        return layer.build(package, layer_class, dict(arguments))
    except KeyError as error:
        # A block that holds others needs arguments that are not those of its class.
        name = str(error.args[0]) if error.args else ""
        if name in arguments or layer.operator.parameter(name) is None:
            raise
        raise missing_arguments(layer.place.path, [name]) from None


def _missing(layer_class: Any, arguments: Mapping[str, Any]) -> list[str]:
    parameters = inspect.signature(layer_class).parameters.values()
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    needed = (each.name for each in parameters if each.default is Parameter.empty and each.kind in named)
    return [name for name in needed if name not in arguments]
