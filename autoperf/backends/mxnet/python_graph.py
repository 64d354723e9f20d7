"""Calls a graph through MXNet's Python package: its operators one after the other, or a CachedOp, as Gluon calls it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.graph_symbol import graph_text
from autoperf.backends.mxnet.python_arrays import attribute, borrowed
from autoperf.core.errors import EngineError
from autoperf.core.graph import Graph, Node, short_reference
from autoperf.registry.names import python_functions, takes_numpy_arrays
from autoperf.rules.front_end import FRONT_END


def graph_function(call: Call, package: Any) -> tuple[str, Callable[[], object]]:
    """The name of a graph's call, and the call. Raises EngineError if an operator has no function of `mx.nd`."""
    case = call.case
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
