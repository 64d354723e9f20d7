"""Calls an operator or a graph through MXNet's Python package, over the arrays of a call of the C API."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from autoperf.backends.mxnet.call import Call, EngineCall, PackageInvocation, describe, handle_of, use_shape_semantics
from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.backends.mxnet.capi.symbol import graph_text
from autoperf.backends.mxnet.python_operators import resolve_params
from autoperf.backends.passes import own_forward
from autoperf.backends.protocol import Profiler, TrialResult
from autoperf.core.case import FILE
from autoperf.core.errors import EngineError
from autoperf.core.graph import IN_TURN, OWN_GRAPH, Graph, Node, short_reference
from autoperf.core.operator import Value
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
    scope = {"_values": {**{f"x{place}": array for place, array in enumerate(arrays)}, **functions}}
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


class PythonCall(EngineCall):
    """A call by a function (`mx.nd.softmax`) of the package over the arrays and gradients of a call of the C API."""

    invoke: PackageInvocation

    def __init__(self, call: Call, package: Any, function: str, invoke: PackageInvocation) -> None:
        super().__init__(call.library, call.case)
        self.function, self.invoke = function, invoke
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
    """The call of the first function that does the same. Raises EngineError without one, or without the package."""
    case = call.case
    if case.way not in ("call", *OWN_GRAPH) or any(item.name == FILE for item in case.inputs):
        raise EngineError("no function of MXNet's Python package makes this call")
    package = front_end(call.library.path)
    # The import may have changed the semantics of shapes.
    use_shape_semantics(call.library, case)
    candidates: Iterable[tuple[str, Callable[[], object]]]
    if case.way in OWN_GRAPH:
        candidates = [graph_function(call, package)]
    else:
        paths = python_functions(case.operator, FRONT_END, call.library.version)
        functions = ((path, attribute(package, path)) for path in paths)
        candidates = (
            (f"mx.{path}", form)
            for path, function in functions
            if function
            for form in _forms(function, call, package, path)
        )
    for name, form in candidates:
        candidate = PythonCall(call, package, name, PackageInvocation(form))
        if _does_the_same(candidate, trial_result, profiler):
            return candidate
    raise EngineError(f"no function of MXNet's Python package makes the call of {case.operator} with these inputs")


def _forms(function: Callable[..., object], call: Call, package: Any, path: str) -> Iterator[Callable[[], object]]:
    """The calls that may be meant: tensors first, then parameters by name; a list; or a number on either side."""
    case = call.case
    arrays = {item.name: _array(call, package, path, item.name) for item in case.inputs}
    tensors = tuple(arrays[item.name] for item in case.arguments)
    # A dtype of None is left out: functions make NumPy's default of it, float64.
    resolved = resolve_params(call.library, case.params).items()
    params = {name: value for name, value in resolved if name != "dtype" or value is not None}
    written = [arrays[name] for name in case.in_place]
    out = {"out": written[0] if len(written) == 1 else written} if written else {}
    if SCALAR in params:
        number = scalar_of(params)
        yield partial(function, *tensors, number, **out)
        yield partial(function, number, *tensors, **out)
    yield partial(function, *tensors, **params, **out)
    if any("[" in item.name for item in case.arguments):
        others = {name: value for name, value in params.items() if name != "num_args"}
        yield partial(function, list(tensors), **others, **out)


def scalar_of(params: Mapping[str, Value]) -> Value:
    """The number as a user writes it; mx.np tells whole numbers apart, and some of its functions crash over others."""
    number = params[SCALAR]
    return int(number) if params.get(IS_INT) and isinstance(number, float) else number


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
